#include "run/learn_settings.hpp"

#include "proxstream/core/parallel.hpp"
#include "proxstream/prox/regulariser_table.hpp"

#include "loss/loss_table.hpp"
#include "online/learner_table.hpp"
#include "online/selector.hpp"
#include "run/learn_defaults.hpp"
#include "run/settings_reader.hpp"
#include "solve/inner_table.hpp"

#include <algorithm>
#include <array>

namespace proxstream {
namespace {

using Row = OptionRow<LearnSettings>;
using S = LearnSettings;

constexpr Real kLargeCount = 1e9;
constexpr std::array<std::string_view, 2> kVariants{"fresh", "paper"};

const std::array kOwnRows{
    Row{"batch", "b", "Data", "ROWS", "rows that make one record, that is one round", &S::batch, 1,
        kLargeCount},
    Row{"single", "", "Data", "BOOL",
        "round features to single precision: long windows take half the memory, sums stay double",
        &S::single},
    Row{"learner", "", "Learner", "NAME", "see 'proxstream list learners'", &S::learner},
    Row{"window", "w", "Learner", "WINDOW",
        "losses whose mean is kept stationary: a number, auto, or weights; see 'proxstream list windows'",
        &S::window},
    Row{"selection", "", "Learner", "NAME",
        "decision of the automatic window: mean of the members, or draw one; see 'proxstream list "
        "selections'",
        &S::selection},
    Row{"model", "", "Learner", "MODEL",
        "what stands for the loss to come when a round is solved; see 'proxstream list models'", &S::model},
    Row{"forecast", "", "Learner", "FILE",
        "rows like the data's, each the forecast of the row in its place; for --model forecast",
        &S::forecast},
    Row{"hysteresis", "", "Learner", "THETA", "a round that has to work goes on to THETA times its tolerance",
        &S::hysteresis, 1e-6, 1},
    Row{"switching", "", "Learner", "KAPPA", "price of moving: KAPPA/(W sqrt n) for each unit of change of x",
        &S::switching, 0, 1e300},
    Row{"proximal", "", "Learner", "MU",
        "add (MU/2) |x - x_t|^2 to what a round minimises; auto: for linear models, where a window is short "
        "or its loss is one of margins; 0: off",
        &S::proximal},
    Row{"step", "e", "Learner", "ETA", "reference step of residuals and exit test, or auto", &S::step},
    Row{"smoothness", "", "Learner", "L",
        "claimed Lipschitz constant of the gradients (0: 1/step, with an oracle that of the first records)",
        &S::smoothness, 0, kAbsurd},
    Row{"survey", "", "Learner", "N",
        "records looked at before the first round, where step or noise are estimated from data", &S::survey,
        1, 1e6},
    Row{"tolerance", "", "Learner", "DELTA",
        "a round ends when the residual is at most DELTA/W; auto[:FACTOR]: from what losses usually change",
        &S::tolerance},
    Row{"inner", "", "Learner", "NAME", "see 'proxstream list inner'", &S::inner},
    Row{"max-steps", "", "Learner", "N", "budget of inner steps a round", &S::max_steps, 1, kLargeCount},
    Row{"effort", "", "Learner", "N",
        "budget of record gradients a round, saved up over rounds (0: no limit; in an ensemble 32 or 128 a "
        "member)",
        &S::effort, 0, 1e300},
    Row{"max-seconds", "", "Learner", "SECONDS",
        "budget of seconds a round (then runs do not repeat bit for bit)", &S::max_seconds, 0},
    Row{"also-window", "", "Learner", "A,B,..", "measure the regret of these windows too", &S::also_window},

    Row{"oracle", "", "Oracle", "NAME", "where gradients come from; see 'proxstream list oracles'",
        &S::oracle},
    Row{"variant", "", "Oracle", "NAME",
        "fresh: gradients are redrawn when a round begins; paper: kept as in the paper's Algorithm 2",
        &S::variant, 0, 0, kVariants},
    Row{"confirm", "", "Oracle", "M", "a round stops only where M independent estimates pass its test",
        &S::confirm, 1, 1000},
    Row{"noise", "", "Oracle", "SIGMA0",
        "deviation of a single row's gradient, for minibatch; auto: estimated from the first records",
        &S::noise},
    Row{"confidence", "", "Oracle", "P", "of what the certificate says with a probability", &S::confidence,
        0.01, 0.999999},
    Row{"referee", "", "Oracle", "BOOL",
        "evaluate losses exactly beside, for the certificate only; --no-referee is faster and proves less",
        &S::referee},
    Row{"force", "", "Oracle", "BOOL",
        "run even if the tolerance is so small that noise alone may keep a round going", &S::force},

    Row{"rounds", "", "Run", "N", "end the run after round N (0: at the end of the stream)", &S::rounds, 0,
        1e15},
    Row{"checkpoint", "", "Run", "FILE",
        "save the run's state at its end, however it ends; it belongs to the --ledger of the run",
        &S::checkpoint},
    Row{"resume", "", "Run", "FILE",
        "go on from a checkpoint: same settings, same data from their beginning, same --ledger", &S::resume},
    Row{"threads", "", "Run", "N",
        "threads for passes over large windows; results do not depend on it (0: as many as the machine has)",
        &S::threads, 0, static_cast<Real>(kMostThreads)},

    Row{"predictions", "p", "Output", "FILE",
        "write one prediction a row, made before the row is learned from", &S::predictions},
    Row{"save", "f", "Output", "FILE", "save the model as JSON", &S::save},
    Row{"ledger", "", "Output", "FILE",
        "write every round's account as JSON lines; 'proxstream certify' reads it", &S::ledger},
    Row{"certificate", "", "Output", "FILE", "write the certificate as JSON", &S::certificate_json},
    Row{"progress", "P", "Output", "N", "a progress line every N rounds (0: at 1, 2, 4, 8, ...)",
        &S::progress, 0, kLargeCount},
    Row{"quiet", "q", "Output", "BOOL", "no settings, progress or footer; errors only", &S::quiet},
    Row{"test-only", "t", "Output", "BOOL", "predict with the model given by --start; learn nothing",
        &S::test_only},
};

}  // namespace

std::span<const Row> learn_options() {
    static const std::vector<Row> rows = [] {
        const auto shared = row_options<S>();
        std::vector<Row> all(shared.begin(), shared.end());
        // The rows of a record belong to the data.
        const auto model =
            std::find_if(all.begin(), all.end(), [](const Row& row) { return row.group != "Data"; });
        const auto learner = std::find_if(kOwnRows.begin(), kOwnRows.end(),
                                          [](const Row& row) { return row.group != "Data"; });
        all.insert(model, kOwnRows.begin(), learner);
        const auto output =
            std::find_if(learner, kOwnRows.end(), [](const Row& row) { return row.group == "Output"; });
        all.insert(all.end(), learner, output);
        const auto store = store_options<S>();
        all.insert(all.end(), store.begin(), store.end());
        all.insert(all.end(), output, kOwnRows.end());
        return all;
    }();
    return rows;
}

bool bears_on_figures(const Row& row) {
    return row.group != "Run" && row.group != "Store" && row.group != "Output";
}

bool may_fork(const Row& row) {
    return row.group == "Learner" || row.group == "Oracle" || row.name == "reg";
}

std::vector<Index> other_windows(const LearnSettings& settings) {
    std::vector<Index> windows;
    for (const std::string& text : settings.also_window) {
        Index window = 0;
        const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), window);
        if (status != std::errc{} || end != text.data() + text.size() || window < 1 || window > 10'000'000) {
            throw ConfigError("'" + text + "' is not a window length (a whole number from 1 to 10000000)");
        }
        if (std::find(windows.begin(), windows.end(), window) == windows.end()) windows.push_back(window);
    }
    return windows;
}

bool has_oracle(const LearnSettings& settings) {
    return Spec::parse(settings.oracle).name() != "exact" || Spec::parse(settings.learner).has("oracle");
}

Real effort_of(const LearnSettings& settings) {
    return settings.effort > 0 ? settings.effort : kInfinity;
}

NoiseParts noise_parts(const LearnSettings& settings) {
    NoiseParts parts;
    parts.oracle = settings.oracle;
    parts.variant = settings.variant;
    parts.confirm = settings.confirm;
    parts.confidence = settings.confidence;
    parts.refereed = settings.referee;
    parts.force = settings.force;
    parts.record_rows = settings.batch;
    if (settings.noise != "auto") {
        const Real given = parse_real(settings.noise, "noise");
        if (!(given >= 0 && given < kAbsurd)) {
            throw ConfigError("noise = " + settings.noise +
                              ": the deviation of a row's gradient must be finite and not negative, or auto");
        }
        parts.base_noise = given;
        parts.origin = "claimed by noise = " + settings.noise;
    }
    return parts;
}

namespace {

/// The learner as it would be made, but for the data.
void check_learner_of(const LearnSettings& settings) {
    check_learner(settings.learner,
                  LearnerParts{.g = parse_regulariser("zero"),
                               .make_batch = {},
                               .start = {},
                               .window = settings.window,
                               .selection = settings.selection == "auto" ? "" : settings.selection,
                               .model = ModelRule::parse(settings.model),
                               .hysteresis = settings.hysteresis,
                               .switching = settings.switching,
                               .proximal = ProximalRule::parse(settings.proximal),
                               .budget = {},
                               .effort = effort_of(settings),
                               .inner = settings.inner,
                               .noise = noise_parts(settings)});
}

/// Options that would be read by nobody.
void check_oracle_options(const LearnSettings& settings, bool oracles_elsewhere,
                          std::vector<std::string>& violations) {
    const auto refuse = [&](bool asked, const char* what) {
        if (asked) violations.emplace_back(what);
    };
    const bool sampled =
        has_oracle(settings) || Spec::parse(settings.inner).name() == "spider" || oracles_elsewhere;
    refuse(!sampled && settings.variant != "fresh", "variant: has no meaning without an oracle");
    refuse(!sampled && settings.confirm > 1, "confirm: has no meaning without an oracle");
    refuse(!sampled && !settings.referee,
           "referee: has no meaning without an oracle; the gradients are exact");
    refuse(!sampled && settings.force, "force: has no meaning without an oracle");
    const bool minibatch = (settings.oracle + settings.learner).find("minibatch") != std::string::npos;
    refuse(settings.noise != "auto" && !minibatch && !oracles_elsewhere,
           "noise: is the deviation of a row's gradient, for the oracle minibatch; other oracles have their "
           "own");
}

}  // namespace

void validate(const LearnSettings& asked, bool oracles_elsewhere) {
    const LearnSettings settings = with_defaults(asked);
    std::vector<std::string> violations;
    // With the usual in place of what is refused: that is told once, and hides nothing of the learner.
    LearnSettings accepted = settings;
    for (const Row& row : learn_options()) {
        const std::string violation = range_violation(row, settings);
        if (violation.empty()) continue;
        violations.push_back(violation);
        copy_option(row, {}, accepted);
    }
    collect(violations, "step", [&] { number_or_auto("step", settings.step); });
    collect(violations, "tolerance", [&] { Tolerance::parse(settings.tolerance); });
    if (!collect(violations, "", [&] { ProximalRule::parse(settings.proximal); })) accepted.proximal = "auto";
    collect(violations, "", [&] { lags_of(settings, settings.batch); });
    collect(violations, "", [&] { corruption_of(settings); });
    collect(violations, "also-window", [&] { other_windows(settings); });
    const auto check_selection = [&] {
        if (settings.selection != "auto") Selection::parse(settings.selection);
    };
    if (!collect(violations, "selection", check_selection)) accepted.selection = LearnSettings{}.selection;
    collect(violations, "reg", [&] { parse_regulariser(settings.reg); });
    // Two features are what factorisations need; the others do not mind how many.
    collect(violations, "loss", [&] { parse_loss(settings.loss, RowShape{.features = 2}); });
    if (!collect(violations, "", [&] { noise_parts(settings); })) accepted.noise = LearnSettings{}.noise;
    collect(violations, "", [&] { check_oracle_options(accepted, oracles_elsewhere, violations); });
    const bool model = collect(violations, "model", [&] { ModelRule::parse(settings.model); });
    const bool window = collect(violations, "window", [&] { measured_window(settings.window); });
    if (!model || !window) {
        accepted.model = ModelRule{}.text();
        accepted.window = "1";
    }
    const auto check_inner = [&] {
        // Spider is made, and checked, by the learner that can use it.
        if (Spec::parse(settings.inner).name() != "spider") parse_inner(settings.inner, 1);
    };
    if (!collect(violations, "inner", check_inner)) accepted.inner = LearnSettings{}.inner;
    collect(violations, "learner", [&] { check_learner_of(accepted); });
    collect(violations, "window", [&] {
        if (Spec::parse(settings.learner).name() == "bank" && settings.window != "auto") {
            throw ConfigError(
                "the learner 'bank' chooses among its own windows; give them in its text, as windows=");
        }
    });
    if (settings.model == "forecast" && settings.forecast.empty()) {
        violations.emplace_back("forecast: --model forecast needs the file of forecasts");
    }
    if (settings.forecast == "-" && (settings.data.empty() || settings.data.front() == "-")) {
        violations.emplace_back("forecast: data and forecasts cannot both come from standard input");
    }
    if (!settings.forecast.empty() && (settings.standardise || settings.standardise_label ||
                                       !settings.lags.empty() || settings.on_bad_row == "skip")) {
        violations.emplace_back(
            "forecast: its rows are taken as they are, in step with the data's; leave out standardise, "
            "standardise-label, lags and on-bad-row = skip");
    }
    for (const auto& [name, file] :
         {std::pair{"checkpoint", settings.checkpoint}, {"resume", settings.resume}}) {
        if (file.empty()) continue;
        const std::string what = std::string(name) + " = " + file + ": ";
        if (settings.ledger.empty())
            violations.push_back(what + "needs --ledger, where the account of the rounds is kept");
        if (file == settings.ledger) violations.push_back(what + "the ledger has to be another file");
        if (file == "-") violations.push_back(what + "must be a file");
        if (settings.test_only) violations.push_back(what + "test-only learns nothing");
    }
    collect(violations, "", [&] { validate(static_cast<const StoreSettings&>(settings)); });
    if (!settings.store.empty()) {
        const std::string what = "store = " + settings.store + ": ";
        if (settings.store == "-") violations.push_back(what + "must be a file");
        if (settings.test_only) violations.push_back(what + "test-only learns nothing");
        if (!settings.checkpoint.empty() || !settings.resume.empty())
            violations.push_back(what + "holds the state itself; leave out checkpoint and resume");
        if (!settings.ledger.empty()) {
            violations.push_back(what + "holds the ledger itself; 'proxstream export " + settings.store +
                                 " --what ledger' writes it to a file");
        }
    }
    if (settings.test_only && settings.start == "zeros") {
        violations.emplace_back("test-only: needs a model to test, given by start = FILE");
    }
    if (!violations.empty()) throw ConfigError(violations);
}

}  // namespace proxstream
