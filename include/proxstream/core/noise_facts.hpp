/// What a run with sampled gradients claims about its samples. The certificate checks the run against these
/// claims.
#pragma once

#include "proxstream/core/types.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace proxstream {

/// Claims about the noise of sampled gradients. They concern e = G - grad S_t(y), the error of an estimate G
/// of the gradient of the whole window; how an oracle forms G from base samples does not matter. A run states
/// them in its header (RunHeader::noise), and inequalities C10 to C13 of the certificate rest on them.
/// Example: examples/06_sampled_gradients.cpp
struct NoiseFacts {
    std::string oracle;  ///< the oracle, in its textual form
    /// "fresh": all gradients are redrawn when a round begins; "paper": kept ones are reused.
    std::string variant = "fresh";
    std::string estimator = "sample";  ///< "sample": every pass draws anew; "spider": recursive differences
    std::uint64_t confirm = 1;  ///< m: estimates at one point that all have to pass before a round ends
    std::optional<Real> sigma;  ///< w_a s, where E|e|^2 <= s^2 for a full window; absent: no claim
    bool bounded = false;       ///< |e| <= s always, not only in the mean square
    bool independent = true;    ///< noise is independent across the records of the window
    std::string origin;         ///< where sigma comes from, in words
    Real confidence = 0.95;     ///< 1 - p, the confidence level of probabilistic statements
    /// Exact gradients are measured too, for the certificate; their cost is counted separately.
    bool refereed = true;
    bool losses_known = true;  ///< false: no loss was ever evaluated, so the mean loss is unknown

    /// Whether every round begins with fresh samples.
    bool fresh() const { return variant == "fresh"; }

    friend bool operator==(const NoiseFacts&, const NoiseFacts&) = default;
};

}  // namespace proxstream
