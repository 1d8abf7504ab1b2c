#include "traffic/shortest_paths.hpp"

#include "traffic/random_network.hpp"

#include <set>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

using testing::random_network;
using testing::RandomNetwork;

/// Bellman-Ford: every link again and again, until nothing gets shorter.
std::vector<Real> distances(const RandomNetwork& on, NodeIndex root, Direction direction) {
    std::vector<Real> distance(on.network.nodes(), kInfinity);
    distance[root] = 0;
    for (bool moved = true; moved;) {
        moved = false;
        for (LinkIndex i = 0; i < on.network.links(); ++i) {
            const Link& link = on.network.link(i);
            const NodeIndex near = direction == Direction::forward ? link.from : link.to;
            const NodeIndex far = direction == Direction::forward ? link.to : link.from;
            if (near != root && !on.network.passable(near)) continue;
            if (distance[near] + on.costs[i] < distance[far]) {
                distance[far] = distance[near] + on.costs[i];
                moved = true;
            }
        }
    }
    return distance;
}

/// That `path` leads between the root and the node, through nothing barred and no node twice, at the length
/// that is claimed.
void check_path(const RandomNetwork& on, const ShortestPaths& paths, NodeIndex root, NodeIndex node,
                Direction direction) {
    std::vector<LinkIndex> path;
    paths.path(node, path);
    NodeIndex at = direction == Direction::forward ? root : node;
    const NodeIndex end = direction == Direction::forward ? node : root;
    std::set<NodeIndex> seen = {at};
    Real length = 0;
    for (Index i = 0; i < path.size(); ++i) {
        const Link& link = on.network.link(path[i]);
        ASSERT_EQ(link.from, at);
        at = link.to;
        EXPECT_TRUE(seen.insert(at).second) << "a node twice";
        EXPECT_TRUE(i + 1 == path.size() || on.network.passable(at)) << "through a barred node";
        length += on.costs[path[i]];
    }
    EXPECT_EQ(at, end);
    EXPECT_NEAR(length, paths.distance(node), 1e-12);
}

TEST(ShortestPaths, AgreeWithBellmanFordOnMultigraphs) {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        const Index nodes = 2 + seed % 19;
        const RandomNetwork on = random_network(seed, nodes, nodes * (1 + seed % 4), seed % 2 == 0);
        for (const Direction direction : {Direction::forward, Direction::backward}) {
            ShortestPaths paths(on.network, direction);
            for (NodeIndex root = 0; root < nodes; ++root) {
                paths.run(root, on.costs);
                const std::vector<Real> expected = distances(on, root, direction);
                for (NodeIndex node = 0; node < nodes; ++node) {
                    ASSERT_EQ(paths.reaches(node), expected[node] < kInfinity);
                    if (!paths.reaches(node)) {
                        EXPECT_EQ(paths.entering(node), ShortestPaths::kRoot);
                        continue;
                    }
                    EXPECT_NEAR(paths.distance(node), expected[node], 1e-12);
                    check_path(on, paths, root, node, direction);
                }
            }
        }
    }
}

TEST(ShortestPaths, TakeTheLinkOfTheLowestNumberAmongEquals) {
    Network network;
    for (const char* name : {"a", "b", "c", "d"}) network.node(name);
    network.add_link({.from = 0, .to = 2});
    network.add_link({.from = 2, .to = 3});  // settled later than b, and yet preferred
    network.add_link({.from = 0, .to = 1});
    network.add_link({.from = 1, .to = 3});
    network.add_link({.from = 1, .to = 3});
    ShortestPaths paths(network);
    paths.run(0, std::vector<Real>{2, 1, 1, 2, 2});
    EXPECT_EQ(paths.distance(3), 3);
    EXPECT_EQ(paths.entering(3), 1U);
    paths.run(0, std::vector<Real>{2, 2, 1, 2, 2});
    EXPECT_EQ(paths.entering(3), 3U) << "the first of two parallel links";
    paths.run(0, std::vector<Real>{2, 2, 1, 2, 1});
    EXPECT_EQ(paths.entering(3), 4U);
}

TEST(ShortestPaths, BarredNodesBeginAndEndPathsOnly) {
    Network network;
    for (const char* name : {"a", "zone", "b"}) network.node(name);
    network.bar_through(1);
    network.add_link({.from = 0, .to = 1});
    network.add_link({.from = 1, .to = 2});
    const std::vector<Real> costs = {1, 1};
    ShortestPaths paths(network);
    paths.run(0, costs);
    EXPECT_EQ(paths.distance(1), 1);
    EXPECT_FALSE(paths.reaches(2));
    paths.run(1, costs);
    EXPECT_EQ(paths.distance(2), 1);
}

TEST(ShortestPaths, ACopyWorksOnItsOwn) {
    const RandomNetwork on = random_network(5, 12, 40);
    ShortestPaths first(on.network);
    first.run(0, on.costs);
    ShortestPaths second = first;
    second.run(1, on.costs);
    const std::vector<Real> expected = distances(on, 0, Direction::forward);
    for (NodeIndex node = 0; node < 12; ++node) EXPECT_EQ(first.distance(node), expected[node]);
}

}  // namespace
}  // namespace proxstream
