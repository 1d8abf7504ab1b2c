/// Projections onto many small simplices: kLanes blocks of one size go side by side, a block a lane. Every
/// lane makes the additions, comparisons and divisions that project_onto_simplex makes for its block, in the
/// same order. So the bits do not depend on the other blocks. Blocks that are too large, those left over in
/// the end, and groups with an entry that is not finite are projected one by one.
#pragma once

#include "proxstream/core/scratch.hpp"
#include "proxstream/core/types.hpp"

#include "core/simd.hpp"

#include <array>

namespace proxstream {

class SimplexBatch {
  public:
    static constexpr Index kLargest = 12;

    /// Blocks are parts of v and go to the same places of out, which may alias v.
    SimplexBatch(ConstView v, View out, Scratch& scratch) : v_(v), out_(out), scratch_(scratch) {}

    /// Blocks do not overlap; radius > 0. A block may be projected at any time until finish().
    void add(Index begin, Index size, Real radius) {
        if (size == 0) return;
        if (size > kLargest) {
            project_one(begin, size, radius);
            return;
        }
        Group& group = groups_[size - 1];
        group.begin[group.count] = begin;
        group.radius[group.count] = radius;
        if (++group.count == kLanes) project_group(size);
    }
    /// Projects the blocks that are left. Returns 0, or NaN if an entry was not finite.
    Real finish();

  private:
    struct Group {
        Index count = 0;
        std::array<Index, kLanes> begin;
        std::array<Real, kLanes> radius;
    };
    void project_group(Index size);
    void project_one(Index begin, Index size, Real radius);
    void project_singly(Index size);

    ConstView v_;
    View out_;
    Scratch& scratch_;
    Real total_ = 0;
    std::array<Group, kLargest> groups_;  // by size
};

}  // namespace proxstream
