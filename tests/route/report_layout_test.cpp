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

std::vector<ReportLink> grid(Index side) {
    std::vector<ReportLink> links;
    for (Index row = 0; row < side; ++row) {
        for (Index column = 0; column < side; ++column) {
            const Index node = row * side + column;
            if (column + 1 < side)
                links.push_back({"", node, node + 1, 1}), links.push_back({"", node + 1, node, 1});
            if (row + 1 < side) links.push_back({"", node, node + side, 1});
        }
    }
    return links;
}

TEST(ReportLayout, AGridComesOutAsAGrid) {
    constexpr Index kSide = 12;
    const std::vector<ReportLink> links = grid(kSide);
    const std::vector<Place> places = lay_out(kSide * kSide, links);
    for (const ReportLink& link : links) {
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
    const std::vector<std::vector<ReportLink>> graphs{
        {}, {{"", 0, 0, 1}}, {{"", 0, 1, 1}}, {{"", 0, 1, 1}, {"", 2, 3, 1}, {"", 4, 5, 1}}, grid(3)};
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

TEST(ReportLayout, LeavesOfAStarSpread) {
    std::vector<ReportLink> links;
    for (Index leaf = 1; leaf <= 20; ++leaf) links.push_back({"", 0, leaf, 1});
    const std::vector<Place> places = lay_out(21, links);
    for (Index i = 1; i <= 20; ++i) {
        for (Index j = 1; j < i; ++j) EXPECT_GT(apart(places[i], places[j]), 0.15);
    }
}

TEST(ReportNetwork, KeepsPlacesAndPutsTheRestBetween) {
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
    const ReportNetwork made = report_network(network);
    EXPECT_EQ(made.nodes[b].x, 4);
    EXPECT_EQ(made.nodes[c].x, 2);
    EXPECT_EQ(made.nodes[c].y, 1);
    EXPECT_EQ(made.nodes[d].x, 2) << "next to what it is linked to";
    EXPECT_EQ(made.nodes[lost].x, 2) << "in the middle of what is placed";
    EXPECT_EQ(made.links[1].name, "c-b");
    EXPECT_EQ(made.links[1].capacity, 7);
}

TEST(ReportNetwork, LaysOutWhatHasNoPlaces) {
    Network network;
    Link link;
    link.from = network.node("a");
    link.to = network.node("b");
    network.add_link(link);
    const ReportNetwork made = report_network(network);
    EXPECT_NEAR(std::hypot(made.nodes[0].x - made.nodes[1].x, made.nodes[0].y - made.nodes[1].y), 1, 0.6);
}

}  // namespace
}  // namespace proxstream
