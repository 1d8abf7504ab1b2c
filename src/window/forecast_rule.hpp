/// What stands for the loss that is not known yet when a round is solved: the forecast window Q_{t+1} is the
/// reference window S_{t+1} with f_{t+1} replaced.
#pragma once

#include "proxstream/core/types.hpp"

#include <span>
#include <string>
#include <string_view>

namespace proxstream {

/// A textual form of a window or of a forecast rule, for listings.
struct WindowUsage {
    std::string_view name;
    std::string_view usage;
    std::string_view help;
};

struct ForecastRule {
    enum class Kind {
        automatic,  // mean for seasons and for windows of an effective length of 16 and more; previous for
                    // shorter ones: they need the one record that `mean` leaves out more than the better
                    // forecast
        previous,   // the window as it is, S_t: Algorithm 1. A box expects f_{t+1-w} to come back
        mean,       // the mean of the records that the reference window keeps
        zero,       // nothing
        season,     // the loss of `lag` rounds before
        record,     // a forecast that comes with the stream
    };
    Kind kind = Kind::previous;
    Index lag = 0;

    /// "auto", "previous", "mean", "zero", "season:S" or "forecast". Throws ConfigError.
    static ForecastRule parse(std::string_view text);
    static std::span<const WindowUsage> forms();
    /// Itself, or what `automatic` stands for.
    ForecastRule for_window(const class WindowWeights& reference) const;
    std::string text() const;
    friend bool operator==(const ForecastRule&, const ForecastRule&) = default;
};

}  // namespace proxstream
