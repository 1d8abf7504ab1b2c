/// Where two paths of one pair part: the links that only one of them uses.
#pragma once

#include "proxstream/core/scratch.hpp"

#include "traffic/path_set.hpp"

#include <algorithm>
#include <span>

namespace proxstream {

class Fork {
  public:
    /// Its memory is the frame's.
    Fork(const PathSet& paths, Index links, Scratch::Frame& frame)
        : paths_(paths),
          mark_(frame.take<std::uint32_t>(links)),
          left_(frame.take<LinkIndex>(links)),
          joined_(frame.take<LinkIndex>(links)) {
        std::fill(mark_.begin(), mark_.end(), 0);
    }

    /// Paths of one pair share the beginning of their tree; what they share after having parted is marked and
    /// left out.
    void find(SlotIndex from, SlotIndex to) {
        TreeNode a = paths_.leaf(from);
        TreeNode b = paths_.leaf(to);
        left_count_ = joined_count_ = 0;
        while (a != b) {
            if (a > b) {
                left_[left_count_++] = paths_.link(a);
                a = paths_.parent(a);
            } else {
                joined_[joined_count_++] = paths_.link(b);
                b = paths_.parent(b);
            }
        }
        const std::uint32_t seen = ++stamp_;
        const std::uint32_t shared = ++stamp_;
        for (Index i = 0; i < joined_count_; ++i) mark_[joined_[i]] = seen;
        Index kept = 0;
        for (Index i = 0; i < left_count_; ++i) {
            if (mark_[left_[i]] == seen) {
                mark_[left_[i]] = shared;
            } else {
                left_[kept++] = left_[i];
            }
        }
        left_count_ = kept;
        kept = 0;
        for (Index i = 0; i < joined_count_; ++i) {
            if (mark_[joined_[i]] != shared) joined_[kept++] = joined_[i];
        }
        joined_count_ = kept;
    }
    std::span<const LinkIndex> left() const { return left_.first(left_count_); }        // of `from` alone
    std::span<const LinkIndex> joined() const { return joined_.first(joined_count_); }  // of `to` alone

  private:
    const PathSet& paths_;
    std::span<std::uint32_t> mark_;  // by link
    std::span<LinkIndex> left_, joined_;
    Index left_count_ = 0, joined_count_ = 0;
    std::uint32_t stamp_ = 0;
};

}  // namespace proxstream
