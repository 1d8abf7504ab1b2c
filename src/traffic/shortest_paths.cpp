#include "traffic/shortest_paths.hpp"

#include <algorithm>
#include <cassert>

namespace proxstream {

LinkStar::LinkStar(const Network& network, Direction direction)
    : first(network.nodes() + 1, 0), arcs(network.links()), passable(network.nodes(), 1) {
    const bool forward = direction == Direction::forward;
    for (const Link& link : network.all_links()) ++first[(forward ? link.from : link.to) + 1];
    for (Index node = 0; node < network.nodes(); ++node) {
        first[node + 1] += first[node];
        passable[node] = network.passable(static_cast<NodeIndex>(node)) ? 1 : 0;
    }
    std::vector<std::uint32_t> free(first.begin(), first.end() - 1);
    for (LinkIndex index = 0; index < network.links(); ++index) {
        const Link& link = network.link(index);
        arcs[free[forward ? link.from : link.to]++] = {forward ? link.to : link.from, index};
    }
}

ShortestPaths::ShortestPaths(const Network& network, Direction direction)
    : star_(network, direction),
      direction_(direction),
      heap_(network.nodes()),
      distance_(network.nodes(), kInfinity),
      entering_(network.nodes(), kRoot),
      before_(network.nodes(), 0),
      settled_(network.nodes(), 0) {}

void ShortestPaths::run(NodeIndex root, ConstView costs) {
    assert(costs.size() == star_.arcs.size() && root < star_.nodes());
    std::fill(distance_.begin(), distance_.end(), kInfinity);
    std::fill(entering_.begin(), entering_.end(), kRoot);
    std::fill(settled_.begin(), settled_.end(), 0);
    distance_[root] = 0;
    before_[root] = root;
    heap_.lower(root, 0);
    while (!heap_.empty()) {
        const NodeIndex at = heap_.pop();
        settled_[at] = 1;
        if (star_.passable[at] == 0 && at != root) continue;
        const Real so_far = distance_[at];
        for (const LinkStar::Arc& arc : star_.at(at)) {
            const Real length = so_far + costs[arc.link];
            Real& known = distance_[arc.node];
            if (length > known || length == kInfinity || settled_[arc.node] != 0) continue;
            if (length == known && arc.link > entering_[arc.node]) continue;
            if (length < known) {
                known = length;
                heap_.lower(arc.node, length);
            }
            entering_[arc.node] = arc.link;
            before_[arc.node] = at;
        }
    }
}

void ShortestPaths::path(NodeIndex node, std::vector<LinkIndex>& out) const {
    out.clear();
    for (; entering_[node] != kRoot; node = before_[node]) out.push_back(entering_[node]);
    if (direction_ == Direction::forward) std::reverse(out.begin(), out.end());
}

}  // namespace proxstream
