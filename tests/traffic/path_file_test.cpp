#include "traffic/path_file.hpp"

#include "traffic/random_network.hpp"

#include <gtest/gtest.h>

namespace proxstream {
namespace {

using Path = std::vector<LinkIndex>;

/// A diamond a-b-d, a-c-d, two links from b to d, a link with a name, and a zone that bars through traffic.
Network diamond() {
    Network network;
    for (const char* name : {"a", "b", "c", "d", "New York", "x-y"}) network.node(name);
    network.add_link({.from = 0, .to = 1});                     // 0
    network.add_link({.from = 0, .to = 2});                     // 1
    network.add_link({.from = 1, .to = 3});                     // 2
    network.add_link({.from = 1, .to = 3});                     // 3
    network.add_link({.from = 2, .to = 3, .name = "south-2"});  // 4
    network.add_link({.from = 0, .to = 4});                     // 5
    network.add_link({.from = 4, .to = 3});                     // 6
    network.add_link({.from = 0, .to = 5});                     // 7
    network.add_link({.from = 5, .to = 3});                     // 8
    network.add_link({.from = 3, .to = 0});                     // 9
    network.bar_through(4);
    return network;
}

PathLists read(const std::string& text, const Network& network,
               const std::vector<Pair>& pairs = {{0, 3}, {0, 4}}) {
    return read_path_file(memory_input("tunnels", text), network, pairs);
}

std::vector<Path> paths_of(const PathLists& lists, Index pair) {
    std::vector<Path> found;
    for (Index i = lists.first_path(pair); i < lists.end_path(pair); ++i)
        found.emplace_back(lists.links(i).begin(), lists.links(i).end());
    return found;
}

std::string refusal(const std::string& text) {
    try {
        read(text, diamond());
    } catch (const DataError& error) {
        return error.what();
    }
    return "nothing";
}

TEST(PathFile, ReadsEveryFormOfLine) {
    const Network network = diamond();
    const std::vector<std::pair<std::string, Path>> cases = {
        {"a d: a c d", {1, 4}},
        {"a,d:a-c-d", {1, 4}},
        {"a-c-d", {1, 4}},
        {"\ta  d :\ta c  d  # the south", {1, 4}},
        {"a d: a b#1 d#2", {0, 3}},
        {"a-b-d#2", {0, 3}},
        {"a d: a \"b\"#1 \"d\"#2", {0, 3}},
        {"a d: a-c d", {1, 4}},
        {"a d: a x-y d", {7, 8}},
        {"a d: a \"x-y\" d", {7, 8}},
    };
    for (const auto& [line, links] : cases) {
        const PathLists lists = read(line + "\r\n", network);
        ASSERT_EQ(lists.paths(), 1U) << line;
        EXPECT_EQ(paths_of(lists, 0).front(), links) << line;
    }
}

TEST(PathFile, KeepsTheOrderOfPathsOfEachPair) {
    const Network network = diamond();
    const PathLists lists =
        read("# tunnels\n\na,d:a x-y d,a-c-d\na \"New York\": a \"New York\"\na-b-d#1", network);
    EXPECT_EQ(paths_of(lists, 0), (std::vector<Path>{{7, 8}, {1, 4}, {0, 2}}));
    EXPECT_EQ(paths_of(lists, 1), (std::vector<Path>{{5}}));
}

TEST(PathFile, SkipsPathsOfOtherPairs) {
    const Network network = diamond();
    const PathLists lists = read("b-d#1\na-c-d\n", network, {{0, 3}});
    EXPECT_EQ(lists.paths(), 1U);
}

TEST(PathFile, ErrorsNameLineAndCause) {
    EXPECT_EQ(refusal("a-c-d\na d: a q d"),
              "tunnels:2, column 4 (q): there is no node 'q'; expected nodes of the network");
    EXPECT_EQ(refusal("q d: a c d"),
              "tunnels:1, column 1 (q): there is no node 'q'; expected nodes of the network");
    EXPECT_EQ(
        refusal("a d: a d"),
        "tunnels:1, column 4 (d): no link leads from a to d; expected links of the network, one after the "
        "other");
    EXPECT_EQ(refusal("a d: a b d"), "tunnels:1, column 5 (d): 2 links from b to d; expected d#1 to d#2");
    EXPECT_EQ(refusal("a-c#2-d"), "tunnels:1, column 1 (a-c#2-d): 1 link from a to c; expected c#1 to c#1");
    EXPECT_EQ(refusal("a d: a c d a c d"),
              "tunnels:1, column 6 (a): the path comes to node a twice; expected a path without loops");
    EXPECT_EQ(refusal("a-c-d\n\na d: a c d"),
              "tunnels:3, column 3 (a): the path was given before, in line 1; expected every path once");
    EXPECT_EQ(refusal("a d: c d"),
              "tunnels:1, column 3 (c): the path starts at c; expected the pair's origin, a");
    EXPECT_EQ(refusal("a d: a c"),
              "tunnels:1, column 4 (c): the path ends at c; expected the pair's destination, d");
    EXPECT_EQ(refusal("a d: a \"New York\" d"),
              "tunnels:1, column 5 (d): the path leads through node New York, where traffic may only start "
              "and end; "
              "expected a path around it");
    EXPECT_EQ(refusal("a d: a b#0 d"),
              "tunnels:1, column 4 (b#0): '#0' follows a name; expected a blank, or #2 for the second of "
              "parallel links");
    EXPECT_EQ(refusal("a d: \"a\"b d"),
              "tunnels:1, column 3 (a): 'b' follows a name; expected a blank, or #2 for the second of "
              "parallel links");
    EXPECT_EQ(refusal("a d: a"),
              "tunnels:1, column 3 (a): the path has no link; expected at least two nodes");
    for (const char* none : {"", "\n", "# only a remark\n \n"})
        EXPECT_EQ(refusal(none), "tunnels: there is no path in the file; expected a path a line");
    EXPECT_EQ(refusal("a d:"), "tunnels:1, column 2: a path is empty; expected nodes of the network");
    EXPECT_EQ(refusal("a d: a-c-d,"), "tunnels:1, column 3: a path is empty; expected nodes of the network");
    EXPECT_EQ(
        refusal("a b c: a-c-d"),
        "tunnels:1, column 1 (a): no pair stands before the colon; expected ORIGIN DESTINATION: and then "
        "paths");
    EXPECT_EQ(refusal(": a-c-d"),
              "tunnels:1: no pair stands before the colon; expected ORIGIN DESTINATION: and then paths");
    EXPECT_EQ(refusal("a a: a-c-d"),
              "tunnels:1, column 2 (a): origin and destination are one node; expected two different nodes");
    EXPECT_EQ(refusal("a d: a-c-d: a"), "tunnels:1, column 3: a second colon; expected one pair a line");
    EXPECT_EQ(refusal("a \"New York: a"),
              "tunnels:1: a quote is not closed; expected quotes around the whole of a name");
}

/// The path of a slot as a line of a path file: the names of all nodes quoted, parallel links numbered.
std::string path_line(const Network& network, const Pair& pair, const Path& links) {
    const auto quoted = [&](NodeIndex node) {
        std::string name = "\"";
        for (const char c : network.node_name(node)) name += c == '"' ? std::string(2, c) : std::string(1, c);
        return name + '"';
    };
    std::string line = quoted(pair.origin) + " " + quoted(pair.destination) + ": " + quoted(pair.origin);
    for (const LinkIndex link : links) {
        const Link& taken = network.link(link);
        Index copy = 0;
        for (const LinkIndex other : network.leaving(taken.from))
            copy += other <= link && network.link(other).to == taken.to ? 1 : 0;
        line += " " + quoted(taken.to) + "#" + std::to_string(copy);
    }
    return line + "\n";
}

TEST(PathFile, ReadsBackThePathsOfRandomNetworks) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        testing::RandomNetwork on = testing::random_network(seed, 9, 40);
        const NodeIndex odd = on.network.node("a \"b\", c:#1");
        on.network.add_link({.from = 0, .to = odd});
        on.network.add_link({.from = odd, .to = 1});
        on.costs.insert(on.costs.end(), {0.5, 0.5});
        std::vector<Pair> pairs;
        for (NodeIndex a = 0; a < 10; ++a) {
            for (NodeIndex b = 0; b < 10; ++b) {
                if (a != b) pairs.push_back({a, b});
            }
        }
        const PathLists made = k_shortest(on.network, pairs, on.costs, 4);
        std::string text;
        for (Index i = 0; i < pairs.size(); ++i) {
            for (const Path& path : paths_of(made, i)) text += path_line(on.network, pairs[i], path);
        }
        const PathLists lists = read(text, on.network, pairs);
        EXPECT_GT(lists.paths(), 40U);
        for (Index i = 0; i < pairs.size(); ++i) EXPECT_EQ(paths_of(lists, i), paths_of(made, i));
    }
}

}  // namespace
}  // namespace proxstream
