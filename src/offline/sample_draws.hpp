/// Chooses samples as a pure function of the seed and of the number of earlier draws. A resumed run thus
/// draws the same samples as an uninterrupted one.
#pragma once

#include "proxstream/core/state_archive.hpp"

#include "offline/sampled_loss.hpp"

#include <vector>

namespace proxstream {

/// Draws for different purposes, or with another seed, share no sample of an expectation.
enum class DrawPurpose : std::uint8_t { step, second_step, test, smoothness, noise };

class SampleDraws {
  public:
    /// `components`: n of a sum, 0 of an expectation.
    SampleDraws(std::uint64_t seed, std::uint64_t components, DrawPurpose purpose)
        : seed_(seed), components_(components), purpose_(purpose) {}

    /// From a sum uniformly, with replacement; from an expectation samples that are new. Valid until the next
    /// call.
    std::span<const SampleId> draw(Index count);
    /// From a sum `count` <= n different ones, ascending.
    std::span<const SampleId> draw_distinct(Index count);

    /// Skips so many draws.
    void skip(std::uint64_t count) { drawn_ += count; }

    void serialise(StateArchive& archive) { archive.field("drawn", drawn_); }

  private:
    std::uint64_t next_below(std::uint64_t bound);
    /// Returns whether the sample is new.
    bool enter(SampleId sample);

    std::uint64_t seed_;
    std::uint64_t components_;
    DrawPurpose purpose_;
    std::uint64_t drawn_ = 0;
    std::vector<SampleId> samples_;
    std::vector<SampleId> slots_;  // of those entered, by their low bits: each plus one, 0: free
};

}  // namespace proxstream
