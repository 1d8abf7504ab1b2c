#include "fit/fit_settings.hpp"

#include "loss/loss_table.hpp"
#include "offline/fit_certificate.hpp"
#include "offline/method_table.hpp"
#include "run/settings_reader.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace proxstream {
namespace {

using Row = OptionRow<FitSettings>;
using S = FitSettings;

constexpr std::array<std::string_view, 4> kOutputs{"auto", "best", "last", "random"};
constexpr Real kUsualEpsilon = 1e-6;
constexpr Real kUsualPasses = 1000;

const std::array kMethodRows{
    checked(Row{"method", "m", "Method", "NAME",
                "method of 'proxstream list methods'; auto: panoc, on a sampler spiderboost", &S::method},
            [](const std::string& text) {
                if (text != "auto") method_row(text);
            }),
    checked(Row{"step", "e", "Method", "ETA", "reference step of reported stationarity gaps, or auto: 1/L",
                &S::step},
            check_step),
    Row{"smoothness", "", "Method", "L", "claimed Lipschitz constant of the gradient of f (0: from the data)",
        &S::smoothness, 0, kAbsurd},
    Row{"step-scale", "", "Method", "FACTOR", "multiply the method's own step by FACTOR", &S::step_scale,
        1e-9, 1e9},

    Row{"epsilon", "", "Budget", "EPS",
        "stop when |P|, the stationarity gap at the reference step, is measured to be at most EPS (0: never)",
        &S::epsilon, 0, kAbsurd},
    Row{"passes", "", "Budget", "N",
        "budget of passes over the data (base samples / rows; of a sampler 1000 samples); 0: no limit",
        &S::passes, 0, 1e15},
    Row{"seconds", "", "Budget", "S", "budget of the method's own seconds (0: no limit)", &S::seconds, 0,
        1e15},
    Row{"iterations", "", "Budget", "N", "budget of iterations (0: no limit)", &S::iterations, 0, 1e15},

    Row{"measure", "", "Referee", "PASSES",
        "passes between measurements (0: every pass at first, later every tenth of the passes so far)",
        &S::measure, 0, 1e15},
    Row{"test-samples", "", "Referee", "N", "samples of a test of an expectation", &S::test_samples, 64, 1e9},
    Row{"confidence", "", "Referee", "P", "confidence level of intervals for expectations", &S::confidence,
        0.8, 0.999999},
};

const std::array kComparisonRows{
    Row{"methods",
        "",
        "Comparison",
        "A;B;..",
        "methods to run, separated by ';' (default: every method the problem allows)",
        &S::methods,
        -kInfinity,
        kInfinity,
        {},
        false},
    Row{"scales", "", "Comparison", "A,B,..",
        "factors of the steps of stochastic methods and prox-grad; the best of each is shown", &S::scales},
    Row{"seeds", "", "Comparison", "N", "runs of a stochastic method with each step", &S::seeds, 1, 1000},
    Row{"at", "", "Comparison", "A,B,..", "passes shown in the table (default: a third of them, and all)",
        &S::at},
    Row{"out", "", "Comparison", "FOLDER", "write table.md, results.csv, traces.csv and fits.svg there",
        &S::out},
};

const std::array kOutputRows{
    Row{"output", "o", "Output", "WHICH",
        "point to save: best (smallest measured gap), last, or random (t* of the theory); auto: last of "
        "methods on f itself, best of stochastic ones",
        &S::output, 0, 0, kOutputs},
    Row{"trace", "", "Output", "FILE", "write every measurement as CSV", &S::trace},
    Row{"predictions", "p", "Output", "FILE",
        "write one line a row as CSV: label, and prediction of the fitted model", &S::predictions},
    Row{"test-only", "t", "Output", "BOOL", "only measure the model given by --start", &S::test_only},
};

/// Refuses options of rows and losses, because a sampler has its own.
void check_sampler(const FitSettings& settings, Violations& violations) {
    const auto names_sampler = [](const std::string& data) { return data.starts_with(kSamplerPrefix); };
    violations.refuse(
        settings.data.size() > 1 && std::any_of(settings.data.begin(), settings.data.end(), names_sampler),
        "data: a sampler cannot be combined with other inputs");
    if (!is_sampler(settings)) return;
    violations.refuse(!settings.predictions.empty(), "predictions: a sampler has no rows to predict");
    const FitSettings defaults;
    for (const Row& row : FitSettings::options()) {
        const bool of_rows =
            (row.group == "Data" && row.name != "data") || row.name == "loss" || row.name == "intercept";
        violations.refuse(of_rows && present(row, settings) != present(row, defaults),
                          std::string(row.name) +
                              ": a sampler makes its own rows and has its own loss; see 'proxstream list "
                              "samplers'");
    }
}

}  // namespace

std::span<const Row> FitSettings::options() {
    static const std::vector<Row> rows =
        join_rows<S>(row_options<S>(), kMethodRows, kComparisonRows, run_options<S>(), store_options<S>(),
                     kOutputRows, result_options<S>("save the model as JSON"));
    return rows;
}

bool belongs_to_fit(const Row& row) {
    return row.group != "Comparison";
}

bool belongs_to_compare_fit(const Row& row) {
    constexpr std::array<std::string_view, 11> kOfFit{"method",      "step-scale",  "output",   "epsilon",
                                                      "iterations",  "save",        "trace",    "progress",
                                                      "predictions", "certificate", "test-only"};
    return row.group != "Store" && std::find(kOfFit.begin(), kOfFit.end(), row.name) == kOfFit.end();
}

bool is_sampler(const RowSettings& settings) {
    return settings.data.size() == 1 && settings.data.front().starts_with(kSamplerPrefix);
}

std::string method_of(const FitSettings& settings) {
    if (settings.method != "auto") return settings.method;
    return is_sampler(settings) ? "spiderboost" : "panoc";
}

std::string output_of(const FitSettings& settings) {
    if (settings.output != "auto") return settings.output;
    return usual_output(method_of(settings));
}

OfflineOptions fit_options_of(const FitSettings& settings, const std::string& method) {
    OfflineOptions options;
    options.method = method;
    options.epsilon = settings.epsilon;
    if (settings.passes > 0) options.passes = settings.passes;
    if (settings.seconds > 0) options.seconds = settings.seconds;
    if (settings.iterations > 0) options.iterations = settings.iterations;
    if (settings.passes == 0 && settings.seconds == 0 && settings.iterations == 0) {
        options.passes = kUsualPasses;
        // Sampling costs 1/epsilon^2 or more, so the user has to choose epsilon for an expectation.
        if (settings.epsilon == 0 && !is_sampler(settings)) options.epsilon = kUsualEpsilon;
    }
    options.measure_every = settings.measure;
    options.test = {.samples = settings.test_samples, .confidence = settings.confidence};
    options.step_scale = settings.step_scale;
    options.seed = settings.seed;
    return options;
}

void validate(const FitSettings& settings) {
    Violations violations;
    const FitSettings accepted = check_rows(FitSettings::options(), settings, violations);
    violations.collect("", [&] { lags_of(settings, 1); });
    // Losses over whole tables take their shape from the data, so only their names are checked here.
    violations.collect("loss", [&] { loss_target(settings.loss); });
    violations.refuse(settings.output == "random" && !method_row(method_of(accepted)).random_index,
                      "output = random: the theory of this method has no random index; take best or last");
    violations.refuse(
        settings.loss.starts_with("factors") && (settings.standardise || settings.normalise),
        "standardise, normalise: the features of factors are numbers of rows and columns; leave "
        "it out");
    violations.refuse(settings.test_only && settings.start == "zeros",
                      "test-only: needs a model to measure, given by start = FILE");
    violations.refuse(!settings.store.empty() && settings.test_only,
                      "store: test-only makes no iteration to store; leave one of them out");
    check_sampler(settings, violations);
    violations.conclude();
}

}  // namespace proxstream
