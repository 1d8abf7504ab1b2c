#include "proxstream/core/error.hpp"
#include "proxstream/core/parallel.hpp"

#include "app/command_line.hpp"
#include "app/compare_chart.hpp"
#include "app/exit_code.hpp"
#include "app/terminal.hpp"
#include "app/verbs.hpp"
#include "core/violations.hpp"
#include "io/output_file.hpp"
#include "io/standard_error.hpp"
#include "run/compare_run.hpp"
#include "run/compare_text.hpp"
#include "run/learn_defaults.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

namespace proxstream::app {
namespace {

constexpr const char* kDefaultLearners =
    "time-smoothed; time-smoothed:window=16; time-smoothed:window=128; time-smoothed:window=1024; adagrad; "
    "ftrl; "
    "coin; rls; last-value";

/// What a fraction of the rows to tune on is cut to: more rows rarely change the choice, and all are kept.
constexpr Index kMostTuned = 10000;

/// The options of `compare` alone, as they were typed.
struct CompareTexts {
    std::string learners;
    std::string tune = "0";
    std::string score_after = "0";
    std::string seeds = "1";
    std::string csv;
    std::string chart;
};

/// A part of the rows: a fraction below 1, or a number of them.
struct RowPart {
    Real number = 0;

    static RowPart parse(const std::string& name, const std::string& text) {
        const RowPart part{parse_real(text, name)};
        const bool whole = part.number == std::floor(part.number) && part.number <= 1e15;
        if (!(part.number >= 0) || (part.number >= 1 && !whole))
            throw ConfigError(
                fmt::format("{} = '{}': expected a fraction of the rows below 1, as 0.1, or a number of "
                            "rows, as 2000",
                            name, text));
        return part;
    }
    bool fraction() const { return number > 0 && number < 1; }
    /// In rounds of `batch` rows, at least one where there is a part; `all`: rounds of the data.
    Index rounds(Round all, Index batch) const {
        if (number == 0) return 0;
        const Real rounds = fraction() ? number * static_cast<Real>(all) : number / static_cast<Real>(batch);
        return std::max<Index>(1, static_cast<Index>(rounds));
    }
};

bool belongs_to_compare(const OptionRow<LearnSettings>& row) {
    if (row.group == "Output") return row.name == "quiet";
    return row.group != "Store" && row.name != "learner" && row.name != "also-window";
}

std::string instead_of(std::string_view name) {
    if (name == "learner") return "name the learners with --learners 'A; B'";
    return fmt::format("run 'proxstream learn' with --{} and the --learner that you choose", name);
}

/// Splits at ';'. Refuses a comma in its place.
std::vector<std::string> learners_of(const std::string& list) {
    std::vector<std::string> texts;
    for (const std::string& text : split_outside_parentheses(list, ';')) {
        if (text.empty()) continue;
        const std::vector<std::string> parts = split_outside_parentheses(text, ',');
        for (std::size_t i = 1; i < parts.size(); ++i) {
            const auto begin = std::min(parts[i].find_first_not_of(" \t\n"), parts[i].size());
            const std::string name = parts[i].substr(begin, parts[i].find_first_of(": \t\n", begin) - begin);
            if (std::any_of(learners().begin(), learners().end(),
                            [&](const LearnerRow& row) { return row.name == name; }))
                throw ConfigError(
                    fmt::format("learners = '{}': a ';' separates learners, not a ',': write '{}; {}'", text,
                                fmt::join(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(i), ","),
                                parts[i].substr(begin)));
        }
        texts.push_back(text);
    }
    return texts;
}

/// Whether the rows can be read once to count them, and again to learn from them. A missing file is reported
/// where it is opened.
bool readable_twice(const LearnSettings& settings) {
    const auto twice = [](const std::string& path) {
        std::error_code error;
        const auto status = std::filesystem::status(path, error);
        return path != "-" && (!std::filesystem::exists(status) || std::filesystem::is_regular_file(status));
    };
    return !settings.data.empty() && std::all_of(settings.data.begin(), settings.data.end(), twice);
}

void check_file(const std::string& name, const std::string& path, const LearnSettings& settings,
                Violations& violations) {
    if (path.empty() || path == "-") return;
    std::error_code error;
    for (const std::string& input : settings.data)
        violations.refuse(
            std::filesystem::equivalent(path, input, error),
            fmt::format("{} = '{}': it is a file of the data and would be replaced", name, path));
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    violations.refuse(std::filesystem::is_directory(path, error) ||
                          (!folder.empty() && !std::filesystem::is_directory(folder, error)),
                      fmt::format("{} = '{}': no file can be written there", name, path));
}

/// Throws ConfigError with every violation.
void check_texts(const CompareTexts& texts, const LearnSettings& settings) {
    Violations violations;
    violations.collect("", [&] { learners_of(texts.learners); });
    const auto check_part = [&](const char* name, const std::string& text) {
        violations.collect("", [&] {
            violations.refuse(
                RowPart::parse(name, text).fraction() && !readable_twice(settings),
                fmt::format("{} = {}: a fraction needs the number of rows, and standard input or a "
                            "pipe can be read only once; give a number of rows, as 2000",
                            name, text));
        });
    };
    check_part("tune", texts.tune);
    check_part("score-after", texts.score_after);
    violations.collect("", [&] {
        const Real seeds = parse_real(texts.seeds, "seeds");
        if (!(seeds >= 1 && seeds <= 1000 && seeds == std::floor(seeds)))
            throw ConfigError(
                fmt::format("seeds = '{}': expected a whole number from 1 to 1000", texts.seeds));
    });
    violations.refuse(texts.tune != "0" && !settings.forecast.empty(),
                      "tune: the rows of --forecast can be read only once; leave one of them out");
    violations.refuse(!texts.chart.empty() && !has_compare_chart(),
                      "chart: this program was built without charts; build it with -DPROXSTREAM_STUDIES=ON");
    check_file("csv", texts.csv, settings, violations);
    check_file("chart", texts.chart, settings, violations);
    violations.conclude();
}

std::vector<ExtraOption> extra_options(CompareTexts& texts) {
    return {
        {"learners", "A;B;..", fmt::format("learners to compare, separated by ';' [{}]", kDefaultLearners),
         &texts.learners},
        {"tune", "PART",
         fmt::format(
             "choose learning rates, forgetting and the window of re-solve, where no value is given, by "
             "the loss on the first rows: a fraction below 1 (at most {} rows), or a number of rows",
             kMostTuned),
         &texts.tune},
        {"score-after", "PART",
         "count losses, errors and costs only after so many rows: a fraction below 1, or a number of rows",
         &texts.score_after},
        {"seeds", "N", "run learners that draw with N seeds; show the mean and the spread [1]", &texts.seeds},
        {"csv", "FILE", "write all figures with full digits ('-': to standard output, in place of the table)",
         &texts.csv},
        {"chart", "FILE.svg", "draw the sliding mean loss of each learner over that of the first",
         &texts.chart}};
}

/// How the verdict names the first learner.
std::string name_of_first(const CompareOutcome& outcome, const LearnSettings& settings) {
    const std::string& text = outcome.entries.front().learner;
    const Spec spec = Spec::parse(text);
    const std::string window = spec.has("window") ? spec.word(Spec::kByNameOnly, "window") : settings.window;
    return spec.name() == "time-smoothed" && window.starts_with("auto") ? "the automatic window" : text;
}

std::string status(const CompareProgress& progress, Round total) {
    if (progress.tuning) return fmt::format("tuning, {} rounds", progress.rounds);
    const std::string of = total > 0 ? fmt::format(" of {}", total) : "";
    return fmt::format("{}{} rounds, {} rows, loss {:.6g}", progress.rounds, of, progress.rows,
                       progress.loss);
}

void print_heading(const CompareOutcome& outcome, const LearnSettings& settings, const Problem& problem,
                   const std::vector<std::string>& reasons) {
    fmt::print("{} rows, {} + {}, window {}\n", outcome.rows, settings.loss, settings.reg, settings.window);
    fmt::print("reference step {:.6g} ({})\n", problem.step(), problem.step_origin());
    for (const std::string& reason : reasons) fmt::print("{}\n", reason);
    if (problem.two_labels())
        fmt::print("the first labels have two values; for classes say --loss logistic\n");
    for (const std::string& note : problem.stream().reader().notes()) fmt::print("{}\n", note);
    for (const std::string& remark : problem.stream().reader().remarks()) fmt::print("{}\n", remark);
    for (const std::string& learner : outcome.left_out) fmt::print("left out: {}\n", learner);
    if (outcome.tuned_rows > 0) {
        fmt::print("tuned on the first {} rows:", outcome.tuned_rows);
        for (const CompareEntry& entry : outcome.entries)
            if (entry.candidates > 1)
                fmt::print(" {} ({} values)", Spec::parse(entry.learner).name(), entry.candidates);
        fmt::print("\n");
    }
    if (outcome.scored_rows < outcome.rows) {
        fmt::print("figures: only the {} rows after row {}; certificates: all rows\n", outcome.scored_rows,
                   outcome.rows - outcome.scored_rows);
    }
    fmt::print("\n");
}

void print_report(const CompareOutcome& outcome, const LearnSettings& settings, const Problem& problem,
                  const std::vector<std::string>& reasons) {
    print_heading(outcome, settings, problem, reasons);
    fmt::print("{}", compare_table(outcome));
    const std::string verdict = compare_verdict(outcome, name_of_first(outcome, settings));
    if (!verdict.empty()) fmt::print("\n{}\n", verdict);
    if (!settings.quiet) {
        fmt::print("\n{}:\n{}", outcome.entries.front().learner,
                   to_text(outcome.entries.front().certificate));
    }
    for (const CompareEntry& entry : outcome.entries) {
        for (const std::string& each : entry.unsound) fmt::print("\nnote: {}: {}\n", entry.learner, each);
    }
}

/// The rounds of the run; 0: not known.
Round count_total(const CompareTexts& texts, const LearnSettings& settings) {
    const bool needed = RowPart::parse("tune", texts.tune).fraction() ||
                        RowPart::parse("score-after", texts.score_after).fraction();
    return needed ? count_rounds(settings, settings.rounds, stop_requested()).rounds : settings.rounds;
}

CompareOptions options_of(const CompareTexts& texts, const LearnSettings& settings, Round total) {
    const RowPart tune = RowPart::parse("tune", texts.tune);
    CompareOptions options{
        .tune = tune.rounds(total, settings.batch),
        .score_after = RowPart::parse("score-after", texts.score_after).rounds(total, settings.batch),
        .seeds = static_cast<Index>(parse_real(texts.seeds, "seeds")),
        .skip_unsuited = texts.learners.empty()};
    if (tune.fraction()) options.tune = std::min(options.tune, kMostTuned);
    return options;
}

int exit_code(const CompareOutcome& outcome) {
    if (!outcome.data_error.empty()) {
        eprint("proxstream: {}\n", outcome.data_error);
        return kData;
    }
    if (outcome.refused > 0) {
        eprint("proxstream: all learners refused {} rounds, because a loss was not finite\n",
               outcome.refused);
        return kNumerics;
    }
    if (outcome.interrupted) return kInterrupted;
    if (outcome.scored_rows == 0) {
        eprint("proxstream: score-after: the data end after {} rows, so no figure is left; give fewer rows\n",
               outcome.rows);
        return kUsage;
    }
    return kOk;
}

}  // namespace

int compare(const std::vector<std::string>& arguments) {
    LearnSettings settings;
    CompareTexts texts;
    const auto done = parse_command_line(
        "compare",
        "Runs several learners on one stream and prints one table: the loss of predictions made before each "
        "row is "
        "learned from, how far it is above the best, errors, record gradients a round, and seconds.",
        arguments, settings,
        {.extras = extra_options(texts),
         .files =
             [&](OutputPlan& plan) {
                 plan.writes("csv", texts.csv);
                 plan.writes("chart", texts.chart);
             },
         .takes = belongs_to_compare,
         .instead = instead_of,
         .checks = {[&] { validate(settings, true); }, [&] { check_texts(texts, settings); }},
         .examples = {"compare demand.csv --label demand --ignore day --tune 0.1 --score-after 0.1",
                      "compare demand.csv --label demand --learners 'time-smoothed; adagrad:0.3; rls' --csv "
                      "table.csv"}});
    if (done) return *done;
    std::vector<std::string> reasons;
    settings = with_defaults(settings, &reasons);
    set_threads(settings.threads);

    const Round total = count_total(texts, settings);
    CompareRun run(settings, learners_of(texts.learners.empty() ? kDefaultLearners : texts.learners),
                   stop_requested(), options_of(texts, settings, total));
    StatusLine line(!settings.quiet);
    const CompareOutcome outcome =
        run.run([&](Round) { line.draw([&] { return status(run.progress(), total); }); });
    line.clear();

    if (texts.csv == "-") {
        fmt::print("{}", compare_csv(outcome));
    } else {
        print_report(outcome, settings, run.problem(), reasons);
        if (!texts.csv.empty()) write_whole_file(texts.csv, compare_csv(outcome));
    }
    if (!texts.chart.empty()) {
        write_compare_chart(
            texts.chart, outcome,
            fmt::format("{}: {} + {}", fmt::join(settings.data, ", "), settings.loss, settings.reg));
    }
    return exit_code(outcome);
}

}  // namespace proxstream::app
