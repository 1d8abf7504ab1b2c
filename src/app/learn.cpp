#include "proxstream/core/parallel.hpp"
#include "proxstream/core/spec.hpp"

#include "app/command_line.hpp"
#include "app/drive_run.hpp"
#include "app/learn_summary.hpp"
#include "app/progress_table.hpp"
#include "app/resume_settings.hpp"
#include "app/terminal.hpp"
#include "app/verbs.hpp"
#include "core/text_lines.hpp"
#include "io/standard_error.hpp"
#include "regret/certificate_text.hpp"
#include "run/learn_defaults.hpp"
#include "run/learn_run.hpp"
#include "run/loss_warning.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <unistd.h>

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
void echo_choices(const std::vector<std::string>& reasons, const LearnSettings& settings,
                  const Problem& problem) {
    for (const std::string& reason : reasons) eprint("             {}\n", wrapped(reason, 13));
    if (problem.two_labels()) {
        eprint("             the first labels have two values; for classes say --loss logistic\n");
    }
    // Long streams end late: what can be cured now is said now.
    if (const std::string text = scales_warning(settings, problem); !text.empty())
        eprint("  {}    {}\n", tinted(Tint::warning, "warning"), text);
}

void echo_oracle(const LearnSettings& settings, const NoiseFacts& noise) {
    eprint("  oracle     {}, {}{}; {}\n", noise.oracle, noise.variant,
           noise.confirm > 1 ? fmt::format(", {} estimates have to pass", noise.confirm) : "",
           noise.sigma
               ? fmt::format("sigma {:.4g}{} ({})", *noise.sigma, noise.bounded ? ", sure" : "", noise.origin)
               : "of its noise nothing is known");
    // The rows are the program's choice where the oracle was left without a number.
    if (settings.oracle == "minibatch" &&
        2 * Spec::parse(noise.oracle).number(0, "rows") > static_cast<Real>(settings.batch)) {
        eprint("             more than half of every record: --oracle exact may well cost less\n");
    }
    if (!noise.refereed) eprint("             no referee: exact figures are not measured\n");
}

/// What --verbose adds.
void echo_details(const LearnSettings& settings, const LearnRun& run) {
    const RunHeader& header = run.header();
    if (const std::string terms = proximal_text(header); !terms.empty()) {
        eprint("  proximal   (mu/2) |x - x_t|^2 with mu = {}{}\n", terms,
               settings.proximal == "auto"
                   ? ": these windows need not have a unique minimiser; --proximal 0 leaves it out"
                   : "");
    }
    eprint("  learner    {}, model {}, step {:.6g} ({}), tolerance {}, inner {}\n", settings.learner,
           header.model, run.problem().step(), run.problem().step_origin(), settings.tolerance,
           inner_name(settings, header));
    if (!header.members.empty()) {
        eprint("  ensemble   {}\n  selection  {}\n", fmt::join(member_names(header), ", "), header.selection);
    }
}

/// The columns that are learned from, as far as a line of 80 columns has room.
std::string columns_of(const RowReader& reader) {
    constexpr std::size_t kOthers = 13 + std::string_view(" and 99999 more").size() + 4;
    const std::size_t room = 80 - std::min<std::size_t>(kOthers + reader.label_name().size(), 60);
    const std::vector<std::string>& names = reader.feature_names();
    std::string text;
    for (Index i = 0; i < names.size(); ++i) {
        if (text.size() + 2 + names[i].size() > room)
            return text + fmt::format("{}{} more", text.empty() ? "" : " and ", names.size() - i);
        text += (i > 0 ? ", " : "") + names[i];
    }
    return text;
}

void echo_settings(const LearnSettings& settings, const std::vector<std::string>& reasons,
                   const LearnRun& run) {
    const Problem& problem = run.problem();
    const RowReader& reader = problem.stream().reader();
    const std::string data =
        settings.data.empty() ? "standard input" : fmt::format("{}", fmt::join(settings.data, ", "));
    eprint("proxstream {} learn\n", PROXSTREAM_VERSION);
    eprint("  data       {} ({} {} features{}{}{})\n", data, reader.features(),
           reader.sparse() ? "sparse" : "dense", problem.scaled() ? ", standardised" : "",
           !settings.standardise_label ? ""
           : problem.scaled()          ? ", label too"
                                       : ", label standardised",
           settings.batch > 1 ? fmt::format(", {} rows a record", settings.batch) : "");
    if (!reader.feature_names().empty())
        eprint("  columns    {} -> {}\n", columns_of(reader), reader.label_name());
    for (const std::string& note : reader.notes()) eprint("             {}\n", wrapped(note, 13));
    eprint("  minimise   {} + {}{}\n", settings.loss, settings.reg,
           problem.family().penalised() < problem.family().dimension() ? " (intercept free)" : "");
    echo_choices(reasons, settings, problem);
    const std::string learner = Spec::parse(settings.learner).name();
    const bool windowed = learner == "time-smoothed" || learner == "ensemble";
    eprint("  {:<10} {}\n", windowed ? "window" : "learner",
           windowed ? shortened(run.header().window_text, 66) : settings.learner);
    if (const auto& noise = noise_of(run.header())) echo_oracle(settings, *noise);
    if (settings.verbose) echo_details(settings, run);
}

ProgressTable progress_table(const LearnSettings& settings, const LearnRun& run) {
    const TargetKind kind = run.problem().family().target_kind();
    const auto& noise = noise_of(run.header());
    return {settings.progress, kind == TargetKind::sign || kind == TargetKind::category,
            member_names(run.header()), !noise || noise->refereed, settings.verbose};
}

class LearnScreen {
  public:
    static constexpr const char* kTurn = "round";

    LearnScreen(const LearnSettings& settings, LearnRun& run)
        : settings_(settings), run_(run), table_(progress_table(settings, run)) {}

    void on_turn() { table_.on_round(run_.totals()); }
    void end() {
        table_.finish(run_.totals());
        print_summary(settings_, run_, run_.outcome());
    }

  private:
    const LearnSettings& settings_;
    LearnRun& run_;
    ProgressTable table_;
};

int run_learn(const LearnSettings& settings, const RunOrigin& origin, bool resumed,
              const std::vector<std::string>& reasons = {}) {
    set_threads(settings.threads);
    const bool piped = settings.data.empty() || settings.data.front() == "-";
    if (piped && !settings.quiet && isatty(STDIN_FILENO) != 0)
        eprint("reading rows from the terminal; end with Ctrl-D\n");
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
        "\nEnds with metrics of the predictions and one line about the certificate of the run.",
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
