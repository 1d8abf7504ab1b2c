/// What an assignment reports: one line a round, and how it ended.
#pragma once

#include "proxstream/core/types.hpp"

#include <string_view>

namespace proxstream {

struct AssignmentRound {
    Index round = 0;     // from 1
    Real gap = 0;        // relative: (cost - cost if all used shortest paths) / the latter
    Real objective = 0;  // the value that is minimised
    Index paths = 0;     // in use, over all pairs
    double seconds = 0;  // since the start
};

enum class AssignmentStatus { reached, out_of_rounds, out_of_time, stalled, stopped };

/// The same in words, for a person.
std::string_view describe(AssignmentStatus status);

}  // namespace proxstream
