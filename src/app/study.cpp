#include "studies/study.hpp"

#include "proxstream/core/parallel.hpp"

#include "app/command_line.hpp"
#include "app/exit_code.hpp"
#include "app/terminal.hpp"
#include "app/verbs.hpp"
#include "core/find_row.hpp"
#include "io/standard_error.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace proxstream::app {
namespace {

constexpr Index kMostSeeds = 1000;

struct StudyArguments {
    std::string name;
    std::string preset = "full";
    std::string seeds;
    std::string threads;
    std::string folder;
    bool force = false;
    bool quiet = false;
    std::vector<std::string> others;  // not options of the verb itself
};

void print_studies() {
    fmt::print("studies (proxstream study NAME):\n");
    for (const StudyRow& row : studies()) fmt::print("  {:<19}{}\n", row.name, row.help);
}

std::string unknown_option(const std::string& text) {
    const std::string bare = text.substr(std::min(text.find_first_not_of('-'), text.size()));
    const std::string near = nearest_name(bare.substr(0, bare.find('=')),
                                          {"preset", "seeds", "threads", "out", "force", "quiet", "help"});
    return "unknown option '" + text + "'; " +
           (near.empty() ? "see 'proxstream study --help'" : "did you mean '--" + near + "'?");
}

/// An exit code when there is nothing left to do: help was asked for.
std::optional<int> parse(const std::vector<std::string>& arguments, StudyArguments& given) {
    CLI::App app(
        "Runs a study: an experiment over several seeds. Writes results.csv (every figure of every seed), "
        "table.md "
        "and charts\nas SVG into a folder, and prints the table. Figures depend on the study, the preset and "
        "the "
        "seeds alone.\n\nThe study 'defaults' also runs on your own rows: give it the options of 'proxstream "
        "learn' for data and model,\nsuch as --data FILE --label COLUMN --loss LOSS --standardise.",
        "proxstream study");
    app.allow_extras();
    app.get_formatter()->column_width(34);
    app.set_help_flag("-h,--help", "show this and exit");
    app.add_option("NAME", given.name, "the study; without it, or as 'list', lists all studies");
    app.add_option("--preset", given.preset, "full: for conclusions; quick: a first look in seconds [full]")
        ->type_name("quick|full");
    app.add_option("--seeds", given.seeds, "run seeds 1 to N [as many as the preset has]")->type_name("N");
    app.add_option("--threads", given.threads,
                   "threads for passes over large windows; figures do not depend on it (0: all) [1]")
        ->type_name("N");
    app.add_option("--out", given.folder, "write the files into this folder [study-NAME]")->type_name("DIR");
    app.add_flag("--force", given.force,
                 "write into a folder that is not empty, over files of the same names");
    app.add_flag("-q,--quiet", given.quiet, "print the table and errors only");
    try {
        app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
    } catch (const CLI::CallForHelp&) {
        fmt::print("{}\n", app.help());
        print_studies();
        return kOk;
    } catch (const CLI::ParseError& error) {
        throw ConfigError(std::string(error.what()) + "; see 'proxstream study --help'");
    }
    given.others = app.remaining();
    return std::nullopt;
}

void refuse_others(const StudyArguments& given, std::vector<std::string>& violations) {
    std::vector<std::string> words;
    for (const std::string& extra : given.others) {
        if (extra.starts_with('-')) {
            violations.push_back(unknown_option(extra));
        } else {
            words.push_back("'" + extra + "': one study at a time");
        }
    }
    // A word behind an unknown option may be its value.
    if (violations.empty()) violations = words;
}

/// Data and model of the user, as `learn` takes them.
std::optional<LearnSettings> read_rows(const StudyArguments& given, std::vector<std::string>& violations) {
    LearnSettings settings;
    try {
        parse_command_line(
            "study " + given.name, "", given.others, settings,
            {.files =
                 [&](OutputPlan& plan) {
                     const std::string folder = given.folder.empty() ? "study-" + given.name : given.folder;
                     for (const char* name : {"results.csv", "table.md"}) plan.writes_in("out", folder, name);
                 },
             .takes = [](const auto& row) { return row.group == "Data" || row.group == "Model"; },
             .checks = {[&] { validate(settings, true); }}});
    } catch (const ConfigError& error) {
        violations.insert(violations.end(), error.violations().begin(), error.violations().end());
    }
    return settings;
}

const StudyRow* checked_study(const StudyArguments& given, std::vector<std::string>& violations) {
    try {
        return &find_row(studies(), "study", given.name);
    } catch (const ConfigError& error) {
        violations.insert(violations.end(), error.violations().begin(), error.violations().end());
        return nullptr;
    }
}

/// `text` as a whole number of [low, high]; `fallback` if there is none.
Index checked_count(const char* option, const std::string& text, Index low, Index high, Index fallback,
                    std::vector<std::string>& violations) {
    if (text.empty()) return fallback;
    Index count = 0;
    const char* last = text.data() + text.size();
    const auto [end, status] = std::from_chars(text.data(), last, count);
    if (status != std::errc{} || end != last || count < low || count > high) {
        violations.push_back(
            fmt::format("{} = '{}': must be a whole number from {} to {}", option, text, low, high));
    }
    return count;
}

StudyOptions checked_options(const StudyArguments& given, std::vector<std::string>& violations) {
    StudyOptions options;
    if (given.preset == "quick") {
        options.preset = StudyPreset::quick;
    } else if (given.preset != "full") {
        violations.push_back("preset = '" + given.preset + "': must be quick or full");
    }
    options.seeds = checked_count("seeds", given.seeds, 1, kMostSeeds, options.seeds, violations);
    options.folder = given.folder.empty() ? "study-" + given.name : given.folder;
    options.replace = given.force;
    std::vector<std::string> typed{given.name, "--preset", given.preset};
    if (!given.seeds.empty()) typed.insert(typed.end(), {"--seeds", given.seeds});
    typed.insert(typed.end(), given.others.begin(), given.others.end());
    options.command = command_again("study", typed);
    options.version = PROXSTREAM_VERSION;
    return options;
}

std::string clock_text(double seconds) {
    const auto whole = static_cast<long>(std::ceil(seconds));
    if (whole < 60) return fmt::format("{} s", whole);
    if (whole < 3600) return fmt::format("{}:{:02} min", whole / 60, whole % 60);
    return fmt::format("{}:{:02} h", whole / 3600, whole / 60 % 60);
}

/// A bar with the time left on a terminal, a line for each finished cell elsewhere.
void show_progress(const StudyProgress& progress, StatusLine& line) {
    const double now = line.seconds();
    if (!line.on_terminal()) {
        if (progress.finished.empty()) return;
        eprint("{}/{} {} ({:.1f} s)\n", progress.done, progress.cells, progress.finished, now);
        return;
    }
    line.draw([&] {
        // The first moments say nothing about the rest.
        const bool tells = progress.share > 0.01 && now > 0.5;
        return fmt::format(
            "{} {}/{} cells, {}", progress_bar(progress.share, 30), progress.done, progress.cells,
            tells ? clock_text(now / progress.share - now) + " left" : std::string("starting"));
    });
}

}  // namespace

int study(const std::vector<std::string>& arguments) {
    StudyArguments given;
    std::vector<std::string> violations;
    if (const auto done = parse(arguments, given)) return *done;
    if (given.name.empty() && given.others.empty()) given.name = "list";
    if (given.name == "list" && given.others.empty()) {
        print_studies();
        return kOk;
    }
    std::vector<std::string> unknown;
    const StudyRow* row = checked_study(given, unknown);
    const bool takes_rows = row != nullptr && row->plan_on != nullptr && !given.others.empty();
    if (!takes_rows) refuse_others(given, violations);
    violations.insert(violations.end(), unknown.begin(), unknown.end());
    StudyOptions options = checked_options(given, violations);
    if (takes_rows) options.rows = read_rows(given, violations);
    const Index threads = checked_count("threads", given.threads, 0, kMostThreads, 1, violations);
    if (!violations.empty()) throw ConfigError(violations);
    set_threads(threads);

    StatusLine status;
    const StudyOutcome outcome =
        run_study(*row, options, stop_requested(), [&](const StudyProgress& progress) {
            if (!given.quiet) show_progress(progress, status);
        });
    status.clear();
    fmt::print("{}", outcome.report);
    if (!given.quiet) {
        for (const std::string& file : outcome.files) eprint("wrote {}\n", file);
    }
    for (const std::string& line : outcome.skipped) eprint("skip {}\n", line);
    for (const std::string& note : outcome.notes) eprint("proxstream: {}\n", note);
    for (const Finding& finding : outcome.findings) {
        if (!finding.holds()) eprint("proxstream: {}\n", to_text(finding));
    }
    if (outcome.interrupted) return kInterrupted;
    return outcome.sound() ? kOk : kNotCertified;
}

}  // namespace proxstream::app
