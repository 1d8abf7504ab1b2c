/// One demand as a mix, and every loop-free path of a small network: what assignments are held against.
#pragma once

#include "support/route_optimum.hpp"
#include "traffic/demand_batch.hpp"

#include <functional>
#include <utility>
#include <vector>

namespace proxstream::test {

using Path = std::vector<LinkIndex>;

/// One demand as a mix of its own.
class Single {
  public:
    explicit Single(std::vector<Real> demand) : demand_(std::move(demand)) {}
    DemandMix mix() {
        column_ = {demand_};
        return {{&column_, 1}, {&use_, 1}, 1};
    }
    const std::vector<Real>& demand() const { return demand_; }

  private:
    std::vector<Real> demand_;
    DemandColumn column_ = {};
    ColumnUse use_ = {};
};

/// Every path without a node twice, by walking.
inline std::vector<Path> all_paths(const Network& network, const Pair& pair,
                                   const std::vector<char>& closed) {
    std::vector<Path> found;
    Path path;
    std::vector<char> visited(network.nodes(), 0);
    const std::function<void(NodeIndex)> walk = [&](NodeIndex at) {
        if (at == pair.destination) {
            found.push_back(path);
            return;
        }
        visited[at] = 1;
        for (const LinkIndex link : network.leaving(at)) {
            if (!closed.empty() && closed[link] != 0) continue;
            if (visited[network.link(link).to] != 0) continue;
            path.push_back(link);
            walk(network.link(link).to);
            path.pop_back();
        }
        visited[at] = 0;
    };
    walk(pair.origin);
    return found;
}

/// The same routing with every path there is.
inline std::shared_ptr<Routing> with_all_paths(const Network& network, const Routing& routing) {
    std::vector<Index> slots;
    std::vector<std::vector<Path>> all;
    for (const Pair& pair : routing.paths.all_pairs()) {
        all.push_back(all_paths(network, pair, routing.closed));
        slots.push_back(all.back().size());
    }
    PathSet paths(network, {routing.paths.all_pairs().begin(), routing.paths.all_pairs().end()}, slots);
    std::vector<PathChange> changes;
    for (Index pair = 0; pair < all.size(); ++pair) {
        for (Index i = 0; i < all[pair].size(); ++i)
            changes.push_back({static_cast<SlotIndex>(paths.first_slot(pair) + i), true, all[pair][i]});
    }
    paths.change(changes);
    return std::make_shared<Routing>(Routing{std::move(paths), routing.costs});
}

}  // namespace proxstream::test
