/// What this machine can do at best, measured: nothing can read memory or multiply faster than this.
#pragma once

#include "harness/measure.hpp"

#include <span>
#include <vector>

namespace proxstream::bench {

/// Ways of reading an array once with the widest loads: so many places at a time, with requests ahead or not.
struct ReadWay {
    const char* name;
    std::uint64_t (*read)(const double* values, Index count);
};
const std::vector<ReadWay>& read_ways();
/// The fastest of them on arrays of this size.
ReadWay fastest_read(std::span<const double> values, const Effort& effort);

/// Multiply-adds in registers, several chains of the widest vectors, fused where the processor can: floating
/// point operations done.
double multiply_adds(Index rounds);

}  // namespace proxstream::bench
