/// Applies changes of the network during a run: of capacities, of closed and opened links, and of paths.
#pragma once

#include "traffic/column_pricer.hpp"
#include "traffic/demand_stream.hpp"
#include "traffic/routing.hpp"

#include <memory>
#include <span>
#include <vector>

namespace proxstream {

class PathKeeper {
  public:
    /// `network` must outlive it. `unreachable`: pairs without a path at the start.
    PathKeeper(const Network& network, std::shared_ptr<Routing> routing, std::vector<Index> unreachable);

    /// Removes paths along a closed link, and restores them when it opens, if there is a slot. A pair without
    /// any path left gets a detour, if there is one.
    void apply(std::span<const NetworkEvent> events);
    /// Adds missing paths.
    void add(const Pricing& pricing);

    /// Adapts splits to the last change: slots with another path get 0, and every pair sums to 1 again.
    void repair(View x) const;

    /// Pairs without a path now.
    const std::vector<Index>& unreachable() const noexcept { return unreachable_; }
    Index added() const noexcept { return added_; }  // paths found by pricing, and detours
    const Routing& routing() const noexcept { return *routing_; }

    /// Includes the routing. Call it between two changes.
    void serialise(StateArchive& archive);

  private:
    bool open(const std::vector<LinkIndex>& links) const;
    void shelve_closed(std::vector<PathChange>& changes);
    void bring_back(std::vector<PathChange>& changes);
    void find_detours();
    void change(const std::vector<PathChange>& changes);

    const Network& network_;
    std::shared_ptr<Routing> routing_;
    ShortestPaths search_;
    std::vector<PathChange> shelved_;  // paths along closed links
    std::vector<SlotIndex> replaced_;  // slots with another path since the last change
    std::vector<Index> unreachable_;
    Index added_ = 0;
};

}  // namespace proxstream
