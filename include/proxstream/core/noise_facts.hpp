/// What a run with sampled gradients states about its samples: the referee judges it by these words.
#pragma once

#include "proxstream/core/types.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace proxstream {

/// e = G - grad S_t(y) is the noise of an estimate G of the window's gradient. Everything below is about G,
/// not about the single record: how an oracle makes G from base samples is its own matter.
struct NoiseFacts {
    std::string oracle;                // its textual form
    std::string variant = "fresh";     // fresh: all gradients redrawn when a round begins; paper: kept ones
    std::string estimator = "sample";  // sample: every pass is drawn anew; spider: by recursive differences
    std::uint64_t confirm = 1;         // m: estimates at one point that all have to pass before a round stops
    std::optional<Real> sigma;  // w_a times s, E|e|^2 <= s^2 of a full window; absent: nothing is claimed
    bool bounded = false;       // |e| <= s surely, not only in the mean square
    bool independent = true;    // across the records of the window
    std::string origin;         // where sigma comes from, in words
    Real confidence = 0.95;     // 1 - p of what holds with a probability only
    bool refereed = true;       // exact gradients are measured beside, at the referee's cost
    bool losses_known = true;   // false: no loss was ever evaluated, so their mean is not known

    bool fresh() const { return variant == "fresh"; }

    friend bool operator==(const NoiseFacts&, const NoiseFacts&) = default;
};

}  // namespace proxstream
