#include "proxstream/offline/sample_draws.hpp"

#include "proxstream/core/draw.hpp"

#include <algorithm>
#include <bit>
#include <cassert>

namespace proxstream {
namespace {

/// The bits of a sample's number that say what it was drawn for; a run never counts so far.
constexpr unsigned kPurposeShift = 60;

}  // namespace

std::span<const SampleId> SampleDraws::draw(Index count) {
    samples_.resize(count);
    const auto purpose = static_cast<std::uint32_t>(purpose_);
    for (SampleId& sample : samples_) {
        sample =
            components_ == 0
                ? (SampleId{purpose} << kPurposeShift) + drawn_
                : uniform_below({.seed = seed_, .round = 0, .record = purpose, .step = 0, .sample = drawn_},
                                components_);
        ++drawn_;
    }
    return samples_;
}

std::span<const SampleId> SampleDraws::draw_distinct(Index count) {
    if (components_ == 0) return draw(count);
    assert(count <= components_);
    // Floyd's: the i-th draw below n - count + i + 1; what is in already gives way to the largest number.
    samples_.clear();
    slots_.assign(std::bit_ceil(2 * count + 1), 0);
    const auto purpose = static_cast<std::uint32_t>(purpose_);
    for (SampleId top = components_ - count; top < components_; ++top) {
        const SampleId drawn = uniform_below(
            {.seed = seed_, .round = 0, .record = purpose, .step = 0, .sample = drawn_}, top + 1);
        ++drawn_;
        SampleId taken = drawn;
        if (!enter(taken)) {
            taken = top;
            enter(taken);
        }
        samples_.push_back(taken);
    }
    std::sort(samples_.begin(), samples_.end());
    return samples_;
}

bool SampleDraws::enter(SampleId sample) {
    // Draws are uniform below some number: their low bits spread them well enough.
    const std::uint64_t mask = slots_.size() - 1;
    std::uint64_t place = sample & mask;
    for (; slots_[place] != 0; place = (place + 1) & mask) {
        if (slots_[place] == sample + 1) return false;
    }
    slots_[place] = sample + 1;
    return true;
}

}  // namespace proxstream
