/// The paths among which splits are chosen, a few for every pair. Paths of one origin share their first
/// links, so they are stored as leaves of a tree in flat arrays. So loads and path costs take one step for
/// each node of a tree, not one for each link of every path.
///
/// Every pair owns a fixed number of slots, the coordinates of the decision. A slot is live if it holds a
/// path, otherwise empty. An empty slot can get a path later, without moving other coordinates.
#pragma once

#include "proxstream/core/state_archive.hpp"
#include "proxstream/traffic/network.hpp"

#include <limits>
#include <span>
#include <vector>

namespace proxstream {

using SlotIndex = std::uint32_t;
using TreeNode = std::uint32_t;
inline constexpr TreeNode kNoPath = std::numeric_limits<TreeNode>::max();

/// A slot gets the path along `links`, from the pair's origin to its destination, or becomes empty.
struct PathChange {
    SlotIndex slot = 0;
    bool live = true;                   // false: it becomes empty
    std::vector<LinkIndex> links = {};  // empty and live: the pair's demand leaves the network (slack)
};

class PathSet {
  public:
    /// `slots[i]` slots for pair i, all empty. Pairs ascend.
    PathSet(const Network& network, std::vector<Pair> pairs, std::span<const Index> slots);

    void change(std::span<const PathChange> changes);
    /// The paths of all slots; a set that is read has the same pairs and slots.
    void serialise(StateArchive& archive);

    Index pairs() const noexcept { return pairs_.size(); }
    const Pair& pair(Index i) const { return pairs_[i]; }
    std::span<const Pair> all_pairs() const noexcept { return pairs_; }
    Index slots() const noexcept { return leaves_.size(); }
    SlotIndex first_slot(Index pair) const { return first_[pair]; }
    SlotIndex end_slot(Index pair) const { return first_[pair + 1]; }
    Index pair_of(SlotIndex slot) const;
    bool live(SlotIndex slot) const { return leaves_[slot] != kNoPath; }
    /// Whether a slot holds the empty path: its share of the demand is not served.
    bool slack(SlotIndex slot) const { return live(slot) && link_[leaves_[slot]] == kRoot; }
    Index live_slots() const noexcept { return live_.size(); }
    /// The live slots of a pair.
    std::span<const SlotIndex> live_slots(Index pair) const {
        return {live_.data() + first_live_[pair], first_live_[pair + 1] - first_live_[pair]};
    }
    /// The links of a live slot's path, from its end to its origin.
    template <class Body>
    void for_each_link(SlotIndex slot, Body body) const {
        for (TreeNode at = leaves_[slot]; link_[at] != kRoot; at = parent_[at]) body(link_[at]);
    }
    /// The links of a live slot's path in the order of travel.
    std::vector<LinkIndex> links(SlotIndex slot) const;

    /// The tree of an origin: nodes [begin, end), the origin first, parents before children; and the pairs
    /// that start there.
    struct Tree {
        TreeNode begin = 0, end = 0;
        Index first_pair = 0, end_pair = 0;
    };
    static constexpr LinkIndex kRoot = std::numeric_limits<LinkIndex>::max();
    std::span<const Tree> trees() const noexcept { return trees_; }
    Index tree_nodes() const noexcept { return parent_.size(); }
    TreeNode parent(TreeNode node) const { return parent_[node]; }
    LinkIndex link(TreeNode node) const { return link_[node]; }  // kRoot for the origin
    TreeNode leaf(SlotIndex slot) const { return leaves_[slot]; }
    Index bytes() const noexcept;

  private:
    /// Throws Error unless the links lead from the origin of the pair to its destination, or there are none.
    void check_path(const Pair& pair, std::span<const LinkIndex> path) const;

    std::vector<Pair> pairs_;
    std::vector<SlotIndex> first_;       // of each pair, and the end of the last
    std::vector<TreeNode> leaves_;       // by slot
    std::vector<SlotIndex> live_;        // slots that hold a path
    std::vector<SlotIndex> first_live_;  // of each pair, and the end of the last
    std::vector<Tree> trees_;
    std::vector<TreeNode> parent_;
    std::vector<LinkIndex> link_;
    std::vector<NodeIndex> tails_, heads_;  // of the network's links, to check paths
};

}  // namespace proxstream
