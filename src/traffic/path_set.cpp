#include "traffic/path_set.hpp"

#include "proxstream/core/error.hpp"

#include <algorithm>
#include <cassert>
#include <optional>
#include <utility>

namespace proxstream {
namespace {

/// A tree under construction. Children of a node are in a list, because out-degrees are small.
class Grower {
  public:
    Grower(std::vector<TreeNode>& parent, std::vector<LinkIndex>& link) : parent_(parent), link_(link) {}

    /// Begins a new tree.
    TreeNode plant() {
        first_ = parent_.size();
        child_.clear();
        sibling_.clear();
        return append(static_cast<TreeNode>(first_), PathSet::kRoot);
    }
    TreeNode grow(TreeNode from, LinkIndex link) {
        for (TreeNode child = child_[from - first_]; child != kNoPath; child = sibling_[child - first_]) {
            if (link_[child] == link) return child;
        }
        const TreeNode grown = append(from, link);
        sibling_[grown - first_] = std::exchange(child_[from - first_], grown);
        return grown;
    }

  private:
    TreeNode append(TreeNode parent, LinkIndex link) {
        const auto node = static_cast<TreeNode>(parent_.size());
        parent_.push_back(parent);
        link_.push_back(link);
        child_.push_back(kNoPath);
        sibling_.push_back(kNoPath);
        return node;
    }

    std::vector<TreeNode>& parent_;
    std::vector<LinkIndex>& link_;
    Index first_ = 0;
    std::vector<TreeNode> child_, sibling_;
};

/// The links of the path that a slot holds once it has been changed, or null if it is empty then.
std::optional<std::vector<LinkIndex>> path_after(const PathSet& before, SlotIndex slot,
                                                 const PathChange* change) {
    if (change != nullptr) return change->live ? std::optional(change->links) : std::nullopt;
    return before.live(slot) ? std::optional(before.links(slot)) : std::nullopt;
}

}  // namespace

PathSet::PathSet(const Network& network, std::vector<Pair> pairs, std::span<const Index> slots)
    : pairs_(std::move(pairs)) {
    assert(slots.size() == pairs_.size() && std::is_sorted(pairs_.begin(), pairs_.end()));
    first_.reserve(pairs_.size() + 1);
    first_.push_back(0);
    for (const Index count : slots) first_.push_back(static_cast<SlotIndex>(first_.back() + count));
    leaves_.assign(first_.back(), kNoPath);
    for (Index i = 0; i < pairs_.size(); ++i) {
        if (i == 0 || pairs_[i].origin != pairs_[i - 1].origin) trees_.push_back({0, 0, i, i});
        trees_.back().end_pair = i + 1;
    }
    for (const Link& link : network.all_links()) {
        tails_.push_back(link.from);
        heads_.push_back(link.to);
    }
    change({});
}

Index PathSet::pair_of(SlotIndex slot) const {
    return static_cast<Index>(std::upper_bound(first_.begin(), first_.end(), slot) - first_.begin()) - 1;
}

std::vector<LinkIndex> PathSet::links(SlotIndex slot) const {
    std::vector<LinkIndex> found;
    for_each_link(slot, [&](LinkIndex link) { found.push_back(link); });
    std::reverse(found.begin(), found.end());
    return found;
}

void PathSet::check_path(const Pair& pair, std::span<const LinkIndex> path) const {
    NodeIndex place = pair.origin;
    for (const LinkIndex link : path) {
        if (link >= tails_.size() || tails_[link] != place)
            throw Error("a path has to follow links of the network, one after the other");
        place = heads_[link];
    }
    if (!path.empty() && place != pair.destination)
        throw Error("a path has to end at the destination of its pair");
}

/// Builds all trees again: changes are rare, and passes over the trees need them contiguous.
void PathSet::change(std::span<const PathChange> changes) {
    std::vector<const PathChange*> wanted(slots(), nullptr);
    for (const PathChange& each : changes) {
        if (each.live) check_path(pairs_[pair_of(each.slot)], each.links);
        wanted[each.slot] = &each;
    }
    PathSet next = *this;  // the old paths are read while the new ones are made
    for (auto* list : {&next.parent_, &next.link_, &next.live_, &next.first_live_}) list->clear();
    next.leaves_.assign(slots(), kNoPath);
    Grower grower(next.parent_, next.link_);
    for (Tree& tree : next.trees_) {
        tree.begin = grower.plant();
        for (Index i = tree.first_pair; i < tree.end_pair; ++i) {
            next.first_live_.push_back(static_cast<SlotIndex>(next.live_.size()));
            for (SlotIndex slot = first_[i]; slot < first_[i + 1]; ++slot) {
                const auto path = path_after(*this, slot, wanted[slot]);
                if (!path) continue;
                TreeNode at = tree.begin;
                for (const LinkIndex link : *path) at = grower.grow(at, link);
                next.leaves_[slot] = at;
                next.live_.push_back(slot);
            }
        }
        tree.end = static_cast<TreeNode>(next.parent_.size());
    }
    next.first_live_.push_back(static_cast<SlotIndex>(next.live_.size()));
    *this = std::move(next);
}

void PathSet::serialise(StateArchive& archive) {
    std::vector<std::uint32_t> lengths;  // length of the path in a slot, plus 1; 0: the slot is empty
    std::vector<std::uint32_t> along;    // links of all paths, one path after the other
    for (SlotIndex slot = 0; slot < slots() && !archive.reading(); ++slot) {
        lengths.push_back(0);
        if (!live(slot)) continue;
        const std::vector<LinkIndex> path = links(slot);
        lengths.back() += static_cast<std::uint32_t>(path.size()) + 1;
        along.insert(along.end(), path.begin(), path.end());
    }
    archive.fields(Field{"lengths", lengths}, Field{"links", along});
    if (!archive.reading()) return;
    archive.require(lengths.size() == slots(), "paths of the same pairs");
    std::vector<PathChange> changes;
    auto from = along.begin();
    for (SlotIndex slot = 0; slot < lengths.size(); ++slot) {
        PathChange& each = changes.emplace_back(PathChange{slot, lengths[slot] > 0, {}});
        if (!each.live) continue;
        archive.require(along.end() - from >= static_cast<std::ptrdiff_t>(lengths[slot]) - 1,
                        "as many links as the paths have");
        const auto end = from + static_cast<std::ptrdiff_t>(lengths[slot]) - 1;
        each.links.assign(from, end);
        from = end;
    }
    archive.require(from == along.end(), "as many links as the paths have");
    try {
        change(changes);
    } catch (const Error&) {
        archive.require(false, "paths along links of this network");
    }
}

Index PathSet::bytes() const noexcept {
    return parent_.capacity() * sizeof(TreeNode) + link_.capacity() * sizeof(LinkIndex) +
           leaves_.capacity() * sizeof(TreeNode) +
           (first_.capacity() + live_.capacity() + first_live_.capacity()) * sizeof(SlotIndex);
}

}  // namespace proxstream
