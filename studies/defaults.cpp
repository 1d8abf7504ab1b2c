/// The default against every fixed window and every rival, on all data or on the user's.
#include "studies/defaults.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/core/spec.hpp"

#include "run/compare_run.hpp"
#include "run/problem.hpp"
#include "studies/learners.hpp"
#include "studies/plans.hpp"
#include "studies/row_streams.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

namespace proxstream {
namespace {

constexpr const char* kLastValue = "last value";

/// The largest number of records of a stream.
Index most_rows(StudyPreset preset) {
    return preset == StudyPreset::full ? 50000 : 600;
}

/// Rounds that rivals are tuned on: a tenth of the stream, at most 2000.
Index prefix_of(Index rounds) {
    return std::min<Index>(rounds / 10, 2000);
}

std::vector<Method> default_and_windows(bool full) {
    std::vector<Method> methods{{.name = kDefault, .text = "time-smoothed", .draws = true}};
    for (const Index window :
         full ? std::vector<Index>{1, 4, 16, 64, 256, 1024} : std::vector<Index>{4, 16, 64})
        methods.push_back(fixed_window(window));
    return methods;
}

std::vector<Method> row_methods(bool full) {
    std::vector<Method> methods = default_and_windows(full);
    methods.insert(methods.end(),
                   {{"prox-sgd", "prox-sgd"},
                    {kAdagrad, "adagrad"},
                    {.name = "adagrad, replay", .text = "adagrad:replay=16,window=256", .draws = true},
                    {kLastValue, "last-value"}});
    if (!full) return methods;
    methods.insert(methods.end(),
                   {{.name = "prox-sgd, replay", .text = "prox-sgd:replay=16,window=256", .draws = true},
                    {"adam", "adam"},
                    {"re-solve", "re-solve"},
                    {"full history", "full-history"},
                    {"rls", "rls:memory=inf"},
                    {"rls, memory 500", "rls:memory=500"},
                    {"rls, memory 100", "rls:memory=100"},
                    {"coin", "coin"}});
    return methods;
}

std::vector<Method> network_methods(bool full) {
    std::vector<Method> methods = default_and_windows(full);
    methods.insert(methods.end(),
                   {{kAdagrad, "adagrad:step=0.1"},
                    {.name = "adagrad, replay", .text = "adagrad:step=0.1,replay=16", .draws = true},
                    {kReSolve, "re-solve-last"}});
    if (!full) return methods;
    methods.insert(methods.end(),
                   {{"adagrad 1", "adagrad:step=1"},
                    {.name = "adagrad 1, replay", .text = "adagrad:step=1,replay=16", .draws = true},
                    {"re-solve mean of 16", "re-solve-mean:window=16"},
                    {"re-solve mean of 64", "re-solve-mean:window=64"},
                    {kStatic, "static"}});
    return methods;
}

/// Scores of the rounds after the prefix.
void add_scores(const Method& method, const CompareEntry& entry, Cell& cell) {
    // A rival whose losses are not finite has diverged, and has no score.
    if (entry.refused == 0 || method.name == kDefault) note_certificate(entry.certificate, method.name, cell);
    if (entry.refused > 0) return;
    const auto rounds = static_cast<Real>(entry.rounds);
    cell.add(method.name, "chosen", static_cast<Real>(entry.chosen + 1));
    cell.add(method.name, kLoss, entry.loss);
    cell.add(method.name, kGradients, static_cast<Real>(entry.record_gradients) / rounds);
    cell.add(method.name, kMicroseconds, 1e6 * entry.seconds / rounds);
    cell.add(method.name, kRounds, rounds);
}

/// Tunes rivals on a prefix by loss, then runs all methods over the whole stream.
void run_rows(LearnSettings settings, Index rounds, Cell& cell) {
    settings.rounds = rounds;
    settings.seed = cell.seed;
    std::vector<std::string> learners;
    for (const Method& method : cell.methods) learners.push_back(method.text);
    CompareRun run(settings, learners, cell.stop,
                   {.tune = prefix_of(rounds), .score_after = prefix_of(rounds)});
    const CompareOutcome outcome = run.run([&](Round t) {
        if (!run.progress().tuning) cell.share(static_cast<Real>(t), static_cast<Real>(rounds));
    });
    cell.interrupted = outcome.interrupted;
    if (cell.interrupted) return;
    if (!outcome.data_error.empty()) cell.notes.push_back(outcome.data_error);
    for (Index i = 0; i < cell.methods.size(); ++i) add_scores(cell.methods[i], outcome.entries[i], cell);
}

/// Reads at most `most` rows of the stream; throws the error of an unreadable row.
Index readable_rounds(const LearnSettings& settings, Index most) {
    const RoundCount count = count_rounds(settings, most);
    if (count.error) std::rethrow_exception(count.error);
    return count.rounds;
}

/// The command that runs `compare` on a stream.
std::string compare_command(const LearnSettings& settings) {
    std::string text = "proxstream compare";
    for (const auto& row : LearnSettings::options()) {
        if (present(row, settings) == present(row, LearnSettings{})) continue;
        const bool flag = std::holds_alternative<bool LearnSettings::*>(row.member);
        text += row.name == "data" ? "" : fmt::format(" --{}", row.name);
        if (!flag) text += " " + present(row, settings);
    }
    return text;
}

StudyStream rows_stream(const std::string& name, const LearnSettings& settings, StudyPreset preset) {
    std::vector<Method> methods = row_methods(preset == StudyPreset::full);
    if (!Problem(settings).stream().reader().last_label())
        std::erase_if(methods, [](const Method& method) { return method.name == kLastValue; });
    return {
        .name = name,
        .text = compare_command(settings),
        .methods = std::move(methods),
        .run = [=](Cell& cell) { run_rows(settings, readable_rounds(settings, most_rows(preset)), cell); },
        .random = false,
        .together = true};
}

StudyPlan describe(const std::vector<DataFacts>& facts) {
    StudyPlan plan;
    plan.question =
        "The default (automatic window) against every fixed window and every rival. Learning rates of "
        "rivals, and the window of\nre-solve, are tuned on the first tenth of a stream (at most 2000 rows); "
        "the loss is that of the rest. Networks are scored\non all periods. Best window and best rival: "
        "chosen in hindsight. Methods that do not draw run once.";
    plan.figures = {{kLoss.key, "loss", Better::lower}};
    plan.tables = [facts](const ResultTable& table) {
        std::vector<DefaultsRow> rows;
        for (const DataFacts& each : facts)
            if (auto row = summarise(table, each)) rows.push_back(std::move(*row));
        return defaults_markdown(rows);
    };
    return plan;
}

}  // namespace

StudyPlan plan_defaults(StudyPreset preset) {
    const DefaultsData data = defaults_data(preset);
    std::vector<DataFacts> facts;
    for (const RowData& each : data.rows) facts.push_back({each.name, each.use, false, most_rows(preset)});
    for (const NetworkData& each : data.networks) facts.push_back({each.name, each.use, true, 0});
    StudyPlan plan = describe(facts);
    plan.skipped = data.skipped;
    for (const RowData& each : data.rows)
        plan.streams.push_back(rows_stream(each.name, each.settings, preset));
    for (const NetworkData& each : data.networks) {
        std::vector<Method> methods = network_methods(preset == StudyPreset::full);
        // The seed of a built-in network also determines the demand, so there is only one draw.
        if (each.fixed_seed)
            for (Method& method : methods) method.draws = false;
        plan.streams.push_back(route_stream(each, methods));
        plan.streams.back().random = false;
    }
    return plan;
}

StudyPlan plan_defaults_on(const LearnSettings& settings, StudyPreset preset) {
    if (std::find(settings.data.begin(), settings.data.end(), "-") != settings.data.end())
        throw ConfigError("data = '-': the study reads the data several times; give a file");
    const std::string name = fmt::format(
        "{}, {}", std::filesystem::path(settings.data.front()).filename().string(), settings.loss);
    StudyPlan plan = describe({{name, DataUse::user, false, most_rows(preset)}});
    // Reports an unreadable row before the folder is made.
    plan.check = [=] {
        const Index rounds = readable_rounds(settings, most_rows(preset));
        if (prefix_of(rounds) == 0)
            throw ConfigError(fmt::format("data = '{}': {} rows are too few; the study needs 10 or more",
                                          settings.data.front(), rounds));
    };
    plan.streams = {rows_stream(name, settings, preset)};
    return plan;
}

}  // namespace proxstream
