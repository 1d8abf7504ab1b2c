/// The losses of a run over time, in constant memory.
#pragma once

#include "proxstream/core/types.hpp"

#include <vector>

namespace proxstream {

/// Sums of losses over equal blocks of rounds. When there are too many blocks, neighbours are joined.
class LossCurve {
  public:
    static constexpr Index kMostBlocks = 1024;

    /// A loss that is NaN makes the sum of its block NaN.
    void add(Real loss) {
        open_ += loss;
        if (++in_open_ < block_) return;
        sums_.push_back(open_);
        open_ = 0;
        in_open_ = 0;
        if (sums_.size() < kMostBlocks) return;
        for (Index i = 0; i < kMostBlocks / 2; ++i) sums_[i] = sums_[2 * i] + sums_[2 * i + 1];
        sums_.resize(kMostBlocks / 2);
        block_ *= 2;
    }

    Index block() const noexcept { return block_; }                   // rounds
    const std::vector<Real>& sums() const noexcept { return sums_; }  // of whole blocks

  private:
    std::vector<Real> sums_;
    Real open_ = 0;
    Index in_open_ = 0;
    Index block_ = 1;
};

}  // namespace proxstream
