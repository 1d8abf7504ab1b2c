#include "studies/corrupted_reader.hpp"
#include "studies/defaults.hpp"

#include <filesystem>

#include <fmt/format.h>

namespace proxstream {
namespace {

using Names = std::vector<std::string>;

/// Rows without a loss.
struct RowSource {
    std::string name;
    DataUse use = DataUse::test;
    std::string file;
    std::string label;
    Names ignore = {};
    Names lags = {};  // a series is predicted from its own past
    Names features = {};
    Names lag_columns = {};
    bool corrupted = false;  // 5 % of the labels have a gross error

    LearnSettings settings() const {
        LearnSettings settings;
        settings.data = {file.starts_with("builtin:") ? file : (data_folder() / "streams" / file).string()};
        settings.label = label;
        settings.ignore = ignore;
        settings.lags = lags;
        settings.features = features;
        settings.lag_columns = lag_columns;
        if (corrupted) settings.wrap_rows = corrupt_labels({.share = 0.05, .seed = settings.seed});
        settings.standardise = true;
        return settings;
    }
};

constexpr DataUse kChoices = DataUse::choices;
constexpr DataUse kTest = DataUse::test;

const std::vector<RowSource>& class_files() {
    static const std::vector<RowSource> files{{"electricity", kChoices, "electricity.csv", "class"},
                                              {"phishing", kTest, "phishing.csv.gz", "is_phishing"}};
    return files;
}

std::vector<RowSource> number_files() {
    const RowSource rides{"nyc_taxi", kChoices,      "nyc_taxi.csv",
                          "value",    {"timestamp"}, {"1..8", "48", "336"}};
    const RowSource oil{.name = "ETTh1",
                        .use = kChoices,
                        .file = "ETTh1.csv",
                        .label = "OT",
                        .ignore = {"date"},
                        .lags = {"1..3", "24"},
                        .lag_columns = {"OT", "HUFL", "HULL", "MUFL", "MULL", "LUFL", "LULL"}};
    const auto with_errors = [](RowSource source) {
        source.name += " with 5 % errors";
        source.corrupted = true;
        return source;
    };
    return {
        rides,
        with_errors(rides),
        oil,
        with_errors(oil),
        {"water-flow", kChoices, "water-flow.csv", "Water flow [l/s]", {"Time"}, {"1..8", "24", "168"}},
        {"trump_approval", kChoices, "trump_approval.csv.gz", "five_thirty_eight", {"ordinal_date"}},
        {"sp500", kTest, "sp500.csv.gz", "next_day_return", {"date"}},
        {"speed_7578", kTest, "speed_7578.csv", "value", {"timestamp"}, {"1..8"}},
        {"Twitter_volume_AAPL", kTest, "Twitter_volume_AAPL.csv", "value", {"timestamp"}, {"1..8", "288"}},
        {"taxis", kTest, "taxis.csv", "tip", {}, {}, {"passengers", "distance", "fare", "tolls"}}};
}

/// Only the first seed was used for choices.
std::vector<RowSource> built_in_rows(bool full) {
    std::vector<RowSource> all;
    for (Index seed = 1; seed <= (full ? 3 : 2); ++seed) {
        for (const auto& [name, text] : {std::pair{"drift", "drift,active=4,jump=400,period=1500"},
                                         {"season", "season,active=4,period=200"},
                                         {"switch", "switch,active=4,jump=150"},
                                         {"iid", "iid,active=4"}}) {
            all.push_back(
                {fmt::format("built-in {} {}", name, seed), seed == 1 ? kChoices : kTest,
                 fmt::format("builtin:{},rows={},features=8,seed={}", text, full ? 4000 : 300, seed), ""});
        }
    }
    return all;
}

constexpr const char* kCosts[] = {"delay", "davidson", "utilisation"};

NetworkData with_cost(NetworkData data, const std::string& cost) {
    data.name += ", " + cost;
    if (cost == "davidson") data.settings.cost = cost;
    if (cost == "delay") data.settings.cost = "queue:cap=0.95";
    if (cost != "davidson") data.settings.objective = cost;
    return data;
}

std::vector<NetworkData> network_files() {
    const std::filesystem::path folder = data_folder() / "tm";
    NetworkData backbone{{"Abilene"}, kChoices};
    backbone.settings.network = (folder / "abilene" / "Abilene").string();
    backbone.settings.demand = (folder / "abilene" / "AbileneTM").string();
    backbone.settings.peak = 0.9;
    std::vector<NetworkData> networks{backbone};
    // Scaled so that the largest utilisation of the clairvoyant is about 0.9.
    for (const auto& [pod, scale] : {std::pair{"a", 0.123}, {"b", 0.2}}) {
        const std::filesystem::path here = folder / "pods" / pod;
        NetworkData data{{fmt::format("pod {}", pod)}, kChoices};
        data.settings.demand = (here / "demand.hist").string();
        data.settings.demand_format = "matrix";
        data.settings.path_file = (here / "tunnels.txt").string();
        data.settings.scale = scale;
        data.link_json = (here / "network.json").string();
        networks.push_back(data);
    }
    std::vector<NetworkData> all;
    for (const NetworkData& network : networks)
        for (const char* cost : kCosts) all.push_back(with_cost(network, cost));
    return all;
}

/// The ensemble of networks was chosen on the ring city with seeds 1 to 5 and on other seeds of the data
/// centre, not on the grid.
std::vector<NetworkData> built_in_networks(bool full) {
    struct Source {
        const char* name;
        const char* network;
        const char* demand;
        Index seed;
        DataUse use;
    };
    constexpr const char* kSmall = "builtin:ring:rings=3,spokes=6,zones=8";
    const std::vector<Source> sources =
        full ? std::vector<Source>{{"city", "builtin:ring", "week:days=2", 1, kChoices},
                                   {"city", "builtin:ring", "week:days=2", 2, kChoices},
                                   {"city", "builtin:ring", "week:days=2", 6, kTest},
                                   {"grid", "builtin:grid", "week:days=2", 1, kTest},
                                   {"grid", "builtin:grid", "week:days=2", 2, kTest},
                                   {"mesh", "builtin:mesh", "bursts:periods=600", 7, kTest}}
             : std::vector<Source>{{"city", kSmall, "week:days=2", 1, kChoices},
                                   {"city", kSmall, "week:days=2", 2, kTest}};
    std::vector<NetworkData> all;
    for (const Source& source : sources) {
        NetworkData data{{fmt::format("built-in {} {}", source.name, source.seed)}, source.use};
        data.settings.network = source.network;
        data.settings.demand = source.demand;
        data.settings.seed = source.seed;
        data.settings.periods = full ? 0 : 24;
        data.fixed_seed = true;
        for (const char* cost : kCosts)
            if (full || std::string_view(cost) == "davidson") all.push_back(with_cost(data, cost));
    }
    return all;
}

/// Whether all files exist; notes the first missing one.
bool files_exist(const std::string& name, const Names& files, DefaultsData& data) {
    for (const std::string& file : files) {
        if (file.empty() || file.starts_with("builtin:") || std::filesystem::exists(file)) continue;
        data.skipped.push_back(fmt::format("{}: there is no file '{}'", name, file));
        return false;
    }
    return true;
}

void add_rows(const std::vector<RowSource>& sources, bool classes, DefaultsData& data) {
    struct Loss {
        const char* name;
        const char* loss;
        const char* reg;
    };
    const std::vector<Loss> losses =
        classes ? std::vector<Loss>{{"logistic", "logistic", "l2sq:0.001"}}
                : std::vector<Loss>{{"robust", "cauchy", "zero"}, {"squared", "squared", "zero"}};
    for (const RowSource& source : sources) {
        LearnSettings settings = source.settings();
        if (!files_exist(source.name, settings.data, data)) continue;
        for (const Loss& loss : losses) {
            settings.loss = loss.loss;
            settings.reg = loss.reg;
            settings.standardise_label = !classes;
            data.rows.push_back({fmt::format("{}, {}", source.name, loss.name), source.use, settings});
        }
    }
}

void add_networks(const std::vector<NetworkData>& all, DefaultsData& data) {
    for (const NetworkData& each : all) {
        const RouteSettings& settings = each.settings;
        const std::string demand = each.fixed_seed ? "" : settings.demand;
        if (files_exist(each.name, {settings.network, demand, settings.path_file, each.link_json}, data))
            data.networks.push_back(each);
    }
}

}  // namespace

DefaultsData defaults_data(StudyPreset preset) {
    const bool full = preset == StudyPreset::full;
    DefaultsData data;
    if (full) add_rows(class_files(), true, data);
    if (full) add_rows(number_files(), false, data);
    add_rows(built_in_rows(full), false, data);
    if (full) add_networks(network_files(), data);
    add_networks(built_in_networks(full), data);
    return data;
}

}  // namespace proxstream
