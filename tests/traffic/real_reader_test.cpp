/// Real networks and demand: sizes and totals as published.
#include "traffic/network_formats.hpp"
#include "traffic/reader_support.hpp"

#include <filesystem>
#include <numeric>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

using test::data_path;

#define PROXSTREAM_NEEDS(path) \
    if (!std::filesystem::exists(path)) GTEST_SKIP() << (path) << " is not here (PROXSTREAM_DATA)"

struct RealNetwork {
    const char* folder;
    const char* stem;
    Index zones, nodes, links, pairs;
    Real demand, within;  // demand of the file, and what of it stays within zones
    Index barred;
    bool flows;
};

class RealTntp : public ::testing::TestWithParam<RealNetwork> {};

TEST_P(RealTntp, HasThePublishedSizes) {
    const RealNetwork& real = GetParam();
    const std::string stem = data_path("tntp/" + std::string(real.folder) + "/" + real.stem);
    PROXSTREAM_NEEDS(stem + "_net.tntp");
    NetworkOptions options;
    options.trips_path = stem + "_trips.tntp";
    const NetworkFile file = open_network(stem + "_net.tntp", options);
    EXPECT_EQ(file.network.nodes(), real.nodes);
    EXPECT_EQ(file.network.links(), real.links);
    EXPECT_EQ(file.zones, real.zones);
    ASSERT_TRUE(file.trips.has_value());
    EXPECT_EQ(file.trips->pairs.size(), real.pairs);
    const Real total =
        std::accumulate(file.trips->demand.begin(), file.trips->demand.end(), file.trips->within);
    EXPECT_NEAR(total, real.demand, 1e-6 * real.demand);
    EXPECT_NEAR(file.trips->within, real.within, 0.5);
    Index barred = 0;
    for (NodeIndex node = 0; node < file.network.nodes(); ++node) {
        EXPECT_EQ(file.network.node_name(node), std::to_string(node + 1));
        barred += file.network.passable(node) ? 0U : 1U;
    }
    EXPECT_EQ(barred, real.barred);
    if (!real.flows) return;
    // Flows of a user equilibrium conserve at every node, once demand is counted.
    const std::vector<Real> flows = read_tntp_flows(file_input(stem + "_flow.tntp"), file.network);
    std::vector<Real> surplus(file.network.nodes());
    for (LinkIndex link = 0; link < flows.size(); ++link) {
        surplus[file.network.link(link).from] += flows[link];
        surplus[file.network.link(link).to] -= flows[link];
    }
    for (Index i = 0; i < real.pairs; ++i) {
        surplus[file.trips->pairs[i].origin] -= file.trips->demand[i];
        surplus[file.trips->pairs[i].destination] += file.trips->demand[i];
    }
    for (const Real rest : surplus) EXPECT_NEAR(rest, 0, 1e-6 * real.demand);
}

INSTANTIATE_TEST_SUITE_P(
    All, RealTntp,
    ::testing::Values(RealNetwork{"Braess-Example", "Braess", 2, 4, 5, 1, 6, 0, 0, false},
                      RealNetwork{"SiouxFalls", "SiouxFalls", 24, 24, 76, 528, 360600, 0, 0, true},
                      RealNetwork{"Eastern-Massachusetts", "EMA", 74, 74, 258, 1113, 65576.375, 0, 0, false},
                      RealNetwork{"Anaheim", "Anaheim", 38, 416, 914, 1406, 104694.4, 0, 38, true},
                      RealNetwork{"Barcelona", "Barcelona", 110, 1020, 2522, 7922, 184679.561, 0, 110, true},
                      RealNetwork{"Chicago-Sketch", "ChicagoSketch", 387, 933, 2950, 93135, 1260907.44,
                                  123414, 0, true}),
    [](const auto& real) { return std::string(real.param.stem); });

TEST(RealPlaces, NodeFilesPlaceEveryNode) {
    for (const char* name : {"SiouxFalls", "Chicago-Sketch"}) {
        const std::string stem = data_path("tntp/" + std::string(name) + "/") +
                                 (std::string(name) == "SiouxFalls" ? name : "ChicagoSketch");
        PROXSTREAM_NEEDS(stem + "_node.tntp");
        NetworkOptions options;
        options.nodes_path = stem + "_node.tntp";
        const NetworkFile file = open_network(stem + "_net.tntp", options);
        for (NodeIndex node = 0; node < file.network.nodes(); ++node) EXPECT_TRUE(file.network.place(node));
    }
}

TEST(RealFlows, ReadsOwnFlowTables) {
    const std::string stem = data_path("tntp/SiouxFalls/SiouxFalls");
    const std::string reference = data_path("tntp/reference/SiouxFalls_ue_flow.csv");
    PROXSTREAM_NEEDS(reference);
    const Network network = open_network(stem + "_net.tntp").network;
    const std::vector<Real> published = read_tntp_flows(file_input(stem + "_flow.tntp"), network);
    const std::vector<Real> solved = read_tntp_flows(file_input(reference), network);
    for (LinkIndex link = 0; link < network.links(); ++link) EXPECT_NEAR(solved[link], published[link], 0.05);
}

TEST(RealAbilene, Gives2016Periods) {
    const std::string topology = data_path("tm/abilene/Abilene");
    PROXSTREAM_NEEDS(topology);
    const NetworkFile file = open_network(topology);
    EXPECT_EQ(file.network.nodes(), 12U);
    ASSERT_EQ(file.network.links(), 30U);
    EXPECT_EQ(file.network.link(3).free_time, 587);
    EXPECT_EQ(file.network.link(3).capacity, 2480000);
    DemandOptions options;
    options.scale = 8.0 / 3e6;  // Mbit/s
    const auto stream = open_demand(data_path("tm/abilene/AbileneTM"), file.network, options);
    EXPECT_EQ(stream->pairs().size(), 132U);
    DemandPeriod period;
    Index periods = 0;
    Real least = kInfinity;
    Real most = 0;
    while (stream->announce(period)) {
        stream->reveal(period);
        ASSERT_EQ(period.demand.size(), 132U);
        EXPECT_EQ(period.label, std::to_string(++periods));
        const Real total = std::accumulate(period.demand.begin(), period.demand.end(), 0.0);
        least = std::min(least, total);
        most = std::max(most, total);
    }
    EXPECT_EQ(periods, 2016U);
    EXPECT_GT(least, 1000);
    EXPECT_LT(most, 7000);
    ASSERT_EQ(stream->notes().size(), 1U);
    EXPECT_NE(stream->notes()[0].find("demand of nodes with themselves is dropped"), std::string::npos);
}

}  // namespace
}  // namespace proxstream
