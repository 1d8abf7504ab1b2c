#include "study/defaults_data.hpp"

#include "study/data_folder.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

namespace proxstream {
namespace {

/// Rows without a loss.
struct RowSource {
    std::string name;
    DataUse use = DataUse::test;
    LearnSettings settings;
};

LearnSettings rows_of(const std::string& data, const char* label) {
    LearnSettings settings;
    settings.data = {data};
    settings.label = label;
    settings.standardise = true;
    return settings;
}

std::string stream_file(const char* name) {
    return (data_folder() / "streams" / name).string();
}

/// A series that is predicted from its own past.
LearnSettings series(const char* file, const char* label, const char* time, std::vector<std::string> lags) {
    LearnSettings settings = rows_of(stream_file(file), label);
    settings.ignore = {time};
    settings.lags = std::move(lags);
    return settings;
}

LearnSettings with_gross_errors(LearnSettings settings) {
    settings.corrupt = {"0.05"};
    return settings;
}

std::vector<RowSource> class_files() {
    return {{"electricity", DataUse::choices, rows_of(stream_file("electricity.csv"), "class")},
            {"phishing", DataUse::test, rows_of(stream_file("phishing.csv.gz"), "is_phishing")}};
}

std::vector<RowSource> number_files() {
    LearnSettings oil = series("ETTh1.csv", "OT", "date", {"1..3", "24"});
    oil.lag_columns = {"OT", "HUFL", "HULL", "MUFL", "MULL", "LUFL", "LULL"};
    const LearnSettings rides = series("nyc_taxi.csv", "value", "timestamp", {"1..8", "48", "336"});
    LearnSettings polls = rows_of(stream_file("trump_approval.csv.gz"), "five_thirty_eight");
    polls.ignore = {"ordinal_date"};
    LearnSettings returns = rows_of(stream_file("sp500.csv.gz"), "next_day_return");
    returns.ignore = {"date"};
    LearnSettings tips = rows_of(stream_file("taxis.csv"), "tip");
    tips.features = {"passengers", "distance", "fare", "tolls"};
    return {{"nyc_taxi", DataUse::choices, rides},
            {"nyc_taxi with 5 % errors", DataUse::choices, with_gross_errors(rides)},
            {"ETTh1", DataUse::choices, oil},
            {"ETTh1 with 5 % errors", DataUse::choices, with_gross_errors(oil)},
            {"water-flow", DataUse::choices,
             series("water-flow.csv", "Water flow [l/s]", "Time", {"1..8", "24", "168"})},
            {"trump_approval", DataUse::choices, polls},
            {"sp500", DataUse::test, returns},
            {"speed_7578", DataUse::test, series("speed_7578.csv", "value", "timestamp", {"1..8"})},
            {"Twitter_volume_AAPL", DataUse::test,
             series("Twitter_volume_AAPL.csv", "value", "timestamp", {"1..8", "288"})},
            {"taxis", DataUse::test, tips}};
}

/// The first seed was used for choices, the others were not.
std::vector<RowSource> built_in_rows(StudyPreset preset) {
    const Index rows = preset == StudyPreset::full ? 4000 : 300;
    const Index seeds = preset == StudyPreset::full ? 3 : 2;
    std::vector<RowSource> all;
    for (Index seed = 1; seed <= seeds; ++seed) {
        for (const auto& [name, text] : {std::pair{"drift", "drift,active=4,jump=400,period=1500"},
                                         {"season", "season,active=4,period=200"},
                                         {"switch", "switch,active=4,jump=150"},
                                         {"iid", "iid,active=4"}}) {
            const std::string data = fmt::format("builtin:{},rows={},features=8,seed={}", text, rows, seed);
            all.push_back({fmt::format("built-in {} {}", name, seed),
                           seed == 1 ? DataUse::choices : DataUse::test, rows_of(data, "")});
        }
    }
    return all;
}

StreamData with_loss(const RowSource& source, const char* name, const char* loss, const char* reg) {
    StreamData data{fmt::format("{}, {}", source.name, name), source.use, source.settings};
    data.settings.loss = loss;
    data.settings.reg = reg;
    data.settings.standardise_label = std::string_view(loss) != "logistic";
    return data;
}

constexpr const char* kCosts[] = {"delay", "davidson", "utilisation"};

NetworkData with_cost(const std::string& network, DataUse use, RouteSettings settings,
                      const std::string& cost) {
    if (cost == "davidson") settings.cost = cost;
    if (cost == "delay") settings.cost = "queue:cap=0.95";
    if (cost != "davidson") settings.objective = cost;
    return {network + ", " + cost, use, settings};
}

std::vector<NetworkData> network_files() {
    const std::filesystem::path folder = data_folder() / "tm";
    std::vector<NetworkData> all;
    RouteSettings backbone;
    backbone.network = (folder / "abilene" / "Abilene").string();
    backbone.demand = (folder / "abilene" / "AbileneTM").string();
    backbone.peak = 0.9;
    for (const char* cost : kCosts) all.push_back(with_cost("Abilene", DataUse::choices, backbone, cost));
    // Scaled so that the largest utilisation of the clairvoyant is about 0.9.
    for (const auto& [pod, scale] : {std::pair{"a", 0.123}, {"b", 0.2}}) {
        RouteSettings settings;
        const std::filesystem::path here = folder / "pods" / pod;
        settings.demand = (here / "demand.hist").string();
        settings.demand_format = "matrix";
        settings.path_file = (here / "tunnels.txt").string();
        settings.scale = scale;
        for (const char* cost : kCosts) {
            all.push_back(with_cost(fmt::format("pod {}", pod), DataUse::choices, settings, cost));
            all.back().link_json = (here / "network.json").string();
        }
    }
    return all;
}

/// The city of rings was in view when the ensemble of networks was chosen, with seeds 1 to 5; the grid was
/// not, and of the data centre other seeds were.
std::vector<NetworkData> built_in_networks(StudyPreset preset) {
    struct Plan {
        const char* name;
        const char* network;
        const char* demand;
        Index seed;
        DataUse use;
    };
    const bool full = preset == StudyPreset::full;
    const std::vector<Plan> plans =
        full ? std::vector<Plan>{{"city", "builtin:ring", "week:days=2", 1, DataUse::choices},
                                 {"city", "builtin:ring", "week:days=2", 2, DataUse::choices},
                                 {"city", "builtin:ring", "week:days=2", 6, DataUse::test},
                                 {"grid", "builtin:grid", "week:days=2", 1, DataUse::test},
                                 {"grid", "builtin:grid", "week:days=2", 2, DataUse::test},
                                 {"mesh", "builtin:mesh", "bursts:periods=600", 7, DataUse::test}}
             : std::vector<Plan>{
                   {"city", "builtin:ring:rings=3,spokes=6,zones=8", "week:days=2", 1, DataUse::choices},
                   {"city", "builtin:ring:rings=3,spokes=6,zones=8", "week:days=2", 2, DataUse::test}};
    std::vector<NetworkData> all;
    for (const Plan& plan : plans) {
        RouteSettings settings;
        settings.network = plan.network;
        settings.demand = plan.demand;
        settings.seed = plan.seed;
        settings.periods = full ? 0 : 24;
        for (const char* cost : kCosts) {
            if (!full && std::string_view(cost) != "davidson") continue;
            all.push_back(
                with_cost(fmt::format("built-in {} {}", plan.name, plan.seed), plan.use, settings, cost));
            all.back().seeded = true;
        }
    }
    return all;
}

/// The first of these files that does not exist; empty: all do.
std::string missing_file(const std::vector<std::string>& files) {
    for (const std::string& file : files) {
        if (!file.empty() && !file.starts_with("builtin:") && !std::filesystem::exists(file)) return file;
    }
    return {};
}

void add_streams(const std::vector<RowSource>& sources, bool classes, DefaultsData& data) {
    for (const RowSource& source : sources) {
        if (const std::string file = missing_file(source.settings.data); !file.empty()) {
            data.skipped.push_back(fmt::format("{}: there is no file '{}'", source.name, file));
        } else if (classes) {
            data.streams.push_back(with_loss(source, "logistic", "logistic", "l2sq:0.001"));
        } else {
            data.streams.push_back(with_loss(source, "robust", "cauchy", "zero"));
            data.streams.push_back(with_loss(source, "squared", "squared", "zero"));
        }
    }
}

void add_networks(const std::vector<NetworkData>& all, DefaultsData& data) {
    for (const NetworkData& each : all) {
        const RouteSettings& settings = each.settings;
        const bool built_in = settings.network.starts_with("builtin:");
        const std::string file = missing_file(
            {settings.network, built_in ? "" : settings.demand, settings.path_file, each.link_json});
        if (file.empty()) {
            data.networks.push_back(each);
        } else {
            data.skipped.push_back(fmt::format("{}: there is no file '{}'", each.name, file));
        }
    }
}

}  // namespace

DefaultsData defaults_data(StudyPreset preset) {
    DefaultsData data;
    if (preset == StudyPreset::full) {
        add_streams(class_files(), true, data);
        add_streams(number_files(), false, data);
    }
    add_streams(built_in_rows(preset), false, data);
    if (preset == StudyPreset::full) add_networks(network_files(), data);
    add_networks(built_in_networks(preset), data);
    return data;
}

Index most_rows(StudyPreset preset) {
    return preset == StudyPreset::full ? 50000 : 600;
}

}  // namespace proxstream
