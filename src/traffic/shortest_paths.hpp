/// Shortest paths between one node and all others (Dijkstra), for link costs that change from call to call.
#pragma once

#include "traffic/node_heap.hpp"
#include "traffic/path_set.hpp"

#include <vector>

namespace proxstream {

/// From the root to every node, or from every node to the root.
enum class Direction { forward, backward };

/// The links of a network for a path search: those that leave a node (backward: enter it) are adjacent.
struct LinkStar {
    LinkStar(const Network& network, Direction direction);

    struct Arc {
        NodeIndex node = 0;  // at the other end
        LinkIndex link = 0;
    };
    std::span<const Arc> at(NodeIndex node) const {
        return {arcs.data() + first[node], arcs.data() + first[node + 1]};
    }
    Index nodes() const noexcept { return first.size() - 1; }

    std::vector<std::uint32_t> first;  // of each node, and the end of the last
    std::vector<Arc> arcs;             // of a node by their links, ascending
    std::vector<char> passable;
};

/// Use one instance for each thread; only the first call allocates.
///
/// No path leads through a barred node, except from or to it. Ties between paths are decided by numbering.
/// Nodes are settled by distance, then number. Of equally good links into a node the one with the lowest
/// number is kept. Settled nodes do not change, so links of cost 0 close no cycle.
class ShortestPaths {
  public:
    static constexpr LinkIndex kRoot = PathSet::kRoot;

    explicit ShortestPaths(const Network& network, Direction direction = Direction::forward);

    /// A cost >= 0 for each link; infinite: the link is closed.
    void run(NodeIndex root, ConstView costs);

    /// Infinite if there is no path.
    Real distance(NodeIndex node) const { return distance_[node]; }
    bool reaches(NodeIndex node) const { return distance_[node] < kInfinity; }
    /// The last link of a node's path; kRoot at the root and if there is no path.
    LinkIndex entering(NodeIndex node) const { return entering_[node]; }
    /// The node at the other end of that link.
    NodeIndex before(NodeIndex node) const { return before_[node]; }
    /// The path between the root and a node it reaches, in the order of travel; empty for the root itself.
    void path(NodeIndex node, std::vector<LinkIndex>& out) const;

    const LinkStar& star() const noexcept { return star_; }

  private:
    LinkStar star_;
    Direction direction_;
    NodeHeap heap_;
    std::vector<Real> distance_;
    std::vector<LinkIndex> entering_;
    std::vector<NodeIndex> before_;
    std::vector<char> settled_;
};

}  // namespace proxstream
