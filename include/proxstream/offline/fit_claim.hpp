/// How a fit ended, and what is claimed of its result.
#pragma once

#include "proxstream/core/types.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace proxstream {

/// How a fit ended. Only `converged` says that the target gap was reached and measured.
///
/// \code
/// const FitResult found = fit(problem);
/// if (found.status == FitStatus::budget_exhausted) std::cerr << found.stationarity_gap << '\n';
/// \endcode
enum class FitStatus : std::uint8_t {
    converged,         ///< the stationarity gap is at most epsilon, as measured
    finished,          ///< the method's own test passed
    budget_exhausted,  ///< passes, seconds or iterations ran out
    stalled,           ///< no step lowers the objective any more: rounding level
    not_finite,        ///< a loss was NaN or infinite
    interrupted,       ///< on_progress or the user stopped it
};
/// The name of a status.
std::string_view name(FitStatus status);

/// The outcome of checking one claim of a fit. Only `fails` makes a certificate unsound.
///
/// \code
/// const bool proved = found.certificate.at("F1").verdict == FitVerdict::holds;
/// \endcode
enum class FitVerdict : std::uint8_t {
    holds,              ///< true whatever rounding did: left + slack <= right
    holds_to_rounding,  ///< the sides agree within the slack, which is small
    undecided,          ///< the slack is too large to say which side is larger
    fails,              ///< false even if rounding is allowed for
    likely,             ///< true with the confidence asked for, by an independent batch
    measured,           ///< a figure without a claim
    on_average,         ///< the theory concerns the mean over all draws; one run does not decide it
};
/// The verdict in words.
std::string_view name(FitVerdict verdict);

/// One line of a fit's certificate: left <= right, with both sides as measured. The ids F1 to F5 are those of
/// docs/fitting.md.
///
/// \code
/// for (const FitClaim& claim : found.certificate.claims)
///     std::cout << claim.id << ": " << claim.statement << ": " << name(claim.verdict) << '\n';
/// \endcode
struct FitClaim {
    std::string id;                             ///< "F1" to "F5"
    std::string statement;                      ///< the statement in words and symbols
    Real left = 0;                              ///< left side, as measured
    Real right = 0;                             ///< right side
    Real slack = 0;                             ///< bound on the rounding error of both sides together
    FitVerdict verdict = FitVerdict::measured;  ///< the outcome
    std::string note = {};                      ///< why, where the verdict needs a reason
};

}  // namespace proxstream
