/// The network while a run goes on: capacities that change, links that close and open again, paths that come
/// and go with them, and paths that are found missing.
#pragma once

#include "traffic/column_pricer.hpp"
#include "traffic/demand_stream.hpp"
#include "traffic/routing.hpp"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace proxstream {

class PathKeeper {
  public:
    /// `network` outlives it. `unreachable`: pairs that had no path from the start.
    PathKeeper(const Network& network, std::shared_ptr<Routing> routing, std::vector<Index> unreachable);

    /// Paths along a closed link go; they return when it opens, as far as there is room. A pair that would be
    /// left without a path gets a detour, if there is one.
    void apply(std::span<const NetworkEvent> events);
    /// Takes in paths that price out.
    void add(const Pricing& pricing);

    /// What the last change asks of splits: nothing on slots that hold another path now, and whole pairs.
    void repair(View x) const;

    /// Pairs no path serves now.
    const std::vector<Index>& unreachable() const noexcept { return unreachable_; }
    Index added() const noexcept { return added_; }  // paths, by pricing and as detours
    const Routing& routing() const noexcept { return *routing_; }

    /// Between two changes; the routing is part of it.
    void exchange(Checkpoint& checkpoint);

  private:
    bool open(const std::vector<LinkIndex>& links) const;
    void shelve_closed(std::vector<PathChange>& changes);
    void bring_back(std::vector<PathChange>& changes);
    void find_detours();
    void change(const std::vector<PathChange>& changes);

    const Network& network_;
    std::shared_ptr<Routing> routing_;
    ShortestPaths search_;
    std::vector<PathChange> shelved_;  // paths that wait for a link to open
    std::vector<SlotIndex> replaced_;  // slots the last change gave another path
    std::vector<Index> unreachable_;
    Index added_ = 0;
};

}  // namespace proxstream
