/// Links that close, open and narrow during a run: which paths are there, and what becomes of splits.
#include "traffic/path_keeper.hpp"

#include "proxstream/core/linalg.hpp"

#include "support/routing_twin.hpp"
#include "traffic/split_set.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

using test::Chance;
using test::Routed;
using Path = std::vector<LinkIndex>;
using Kind = NetworkEvent::Kind;

NetworkEvent event(Kind kind, LinkIndex link, Real factor = 1) {
    return {.kind = kind, .link = link, .factor = factor};
}

std::set<Path> paths_of(const Routing& routing, Index pair) {
    std::set<Path> found;
    const PathSet& paths = routing.paths;
    for (SlotIndex slot = paths.first_slot(pair); slot < paths.end_slot(pair); ++slot)
        if (paths.live(slot)) found.insert(paths.links(slot));
    return found;
}

/// a -> b by two roads of its own, and a way round by c.
struct Fork {
    explicit Fork(Index slots, Real path_price = 0) {
        for (const char* name : {"a", "b", "c", "d"}) network.node(name);
        network.add_link({.from = 0, .to = 1, .free_time = 1});
        network.add_link({.from = 0, .to = 1, .free_time = 2});
        network.add_link({.from = 0, .to = 2, .free_time = 4});
        network.add_link({.from = 2, .to = 1, .free_time = 5});
        network.add_link({.from = 2, .to = 3, .free_time = 1});
        const std::vector<Index> room = {slots, 2};
        PathSet paths(network, {{0, 1}, {2, 3}}, room);
        std::vector<PathChange> start = {{0, true, {0}}, {static_cast<SlotIndex>(slots), true, {4}}};
        if (slots > 1) start.push_back({1, true, {1}});
        paths.change(start);
        routing = std::make_shared<Routing>(Routing{std::move(paths), LinkCosts(network, "bpr", {}, {})});
        routing->path_price = path_price;
        if (path_price > 0) {
            routing->share_prices.assign(routing->paths.slots(), 0);
            routing->share_prices[0] = path_price;
            if (slots > 1) routing->share_prices[1] = 2 * path_price;
        }
    }
    Network network;
    std::shared_ptr<Routing> routing;
};

TEST(PathKeeper, ACapacityIsThatOfTheFileTimesTheFactor) {
    Fork fork(3);
    PathKeeper keeper(fork.network, fork.routing, {});
    keeper.apply(std::vector<NetworkEvent>{event(Kind::capacity, 0, 0.5)});
    EXPECT_EQ(fork.routing->costs.capacity(0), 0.5);
    keeper.apply(std::vector<NetworkEvent>{event(Kind::capacity, 0, 0.25), event(Kind::capacity, 1, 3)});
    EXPECT_EQ(fork.routing->costs.capacity(0), 0.25);
    EXPECT_EQ(fork.routing->costs.capacity(1), 3);
    EXPECT_EQ(fork.routing->paths.live_slots(), 3U);
    std::vector<Real> x = {0.3, 0.7, 0, 1, 0};
    const std::vector<Real> before = x;
    keeper.repair(x);
    EXPECT_EQ(x, before);
}

TEST(PathKeeper, AClosedLinkLosesItsFlowAndReopensEmpty) {
    Fork fork(3);
    PathKeeper keeper(fork.network, fork.routing, {});
    std::vector<Real> x = {0.4, 0.6, 0, 1, 0};
    keeper.apply(std::vector<NetworkEvent>{event(Kind::close, 0)});
    keeper.repair(x);
    EXPECT_EQ(x, (std::vector<Real>{0, 1, 0, 1, 0}));
    EXPECT_EQ(paths_of(*fork.routing, 0), (std::set<Path>{{1}}));
    EXPECT_EQ(keeper.added(), 0U);
    keeper.apply(std::vector<NetworkEvent>{event(Kind::open, 0)});
    keeper.repair(x);
    EXPECT_EQ(x, (std::vector<Real>{0, 1, 0, 1, 0}));
    EXPECT_EQ(paths_of(*fork.routing, 0), (std::set<Path>{{0}, {1}}));
    EXPECT_TRUE(keeper.unreachable().empty());
    // Closed and opened again before a decision: nothing happened.
    x = {0.4, 0.6, 0, 1, 0};
    keeper.apply(std::vector<NetworkEvent>{event(Kind::close, 0), event(Kind::open, 0)});
    keeper.repair(x);
    EXPECT_EQ(x, (std::vector<Real>{0.4, 0.6, 0, 1, 0}));
}

TEST(PathKeeper, APairThatLosesEveryPathGetsADetourAndItsPathsBack) {
    Fork fork(3, 0.5);
    PathKeeper keeper(fork.network, fork.routing, {});
    std::vector<Real> x = {0.4, 0.6, 0, 1, 0};
    keeper.apply(std::vector<NetworkEvent>{event(Kind::close, 0), event(Kind::close, 1)});
    keeper.repair(x);
    EXPECT_EQ(paths_of(*fork.routing, 0), (std::set<Path>{{2, 3}}));
    EXPECT_EQ(keeper.added(), 1U);
    EXPECT_TRUE(keeper.unreachable().empty());
    for (SlotIndex slot = 0; slot < 3; ++slot) {
        EXPECT_EQ(x[slot], fork.routing->paths.live(slot) ? 1 : 0);
        EXPECT_EQ(fork.routing->share_prices[slot], fork.routing->paths.live(slot) ? 0.5 * 9 : 0);
    }
    // All three have room, wherever the detour is.
    keeper.apply(std::vector<NetworkEvent>{event(Kind::open, 0), event(Kind::open, 1)});
    keeper.repair(x);
    EXPECT_EQ(paths_of(*fork.routing, 0), (std::set<Path>{{0}, {1}, {2, 3}}));
    EXPECT_DOUBLE_EQ(x[0] + x[1] + x[2], 1);
    for (SlotIndex slot = 0; slot < 3; ++slot) {
        Real time = 0;
        for (const LinkIndex link : fork.routing->paths.links(slot))
            time += fork.network.link(link).free_time;
        EXPECT_EQ(fork.routing->share_prices[slot], 0.5 * time);
    }
}

TEST(PathKeeper, WithoutRoomAPathWaits) {
    Fork fork(1);
    PathKeeper keeper(fork.network, fork.routing, {});
    keeper.apply(std::vector<NetworkEvent>{event(Kind::close, 0)});
    EXPECT_EQ(paths_of(*fork.routing, 0), (std::set<Path>{{1}})) << "the shortest detour";
    keeper.apply(std::vector<NetworkEvent>{event(Kind::open, 0)});
    EXPECT_EQ(paths_of(*fork.routing, 0), (std::set<Path>{{1}}));
    keeper.apply(std::vector<NetworkEvent>{event(Kind::close, 1)});
    EXPECT_EQ(paths_of(*fork.routing, 0), (std::set<Path>{{0}})) << "it waited for this";
    EXPECT_EQ(keeper.added(), 1U);
}

TEST(PathKeeper, APathFoundAgainMeanwhileIsNotThereTwice) {
    Fork fork(2);
    PathKeeper keeper(fork.network, fork.routing, {});
    keeper.apply(std::vector<NetworkEvent>{event(Kind::close, 0)});
    Pricing pricing;
    pricing.changes.push_back({0, true, {2, 3}});
    keeper.add(pricing);
    keeper.apply(std::vector<NetworkEvent>{event(Kind::open, 0)});
    EXPECT_EQ(paths_of(*fork.routing, 0), (std::set<Path>{{1}, {2, 3}})) << "no room";
    pricing.changes[0] = {1, true, {0}};  // the one that waits prices out
    keeper.add(pricing);
    keeper.apply(std::vector<NetworkEvent>{event(Kind::close, 2)});
    keeper.apply(std::vector<NetworkEvent>{event(Kind::open, 2)});
    EXPECT_EQ(fork.routing->paths.live_slots(), 3U);
    EXPECT_EQ(paths_of(*fork.routing, 0), (std::set<Path>{{0}, {2, 3}}));
}

TEST(PathKeeper, ReportsUnservedPairsAndServesThemAgain) {
    Fork fork(3);
    PathKeeper keeper(fork.network, fork.routing, {});
    std::vector<Real> x = {0.4, 0.6, 0, 1, 0};
    keeper.apply(
        std::vector<NetworkEvent>{event(Kind::close, 0), event(Kind::close, 1), event(Kind::close, 3)});
    keeper.repair(x);
    EXPECT_EQ(keeper.unreachable(), std::vector<Index>{0});
    EXPECT_EQ(x, (std::vector<Real>{0, 0, 0, 1, 0}));
    keeper.apply(std::vector<NetworkEvent>{event(Kind::open, 1)});
    keeper.repair(x);
    EXPECT_TRUE(keeper.unreachable().empty());
    EXPECT_EQ(x, (std::vector<Real>{0, 1, 0, 1, 0}));
}

TEST(PathKeeper, NewPathsReplaceUnusedOnes) {
    Fork fork(3);
    PathKeeper keeper(fork.network, fork.routing, {});
    std::vector<Real> x = {0.4, 0.6, 0, 1, 0};
    Pricing pricing;
    pricing.changes.push_back({2, true, {2, 3}});
    keeper.add(pricing);
    keeper.repair(x);
    EXPECT_EQ(x, (std::vector<Real>{0.4, 0.6, 0, 1, 0}));
    EXPECT_EQ(keeper.added(), 1U);
    // Instead of another: what was there is not the new path's.
    pricing.changes[0] = {1, true, {2, 3}};
    keeper.add(pricing);
    keeper.repair(x);
    EXPECT_EQ(x, (std::vector<Real>{1, 0, 0, 1, 0}));
}

/// Is there any way, by links that are open? Nothing is barred here.
bool connected(const Network& network, const std::vector<char>& closed, const Pair& pair) {
    std::vector<char> reached(network.nodes(), 0);
    std::vector<NodeIndex> stack = {pair.origin};
    reached[pair.origin] = 1;
    while (!stack.empty()) {
        const NodeIndex at = stack.back();
        stack.pop_back();
        for (const LinkIndex link : network.leaving(at)) {
            const NodeIndex to = network.link(link).to;
            if (closed[link] != 0 || reached[to] != 0) continue;
            reached[to] = 1;
            stack.push_back(to);
        }
    }
    return reached[pair.destination] != 0;
}

TEST(PathKeeper, RandomClosuresKeepEveryPairServedByOpenPathsOnly) {
    Index detours = 0;
    Index cut_off = 0;
    for (std::uint64_t seed = 1; seed <= 15; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Chance chance(seed);
        const Routed routed = test::random_routing({.nodes = 6,
                                                    .chords = 5,
                                                    .pairs = 8,
                                                    .k = 3,
                                                    .slack = seed % 3 == 0,
                                                    .slack_price = 2,
                                                    .path_price = seed % 2 == 0 ? 0.3 : 0},
                                                   chance);
        const Network& network = *routed.network;
        Routing& routing = *routed.routing;
        const PathSet& paths = routing.paths;
        std::vector<std::set<Path>> original;
        for (Index pair = 0; pair < paths.pairs(); ++pair) original.push_back(paths_of(routing, pair));
        PathKeeper keeper(network, routed.routing, {});
        const SplitSet splits(routed.routing);
        std::vector<char> closed(network.links(), 0);
        std::vector<Real> x = test::random_splits(paths, chance);
        Scratch scratch;
        for (int step = 0; step < 40; ++step) {
            std::vector<NetworkEvent> events;
            for (Index i = 0; i <= chance.below(3); ++i) {
                const auto link = static_cast<LinkIndex>(chance.below(network.links()));
                const bool close = !chance.one_in(2);
                events.push_back(event(close ? Kind::close : Kind::open, link));
                closed[link] = close ? 1 : 0;
            }
            if (step == 39) {
                events.clear();
                for (LinkIndex link = 0; link < network.links(); ++link)
                    events.push_back(event(Kind::open, link));
                closed.assign(closed.size(), 0);
            }
            keeper.apply(events);
            keeper.repair(x);
            ASSERT_EQ(routing.closed, closed);
            ASSERT_EQ(splits.value(x, scratch), 0);
            std::vector<Index> lost;
            for (Index pair = 0; pair < paths.pairs(); ++pair) {
                const std::set<Path> now = paths_of(routing, pair);
                Index live = 0;
                Real share = 0;
                for (SlotIndex slot = paths.first_slot(pair); slot < paths.end_slot(pair); ++slot) {
                    share += x[slot];
                    if (!paths.live(slot)) {
                        ASSERT_TRUE(routing.share_prices.empty() || routing.share_prices[slot] == 0);
                        continue;
                    }
                    ++live;
                    Real time = 0;
                    for (const LinkIndex link : paths.links(slot)) {
                        ASSERT_EQ(closed[link], 0) << "a path along a closed link";
                        time += network.link(link).free_time;
                    }
                    if (!routing.share_prices.empty()) {
                        ASSERT_NEAR(routing.share_prices[slot], 0.3 * time, 1e-15);
                    }
                }
                ASSERT_EQ(live, now.size()) << "a path twice";
                const bool served =
                    std::any_of(now.begin(), now.end(), [](const Path& p) { return !p.empty(); });
                ASSERT_EQ(served, connected(network, closed, paths.pair(pair)));
                if (!served) lost.push_back(pair);
                ASSERT_NEAR(share, live > 0 ? 1 : 0, 1e-12);
                // Every path of the start whose links are open is there, unless there is no room.
                const bool full = live == paths.end_slot(pair) - paths.first_slot(pair);
                for (const Path& path : original[pair]) {
                    const bool passable = std::all_of(path.begin(), path.end(),
                                                      [&](LinkIndex link) { return closed[link] == 0; });
                    ASSERT_TRUE(!passable || full || now.contains(path)) << "step " << step;
                }
            }
            ASSERT_EQ(keeper.unreachable(), lost);
            cut_off += lost.size();
        }
        detours += keeper.added();
    }
    EXPECT_GT(detours, 20U);
    EXPECT_GT(cut_off, 5U);
}

}  // namespace
}  // namespace proxstream
