/// The progress of an assignment, and how it ended.
#pragma once

#include "proxstream/core/types.hpp"

#include <string_view>

namespace proxstream {

/// The state of an assignment after a round, passed to AssignOptions::on_round. The relative gap is (cost -
/// c) / c, where c is the cost if all demand used shortest paths at the current travel times.
///
/// \code
/// AssignOptions options;
/// options.on_round = [](const AssignmentRound& now) {
///     std::cerr << now.round << ": gap " << now.gap << '\n';
///     return true;  // go on
/// };
/// \endcode
struct AssignmentRound {
    Index round = 0;     ///< counted from 1
    Real gap = 0;        ///< relative gap
    Real objective = 0;  ///< the objective
    Index paths = 0;     ///< paths in use, over all pairs
    double seconds = 0;  ///< seconds since the start
};

/// How an assignment ended.
///
/// - `reached`: the target gap was reached.
/// - `out_of_rounds`, `out_of_time`: a budget ran out before.
/// - `stalled`: nothing improves any more; the target gap is below what rounding allows.
/// - `stopped`: the caller or the user stopped it.
///
/// \code
/// if (found.status != AssignmentStatus::reached) std::cerr << describe(found.status) << '\n';
/// \endcode
enum class AssignmentStatus { reached, out_of_rounds, out_of_time, stalled, stopped };

/// The status in words.
std::string_view describe(AssignmentStatus status);

}  // namespace proxstream
