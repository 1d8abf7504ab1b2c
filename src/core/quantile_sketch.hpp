/// Order statistics of a long list of numbers in bounded memory. They are exact below 2 kRoom numbers, and
/// from then on off by a small share of the ranks. No number is drawn: the same numbers in the same order
/// give the same answers.
///
/// Full buffers of one level are merged in pairs. Every other number of the merged list moves to the next
/// level and counts twice there (Munro and Paterson 1980). A merge on level l moves a rank by at most 2^l,
/// and n numbers take at most n / (2^(l+1) kRoom) merges there. With L levels above the first, ranks are off
/// by at most n L / (2 kRoom). That is 0.25 % of n for a thousand million numbers.
#pragma once

#include "proxstream/core/state_archive.hpp"
#include "proxstream/core/types.hpp"

#include <cstdint>
#include <vector>

namespace proxstream {

class QuantileSketch {
  public:
    static constexpr Index kRoom = 4096;

    /// `value` is not NaN.
    void add(Real value);

    std::uint64_t count() const noexcept { return count_; }
    bool exact() const noexcept { return levels_.empty(); }
    // Of a list that is not empty; these three are always exact.
    Real smallest() const noexcept { return smallest_; }
    Real largest() const noexcept { return largest_; }
    Real last() const noexcept { return last_; }
    /// The number of that rank, 0: the smallest; rank < count().
    Real at_rank(std::uint64_t rank) const;

    void serialise(StateArchive& archive);

  private:
    void carry();

    std::vector<Real> newest_;               // weight 1, in the order they came
    std::vector<std::vector<Real>> levels_;  // sorted; level l has kRoom numbers of weight 2^(l+1), or none
    std::uint64_t odd_ = 0;                  // a bit a level: which of the two halves a merge keeps next
    std::uint64_t count_ = 0;
    Real smallest_ = 0, largest_ = 0, last_ = 0;
};

}  // namespace proxstream
