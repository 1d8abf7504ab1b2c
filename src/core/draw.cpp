#include "proxstream/core/draw.hpp"

#include <cmath>
#include <numbers>

#include <Random123/philox.h>

namespace proxstream {
namespace {

using Generator = r123::Philox4x64;

Generator::ctr_type block(const Draw& draw) {
    const std::uint64_t place = (std::uint64_t{draw.record} << 32U) | draw.step;
    const Generator::ctr_type counter{{draw.round, place, draw.sample, 0}};
    const Generator::key_type key{{draw.seed, 0x70726f7873747265ULL}};  // "proxstre": our own sequence
    return Generator{}(counter, key);
}

/// 53 random bits, centred in their cell so that 0 and 1 never occur.
Real open_unit(std::uint64_t bits) {
    return (static_cast<Real>(bits >> 11U) + 0.5) * 0x1.0p-53;
}

}  // namespace

Real uniform(const Draw& draw) {
    return open_unit(block(draw)[0]);
}

std::uint64_t uniform_below(const Draw& draw, std::uint64_t bound) {
    // The high half of a 128-bit product; its bias is below bound / 2^64.
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((Wide{block(draw)[0]} * bound) >> 64U);
}

Real normal(const Draw& draw) {
    const Generator::ctr_type bits = block(draw);
    const Real radius = std::sqrt(-2 * std::log(open_unit(bits[0])));
    return radius * std::cos(2 * std::numbers::pi * open_unit(bits[1]));
}

}  // namespace proxstream
