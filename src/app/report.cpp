#include "proxstream/core/error.hpp"

#include "app/exit_code.hpp"
#include "app/verbs.hpp"
#include "core/parse_json.hpp"
#include "io/output_file.hpp"
#include "io/output_plan.hpp"
#include "run/report_page.hpp"
#include "store/page_data.hpp"

#include <filesystem>

#include <fmt/format.h>

namespace proxstream::app {
namespace {

struct ReportArguments {
    std::string run;
    std::string file;
};

/// False: help was asked for.
bool parse(const std::vector<std::string>& arguments, ReportArguments& given) {
    for (Index i = 0; i < arguments.size(); ++i) {
        const std::string& argument = arguments[i];
        if (argument == "--help" || argument == "-h") return false;
        if (argument == "-o" || argument == "--out") {
            if (i + 1 == arguments.size()) throw ConfigError("report: " + argument + " expects a file");
            given.file = arguments[++i];
        } else if (argument.starts_with("--out=")) {
            given.file = argument.substr(6);
        } else if (argument.size() > 1 && argument.starts_with('-')) {
            throw ConfigError("unknown option '" + argument + "'; report knows -o FILE and --help");
        } else if (given.run.empty()) {
            given.run = argument;
        } else {
            throw ConfigError("report: one run at a time, '" + argument + "' is one more");
        }
    }
    if (given.run.empty()) throw ConfigError("report: expected a run store, see 'proxstream report --help'");
    if (given.file.empty()) given.file = std::filesystem::path(given.run).replace_extension(".html").string();
    OutputPlan plan;
    plan.reads("run", given.run);
    plan.writes("out", given.file);
    plan.check();
    return true;
}

/// How many turns the page data that a run saved are about: of a route its periods, of a play its last round.
Turn turns_in(const nlohmann::json& report) {
    const auto list = [&](const nlohmann::json::json_pointer& place) {
        return report.contains(place) && report[place].is_array() ? report[place] : nlohmann::json::array();
    };
    const std::string kind = report.is_object() ? report.value("kind", std::string()) : std::string();
    if (kind == "route") return list("/periods/labels"_json_pointer).size();
    if (kind != "play") return 0;
    const nlohmann::json rounds = list("/rounds"_json_pointer);
    return rounds.empty() || !rounds.back().is_number_unsigned() ? 0 : rounds.back().get<Turn>();
}

/// What a route or a play saved is the fuller page, as long as no turn was played since.
std::string data_of(const RunStore& store) {
    const StoreState state = store.state();
    std::string saved = store.report();
    if (!saved.empty()) {
        const auto report = parse_json(saved);
        const Turn turns = report.is_discarded() ? 0 : turns_in(report);
        if (turns > 0 && (state.finished || turns == state.last)) return saved;
    }
    return page_json(page_parts(store));
}

}  // namespace

int report_run(const std::vector<std::string>& arguments) {
    ReportArguments given;
    if (!parse(arguments, given)) {
        fmt::print(
            "Writes the page of a stored run as one HTML file: decisions, costs, stationarity gaps, regret "
            "and "
            "its bounds,\nalarms, certificate and settings. It only reads the store, also while the run is "
            "active or after a kill.\n"
            "usage: proxstream report RUN [-o FILE]\n"
            "  RUN         a run store (--store of learn, route, play and fit; stores of serve)\n"
            "  -o FILE     the file to write; default: the run's name with .html\n");
        return kOk;
    }
    require_report_page();
    const RunStore store(given.run);
    write_whole_file(given.file, page_with_data(data_of(store)));
    fmt::print("{}\n", given.file);
    return kOk;
}

}  // namespace proxstream::app
