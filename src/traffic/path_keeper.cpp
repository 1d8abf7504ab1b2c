#include "traffic/path_keeper.hpp"

#include "core/serialise_each.hpp"
#include "traffic/split_set.hpp"

#include <algorithm>
#include <utility>

namespace proxstream {
namespace {

/// Whether the pair has a path other than slack.
bool is_served(const PathSet& paths, Index pair) {
    const auto live = paths.live_slots(pair);
    return std::any_of(live.begin(), live.end(), [&](SlotIndex slot) { return !paths.slack(slot); });
}

/// The first empty slot of the pair; the end if there is none.
SlotIndex first_empty(const PathSet& paths, Index pair) {
    SlotIndex slot = paths.first_slot(pair);
    while (slot < paths.end_slot(pair) && paths.live(slot)) ++slot;
    return slot;
}

}  // namespace

PathKeeper::PathKeeper(const Network& network, std::shared_ptr<Routing> routing,
                       std::vector<Index> unreachable)
    : network_(network),
      routing_(std::move(routing)),
      search_(network),
      unreachable_(std::move(unreachable)) {
    routing_->closed.assign(network.links(), 0);
}

bool PathKeeper::open(const std::vector<LinkIndex>& links) const {
    return std::none_of(links.begin(), links.end(),
                        [&](LinkIndex link) { return routing_->closed[link] != 0; });
}

void PathKeeper::apply(std::span<const NetworkEvent> events) {
    replaced_.clear();
    bool closures = false;
    for (const NetworkEvent& event : events) {
        switch (event.kind) {
            case NetworkEvent::Kind::capacity:
                routing_->costs.scale_capacity(event.link, event.factor);
                break;
            case NetworkEvent::Kind::close:
            case NetworkEvent::Kind::open:
                routing_->closed[event.link] = event.kind == NetworkEvent::Kind::close ? 1 : 0;
                closures = true;
                break;
        }
    }
    if (closures) {
        std::vector<PathChange> changes;
        shelve_closed(changes);
        change(changes);
        changes.clear();
        bring_back(changes);
        change(changes);
        find_detours();
    }
}

void PathKeeper::shelve_closed(std::vector<PathChange>& changes) {
    const PathSet& paths = routing_->paths;
    for (SlotIndex slot = 0; slot < paths.slots(); ++slot) {
        if (!paths.live(slot)) continue;
        bool blocked = false;
        paths.for_each_link(slot, [&](LinkIndex link) { blocked = blocked || routing_->closed[link] != 0; });
        if (!blocked) continue;
        changes.push_back({slot, false, {}});
        shelved_.push_back({slot, true, paths.links(slot)});
    }
}

/// Restores a path in its former slot, or in another empty one of its pair if that is taken.
void PathKeeper::bring_back(std::vector<PathChange>& changes) {
    const PathSet& paths = routing_->paths;
    std::vector<char> taken(paths.slots(), 0);
    std::vector<PathChange> waiting;
    for (PathChange& path : shelved_) {
        const Index pair = paths.pair_of(path.slot);
        bool there = false;  // the same path was found in the meantime
        SlotIndex room = paths.end_slot(pair);
        for (SlotIndex slot = paths.first_slot(pair); slot < paths.end_slot(pair); ++slot) {
            const bool empty = !paths.live(slot) && taken[slot] == 0;
            if (empty && (room == paths.end_slot(pair) || slot == path.slot)) room = slot;
            there = there || (paths.live(slot) && paths.links(slot) == path.links);
        }
        if (there) continue;
        if (!open(path.links) || room == paths.end_slot(pair)) {
            waiting.push_back(std::move(path));
            continue;
        }
        path.slot = room;
        taken[room] = 1;
        changes.push_back(std::move(path));
    }
    shelved_ = std::move(waiting);
}

void PathKeeper::find_detours() {
    const PathSet& paths = routing_->paths;
    std::vector<Real> costs = routing_->costs.free_times();
    for (LinkIndex link = 0; link < costs.size(); ++link)
        if (routing_->closed[link] != 0) costs[link] = kInfinity;
    std::vector<PathChange> changes;
    unreachable_.clear();
    for (const PathSet::Tree& tree : paths.trees()) {
        bool searched = false;
        for (Index pair = tree.first_pair; pair < tree.end_pair; ++pair) {
            if (is_served(paths, pair)) continue;
            if (!std::exchange(searched, true)) search_.run(paths.pair(pair).origin, costs);
            const SlotIndex room = first_empty(paths, pair);
            if (!search_.reaches(paths.pair(pair).destination) || room == paths.end_slot(pair)) {
                unreachable_.push_back(pair);
                continue;
            }
            PathChange detour{room, true, {}};
            search_.path(paths.pair(pair).destination, detour.links);
            changes.push_back(std::move(detour));
        }
    }
    added_ += changes.size();
    change(changes);
}

void PathKeeper::add(const Pricing& pricing) {
    replaced_.clear();
    added_ += pricing.changes.size();
    change(pricing.changes);
}

void PathKeeper::change(const std::vector<PathChange>& changes) {
    if (changes.empty()) return;
    for (const PathChange& each : changes) replaced_.push_back(each.slot);
    routing_->paths.change(changes);
    if (routing_->share_prices.empty()) return;
    for (const PathChange& each : changes) {
        Real time = 0;
        for (const LinkIndex link : each.links) time += network_.link(link).free_time;
        routing_->share_prices[each.slot] = routing_->path_price * time;
    }
}

void PathKeeper::serialise(StateArchive& archive) {
    archive.fields(Field{"routing", *routing_}, Field{"unreachable", unreachable_});
    for (const Index pair : unreachable_)
        archive.require(pair < routing_->paths.pairs(), "pairs of this run");
    archive.field("added", added_);
    serialise_each(archive, "shelved", shelved_, [&](PathChange& path) {
        std::uint64_t slot = path.slot;
        archive.field("slot", slot);
        archive.require(slot < routing_->paths.slots(), "a slot of this run");
        path.slot = static_cast<SlotIndex>(slot);
        archive.list("links", path.links);
        for (const LinkIndex link : path.links)
            archive.require(link < network_.links(), "links of this network");
    });
}

void PathKeeper::repair(View x) const {
    for (const SlotIndex slot : replaced_) x[slot] = 0;
    repair_splits(routing_->paths, x);
}

}  // namespace proxstream
