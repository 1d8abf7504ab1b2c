#include "traffic/path_set.hpp"

#include "proxstream/core/error.hpp"

#include "traffic/k_shortest.hpp"
#include "traffic/random_network.hpp"

#include <map>
#include <optional>
#include <set>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

using Path = std::vector<LinkIndex>;

/// Slots as a map of paths: what a PathSet has to be equal to.
void expect_equal(const PathSet& paths, const std::map<SlotIndex, Path>& expected) {
    EXPECT_EQ(paths.live_slots(), expected.size());
    for (SlotIndex slot = 0; slot < paths.slots(); ++slot) {
        const auto found = expected.find(slot);
        ASSERT_EQ(paths.live(slot), found != expected.end()) << slot;
        if (!paths.live(slot)) continue;
        EXPECT_EQ(paths.links(slot), found->second);
        Path backwards;
        paths.for_each_link(slot, [&](LinkIndex link) { backwards.push_back(link); });
        EXPECT_EQ(backwards, Path(found->second.rbegin(), found->second.rend()));
    }
}

/// Every tree has the paths of its origin and nothing else, each beginning once.
void expect_shared(const PathSet& paths) {
    Index nodes = 0;
    for (const PathSet::Tree& tree : paths.trees()) {
        ASSERT_EQ(tree.begin, nodes);
        nodes = tree.end;
        EXPECT_EQ(paths.link(tree.begin), PathSet::kRoot);
        std::set<std::pair<TreeNode, LinkIndex>> grown;
        for (TreeNode at = tree.begin + 1; at < tree.end; ++at) {
            EXPECT_LT(paths.parent(at), at);
            EXPECT_GE(paths.parent(at), tree.begin);
            EXPECT_TRUE(grown.insert({paths.parent(at), paths.link(at)}).second) << "a beginning twice";
        }
        std::set<TreeNode> used = {tree.begin};
        for (Index i = tree.first_pair; i < tree.end_pair; ++i) {
            EXPECT_EQ(paths.pair(i).origin, paths.pair(tree.first_pair).origin);
            std::vector<SlotIndex> live;
            for (SlotIndex slot = paths.first_slot(i); slot < paths.end_slot(i); ++slot) {
                EXPECT_EQ(paths.pair_of(slot), i);
                if (!paths.live(slot)) continue;
                live.push_back(slot);
                for (TreeNode at = paths.leaf(slot); at != tree.begin; at = paths.parent(at)) used.insert(at);
            }
            const auto listed = paths.live_slots(i);
            EXPECT_EQ(std::vector<SlotIndex>(listed.begin(), listed.end()), live);
        }
        EXPECT_EQ(used.size(), tree.end - tree.begin) << "nodes that no path uses";
    }
    EXPECT_EQ(nodes, paths.tree_nodes());
}

TEST(PathSet, KeepsPathsThroughRandomChanges) {
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        const Index nodes = 8;
        const testing::RandomNetwork on = testing::random_network(seed, nodes, 36);
        std::vector<Pair> pairs;
        std::vector<Index> slots;
        for (NodeIndex a = 0; a < nodes; a += 2) {
            for (NodeIndex b = 0; b < nodes; ++b) {
                if (a == b) continue;
                pairs.push_back({a, b});
                slots.push_back((a + b + seed) % 4);  // some pairs have none
            }
        }
        const PathLists pool = k_shortest(on.network, pairs, on.costs, 6);
        PathSet paths(on.network, pairs, slots);
        std::map<SlotIndex, Path> expected;
        expect_equal(paths, expected);
        for (std::uint64_t step = 1; step <= 15; ++step) {
            std::map<SlotIndex, PathChange> changes;
            for (std::uint64_t i = 0; i < 6; ++i) {
                const auto below = [&](std::uint64_t bound, std::uint32_t what) {
                    return uniform_below({.seed = seed, .round = step, .record = what, .sample = i}, bound);
                };
                const auto slot = static_cast<SlotIndex>(below(paths.slots(), 0));
                const Index pair = paths.pair_of(slot);
                const Index given = pool.end_path(pair) - pool.first_path(pair);
                PathChange change{.slot = slot, .live = below(3, 1) != 0};
                if (given > 0 && below(6, 2) != 0) {
                    const auto links = pool.links(pool.first_path(pair) + below(given, 3));
                    change.links.assign(links.begin(), links.end());
                }
                changes[slot] = change;
            }
            std::vector<PathChange> list;
            for (const auto& [slot, change] : changes) {
                list.push_back(change);
                if (change.live)
                    expected[slot] = change.links;
                else
                    expected.erase(slot);
            }
            paths.change(list);
            expect_equal(paths, expected);
            expect_shared(paths);
        }
    }
}

TEST(PathSet, InvalidPathsChangeNothing) {
    Network network;
    for (const char* name : {"a", "b", "c"}) network.node(name);
    network.add_link({.from = 0, .to = 1});
    network.add_link({.from = 1, .to = 2});
    const std::vector<Index> slots = {1, 1};
    PathSet paths(network, {{0, 1}, {0, 2}}, slots);
    paths.change(std::vector<PathChange>{{.slot = 1, .links = {0, 1}}});
    const auto refused = [&](SlotIndex slot, Path links) {
        EXPECT_THROW(paths.change(std::vector<PathChange>{{.slot = slot, .links = std::move(links)}}), Error);
        EXPECT_FALSE(paths.live(0));
        EXPECT_EQ(paths.links(1), (Path{0, 1}));
    };
    refused(0, {1});     // starts elsewhere
    refused(0, {0, 1});  // ends elsewhere
    refused(1, {0});     // ends too early
    refused(1, {0, 0});  // does not hang together
    refused(1, {7});     // is no link
}

}  // namespace
}  // namespace proxstream
