#include "studies/route_streams.hpp"

#include "proxstream/core/error.hpp"

#include "core/json.hpp"
#include "io/output_file.hpp"
#include "route/route_run.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include <fmt/format.h>
#include <unistd.h>

namespace proxstream {
namespace {

constexpr Index kFirstPeriods = 16;

/// The links of a node-link JSON file as a CSV file, which is removed with the object.
class LinkFile {
  public:
    explicit LinkFile(const std::string& json_path)
        : path_((std::filesystem::temp_directory_path() / fmt::format("proxstream-links-{}.csv", getpid()))
                    .string()) {
        std::string text = "from,to,capacity\n";
        try {
            const auto json = nlohmann::json::parse(read_whole_file(json_path));
            for (const auto& link : json.at("links")) {
                text += fmt::format("{},{},{}\n", link.at("source").get<Index>(),
                                    link.at("target").get<Index>(), link.at("capacity").get<Real>());
            }
        } catch (const nlohmann::json::exception& error) {
            throw Error(
                fmt::format("{}: this is not a network as node-link JSON ({})", json_path, error.what()));
        }
        write_whole_file(path_, text);
    }
    ~LinkFile() {
        std::error_code ignored;
        std::filesystem::remove(path_, ignored);
    }
    LinkFile(const LinkFile&) = delete;
    LinkFile& operator=(const LinkFile&) = delete;

    const std::string& path() const noexcept { return path_; }

  private:
    std::string path_;
};

/// nullptr for the clairvoyant.
const MethodRow* row_of(const std::vector<MethodRow>& rows, const std::string& name) {
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const MethodRow& each) {
        return !each.primary && !each.lower_bound && each.name == name;
    });
    return row == rows.end() ? nullptr : &*row;
}

/// Costs of a method and of the clairvoyant over some periods.
struct CostSums {
    Real cost = 0;
    Real least = 0;
};

CostSums cost_sums(const std::vector<MethodRow>& rows, const MethodRow& method) {
    CostSums sums;
    for (const MethodRow& row : rows) {
        if (row.lower_bound) sums.least = row.total_cost;
        if (row.lower_bound == method.lower_bound && row.primary == method.primary && row.name == method.name)
            sums.cost = row.total_cost;
    }
    return sums;
}

void add_figures(const RouteOutcome& outcome, const std::vector<MethodRow>& first, Cell& cell) {
    const MethodRow* rival = row_of(outcome.methods, "re-solve-last");
    for (const MethodRow& row : outcome.methods) {
        std::string name = kClairvoyant;
        for (const Method& method : cell.methods) {
            const bool same = row.primary ? &method == cell.methods.data() : method.text == row.name;
            if (same && !row.lower_bound) name = method.name;
        }
        const auto add = [&](const std::string& figure, Real value) { cell.add(name, figure, value); };
        add(kCost, row.ratio);
        const CostSums all = cost_sums(outcome.methods, row);
        const CostSums early = cost_sums(first, row);
        if (outcome.periods > kFirstPeriods)
            add(kLateCost, (all.cost - early.cost) / (all.least - early.least));
        if (rival != nullptr) add(kAgainst, row.total_cost / rival->total_cost);
        add(kChurn, 100 * row.churn);
        add("utilisation_max", row.utilisation_max);
        add("utilisation_p95", row.utilisation_p95);
        add("overload_percent", 100 * row.overload_share);
        add("gradients", row.gradients);
        add(kMicroseconds, 1e6 * row.seconds / static_cast<Real>(std::max<Index>(outcome.periods, 1)));
        add("rounds", static_cast<Real>(outcome.periods));
    }
}

void run_route(const RoutePlan& plan, Cell& cell) {
    RouteSettings settings = plan.settings;
    if (!plan.fixed_seed) settings.seed = cell.seed;
    settings.learner = cell.method().text;
    settings.rivals.clear();
    for (const Method& method : cell.methods.subspan(1))
        settings.rivals += (settings.rivals.empty() ? "" : ";") + method.text;
    std::optional<LinkFile> links;
    if (!plan.link_json.empty()) settings.network = links.emplace(plan.link_json).path();
    RouteRun run(settings, cell.stop);
    const Real expected = settings.periods > 0 ? static_cast<Real>(settings.periods) : 2000;
    std::vector<MethodRow> first;  // after the first periods
    const RouteOutcome outcome = drive(run, cell.stop, [&] {
        const RouteProgress& progress = run.progress();
        if (progress.periods == kFirstPeriods) first = run.methods();
        cell.share(std::min(expected, static_cast<Real>(progress.periods)), expected);
    });
    cell.interrupted = outcome.ending == RunEnding::interrupted;
    cell.notes = outcome.problems;
    if (!sound(outcome.certificates)) cell.notes.push_back(epochs_conclusion(outcome.certificates));
    add_figures(outcome, first, cell);
}

std::string command(const RoutePlan& plan) {
    RouteSettings settings = plan.settings;
    if (!plan.link_json.empty()) settings.network = "(" + plan.link_json + " as CSV)";
    std::string text = "proxstream route " + settings.network;
    for (const auto& row : RouteSettings::options()) {
        const std::string value = present(row, settings);
        if (row.name == "network" || value == present(row, RouteSettings{})) continue;
        text += fmt::format(" --{} {}", row.name, value);
    }
    return text;
}

}  // namespace

StudyStream route_stream(const RoutePlan& plan, const std::vector<Method>& methods) {
    StudyStream stream;
    stream.name = plan.name;
    stream.text = command(plan);
    stream.methods = methods;
    stream.run = [plan](Cell& cell) { run_route(plan, cell); };
    stream.random = !plan.fixed_seed;
    stream.together = true;
    return stream;
}

std::vector<RoutePlan> built_in_routes(StudyPreset preset) {
    const bool full = preset == StudyPreset::full;
    RouteSettings city;
    city.network = full ? "builtin:ring" : "builtin:ring:rings=3,spokes=6,zones=8";
    city.cost = "davidson";
    city.periods = full ? 480 : 96;
    RouteSettings mesh;
    mesh.network = full ? "builtin:mesh" : "builtin:mesh:pods=5";
    mesh.objective = "delay";
    mesh.cost = "queue:cap=0.9";
    mesh.periods = full ? 2000 : 150;
    const auto with = [](RouteSettings settings, const char* demand) {
        settings.demand = demand;
        return settings;
    };
    return {{"city, bursty", with(city, "week:days=5,peak=0.7,burst=0.6,memory=0")},
            {"city, calm", with(city, "week:days=5,burst=0.3,memory=0.7")},
            {"data centre", with(mesh, "bursts")}};
}

std::filesystem::path data_folder() {
    const char* given = std::getenv("PROXSTREAM_DATA");
    return given != nullptr && *given != '\0' ? given : "../shared/data";
}

}  // namespace proxstream
