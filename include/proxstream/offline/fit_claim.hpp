/// How a fit ended, and what is claimed of its result.
#pragma once

#include "proxstream/core/types.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace proxstream {

enum class FitStatus : std::uint8_t {
    converged,         // stationarity gap <= epsilon, measured
    finished,          // the method's own test passed
    budget_exhausted,  // passes, seconds or iterations
    stalled,           // no step lowers the objective: rounding level
    not_finite,        // a loss was NaN or infinite
    interrupted,
};
std::string_view name(FitStatus status);

enum class FitVerdict : std::uint8_t {
    holds,              // whatever rounding did: left + slack <= right
    holds_to_rounding,  // the sides agree within the slack, and that is little
    undecided,          // the slack is too large to tell which side is larger
    fails,
    likely,      // with the confidence asked for, by an independent batch
    measured,    // a figure, nothing was asked of it
    on_average,  // theory speaks of the mean over all draws: one run does not decide it
};
std::string_view name(FitVerdict verdict);

/// One line of a fit's certificate: left <= right.
struct FitClaim {
    std::string id;  // F1, F2, ...
    std::string statement;
    Real left = 0;
    Real right = 0;
    Real slack = 0;  // what rounding may have done to the two sides together
    FitVerdict verdict = FitVerdict::measured;
    std::string note = {};
};

}  // namespace proxstream
