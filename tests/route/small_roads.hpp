/// Whole runs on a handful of roads: the network and its demand as files, what a run tells, and what it
/// wrote.
#pragma once

#include "proxstream/core/error.hpp"

#include "core/json.hpp"
#include "route/route_run.hpp"
#include "run/temporary_folder.hpp"
#include "support/routing_twin.hpp"

#include <cmath>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace proxstream::test {

using Vector = std::vector<Real>;

inline constexpr const char* kNetwork =
    "from,to,capacity,free_time,b,power\n"
    "A,B,4,1,0.5,4\nB,A,4,1,0.5,4\nB,C,5,1.2,0.5,4\nC,B,5,1.2,0.5,4\nC,D,4,1,0.5,4\nD,C,4,1,0.5,4\n"
    "A,D,3,2.5,0.5,4\nD,A,3,2.5,0.5,4\nA,C,2,1.8,1,4\nB,D,2,1.9,1,4\nA,C,6,3,0.2,4\nE,A,9,1,0,1\n";
inline const std::vector<std::string> kPairs = {"A->C", "A->D", "B->D", "C->A", "E->B"};
inline constexpr Index kPeriods = 24;

/// Demand that drifts, with bursts.
inline std::vector<Vector> drawn_demands() {
    test::Chance chance(2);
    std::vector<Vector> all;
    for (Index t = 0; t < kPeriods; ++t) {
        Vector demand;
        for (Index i = 0; i < kPairs.size(); ++i)
            demand.push_back((1.5 + std::sin(0.3 * static_cast<Real>(t + i))) * chance.real(0.6, 1.8));
        all.push_back(std::move(demand));
    }
    return all;
}

inline std::string csv_of(const std::vector<Vector>& demands,
                          const std::vector<std::string>& pairs = kPairs) {
    std::string text = "period";
    for (const std::string& pair : pairs) text += "," + pair;
    text += "\n";
    for (Index t = 0; t < demands.size(); ++t) {
        text += fmt::format("t{}", t + 1);
        for (const Real each : demands[t]) text += fmt::format(",{}", each);
        text += "\n";
    }
    return text;
}

/// JSON lines, with events before some of the periods, or between them.
inline std::string json_of(const std::vector<Vector>& demands, const std::map<Index, std::string>& events,
                           bool apart = false) {
    std::string text;
    for (Index t = 0; t < demands.size(); ++t) {
        const auto found = events.find(t);
        if (found != events.end() && apart) text += fmt::format("{{\"events\":[{}]}}\n", found->second);
        text += fmt::format("{{\"period\":\"t{}\",\"demand\":{{", t + 1);
        for (Index i = 0; i < kPairs.size(); ++i)
            text += fmt::format("{}\"{}\":{}", i > 0 ? "," : "", kPairs[i], demands[t][i]);
        text += "}";
        if (found != events.end() && !apart) text += fmt::format(",\"events\":[{}]", found->second);
        text += "}\n";
    }
    return text;
}

inline std::string text_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

/// A folder with the network and its demand, and runs on it.
class Small {
  public:
    explicit Small(const std::string& demand, const std::string& name = "demand") {
        settings.network = folder.file("net.csv", kNetwork);
        settings.demand = folder.file(name, demand);
        settings.decisions = folder.path("decisions.jsonl");
        settings.paths = 3;
        settings.window = "4";
        settings.rivals =
            "re-solve-last; re-solve-mean:window=3; static; shortest; time-smoothed:window=2; "
            "adagrad:step=1,replay=4";
        settings.rival_gap = 1e-6;
    }
    RouteOutcome run() {
        rows.clear();
        RouteRun made(settings, nullptr, {"test", "route"});
        step = made.step();
        return drive(
            made, nullptr,
            [&] {
                if (made.progress().last == nullptr) return;
                rows.push_back(*made.progress().last);
                if (on_period) on_period(made.progress());
            },
            settings.store);
    }
    /// The last word for every period, the one to come included.
    std::vector<nlohmann::json> decisions() const {
        std::vector<nlohmann::json> all;
        std::stringstream lines(text_of(settings.decisions));
        for (std::string line; std::getline(lines, line);) {
            nlohmann::json decision = nlohmann::json::parse(line);
            if (!all.empty() && all.back()["period"] == decision["period"]) all.pop_back();
            all.push_back(std::move(decision));
        }
        return all;
    }
    TemporaryFolder folder;
    RouteSettings settings;
    std::vector<PeriodRow> rows;
    std::function<void(const RouteProgress&)> on_period;
    Real step = 0;
};

inline const MethodRow& method(const RouteOutcome& outcome, const std::string& name) {
    for (const MethodRow& row : outcome.methods)
        if (row.name == name) return row;
    throw Error("no such method");
}

inline void expect_sound(const RouteOutcome& outcome) {
    EXPECT_TRUE(sound(outcome.certificates)) << epochs_text(outcome.certificates);
    EXPECT_TRUE(outcome.problems.empty()) << outcome.problems.front();
    EXPECT_EQ(outcome.ending, RunEnding::finished);
}

inline constexpr const char* kClosure = R"({"link":"B-C","close":true})";
inline constexpr const char* kOpening = R"({"link":"B-C","open":true},{"link":"C-D","capacity":0.5})";

}  // namespace proxstream::test
