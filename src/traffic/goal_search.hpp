/// A search for one path to a fixed destination, led by the tree of shortest paths that ends there.
#pragma once

#include "traffic/shortest_paths.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace proxstream {

/// Paths avoid marked nodes and forbidden links, and links may cost more than in the tree. So the distance in
/// the tree is a consistent lower bound, and every node is settled once (A*).
class GoalSearch {
  public:
    GoalSearch(const Network& network, ConstView costs)
        : costs_(costs),
          star_(network, Direction::forward),
          tree_(network, Direction::backward),
          marks_(network.nodes(), 0),
          heap_(network.nodes()),
          visits_(network.nodes(), 0),
          reached_(network.nodes(), 0),
          entering_(network.nodes()) {}

    void set_destination(NodeIndex destination) {
        if (std::exchange(destination_, destination) != destination) tree_.run(destination, costs_);
    }
    NodeIndex destination() const noexcept { return destination_; }
    const ShortestPaths& tree() const noexcept { return tree_; }
    const LinkStar& star() const noexcept { return star_; }

    /// Removes all marks.
    void clear_marks() {
        if (++mark_ == 0) {
            std::fill(marks_.begin(), marks_.end(), 0);
            mark_ = 1;
        }
    }
    void mark(NodeIndex node) { marks_[node] = mark_; }
    /// Whether a path may come to this node.
    bool usable(NodeIndex node) const {
        return marks_[node] != mark_ && (star_.passable[node] != 0 || node == destination_);
    }
    /// Whether the tree's path from a node meets no marked one.
    bool tree_is_free(NodeIndex from) const {
        for (; from != destination_; from = tree_.before(from)) {
            if (marks_[from] == mark_) return false;
        }
        return true;
    }

    /// The cheapest continuation from `from`, which is marked. Returns false if there is none. Otherwise
    /// `path` has its links in the order of travel, and `cost` is their sum. allowed(link) must hold for the
    /// first link. price(link) must be at least the link's cost.
    template <class Allowed, class Price>
    bool find(NodeIndex from, Allowed allowed, Price price) {
        if (++visit_ == 0) {
            std::fill(visits_.begin(), visits_.end(), 0);
            visit_ = 1;
        }
        heap_.clear();
        for (const LinkStar::Arc& arc : star_.at(from)) {
            if (allowed(arc.link)) relax(from, arc, price(arc.link));
        }
        while (!heap_.empty()) {
            const NodeIndex at = heap_.pop();
            if (at == destination_) {
                trace(from);
                return true;
            }
            const Real so_far = reached_[at];
            for (const LinkStar::Arc& arc : star_.at(at)) relax(at, arc, so_far + price(arc.link));
        }
        return false;
    }

    std::vector<LinkIndex> path;
    Real cost = 0;

  private:
    struct Entering {
        NodeIndex before = 0;
        LinkIndex link = 0;
    };
    void relax(NodeIndex at, const LinkStar::Arc& arc, Real length) {
        const Real left = tree_.distance(arc.node);
        if (!usable(arc.node) || length + left == kInfinity) return;
        if (visits_[arc.node] == visit_ && length >= reached_[arc.node]) return;
        visits_[arc.node] = visit_;
        reached_[arc.node] = length;
        entering_[arc.node] = {at, arc.link};
        heap_.lower(arc.node, length + left);
    }
    void trace(NodeIndex from) {
        cost = reached_[destination_];
        path.clear();
        for (NodeIndex at = destination_; at != from; at = entering_[at].before)
            path.push_back(entering_[at].link);
        std::reverse(path.begin(), path.end());
    }

    ConstView costs_;
    LinkStar star_;
    ShortestPaths tree_;
    NodeIndex destination_ = std::numeric_limits<NodeIndex>::max();  // none yet
    std::vector<std::uint32_t> marks_;
    std::uint32_t mark_ = 0;
    NodeHeap heap_;
    std::vector<std::uint32_t> visits_;  // which search reached the node last
    std::uint32_t visit_ = 0;
    std::vector<Real> reached_;
    std::vector<Entering> entering_;
};

}  // namespace proxstream
