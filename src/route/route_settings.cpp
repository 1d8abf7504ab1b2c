#include "route/route_settings.hpp"

#include "proxstream/core/parallel.hpp"
#include "proxstream/prox/regulariser_table.hpp"
#include "proxstream/traffic/link_costs.hpp"
#include "proxstream/traffic/open_network.hpp"

#include "online/learner_table.hpp"
#include "online/selector.hpp"
#include "route/strategy.hpp"
#include "run/learn_settings.hpp"
#include "solve/inner_table.hpp"
#include "traffic/k_shortest.hpp"
#include "traffic/open_demand.hpp"

#include <array>
#include <vector>

namespace proxstream {
namespace {

using Row = OptionRow<RouteSettings>;
using S = RouteSettings;

constexpr Real kLargeCount = 1e9;
constexpr std::array<std::string_view, 2> kBadPeriod{"stop", "hold"};
constexpr std::array<std::string_view, 3> kDetailNames{"periods", "links", "all"};
constexpr std::array<std::string_view, 5> kNetworkFormats{"auto", "tntp", "sndlib", "csv", "topology"};
constexpr std::array<std::string_view, 6> kDemandFormats{"auto", "matrix", "csv", "jsonl", "sndlib", "trips"};

Row positional(Row row, std::string_view name) {
    row.positional = name;
    return row;
}

const std::array kOwnRows{
    positional(Row{"network", "n", "Network", "FILE",
                   "TNTP, SNDlib, CSV of links, a topology list, or builtin:ring | grid | mesh", &S::network},
               "NETWORK"),
    Row{"format", "", "Network", "NAME", "tntp, sndlib, csv, topology or auto", &S::format, 0, 0,
        kNetworkFormats},
    Row{"nodes", "", "Network", "FILE", "coordinates: a TNTP node file, CSV (node,x,y) or GeoJSON",
        &S::nodes},
    Row{"toll-factor", "", "Network", "X", "time a unit of toll is worth (auto: what the file says, else 0)",
        &S::toll_factor},
    Row{"distance-factor", "", "Network", "X", "time a unit of length is worth (auto: as above)",
        &S::distance_factor},

    positional(Row{"demand", "d", "Demand", "FILE",
                   "a matrix a line, CSV, JSON lines, trips, SNDlib files; '-' for standard input, live",
                   &S::demand},
               "DEMAND"),
    Row{"demand-format", "", "Demand", "NAME", "matrix, csv, jsonl, sndlib, trips or auto", &S::demand_format,
        0, 0, kDemandFormats},
    Row{"scale", "", "Demand", "X", "multiplies every demand", &S::scale, 1e-300, 1e300},
    Row{"peak", "", "Demand", "U",
        "scale all capacities so that the best static splits reach utilisation U once (0: as given)",
        &S::peak, 0, 100},
    Row{"periods", "", "Demand", "N", "end after period N (0: at the end of the stream)", &S::periods, 0,
        1e12},
    Row{"repeat", "", "Demand", "N", "periods that one trip table is the demand of", &S::repeat, 1,
        kLargeCount},
    Row{"first-demand", "", "Demand", "FILE",
        "begin with the best splits for the first period of this file, read like DEMAND (default: a guess "
        "from capacities)",
        &S::first_demand},
    Row{"minutes", "", "Demand", "M", "length of a period, for showing (0: not known)", &S::minutes, 0, 1e9},
    Row{"on-bad-period", "", "Demand", "POLICY",
        "stop at a period that cannot be used, or hold: keep the splits and raise an alarm",
        &S::on_bad_period, 0, 0, kBadPeriod},

    Row{"paths", "k", "Paths", "K", "shortest paths a pair to split over", &S::paths, 1,
        static_cast<Real>(kMostPaths)},
    Row{"diverse", "", "Paths", "BOOL", "paths that share little instead of the K shortest", &S::diverse},
    Row{"path-file", "", "Paths", "FILE", "split over these paths (tunnels) instead", &S::path_file},
    Row{"generate", "", "Paths", "N", "look for paths that are missing every N periods (0: never)",
        &S::generate, 0, kLargeCount},
    Row{"spare", "", "Paths", "N", "room a pair for paths found that way", &S::spare, 0, 1000},
    Row{"slack", "", "Paths", "PRICE",
        "let demand go unserved at this price a unit (0: all of it has to be served)", &S::slack, 0, kAbsurd},
    Row{"path-price", "", "Paths", "PRICE",
        "price of a whole share on a path, times its free-flow time: keeps splits on few short paths",
        &S::path_price, 0, kAbsurd},
    Row{"mu", "", "Paths", "MU",
        "the paper's weight of the L1 norm: a constant on splits, which changes nothing (see the note it "
        "prints)",
        &S::mu, 0, kAbsurd},

    Row{"cost", "", "Costs", "FORM", "of a link's time; see 'proxstream list costs'", &S::cost},
    Row{"objective", "", "Costs", "NAME", "what is minimised; see 'proxstream list objectives'",
        &S::objective},

    Row{"learner", "", "Learner", "NAME", "see 'proxstream list learners'", &S::learner},
    Row{"window", "w", "Learner", "WINDOW", "periods whose mean loss is kept stationary: a number, or auto",
        &S::window},
    Row{"selection", "", "Learner", "NAME",
        "decision of the automatic window: mean of the members, or draw one; see 'proxstream list "
        "selections'",
        &S::selection},
    Row{"model", "", "Learner", "MODEL", "what stands for the demand to come; see 'proxstream list models'",
        &S::model},
    Row{"hysteresis", "", "Learner", "THETA",
        "a period that has to work goes on to THETA times its tolerance", &S::hysteresis, 1e-6, 1},
    Row{"switching", "", "Learner", "KAPPA", "price of moving: KAPPA/(W sqrt n) for each unit of change",
        &S::switching, 0, 1e300},
    Row{"step", "e", "Learner", "ETA", "reference step of residuals and exit test, or auto", &S::step},
    Row{"tolerance", "", "Learner", "DELTA",
        "a period ends when the residual is at most DELTA/W; auto[:FACTOR]: from what demands usually change",
        &S::tolerance},
    Row{"inner", "", "Learner", "NAME", "see 'proxstream list inner'", &S::inner},
    Row{"max-steps", "", "Learner", "N", "budget of inner steps a period", &S::max_steps, 1, kLargeCount},
    Row{"effort", "", "Learner", "N", "budget of record gradients a period, saved up (0: no limit)",
        &S::effort, 0, 1e300},
    Row{"max-seconds", "", "Learner", "SECONDS", "budget of seconds a period (then runs do not repeat)",
        &S::max_seconds, 0},
    Row{"seed", "", "Learner", "N", "of every random draw", &S::seed},

    Row{"rivals", "", "Rivals", "A;B;..",
        "who else plays the same periods: learners, static, shortest, re-solve-last, re-solve-mean:W",
        &S::rivals},
    Row{"compare", "", "Rivals", "BOOL", "--no-compare plays alone", &S::compare},
    Row{"clairvoyant", "", "Rivals", "BOOL", "the floor: the optimum for each demand, known beforehand",
        &S::clairvoyant},
    Row{"rival-gap", "", "Rivals", "GAP", "relative gap that re-solving rivals and the floor work to",
        &S::rival_gap, 1e-12, 1},

    Row{"alarm-utilisation", "", "Alarms", "U", "raise an alarm above this utilisation",
        &S::alarm_utilisation, 0, 1e6},
    Row{"clear-utilisation", "", "Alarms", "U", "clear it below this", &S::clear_utilisation, 0, 1e6},
    Row{"sustain", "", "Alarms", "N", "periods in a row either way", &S::sustain, 1, 1e6},
    Row{"anomaly", "", "Alarms", "K", "deviations that make a demand an anomaly", &S::anomaly, 1, 1e6},
    Row{"stale-seconds", "", "Alarms", "S", "a live feed that is silent for longer is stale (0: never)",
        &S::stale_seconds, 0, 1e9},

    Row{"threads", "", "Run", "N", "results do not depend on it (0: as many as the machine has)", &S::threads,
        0, static_cast<Real>(kMostThreads)},

    Row{"out", "o", "Output", "DIR", "write what happened into this folder; 'proxstream certify' checks it",
        &S::out},
    Row{"detail", "", "Output", "LEVEL", "of the folder: periods, links, or all (splits and demand too)",
        &S::detail, 0, 0, kDetailNames},
    Row{"decisions", "", "Output", "FILE", "splits of every period as JSON lines, '-' for standard output",
        &S::decisions},
    Row{"report", "", "Output", "FILE", "one HTML page with map, charts and certificate", &S::report},
    Row{"ledger", "", "Output", "FILE", "the account of every period; 'proxstream certify' reads it",
        &S::ledger},
    Row{"progress", "P", "Output", "N", "a progress line every N periods (0: at 1, 2, 4, 8, ...)",
        &S::progress, 0, kLargeCount},
    Row{"quiet", "q", "Output", "BOOL", "errors only", &S::quiet},
};

}  // namespace

std::span<const Row> route_options() {
    static const std::vector<Row> rows = [] {
        std::vector<Row> all(kOwnRows.begin(), kOwnRows.end());
        for (const Row& row : store_options<S>()) all.push_back(row);
        return all;
    }();
    return rows;
}

bool bears_on_figures(const Row& row) {
    return row.group != "Run" && row.group != "Output" && row.group != "Store";
}

std::vector<std::pair<std::string, std::string>> figure_settings(const RouteSettings& settings) {
    std::vector<std::pair<std::string, std::string>> pairs;
    for (const Row& row : route_options())
        if (bears_on_figures(row)) pairs.emplace_back(row.name, present(row, settings));
    return pairs;
}

std::string link_cost(const RouteSettings& settings) {
    return link_cost_form(settings.cost, settings.objective);
}

void validate(const RouteSettings& settings) {
    std::vector<std::string> violations;
    for (const Row& row : route_options()) {
        const std::string violation = range_violation(row, settings);
        if (!violation.empty()) violations.push_back(violation);
    }
    // What is wrong by itself is said once; learners are checked with what is usual in its place.
    const RouteSettings usual;
    RouteSettings rest = violations.empty() ? settings : usual;
    if (settings.network.empty()) {
        violations.emplace_back(
            "network: give a file, or builtin:ring, as in 'proxstream route builtin:ring'");
    }
    const Network empty;
    collect(violations, "objective", [&] { Objective::parse(settings.objective); });
    collect(violations, "cost", [&] { LinkCosts(empty, settings.cost, {}, {}); });
    collect(violations, "step", [&] { number_or_auto("step", settings.step); });
    if (!collect(violations, "tolerance", [&] { Tolerance::parse(settings.tolerance); }))
        rest.tolerance = usual.tolerance;
    if (!collect(violations, "inner", [&] { parse_inner(settings.inner, 1); })) rest.inner = usual.inner;
    if (!collect(violations, "model", [&] { ModelRule::parse(settings.model); })) rest.model = usual.model;
    if (!collect(violations, "window", [&] { measured_window(settings.window); })) rest.window = usual.window;
    const auto check_selection = [&] {
        if (settings.selection != "auto") Selection::parse(settings.selection);
    };
    if (!collect(violations, "selection", check_selection)) rest.selection = usual.selection;
    for (const auto& [name, text] :
         {std::pair{"toll-factor", settings.toll_factor}, {"distance-factor", settings.distance_factor}}) {
        if (text == "auto") continue;
        collect(violations, name, [&, value = &text] {
            if (!(parse_real(*value, "factor") >= 0)) throw ConfigError("must not be negative");
        });
    }
    collect(violations, "learner", [&] { check_route_learner(settings.learner, rest); });
    for (const std::string& rival : rival_texts(settings))
        collect(violations, "rivals", [&] { check_strategy(rival, rest); });
    if (settings.clear_utilisation > settings.alarm_utilisation)
        violations.emplace_back("clear-utilisation: must not be above alarm-utilisation");
    if (settings.generate > 0 && settings.objective == "unweighted")
        violations.emplace_back("generate: paths have no price of their own in the unweighted objective");
    collect(violations, "", [&] { link_cost(settings); });
    if (settings.model == "forecast") violations.emplace_back("model: routing has no forecasts to read");
    if (settings.decisions == "-" && settings.ledger == "-")
        violations.emplace_back("ledger: standard output is taken by --decisions");
    collect(violations, "", [&] { validate(static_cast<const StoreSettings&>(settings)); });
    if (!settings.store.empty() && (settings.decisions == "-" || settings.ledger == "-"))
        violations.emplace_back(
            "store: a run that is gone on with cannot take back what went to standard output; give "
            "--decisions "
            "and --ledger a file");
    if (settings.first_demand == "-")
        violations.emplace_back("first-demand: give a file; standard input is for the demand of the run");
    if (settings.peak > 0 && settings.demand == "-")
        violations.emplace_back("peak: the demand has to be read twice, which standard input cannot");
    if (!violations.empty()) throw ConfigError(violations);
}

}  // namespace proxstream
