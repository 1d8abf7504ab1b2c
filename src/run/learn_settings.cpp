#include "run/learn_settings.hpp"

#include "loss/loss_table.hpp"
#include "run/learn_defaults.hpp"
#include "run/settings_reader.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace proxstream {
namespace {

using Row = OptionRow<LearnSettings>;
using S = LearnSettings;

constexpr Real kLargeCount = 1e9;

Index window_length(const std::string& text) {
    Index window = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), window);
    if (status != std::errc{} || end != text.data() + text.size() || window < 1 || window > 10'000'000)
        throw ConfigError("'" + text + "' is not a window length (a whole number from 1 to 10000000)");
    return window;
}

std::optional<Real> base_noise(const std::string& noise) {
    if (noise == "auto") return std::nullopt;
    const Real given = parse_real(noise, "noise");
    if (!(given >= 0 && given < kAbsurd)) {
        throw ConfigError("noise = " + noise +
                          ": the deviation of a row's gradient must be finite and not negative, or auto");
    }
    return given;
}

const std::array kDataRows{
    Row{"batch", "b", "Data", "ROWS", "rows of one record; a round learns from one record", &S::batch, 1,
        kLargeCount},
    Row{"raw", "", "Data", "BOOL", "use features as they are: CSV and JSON are otherwise standardised",
        &S::raw},
    Row{"key", "", "Data", "COLUMN",
        "learn a row without a label when a row with the same key brings the label", &S::key},
    Row{"single", "", "Data", "BOOL",
        "round features to single precision: long windows take half the memory, sums stay double",
        &S::single},
};

const std::array kLearnerRows{
    Row{"forecast", "", "Learner", "FILE",
        "rows like the data's, each the forecast of the row in its place; for --model forecast",
        &S::forecast},
    checked(Row{"proximal", "", "Learner", "MU",
                "add (MU/2) |x - x_t|^2 to what a round minimises; auto: for linear models, if the window is "
                "short or the loss is one of margins; 0: off",
                &S::proximal},
            [](const std::string& text) { ProximalRule::parse(text); }),
    Row{"smoothness", "", "Learner", "L",
        "claimed Lipschitz constant of the gradients (0: 1/step; with an oracle, estimated from the first "
        "records)",
        &S::smoothness, 0, kAbsurd},
    hidden(Row{"survey", "", "Learner", "N",
               "rows to read first, which say what columns hold, and records, if step or noise are estimated",
               &S::survey, 1, 1e6}),
    checked(Row{"also-window", "", "Learner", "A,B,..", "measure the regret of these windows too",
                &S::also_window},
            [](const std::string& text) { window_length(text); }),
    checked(Row{"noise", "", "Oracle", "SIGMA0",
                "deviation of a single row's gradient, for minibatch; auto: estimated from the first records",
                &S::noise},
            [](const std::string& text) { base_noise(text); }),
    Row{"rounds", "", "Run", "N", "end the run after round N (0: at the end of the stream)", &S::rounds, 0,
        1e15},
};

const std::array kOutputRows{
    Row{"predictions", "p", "Output", "FILE",
        "write one line a row as CSV: label, and prediction before the row is learned from; '-': standard "
        "output",
        &S::predictions},
    Row{"metrics", "", "Output", "FILE",
        "write metrics as CSV while rows come: over all rows so far, and over the newest ones", &S::metrics},
    Row{"metrics-every", "", "Output", "N", "write a line of metrics every N rows", &S::metrics_every, 1,
        kLargeCount},
    Row{"metrics-window", "", "Output", "N", "take N rows as the newest ones", &S::metrics_window, 1, 1e6},
    Row{"report", "", "Output", "FILE",
        "write a page with charts of the loss and the active window, metrics and certificate", &S::report},
    Row{"ledger", "", "Output", "FILE", "write every round as JSON lines, for 'proxstream certify'",
        &S::ledger},
    Row{"verbose", "", "Output", "BOOL", "show steps, tolerance, oracle and stationarity gaps too",
        &S::verbose},
};

/// Checks the learner without the data.
void check_learner_of(const LearnSettings& settings) {
    LearnerConfig config = learner_config(settings);
    config.proximal = ProximalRule::parse(settings.proximal);
    config.noise = noise_parts(settings);
    check_learner(settings.learner, std::move(config));
}

/// Refuses options without effect.
void check_oracle_options(const LearnSettings& settings, bool oracles_elsewhere, Violations& violations) {
    const bool sampled =
        has_oracle(settings) || Spec::parse(settings.inner).name() == "spider" || oracles_elsewhere;
    violations.refuse(!sampled && settings.confirm > 1, "confirm: has no meaning without an oracle");
    violations.refuse(!sampled && !settings.referee,
                      "referee: has no meaning without an oracle; the gradients are exact");
    violations.refuse(!sampled && settings.force, "force: has no meaning without an oracle");
    const bool minibatch = (settings.oracle + settings.learner).find("minibatch") != std::string::npos;
    violations.refuse(settings.noise != "auto" && !minibatch && !oracles_elsewhere,
                      "noise: is the deviation of a row's gradient, for the oracle minibatch; other oracles "
                      "have their own");
}

void check_forecast(const LearnSettings& settings, Violations& violations) {
    violations.refuse(settings.model == "forecast" && settings.forecast.empty(),
                      "forecast: --model forecast needs the file of forecasts");
    violations.refuse(settings.forecast == "-" && (settings.data.empty() || settings.data.front() == "-"),
                      "forecast: only one of data and forecasts can come from standard input");
    violations.refuse(!settings.forecast.empty() && (settings.standardise || settings.standardise_label ||
                                                     !settings.lags.empty() || settings.on_bad_row == "skip"),
                      "forecast: its rows are used unchanged, one for each row of the data; leave out "
                      "standardise, standardise-label, lags and on-bad-row = skip");
}

void check_outputs(const LearnSettings& settings, Violations& violations) {
    if (settings.store.empty()) return;
    const std::string what = "store = " + settings.store + ": ";
    violations.refuse(!settings.ledger.empty(), what + "holds the ledger itself; 'proxstream export " +
                                                    settings.store + " --what ledger' writes it to a file");
}

}  // namespace

std::span<const Row> LearnSettings::options() {
    static const std::vector<Row> rows = join_rows<S>(
        row_options<S>(), kDataRows, learner_options<S>(), oracle_options<S>(), kLearnerRows,
        run_options<S>(), store_options<S>(), kOutputRows,
        result_options<S>("save the model as JSON", "write the certificate as JSON; '-': print it as text"));
    return rows;
}

std::vector<Index> other_windows(const LearnSettings& settings) {
    std::vector<Index> windows;
    for (const std::string& text : settings.also_window) {
        const Index window = window_length(text);
        if (std::find(windows.begin(), windows.end(), window) == windows.end()) windows.push_back(window);
    }
    return windows;
}

bool has_oracle(const LearnSettings& settings) {
    return Spec::parse(settings.oracle).name() != "exact" || Spec::parse(settings.learner).has("oracle");
}

NoiseParts noise_parts(const LearnSettings& settings) {
    NoiseParts parts = noise_parts(static_cast<const OracleSettings&>(settings));
    parts.record_rows = settings.batch;
    parts.base_noise = base_noise(settings.noise);
    if (parts.base_noise) parts.origin = "claimed by noise = " + settings.noise;
    return parts;
}

void validate(const LearnSettings& asked, bool oracles_elsewhere) {
    Violations violations;
    const LearnSettings settings = with_defaults(asked);
    const LearnSettings accepted = check_rows(LearnSettings::options(), settings, violations);
    violations.collect("", [&] { lags_of(settings, settings.batch); });
    // Factorisations need exactly two features; other losses accept any number.
    violations.collect("loss", [&] {
        parse_loss(settings.loss, RowShape{.features = 2, .classes = settings.classes.size()});
    });
    violations.collect("", [&] { check_oracle_options(accepted, oracles_elsewhere, violations); });
    violations.collect("learner", [&] { check_learner_of(accepted); });
    violations.refuse(
        settings.learner.starts_with("ensemble") && settings.window != "auto",
        "window: the learner 'ensemble' chooses among its own windows; give them in its text, as "
        "windows=");
    check_forecast(settings, violations);
    check_outputs(settings, violations);
    violations.conclude();
}

}  // namespace proxstream
