/// Randomness as an argument: a draw is a pure function of its coordinates (Philox 4x64, counter based), so a
/// run gives the same numbers for any thread count, any order of evaluation, and after a resume.
#pragma once

#include "proxstream/core/types.hpp"

#include <cstdint>
#include <utility>

namespace proxstream {

struct Draw {
    std::uint64_t seed = 0;
    std::uint64_t round = 0;
    std::uint32_t record = 0;
    std::uint32_t step = 0;
    std::uint64_t sample = 0;
};

/// Uniform on the open interval (0, 1).
Real uniform(const Draw& draw);
/// Uniform on {0, ..., bound - 1}; bound > 0.
std::uint64_t uniform_below(const Draw& draw, std::uint64_t bound);
/// Standard normal.
Real normal(const Draw& draw);

}  // namespace proxstream
