#include "route/route_settings.hpp"

#include "proxstream/traffic/link_costs.hpp"
#include "proxstream/traffic/open_network.hpp"

#include "route/strategy.hpp"
#include "traffic/demand_stream.hpp"
#include "traffic/k_shortest.hpp"

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

void check_factor(const std::string& text) {
    if (text != "auto" && !(parse_real(text, "factor") >= 0)) throw ConfigError("must not be negative");
}

const std::array kNetworkRows{
    positional(Row{"network", "n", "Network", "FILE",
                   "TNTP, SNDlib, CSV of links, a topology list, or builtin:ring | grid | mesh", &S::network},
               "NETWORK"),
    Row{"format", "", "Network", "NAME", "tntp, sndlib, csv, topology or auto", &S::format, 0, 0,
        kNetworkFormats},
    Row{"nodes", "", "Network", "FILE", "coordinates: a TNTP node file, CSV (node,x,y) or GeoJSON",
        &S::nodes},
    checked(Row{"toll-factor", "", "Network", "X",
                "time that a unit of toll is worth (auto: from the file, else 0)", &S::toll_factor},
            check_factor),
    checked(Row{"distance-factor", "", "Network", "X",
                "time that a unit of length is worth (auto: from the file, else 0)", &S::distance_factor},
            check_factor),
};

const std::array kDemandRows{
    positional(Row{"demand", "d", "Demand", "FILE",
                   "a matrix a line, CSV, JSON lines, trips, SNDlib files; '-' for standard input, live",
                   &S::demand},
               "DEMAND"),
    Row{"demand-format", "", "Demand", "NAME", "matrix, csv, jsonl, sndlib, trips or auto", &S::demand_format,
        0, 0, kDemandFormats},
    Row{"scale", "", "Demand", "X", "multiply every demand by X", &S::scale, 1e-300, 1e300},
    Row{"peak", "", "Demand", "U",
        "scale all capacities so that the best static splits reach utilisation U once (0: as given)",
        &S::peak, 0, 100},
    Row{"periods", "", "Demand", "N", "end after period N (0: at the end of the stream)", &S::periods, 0,
        1e12},
    Row{"repeat", "", "Demand", "N", "use one trip table for N periods", &S::repeat, 1, kLargeCount},
    Row{"first-demand", "", "Demand", "FILE",
        "start with the best splits for the first period of this file, read like DEMAND (default: a guess "
        "from capacities)",
        &S::first_demand},
    Row{"minutes", "", "Demand", "M", "show periods as M minutes long (0: unknown)", &S::minutes, 0, 1e9},
    Row{"on-bad-period", "", "Demand", "POLICY",
        "stop at a period that cannot be used, or hold: keep the splits and raise an alarm",
        &S::on_bad_period, 0, 0, kBadPeriod},
};

const std::array kPathRows{
    Row{"paths", "k", "Paths", "K", "split over the K shortest paths of a pair", &S::paths, 1,
        static_cast<Real>(kMostPaths)},
    Row{"diverse", "", "Paths", "BOOL", "take paths that share few links instead of the K shortest",
        &S::diverse},
    Row{"path-file", "", "Paths", "FILE", "split over these paths (tunnels) instead", &S::path_file},
    Row{"generate", "", "Paths", "N", "search for missing paths every N periods (0: never)", &S::generate, 0,
        kLargeCount},
    Row{"spare", "", "Paths", "N", "extra path slots per pair for paths found by --generate", &S::spare, 0,
        1000},
    Row{"slack", "", "Paths", "PRICE",
        "let demand go unserved at this price a unit (0: all of it has to be served)", &S::slack, 0, kAbsurd},
    Row{"path-price", "", "Paths", "PRICE",
        "price of a share of 1 on a path, in free-flow times of the path: keeps splits on few short paths",
        &S::path_price, 0, kAbsurd},
};

const std::array kOtherRows{
    checked(Row{"cost", "", "Costs", "FORM", "form of a link's time; see 'proxstream list costs'", &S::cost},
            [](const std::string& text) { LinkCosts(Network(), text, {}, {}); }),
    checked(Row{"objective", "", "Costs", "NAME", "what is minimised; see 'proxstream list objectives'",
                &S::objective},
            [](const std::string& text) { Objective::parse(text); }),

    Row{"rivals", "", "Rivals", "A;B;..",
        "what to compare with: learners, static, shortest, re-solve-last, re-solve-mean:W", &S::rivals},
    Row{"compare", "", "Rivals", "BOOL", "run without rivals", &S::compare},
    Row{"clairvoyant", "", "Rivals", "BOOL",
        "leave out the lower bound: the optimum for each demand, known beforehand", &S::clairvoyant},

    Row{"alarm-utilisation", "", "Alarms", "U", "raise an alarm above this utilisation",
        &S::alarm_utilisation, 0, 1e6},
    Row{"clear-utilisation", "", "Alarms", "U", "clear the alarm below this utilisation",
        &S::clear_utilisation, 0, 1e6},
    Row{"sustain", "", "Alarms", "N", "raise and clear after N periods in a row", &S::sustain, 1, 1e6},
    Row{"anomaly", "", "Alarms", "K", "raise an alarm for demand K deviations from its mean", &S::anomaly, 1,
        1e6},
    Row{"stale-seconds", "", "Alarms", "S", "raise an alarm if a live feed is silent for longer (0: never)",
        &S::stale_seconds, 0, 1e9},
};

const std::array kOutputRows{
    Row{"out", "o", "Output", "DIR", "write tables and maps into this folder", &S::out},
    Row{"detail", "", "Output", "LEVEL",
        "detail of the folder: periods, links, or all (splits and demand too)", &S::detail, 0, 0,
        kDetailNames},
    Row{"decisions", "", "Output", "FILE",
        "write the splits of every period as JSON lines ('-': standard output)", &S::decisions},
    Row{"report", "", "Output", "FILE", "write one HTML page with map, charts and certificate", &S::report},
    Row{"ledger", "", "Output", "FILE", "write every period as JSON lines, for 'proxstream certify'",
        &S::ledger},
};

void check_network_and_demand(const RouteSettings& settings, Violations& violations) {
    violations.refuse(settings.network.empty(),
                      "network: give a file, or builtin:ring, as in 'proxstream route builtin:ring'");
    violations.refuse(settings.first_demand == "-",
                      "first-demand: give a file; standard input is for the demand of the run");
    violations.refuse(settings.peak > 0 && settings.demand == "-",
                      "peak: the demand has to be read twice, which standard input cannot");
    violations.refuse(settings.generate > 0 && settings.objective == "unweighted",
                      "generate: paths have no price of their own in the unweighted objective");
    violations.refuse(settings.clear_utilisation > settings.alarm_utilisation,
                      "clear-utilisation: must not be above alarm-utilisation");
}

void check_outputs(const RouteSettings& settings, Violations& violations) {
    violations.refuse(settings.decisions == "-" && settings.ledger == "-",
                      "ledger: --decisions already uses standard output");
    violations.refuse(
        !settings.store.empty() && (settings.decisions == "-" || settings.ledger == "-"),
        "store: a resumable run cannot write to standard output; give --decisions and --ledger a "
        "file");
}

}  // namespace

std::span<const Row> RouteSettings::options() {
    static const std::vector<Row> rows = join_rows<S>(
        kNetworkRows, kDemandRows, kPathRows, kOtherRows, learner_options<S>(),
        std::array{seed_option<S>("Learner")}, run_options<S>(), store_options<S>(), kOutputRows);
    return rows;
}

std::string link_cost(const RouteSettings& settings) {
    return link_cost_form(settings.cost, settings.objective);
}

void validate(const RouteSettings& settings) {
    Violations violations;
    const RouteSettings accepted = check_rows(RouteSettings::options(), settings, violations);
    violations.collect("learner", [&] { check_route_learner(settings.learner, accepted); });
    for (const std::string& rival : rival_texts(settings))
        violations.collect("rivals", [&] { check_strategy(rival, accepted); });
    violations.collect("", [&] { link_cost(accepted); });
    violations.refuse(settings.model == "forecast", "model: routing has no forecasts to read");
    check_network_and_demand(settings, violations);
    check_outputs(settings, violations);
    violations.conclude();
}

}  // namespace proxstream
