#include "traffic/k_shortest.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/core/parallel.hpp"

#include "traffic/random_network.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

using testing::random_network;
using testing::RandomNetwork;
using Path = std::vector<LinkIndex>;

Real cost_of(std::span<const LinkIndex> path, ConstView costs) {
    return std::accumulate(path.begin(), path.end(), Real{0},
                           [&](Real sum, LinkIndex link) { return sum + costs[link]; });
}

/// All loop-free paths, by trying every link at every node.
void enumerate(const RandomNetwork& on, NodeIndex at, NodeIndex destination, std::vector<char>& used,
               Path& path, std::vector<Path>& all) {
    if (at == destination) {
        all.push_back(path);
        return;
    }
    if (!path.empty() && !on.network.passable(at)) return;
    used[at] = 1;
    for (const LinkIndex link : on.network.leaving(at)) {
        const NodeIndex next = on.network.link(link).to;
        if (used[next] != 0 || on.costs[link] == kInfinity) continue;
        path.push_back(link);
        enumerate(on, next, destination, used, path, all);
        path.pop_back();
    }
    used[at] = 0;
}

std::vector<Path> all_paths(const RandomNetwork& on, const Pair& pair) {
    std::vector<char> used(on.network.nodes(), 0);
    std::vector<Path> all;
    Path path;
    enumerate(on, pair.origin, pair.destination, used, path, all);
    return all;
}

std::vector<Pair> every_pair(Index nodes) {
    std::vector<Pair> pairs;
    for (NodeIndex a = 0; a < nodes; ++a) {
        for (NodeIndex b = 0; b < nodes; ++b) {
            if (a != b) pairs.push_back({a, b});
        }
    }
    return pairs;
}

TEST(KShortest, AreTheFirstOfAllPathsThereAre) {
    Index shorter_lists = 0, unreachable = 0, compared = 0;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        const Index nodes = 2 + seed % 6;
        const RandomNetwork on = random_network(seed, nodes, nodes * (1 + seed % 3) + 2, seed % 2 == 0);
        const std::vector<Pair> pairs = every_pair(nodes);
        const Index k = 1 + seed % 9;
        const PathLists lists = k_shortest(on.network, pairs, on.costs, k);
        ASSERT_EQ(lists.pairs(), pairs.size());
        for (Index i = 0; i < pairs.size(); ++i) {
            const std::vector<Path> all = all_paths(on, pairs[i]);
            std::vector<Real> expected;
            for (const Path& path : all) expected.push_back(cost_of(path, on.costs));
            std::sort(expected.begin(), expected.end());
            ASSERT_EQ(lists.end_path(i) - lists.first_path(i), std::min<Index>(k, all.size()));
            unreachable += static_cast<Index>(all.empty());
            shorter_lists += static_cast<Index>(all.size() < k);
            std::set<Path> seen;
            for (Index j = lists.first_path(i); j < lists.end_path(i); ++j) {
                const Path path(lists.links(j).begin(), lists.links(j).end());
                EXPECT_NE(std::find(all.begin(), all.end(), path), all.end()) << "not a path";
                EXPECT_TRUE(seen.insert(path).second) << "a path twice";
                EXPECT_NEAR(cost_of(path, on.costs), expected[j - lists.first_path(i)], 1e-12);
                ++compared;
            }
        }
    }
    EXPECT_GT(shorter_lists, 100U);
    EXPECT_GT(unreachable, 50U);
    EXPECT_GT(compared, 1000U);
}

/// Streets with two directions, where the tree often leads back to where one came from.
TEST(KShortest, AreExactOnAGridOfStreets) {
    RandomNetwork on;
    const Index side = 4;
    const auto at = [&](Index x, Index y) { return static_cast<NodeIndex>(y * side + x); };
    for (Index i = 0; i < side * side; ++i) on.network.node(std::to_string(i));
    const auto street = [&](NodeIndex a, NodeIndex b) {
        for (const auto& [from, to] : {std::pair{a, b}, std::pair{b, a}}) {
            on.network.add_link({.from = from, .to = to});
            on.costs.push_back(1 + uniform({.seed = 3, .sample = on.costs.size()}));
        }
    };
    for (Index y = 0; y < side; ++y) {
        for (Index x = 0; x < side; ++x) {
            if (x + 1 < side) street(at(x, y), at(x + 1, y));
            if (y + 1 < side) street(at(x, y), at(x, y + 1));
        }
    }
    const std::vector<Pair> pairs = {{0, 5}, {0, 15}, {6, 9}, {12, 13}};
    const PathLists lists = k_shortest(on.network, pairs, on.costs, 40);
    for (Index i = 0; i < pairs.size(); ++i) {
        std::vector<Real> expected;
        for (const Path& path : all_paths(on, pairs[i])) expected.push_back(cost_of(path, on.costs));
        std::sort(expected.begin(), expected.end());
        ASSERT_EQ(lists.end_path(i) - lists.first_path(i), 40U);
        for (Index j = 0; j < 40; ++j)
            EXPECT_NEAR(cost_of(lists.links(lists.first_path(i) + j), on.costs), expected[j], 1e-12);
    }
}

TEST(KShortest, DoNotDependOnThreads) {
    const RandomNetwork on = random_network(11, 40, 160);
    const std::vector<Pair> pairs = every_pair(40);
    const auto text = [&](const PathLists& lists) {
        std::vector<LinkIndex> flat;
        for (Index j = 0; j < lists.paths(); ++j) {
            flat.insert(flat.end(), lists.links(j).begin(), lists.links(j).end());
            flat.push_back(PathSet::kRoot);
        }
        return flat;
    };
    const auto exact = text(k_shortest(on.network, pairs, on.costs, 4));
    const auto diverse = text(diverse_paths(on.network, pairs, on.costs, 4, 0.5));
    set_threads(3);
    EXPECT_EQ(text(k_shortest(on.network, pairs, on.costs, 4)), exact);
    EXPECT_EQ(text(diverse_paths(on.network, pairs, on.costs, 4, 0.5)), diverse);
    set_threads(1);
    EXPECT_NE(exact, diverse);
}

TEST(DiversePaths, AreDifferentPathsAndTheFirstIsTheShortest) {
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        const Index nodes = 3 + seed % 5;
        const RandomNetwork on = random_network(seed, nodes, 3 * nodes, true);
        const std::vector<Pair> pairs = every_pair(nodes);
        const PathLists lists = diverse_paths(on.network, pairs, on.costs, 3, 0.5);
        for (Index i = 0; i < pairs.size(); ++i) {
            const std::vector<Path> all = all_paths(on, pairs[i]);
            ASSERT_EQ(lists.end_path(i) > lists.first_path(i), !all.empty());
            std::set<Path> seen;
            for (Index j = lists.first_path(i); j < lists.end_path(i); ++j) {
                const Path path(lists.links(j).begin(), lists.links(j).end());
                EXPECT_NE(std::find(all.begin(), all.end(), path), all.end());
                EXPECT_TRUE(seen.insert(path).second);
            }
            if (all.empty()) continue;
            Real least = kInfinity;
            for (const Path& path : all) least = std::min(least, cost_of(path, on.costs));
            EXPECT_NEAR(cost_of(lists.links(lists.first_path(i)), on.costs), least, 1e-12);
        }
    }
}

/// Two corridors: the three shortest stay in the first, three that differ use the second.
TEST(DiversePaths, LeaveTheCorridorThatTheShortestShare) {
    Network network;
    for (const char* name : {"a", "b", "c", "d", "e"}) network.node(name);
    std::vector<Real> costs;
    const auto add = [&](NodeIndex from, NodeIndex to, Real cost) {
        network.add_link({.from = from, .to = to});
        costs.push_back(cost);
    };
    add(0, 1, 1);
    add(1, 2, 1);
    add(1, 2, 1.01);
    add(1, 2, 1.02);
    add(2, 4, 1);
    add(0, 3, 2);
    const LinkIndex other = static_cast<LinkIndex>(costs.size());
    add(3, 4, 2);
    const std::vector<Pair> pairs = {{0, 4}};
    const auto uses_other = [&](const PathLists& lists) {
        for (Index j = 0; j < lists.paths(); ++j) {
            if (std::count(lists.links(j).begin(), lists.links(j).end(), other) > 0) return true;
        }
        return false;
    };
    EXPECT_FALSE(uses_other(k_shortest(network, pairs, costs, 3)));
    EXPECT_TRUE(uses_other(diverse_paths(network, pairs, costs, 3, 0.5)));
}

TEST(MakePaths, LeavesFreeSlotsAndNamesUnreachablePairs) {
    Network network;
    for (const char* name : {"a", "b", "island"}) network.node(name);
    network.add_link({.from = 0, .to = 1});
    network.add_link({.from = 0, .to = 1});
    const MadePaths made =
        make_paths(network, {{0, 1}, {0, 2}}, {.k = 5, .spare = 2, .slack = true}, std::vector<Real>{2, 1});
    EXPECT_EQ(made.unreachable, (std::vector<Index>{1}));
    const PathSet& paths = made.paths;
    ASSERT_EQ(paths.end_slot(0) - paths.first_slot(0), 2U + 2 + 1);
    ASSERT_EQ(paths.end_slot(1) - paths.first_slot(1), 1U + 2 + 1);
    EXPECT_EQ(paths.links(0), (Path{1}));
    EXPECT_EQ(paths.links(1), (Path{0}));
    EXPECT_FALSE(paths.live(2) || paths.live(3));
    EXPECT_TRUE(paths.live(4) && paths.links(4).empty());
    EXPECT_EQ(paths.live_slots(), 4U);
    EXPECT_TRUE(paths.live(paths.end_slot(1) - 1));
}

TEST(MakePaths, RefusesOptionsAllAtOnce) {
    try {
        make_paths({}, {}, {.k = 0, .spare = 5000, .dearer = 0}, {});
        FAIL() << "nothing was refused";
    } catch (const ConfigError& error) {
        EXPECT_EQ(error.violations().size(), 3U);
    }
}

}  // namespace
}  // namespace proxstream
