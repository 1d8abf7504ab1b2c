#include "proxstream/core/parallel.hpp"
#include "proxstream/core/spec.hpp"

#include "app/command_line.hpp"
#include "app/drive_run.hpp"
#include "app/progress_table.hpp"
#include "app/resume_settings.hpp"
#include "app/verbs.hpp"
#include "run/learn_defaults.hpp"
#include "run/learn_run.hpp"
#include "run/loss_warning.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

namespace proxstream::app {
namespace {

std::vector<std::string> member_names(const RunHeader& header) {
    std::vector<std::string> names;
    for (const RunHeader& member : header.members) names.push_back(member.name);
    return names;
}

/// Of an ensemble, of its longest member.
const std::optional<NoiseFacts>& noise_of(const RunHeader& header) {
    return header.members.empty() ? header.noise : header.members.back().noise;
}

std::string inner_name(const LearnSettings& settings, const RunHeader& header) {
    if (settings.inner != "auto") return settings.inner;
    return noise_of(header) ? "prox-grad" : "auto";
}

/// Of a fixed window; an ensemble says it for each member.
std::string proximal_text(const RunHeader& header) {
    std::vector<std::string> terms;
    for (const RunHeader& member : header.members) {
        if (member.proximal > 0) terms.push_back(fmt::format("{:.4g} ({})", member.proximal, member.name));
    }
    if (header.proximal > 0) terms.push_back(fmt::format("{:.4g}", header.proximal));
    return fmt::format("{}", fmt::join(terms, ", "));
}

/// What was chosen, and what the first records suggest.
void echo_choices(const LearnSettings& settings, const std::vector<std::string>& reasons,
                  const LearnRun& run) {
    for (const std::string& reason : reasons) fmt::print(stderr, "             {}\n", reason);
    const Problem& problem = run.problem();
    if (problem.two_labels()) {
        fmt::print(stderr,
                   "             the first labels have two values; for classes say --loss logistic\n");
    }
    if (const std::string terms = proximal_text(run.header()); !terms.empty()) {
        fmt::print(stderr, "  proximal   (mu/2) |x - x_t|^2 with mu = {}{}\n", terms,
                   settings.proximal == "auto"
                       ? ": these windows need not have a unique minimiser; --proximal 0 leaves it out"
                       : "");
    }
    if (problem.column_spread() > kWideScales && !problem.scaled() && !settings.normalise) {
        fmt::print(stderr,
                   "  warning    column scales differ by a factor of {:.3g}; --standardise scales them\n",
                   problem.column_spread());
    }
}

void echo_settings(const LearnSettings& settings, const std::vector<std::string>& reasons,
                   const LearnRun& run) {
    const Problem& problem = run.problem();
    const std::string data =
        settings.data.empty() ? "standard input" : fmt::format("{}", fmt::join(settings.data, ", "));
    fmt::print(stderr, "proxstream {} learn\n", PROXSTREAM_VERSION);
    fmt::print(stderr, "  data       {} ({} {} features{}{}{})\n", data, problem.stream().reader().features(),
               problem.stream().reader().sparse() ? "sparse" : "dense",
               problem.scaled() ? ", standardised" : "",
               !settings.standardise_label ? ""
               : problem.scaled()          ? ", label too"
                                           : ", label standardised",
               settings.batch > 1 ? fmt::format(", {} rows a record", settings.batch) : "");
    for (const std::string& note : problem.stream().reader().notes())
        fmt::print(stderr, "             {}\n", note);
    fmt::print(stderr, "  minimise   {} + {}{}\n", settings.loss, settings.reg,
               problem.family().penalised() < problem.family().dimension() ? " (intercept free)" : "");
    echo_choices(settings, reasons, run);
    fmt::print(stderr, "  learner    {}, window {}, model {}, step {:.6g} ({}), tolerance {}, inner {}\n",
               settings.learner, run.header().window_text, run.header().model, problem.step(),
               problem.step_origin(), settings.tolerance, inner_name(settings, run.header()));
    if (const auto& noise = noise_of(run.header())) {
        fmt::print(stderr, "  oracle     {}, {}{}; {}\n", noise->oracle, noise->variant,
                   noise->confirm > 1 ? fmt::format(", {} estimates have to pass", noise->confirm) : "",
                   noise->sigma ? fmt::format("sigma {:.4g}{} ({})", *noise->sigma,
                                              noise->bounded ? ", sure" : "", noise->origin)
                                : "of its noise nothing is known");
        // The rows are the program's choice where the oracle was left without a number.
        if (settings.oracle == "minibatch" &&
            2 * Spec::parse(noise->oracle).number(0, "rows") > static_cast<Real>(settings.batch)) {
            fmt::print(stderr,
                       "             more than half of every record: --oracle exact may well cost less\n");
        }
        if (!noise->refereed) fmt::print(stderr, "             no referee: exact figures are not measured\n");
    }
    if (!run.header().members.empty()) {
        fmt::print(stderr, "  ensemble   {}\n  selection  {}\n", fmt::join(member_names(run.header()), ", "),
                   run.header().play);
    }
}

void print_footer(const LearnSettings& settings, const LearnRun& run, const LearnOutcome& outcome) {
    const LearnProgress& totals = outcome.totals;
    const auto rounds = static_cast<Real>(std::max<Round>(totals.rounds, 1));
    const RecordStream& stream = run.problem().stream();
    const auto nonzeros =
        std::count_if(totals.point.begin(), totals.point.end(), [](Real value) { return value != 0; });
    const auto rows_now = static_cast<double>(totals.rows - run.resumed().rows);
    fmt::print(stderr, "\n{} rows in {} rounds, {:.3g} s ({:.0f} rows/s)", totals.rows, totals.rounds,
               outcome.seconds, rows_now / std::max(outcome.seconds, 1e-9));
    if (run.resumed().rounds > 0) fmt::print(stderr, ", {} rounds of them before", run.resumed().rounds);
    if (outcome.ending == RunEnding::interrupted) fmt::print(stderr, ", interrupted");
    fmt::print(stderr, "\naverage loss {:.6g}", totals.loss_sum / rounds);
    if (outcome.best_constant) {
        fmt::print(stderr, "   best constant {:.6g}{}: loss {:.6g}{}", outcome.best_constant->prediction,
                   settings.standardise_label ? " (of the scaled label)" : "", outcome.best_constant->loss,
                   outcome.best_constant->sampled
                       ? fmt::format(" (estimated from {} rows)", BestConstantSampler::kCapacity)
                       : "");
    }
    const TargetKind kind = run.problem().family().target_kind();
    if (kind == TargetKind::number && totals.rows > 0) {
        const auto rows = static_cast<Real>(totals.rows);
        fmt::print(stderr, "\npredictions, in the units of the label: MSE {:.6g}   MAE {:.6g}",
                   totals.squared_errors / rows, totals.absolute_errors / rows);
    }
    if ((kind == TargetKind::sign || kind == TargetKind::category) && totals.rows > 0) {
        fmt::print(stderr, "   errors {:.2f} %",
                   100 * static_cast<Real>(totals.errors) / static_cast<Real>(totals.rows));
    }
    fmt::print(stderr, "\nnon-zeros {} of {}", nonzeros, totals.point.size());
    const std::vector<std::string> causes = above_constant(settings, run, outcome);
    if (!causes.empty()) fmt::print(stderr, "\nwarning: the loss is above that of the best constant");
    for (const std::string& cause : causes) fmt::print(stderr, "\n  {}", cause);
    if (noise_of(run.header()) && totals.steps == 0 && totals.rounds > 0) {
        fmt::print(
            stderr,
            "\nno round moved: the noise allows no finer test than this; draw more rows (oracle), or take "
            "a longer window");
    }
    if (stream.bad_rows() > 0) {
        fmt::print(stderr, "\nbad rows skipped: {}; the last one: {}", stream.bad_rows(),
                   stream.last_bad_row());
    }
    if (totals.refused > 0)
        fmt::print(stderr, "\nrounds refused because the loss was not finite: {}", totals.refused);
    if (!settings.save.empty() && !outcome.io_error) fmt::print(stderr, "\nmodel saved to {}", settings.save);
    fmt::print(stderr, "\n");
    fmt::print(stderr, "\n{}", to_text(outcome.certificate));
}

ProgressTable progress_table(const LearnSettings& settings, const LearnRun& run) {
    const TargetKind kind = run.problem().family().target_kind();
    const auto& noise = noise_of(run.header());
    return {settings.progress, kind == TargetKind::sign || kind == TargetKind::category,
            member_names(run.header()), !noise || noise->refereed};
}

class LearnScreen {
  public:
    static constexpr const char* kTurn = "round";

    LearnScreen(const LearnSettings& settings, LearnRun& run)
        : settings_(settings), run_(run), table_(progress_table(settings, run)) {}

    void on_turn() { table_.on_round(run_.totals()); }
    void end() {
        table_.finish(run_.totals());
        print_footer(settings_, run_, run_.outcome());
    }

  private:
    const LearnSettings& settings_;
    LearnRun& run_;
    ProgressTable table_;
};

int run_learn(const LearnSettings& settings, const RunOrigin& origin, bool resumed,
              const std::vector<std::string>& reasons = {}) {
    set_threads(settings.threads);
    LearnRun run(settings, stop_requested(), origin);
    return drive_run<LearnScreen>(settings, run, resumed, [&] { echo_settings(settings, reasons, run); });
}

}  // namespace

int learn(const std::vector<std::string>& arguments) {
    LearnSettings settings;
    const auto done = parse_command_line(
        "learn",
        "Learns from a stream of rows: predicts each row, then learns from it. The window length is "
        "automatic."
        "\nEnds with figures of the predictions and a certificate of what was proved on this run.",
        arguments, settings,
        {.checks = {[&] { validate(settings); }},
         .most_used = {"label", "features", "ignore", "loss", "reg", "lags", "window", "predictions", "save",
                       "store"},
         .examples = {"learn sales.csv --label amount --save model.json",
                      "learn churn.csv --label left --loss logistic --predictions predictions.csv",
                      "learn load.csv --label demand --lags 1..24,168 --store load.run"}});
    if (done) return *done;
    std::vector<std::string> reasons;
    settings = with_defaults(settings, &reasons);
    return run_learn(settings, origin_of("learn", arguments), false, reasons);
}

int resume_learn(const std::string& path, const std::vector<std::string>& arguments) {
    LearnSettings settings;
    if (const auto done = resume_settings(path, arguments, settings)) return *done;
    return run_learn(settings, {PROXSTREAM_VERSION, {}}, true);
}

}  // namespace proxstream::app
