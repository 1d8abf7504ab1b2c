#include "proxstream/core/parallel.hpp"

#include "app/command_line.hpp"
#include "app/exit_code.hpp"
#include "app/verbs.hpp"
#include "run/compare_run.hpp"
#include "run/learn_defaults.hpp"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>
#include <unistd.h>

namespace proxstream::app {
namespace {

constexpr const char* kDefaultLearners =
    "time-smoothed; time-smoothed:window=8; window-steps:steps=1; re-solve; prox-gradient; prox-sgd; "
    "momentum; adam";

void print_table(const CompareOutcome& outcome, Index window) {
    std::size_t width = 8;
    Real best = kInfinity;
    for (const CompareEntry& entry : outcome.entries) {
        width = std::max(width, entry.learner.size());
        if (entry.rounds > 0) best = std::min(best, entry.loss);
    }
    const auto samples = [](const CompareEntry& entry) {
        return entry.certificate.summary.totals.cost.base_samples;
    };
    const bool sampled = std::any_of(outcome.entries.begin(), outcome.entries.end(),
                                     [&](const CompareEntry& each) { return samples(each) > 0; });
    const std::string regret_name = fmt::format("Reg_{}", window);
    fmt::print("{:<{}} {:>11}  {:>11} {}{:>11} {:>11} {:>8} {:>11} {}{:>9}{}\n", "learner", width, "loss",
               "window loss", outcome.classes ? "error % " : "", regret_name, "Reg_1", "nonzero",
               "grads/round", sampled ? "samples/round " : "", "seconds",
               outcome.numbers ? "         MSE         MAE" : "");
    for (const CompareEntry& entry : outcome.entries) {
        const std::string errors = outcome.classes ? fmt::format("{:7.2f} ", 100 * entry.error_rate) : "";
        const double rounds = static_cast<double>(std::max<Round>(entry.rounds, 1));
        const std::string drawn =
            sampled ? fmt::format("{:>13.1f} ", static_cast<double>(samples(entry)) / rounds) : "";
        fmt::print("{:<{}} {:>11.6g}{} {:>11.6g} {}{:>11.5g} {:>11.5g} {:>8} {:>11.2f} {}{:>9.3f}{}\n",
                   entry.learner, width, entry.loss, entry.loss == best ? '*' : ' ', entry.windowed_loss,
                   errors, entry.regret, entry.regret_one, entry.nonzeros,
                   static_cast<double>(entry.record_gradients) / rounds, drawn, entry.seconds,
                   outcome.numbers ? fmt::format(" {:>11.5g} {:>11.5g}", entry.mean_squared_error,
                                                 entry.mean_absolute_error)
                                   : "");
    }
}

}  // namespace

int compare(const std::vector<std::string>& arguments) {
    LearnSettings settings;
    std::string learners = kDefaultLearners;
    const auto done = parse_command_line(
        "compare",
        "Runs several learners on one stream and prints one table: loss of decisions made before each "
        "record, "
        "mean loss of\nthe window at the decision, local regret for the window and for w = 1, non-zeros, "
        "record gradients a round and\nseconds. Then prints the certificate of the first learner.",
        arguments, settings,
        {.extras = {{"learners", "A;B;..",
                     fmt::format("what to run, separated by ';' [{}]", kDefaultLearners), &learners}},
         .takes = [](const auto& row) { return row.group != "Store"; },
         .checks = {[&] { validate(settings, true); }}});
    if (done) return *done;
    std::vector<std::string> reasons;
    settings = with_defaults(settings, &reasons);
    set_threads(settings.threads);

    std::vector<std::string> texts;
    for (const std::string& text : split_outside_parentheses(learners, ';')) {
        if (!text.empty()) texts.push_back(text);
    }
    CompareRun run(settings, texts, stop_requested());
    const bool terminal = isatty(fileno(stderr)) != 0 && !settings.quiet;
    auto drawn = std::chrono::steady_clock::now();
    const CompareOutcome outcome = run.run([&](Round rounds) {
        const auto now = std::chrono::steady_clock::now();
        if (!terminal || now - drawn < std::chrono::milliseconds(150)) return;
        drawn = now;
        fmt::print(stderr, "\r{} rounds\033[K", rounds);
        (void)std::fflush(stderr);
    });
    if (terminal) fmt::print(stderr, "\r\033[K");

    fmt::print("{} rows, {} + {}, step {:.6g} ({}), window {}\n", outcome.rows, settings.loss, settings.reg,
               run.problem().step(), run.problem().step_origin(), settings.window);
    for (const std::string& reason : reasons) fmt::print("{}\n", reason);
    if (run.problem().two_labels())
        fmt::print("the first labels have two values; for classes say --loss logistic\n");
    for (const std::string& note : run.problem().stream().reader().notes()) fmt::print("{}\n", note);
    fmt::print("\n");
    print_table(outcome, measured_window(settings.window));
    if (!settings.quiet) {
        fmt::print("\n{}:\n{}", outcome.entries.front().learner,
                   to_text(outcome.entries.front().certificate));
    }
    Round refused = 0;
    for (const CompareEntry& entry : outcome.entries) {
        refused += entry.refused;
        if (!entry.certificate.sound()) {
            fmt::print("\nnote: {}: {}\n", entry.learner, conclusion(entry.certificate));
        }
    }
    if (!outcome.data_error.empty()) {
        fmt::print(stderr, "proxstream: {}\n", outcome.data_error);
        return kData;
    }
    if (refused > 0) {
        fmt::print(stderr, "proxstream: {} rounds were refused because a loss was not finite\n", refused);
        return kNumerics;
    }
    return outcome.interrupted ? kInterrupted : kOk;
}

}  // namespace proxstream::app
