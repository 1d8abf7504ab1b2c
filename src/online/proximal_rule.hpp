/// How strongly a round is held at the point it starts from: mu of the proximal term (mu/2) |x - x_t|^2.
#pragma once

#include "proxstream/core/types.hpp"

#include <optional>
#include <string_view>

namespace proxstream {

struct ProximalRule {
    /// mu as named; absent: automatic.
    std::optional<Real> named = 0;
    /// kappa_a: |a|^2/n of a typical row a of a linear model; 0: no linear model, automatic means none.
    Real row_scale = 0;
    /// Whether the loss is one of margins: a window of any length can then be separable.
    bool margin = false;

    /// Reads `auto` or a number; throws ConfigError unless it is finite and not negative.
    static ProximalRule parse(std::string_view text);
    /// The same text for other data: what is known of the rows stays.
    void take_text(std::string_view text);

    /// mu for a window of effective length w_a and n coordinates. Automatic: kappa_a/w_a, so that the last
    /// point counts as one record for each coordinate. A window by itself need not have a unique minimiser:
    /// for w_a <= n it is underdetermined, and a window of margins may be separable. None beyond
    /// kMostCoordinates: mu is 1/n of a row's own curvature, so there it would only cost time.
    Real weight(Real effective_length, Index dimension) const;
    static constexpr Index kMostCoordinates = 1000;
};

}  // namespace proxstream
