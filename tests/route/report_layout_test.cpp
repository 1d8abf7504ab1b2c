#include "route/report_layout.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

Real apart(const Place& a, const Place& b) {
    return std::hypot(a.x - b.x, a.y - b.y);
}

Link between(Index from, Index to) {
    return {.from = static_cast<NodeIndex>(from), .to = static_cast<NodeIndex>(to)};
}

std::vector<Link> grid(Index side) {
    std::vector<Link> links;
    for (Index row = 0; row < side; ++row) {
        for (Index column = 0; column < side; ++column) {
            const Index node = row * side + column;
            if (column + 1 < side)
                links.push_back(between(node, node + 1)), links.push_back(between(node + 1, node));
            if (row + 1 < side) links.push_back(between(node, node + side));
        }
    }
    return links;
}

TEST(ReportLayout, KeepsTheShapeOfAGrid) {
    constexpr Index kSide = 12;
    const std::vector<Link> links = grid(kSide);
    const std::vector<Place> places = lay_out(kSide * kSide, links);
    for (const Link& link : links) {
        EXPECT_GT(apart(places[link.from], places[link.to]), 0.4);
        EXPECT_LT(apart(places[link.from], places[link.to]), 2.5);
    }
    // Opposite corners stay opposite, and nodes nearest to each other are neighbours.
    EXPECT_GT(apart(places.front(), places.back()), 10);
    for (Index i = 0; i < places.size(); ++i) {
        Index nearest = i == 0 ? 1 : 0;
        for (Index j = 0; j < places.size(); ++j) {
            if (j != i && apart(places[i], places[j]) < apart(places[i], places[nearest])) nearest = j;
        }
        EXPECT_EQ((i > nearest ? i - nearest : nearest - i) % (kSide - 1), 1U) << i << " " << nearest;
    }
}

TEST(ReportLayout, IsTheSameEveryTimeAndFiniteForAnyGraph) {
    const std::vector<std::vector<Link>> graphs{
        {}, {between(0, 0)}, {between(0, 1)}, {between(0, 1), between(2, 3), between(4, 5)}, grid(3)};
    for (const auto& links : graphs) {
        for (const Index nodes : {Index{9}, Index{10}}) {
            const std::vector<Place> places = lay_out(nodes, links);
            const std::vector<Place> again = lay_out(nodes, links);
            for (Index i = 0; i < nodes; ++i) {
                ASSERT_TRUE(std::isfinite(places[i].x) && std::isfinite(places[i].y));
                EXPECT_EQ(apart(places[i], again[i]), 0);
                for (Index j = 0; j < i; ++j) EXPECT_GT(apart(places[i], places[j]), 0.05) << i << " " << j;
            }
        }
    }
    EXPECT_TRUE(lay_out(0, {}).empty());
    EXPECT_EQ(lay_out(1, {}).size(), 1U);
}

TEST(ReportLayout, SpreadsTheLeavesOfAStar) {
    std::vector<Link> links;
    for (Index leaf = 1; leaf <= 20; ++leaf) links.push_back(between(0, leaf));
    const std::vector<Place> places = lay_out(21, links);
    for (Index i = 1; i <= 20; ++i) {
        for (Index j = 1; j < i; ++j) EXPECT_GT(apart(places[i], places[j]), 0.15);
    }
}

TEST(DrawnNetwork, KeepsPlacesAndPutsOtherNodesBetween) {
    Network network;
    const NodeIndex a = network.node("a");
    const NodeIndex b = network.node("b");
    const NodeIndex c = network.node("c");
    const NodeIndex d = network.node("d");
    const NodeIndex lost = network.node("lost");
    network.set_place(a, {0, 0});
    network.set_place(b, {4, 2});
    Link link;
    link.capacity = 7;
    for (const auto& [from, to] : {std::pair{a, c}, std::pair{c, b}, std::pair{c, d}}) {
        link.from = from;
        link.to = to;
        network.add_link(link);
    }
    const Network made = drawn_network(network);
    EXPECT_EQ(made.place(b)->x, 4);
    EXPECT_EQ(made.place(c)->x, 2);
    EXPECT_EQ(made.place(c)->y, 1);
    EXPECT_EQ(made.place(d)->x, 2) << "next to what it is linked to";
    EXPECT_EQ(made.place(lost)->x, 2) << "in the middle of what is placed";
    EXPECT_EQ(made.link_name(1), "c-b");
    EXPECT_EQ(made.link(1).capacity, 7);
}

TEST(DrawnNetwork, LaysOutANetworkWithoutPlaces) {
    Network network;
    Link link;
    link.from = network.node("a");
    link.to = network.node("b");
    network.add_link(link);
    const Network made = drawn_network(network);
    EXPECT_NEAR(apart(*made.place(0), *made.place(1)), 1, 0.6);
}

}  // namespace
}  // namespace proxstream
