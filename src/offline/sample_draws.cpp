#include "offline/sample_draws.hpp"

#include "proxstream/core/draw.hpp"

#include <algorithm>
#include <bit>
#include <cassert>

namespace proxstream {

std::span<const SampleId> SampleDraws::draw(Index count) {
    // Any number names a sample of an expectation. Two of 2^64 rarely coincide.
    constexpr std::uint64_t kAll = ~std::uint64_t{0};
    samples_.resize(count);
    for (SampleId& sample : samples_) sample = next_below(components_ == 0 ? kAll : components_);
    return samples_;
}

std::span<const SampleId> SampleDraws::draw_distinct(Index count) {
    if (components_ == 0) return draw(count);
    assert(count <= components_);
    // Floyd's algorithm: the i-th draw is below n - count + i + 1; a repeated number is replaced by the
    // largest.
    samples_.clear();
    slots_.assign(std::bit_ceil(2 * count + 1), 0);
    for (SampleId top = components_ - count; top < components_; ++top) {
        SampleId taken = next_below(top + 1);
        if (!enter(taken)) {
            taken = top;
            enter(taken);
        }
        samples_.push_back(taken);
    }
    std::sort(samples_.begin(), samples_.end());
    return samples_;
}

std::uint64_t SampleDraws::next_below(std::uint64_t bound) {
    const auto purpose = static_cast<std::uint32_t>(purpose_);
    return uniform_below({.seed = seed_, .round = 0, .record = purpose, .step = 0, .sample = drawn_++},
                         bound);
}

bool SampleDraws::enter(SampleId sample) {
    // Draws are uniform below some number, so their low bits are a good hash.
    const std::uint64_t mask = slots_.size() - 1;
    std::uint64_t place = sample & mask;
    for (; slots_[place] != 0; place = (place + 1) & mask) {
        if (slots_[place] == sample + 1) return false;
    }
    slots_[place] = sample + 1;
    return true;
}

}  // namespace proxstream
