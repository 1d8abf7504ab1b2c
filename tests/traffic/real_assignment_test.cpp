/// System optimum and user equilibrium of real networks against reference totals and flows.
#include "traffic/assignment.hpp"
#include "traffic/k_shortest.hpp"
#include "traffic/network_formats.hpp"
#include "traffic/reader_support.hpp"
#include "traffic/split_set.hpp"

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

using test::data_path;

struct RealCase {
    const char* folder;
    const char* stem;
    Real toll, distance;
    Real gap;
    bool large;
};

/// A column of the reference table.
Real reference(const std::string& network, const std::string& column) {
    std::ifstream file(data_path("tntp/reference/ue_so_totals.csv"));
    std::string line;
    std::vector<std::string> names;
    const auto cells = [&] {
        std::vector<std::string> found;
        std::stringstream text(line);
        for (std::string cell; std::getline(text, cell, ',');) found.push_back(cell);
        return found;
    };
    std::getline(file, line);
    names = cells();
    while (std::getline(file, line)) {
        const auto row = cells();
        if (row.empty() || row[0] != network) continue;
        for (Index i = 0; i < names.size(); ++i)
            if (names[i] == column) return std::stod(row[i]);
    }
    ADD_FAILURE() << "no " << column << " of " << network;
    return 0;
}

class RealAssignment : public ::testing::TestWithParam<RealCase> {};

TEST_P(RealAssignment, ReachesTheReferenceTotals) {
    const RealCase& real = GetParam();
    const std::string stem = data_path("tntp/" + std::string(real.folder) + "/" + real.stem);
    if (!std::filesystem::exists(stem + "_net.tntp"))
        GTEST_SKIP() << stem << " is not here (PROXSTREAM_DATA)";
    if (real.large && std::getenv("PROXSTREAM_LONG") == nullptr)
        GTEST_SKIP() << real.stem << " takes seconds; set PROXSTREAM_LONG=1 to run it";
#ifdef __SANITIZE_ADDRESS__
    if (std::string(real.stem) == "Barcelona")
        GTEST_SKIP() << "Barcelona takes long under the sanitizers; the optimised build runs it";
#endif
    NetworkOptions read;
    read.trips_path = stem + "_trips.tntp";
    const NetworkFile file = open_network(stem + "_net.tntp", read);
    for (const bool user : {true, false}) {
        const std::string who = user ? "ue" : "so";
        const LinkCosts costs(file.network, "bpr", Objective::parse(user ? "user" : "system"),
                              {real.toll, real.distance});
        std::vector<Real> times;
        for (LinkIndex link = 0; link < file.network.links(); ++link)
            times.push_back(costs.time(link, 0).time);
        MadePaths made = make_paths(file.network, file.trips->pairs, {.k = 1, .spare = 15}, times);
        ASSERT_TRUE(made.unreachable.empty());
        Routing routing{std::move(made.paths), costs};
        std::vector<Real> x = even_splits(routing.paths);
        ColumnPricer pricer(file.network);
        Scratch scratch;
        const DemandColumn column{file.trips->demand};
        const ColumnUse use{};
        const DemandMix mix{{&column, 1}, {&use, 1}, 1};
        const AssignmentResult result = solve_assignment(routing, pricer, mix, x, {.gap = real.gap}, scratch);
        EXPECT_EQ(result.status, AssignmentStatus::reached) << who;
        EXPECT_EQ(result.full, 0U);
        std::vector<Real> loads(file.network.links());
        find_loads(routing.paths, mix.columns, x, loads, scratch);
        Real total = 0;
        Real beckmann = 0;
        for (LinkIndex link = 0; link < loads.size(); ++link) {
            total += loads[link] * costs.time(link, loads[link]).time;
            beckmann += costs.time(link, loads[link]).integral;
        }
        EXPECT_NEAR(total / reference(real.stem, who + "_tstt"), 1, 1e-6) << who;
        EXPECT_NEAR(beckmann / reference(real.stem, who + "_beckmann"), 1, user ? 1e-6 : 1e-5) << who;
        const std::vector<Real> flows = read_tntp_flows(
            file_input(data_path("tntp/reference/" + std::string(real.stem) + "_" + who + "_flow.csv")),
            file.network);
        Real apart = 0;
        Real all = 0;
        for (Index link = 0; link < loads.size(); ++link) {
            apart += std::abs(loads[link] - flows[link]);
            all += flows[link];
        }
        // Flows of links whose time hardly changes are not unique; together they agree.
        EXPECT_LE(apart, 5e-4 * all) << who;
        RecordProperty(who + "_gap", std::to_string(result.last.gap * 1e9) + "e-9");
        RecordProperty(who + "_seconds", std::to_string(result.last.seconds));
    }
}

INSTANTIATE_TEST_SUITE_P(All, RealAssignment,
                         ::testing::Values(RealCase{"Braess-Example", "Braess", 0, 0, 1e-8, false},
                                           RealCase{"SiouxFalls", "SiouxFalls", 0, 0, 1e-7, false},
                                           RealCase{"Eastern-Massachusetts", "EMA", 0, 0, 1e-7, false},
                                           RealCase{"Anaheim", "Anaheim", 0, 0, 1e-7, false},
                                           RealCase{"Barcelona", "Barcelona", 0, 0, 3e-7, false},
                                           RealCase{"Chicago-Sketch", "ChicagoSketch", 0.02, 0.04, 2e-7,
                                                    true}),
                         [](const auto& real) { return std::string(real.param.stem); });

}  // namespace
}  // namespace proxstream
