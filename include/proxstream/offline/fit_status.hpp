/// How a fit ended.
#pragma once

#include <cstdint>
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

}  // namespace proxstream
