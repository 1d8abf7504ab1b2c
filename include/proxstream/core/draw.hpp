/// Random numbers as pure functions of their coordinates (Philox 4x64, counter based). A run gives the same
/// numbers for any number of threads, any order of evaluation, and after a restart.
#pragma once

#include "proxstream/core/types.hpp"

#include <cstdint>
#include <utility>

namespace proxstream {

/// The coordinates of one random number: which run, round, record, step and sample it belongs to. The same
/// coordinates always give the same number, so nothing has to be stored to repeat a draw. Change one
/// coordinate to get an independent number.
///
/// \code
/// const Real noise = normal(Draw{.seed = 1, .round = 7});
/// const Real other = normal(Draw{.seed = 1, .round = 7, .sample = 1});
/// \endcode
struct Draw {
    std::uint64_t seed = 0;    ///< random seed of the run
    std::uint64_t round = 0;   ///< t
    std::uint32_t record = 0;  ///< which record of the window
    std::uint32_t step = 0;    ///< which update within the round
    std::uint64_t sample = 0;  ///< which sample, where one step draws several
};

/// Uniform on the open interval (0, 1).
Real uniform(const Draw& draw);
/// Uniform on {0, ..., bound - 1}; bound > 0.
std::uint64_t uniform_below(const Draw& draw, std::uint64_t bound);
/// Standard normal.
Real normal(const Draw& draw);

}  // namespace proxstream
