/// Where each player's play lies in the joint play: blocks, one behind the other.
#pragma once

#include "proxstream/core/types.hpp"

#include <span>
#include <vector>

namespace proxstream {

class JointLayout {
  public:
    JointLayout() = default;
    explicit JointLayout(std::span<const Index> dimensions) {
        for (const Index n : dimensions) begins_.push_back(begins_.back() + n);
    }

    Index players() const noexcept { return begins_.size() - 1; }
    Index dimension() const noexcept { return begins_.back(); }
    Index dimension(Index player) const { return begins_[player + 1] - begins_[player]; }
    Index begin(Index player) const { return begins_[player]; }
    ConstView block(ConstView joint, Index player) const {
        return joint.subspan(begins_[player], dimension(player));
    }
    View block(View joint, Index player) const { return joint.subspan(begins_[player], dimension(player)); }

  private:
    std::vector<Index> begins_{0};
};

}  // namespace proxstream
