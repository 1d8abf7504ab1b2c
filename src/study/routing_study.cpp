#include "study/data_folder.hpp"
#include "study/plans.hpp"
#include "study/route_cells.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

namespace proxstream {
namespace {

std::vector<RouteMethod> methods() {
    std::vector<RouteMethod> all{{"bank (auto)", "time-smoothed"}};
    for (const int w : {1, 4, 16, 64, 256})
        all.emplace_back(fmt::format("window {}", w), fmt::format("time-smoothed:window={}", w));
    all.insert(all.end(), {{"AdaGrad, replay 16", "adagrad:step=0.1,replay=16"},
                           {"re-solve last", "re-solve-last"},
                           {"re-solve mean of 16", "re-solve-mean:window=16"},
                           {"re-solve mean of 64", "re-solve-mean:window=64"},
                           {"static mean, hindsight", "static"},
                           {"shortest paths", "shortest"}});
    return all;
}

/// The backbone's week, where its files are. Real demand: seeds change nothing but the bank's draws.
std::vector<RouteStream> real_streams(StudyPreset preset) {
    const std::filesystem::path folder = data_folder() / "tm" / "abilene";
    if (!std::filesystem::exists(folder / "AbileneTM")) return {};
    RouteSettings settings;
    settings.network = (folder / "Abilene").string();
    settings.demand = (folder / "AbileneTM").string();
    settings.peak = 0.9;
    settings.periods = preset == StudyPreset::full ? 2016 : 100;
    RouteSettings delay = settings;
    delay.objective = "delay";
    RouteSettings bpr = settings;
    bpr.cost = "bpr:b=0.15,power=4";
    return {{"Abilene, delay", delay}, {"Abilene, BPR", bpr}};
}

std::vector<RouteStream> road_streams(StudyPreset preset) {
    std::vector<RouteStream> all = real_streams(preset);
    const auto built_in = built_in_route_streams(preset);
    all.insert(all.end(), built_in.begin(), built_in.end());
    return all;
}

bool is_window(const std::string& method) {
    return method.starts_with("window ");
}

/// What the bank pays above the best fixed window in hindsight, per cent.
Estimate above_best_window(const ResultTable& table, const std::string& stream) {
    Real best = kInfinity;
    for (const std::string& method : table.methods())
        if (is_window(method)) best = std::min(best, table.at(stream, method, kCost).mean);
    Estimate bank = table.at(stream, "bank (auto)", kCost);
    bank.mean = 100 * (bank.mean / best - 1);
    if (bank.error) bank.error = 100 * *bank.error / best;
    return bank;
}

Chart cost_and_churn(const ResultTable& table) {
    Chart chart{"Cost against churn",
                "total cost over the clairvoyant's; share of the demand that changes its path",
                {}};
    for (const std::string& stream : table.streams()) {
        Panel panel{stream, {"churn, % a period", Scale::log}, {"cost / clairvoyant", Scale::log}, {}};
        ChartSeries windows{"windows 1 to 256", {}};
        for (const std::string& method : table.methods()) {
            const Estimate cost = table.at(stream, method, kCost);
            const Estimate churn = table.at(stream, method, kChurn);
            const ChartPoint point{churn.mean, cost.mean, cost.error.value_or(0), churn.error.value_or(0)};
            if (is_window(method)) {
                windows.points.push_back(point);
            } else if (method == "bank (auto)" || method.starts_with("re-solve") ||
                       method.starts_with("AdaGrad")) {
                panel.series.push_back({method, {point}});
            }
        }
        panel.series.push_back(std::move(windows));
        chart.panels.push_back(std::move(panel));
    }
    return chart;
}

}  // namespace

StudyPlan plan_routing(StudyPreset preset, Index seeds) {
    const std::vector<RouteStream> all = road_streams(preset);
    StudyPlan plan;
    plan.question =
        "When does a window of losses beat re-solving the last demand, or the mean of the last ones? Splits "
        "are chosen "
        "before each\nperiod's demand is seen; cost is relative to the optimum for each demand, known "
        "beforehand, over the "
        "same paths. Nothing is\ntuned; the static splits know the mean demand in hindsight.";
    plan.figures = route_figures();
    plan.layout = TableLayout::by_stream;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        for (const RouteStream& stream : all) plan.cells.push_back(route_cell(stream, methods(), seed));
    }
    for (const RouteStream& stream : all) plan.glossary.emplace_back(stream.name, route_command(stream));
    for (const RouteMethod& method : methods()) plan.glossary.push_back(method);
    plan.charts = [](const ResultTable& table) {
        return std::vector<NamedChart>{{"cost_churn.svg", cost_and_churn(table)}};
    };
    plan.findings = [preset](const ResultTable& table) {
        std::vector<Finding> findings;
        for (const std::string& stream : table.streams()) {
            // Nobody pays less than the one who knew; a little of that is the gap it is solved to.
            for (const std::string& method : table.methods()) {
                if (method == "clairvoyant") continue;
                findings.push_back({stream + ": " + method + " over the clairvoyant",
                                    table.at(stream, method, kCost), 0.999});
            }
            // In the city seeds differ by more than methods, and the bank pays for its draws
            // (docs/routing.md).
            if (preset == StudyPreset::full && !stream.starts_with("city"))
                findings.push_back({stream + ": the bank above the best fixed window in hindsight, %",
                                    above_best_window(table, stream), -kInfinity, 3});
        }
        return findings;
    };
    return plan;
}

StudyPlan plan_route_churn(StudyPreset preset, Index seeds) {
    const bool full = preset == StudyPreset::full;
    RouteStream stream = built_in_route_streams(preset).front();
    stream.settings.window = "16";
    struct Knob {
        const char* name;
        const char* option;
        std::vector<const char*> values;
    };
    const std::vector<Knob> knobs{
        {"tolerance auto:", "tolerance=auto:", {"0.25", "1", "4", "16", "64", "256"}},
        {"tolerance auto:16, hysteresis",
         "tolerance=auto:16,hysteresis=",
         {"0.9", "0.5", "0.25", "0.1", "0.03"}},
        {"switching", "tolerance=auto:0.5,switching=", {"0.1", "0.3", "1", "3", "10", "30"}},
    };
    std::vector<std::pair<const char*, RouteMethod>> turned;
    for (const Knob& knob : knobs) {
        for (Index i = 0; i < knob.values.size(); i += full ? 1 : 3) {
            turned.emplace_back(knob.name,
                                RouteMethod{fmt::format("{} {}", knob.name, knob.values[i]),
                                            fmt::format("time-smoothed:{}{}", knob.option, knob.values[i])});
        }
    }
    std::vector<RouteMethod> all;
    for (const auto& each : turned) all.push_back(each.second);
    all.emplace_back("re-solve last", "re-solve-last");
    StudyPlan plan;
    plan.question =
        "Moving less traffic: by a looser exit test (delta), by solving deeper once a period has to work "
        "(hysteresis), or by "
        "an l1 price\non changes of splits. What does each pay in cost for a lower churn? Window 16, city, "
        "bursty demand.";
    plan.figures = route_figures();
    plan.layout = TableLayout::by_stream;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) plan.cells.push_back(route_cell(stream, all, seed));
    plan.glossary.emplace_back(stream.name, route_command(stream));
    for (const RouteMethod& method : all) plan.glossary.push_back(method);
    plan.charts = [turned](const ResultTable& table) {
        Chart chart{"Churn against cost", "window 16, city with bursty demand; each line turns one knob", {}};
        Panel panel{
            "", {"churn, % of the demand a period", Scale::log}, {"cost / re-solve last, same seed"}, {}};
        const std::string where = table.streams().front();
        const auto add = [&](const std::string& line, const std::string& method) {
            if (panel.series.empty() || panel.series.back().name != line) panel.series.push_back({line, {}});
            const Estimate cost = table.at(where, method, kAgainst);
            const Estimate churn = table.at(where, method, kChurn);
            panel.series.back().points.push_back(
                {churn.mean, cost.mean, cost.error.value_or(0), churn.error.value_or(0)});
        };
        for (const auto& [line, method] : turned) add(line, method.first);
        add("re-solve last", "re-solve last");
        chart.panels.push_back(std::move(panel));
        chart.columns = 1;
        return std::vector<NamedChart>{{"churn_cost.svg", chart}};
    };
    return plan;
}

}  // namespace proxstream
