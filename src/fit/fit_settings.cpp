#include "fit/fit_settings.hpp"

#include "proxstream/core/parallel.hpp"
#include "proxstream/prox/regulariser_table.hpp"

#include "loss/loss_table.hpp"
#include "offline/fit_certificate.hpp"
#include "offline/method_table.hpp"
#include "run/learn_settings.hpp"
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

const std::array kOwnRows{
    Row{"method", "m", "Method", "NAME",
        "see 'proxstream list methods'; auto: panoc, on a sampler spiderboost", &S::method},
    Row{"epsilon", "", "Method", "EPS",
        "stop when |P|, the prox residual at the reference step, was measured to be at most EPS (0: never)",
        &S::epsilon, 0, kAbsurd},
    Row{"passes", "", "Method", "N",
        "budget in passes over the data: base samples / rows (a sampler's pass: 1000 samples); 0: no limit",
        &S::passes, 0, 1e15},
    Row{"seconds", "", "Method", "S", "budget of the method's own seconds (0: no limit)", &S::seconds, 0,
        1e15},
    Row{"iterations", "", "Method", "N", "budget of iterations (0: no limit)", &S::iterations, 0, 1e15},
    Row{"step", "e", "Method", "ETA", "reference step of reported residuals, or auto: 1/L", &S::step},
    Row{"smoothness", "", "Method", "L", "claimed Lipschitz constant of the gradient of f (0: from the data)",
        &S::smoothness, 0, kAbsurd},
    Row{"step-scale", "", "Method", "FACTOR", "multiplies the step the method would take", &S::step_scale,
        1e-9, 1e9},
    Row{"output", "o", "Method", "WHICH",
        "the point that is saved: best (smallest measured residual), last, or random (t* of the theory); "
        "auto: "
        "last of methods on f itself, best of stochastic ones",
        &S::output, 0, 0, kOutputs},

    Row{"measure", "", "Referee", "PASSES",
        "passes between measurements (0: every pass at first, later every tenth of those so far)",
        &S::measure, 0, 1e15},
    Row{"test-samples", "", "Referee", "N", "samples of a test of an expectation", &S::test_samples, 64, 1e9},
    Row{"confidence", "", "Referee", "P", "of intervals for expectations", &S::confidence, 0.8, 0.999999},

    Row{"threads", "", "Run", "N",
        "threads for passes over the data; results do not depend on it (0: as many as the machine has)",
        &S::threads, 0, static_cast<Real>(kMostThreads)},
    Row{"checkpoint", "", "Run", "FILE", "save the run's state there, now and then and at its end",
        &S::checkpoint},
    Row{"checkpoint-every", "", "Run", "S", "seconds between two of them", &S::checkpoint_every, 0, 1e9},
    Row{"resume", "", "Run", "FILE", "go on from a checkpoint: same settings and data; budgets may be larger",
        &S::resume},

    Row{"methods",
        "",
        "Comparison",
        "A;B;..",
        "what to run, separated by ';' (default: every method the problem allows)",
        &S::methods,
        -kInfinity,
        kInfinity,
        {},
        false},
    Row{"scales", "", "Comparison", "A,B,..",
        "factors of the steps that stochastic methods and prox-grad are run with; the best of each is shown",
        &S::scales},
    Row{"seeds", "", "Comparison", "N", "runs of a stochastic method with each step", &S::seeds, 1, 1000},
    Row{"at", "", "Comparison", "A,B,..",
        "passes at which the table looks (default: a third of them, and all)", &S::at},
    Row{"out", "", "Comparison", "FOLDER", "write table.md, results.csv, traces.csv and fits.svg there",
        &S::out},

    Row{"save", "f", "Output", "FILE", "save the model as JSON", &S::save},
    Row{"trace", "", "Output", "FILE", "write every measurement as CSV", &S::trace},
    Row{"predictions", "p", "Output", "FILE", "write one prediction a row, by the fitted model",
        &S::predictions},
    Row{"certificate", "", "Output", "FILE", "write the certificate as JSON", &S::certificate_json},
    Row{"quiet", "q", "Output", "BOOL", "no settings, progress or footer; errors only", &S::quiet},
    Row{"test-only", "t", "Output", "BOOL", "measure the model given by --start; move nothing",
        &S::test_only},
};

}  // namespace

std::span<const Row> fit_options() {
    static const std::vector<Row> rows = [] {
        const auto shared = row_options<S>();
        std::vector<Row> all(shared.begin(), shared.end());
        all.insert(all.end(), kOwnRows.begin(), kOwnRows.end());
        for (const Row& row : store_options<S>()) all.push_back(row);
        return all;
    }();
    return rows;
}

bool belongs_to_fit(const Row& row) {
    return row.group != "Comparison";
}

bool belongs_to_compare_fit(const Row& row) {
    constexpr std::array<std::string_view, 13> kOfFit{
        "method", "step-scale", "output", "epsilon",     "iterations",  "checkpoint", "checkpoint-every",
        "resume", "save",       "trace",  "predictions", "certificate", "test-only"};
    return row.group != "Store" && std::find(kOfFit.begin(), kOfFit.end(), row.name) == kOfFit.end();
}

bool bears_on_figures(const Row& row) {
    constexpr std::array<std::string_view, 4> kBudgets{"epsilon", "passes", "seconds", "iterations"};
    for (const std::string_view budget : kBudgets) {
        if (row.name == budget) return false;
    }
    return row.group != "Run" && row.group != "Output" && row.group != "Store" && row.name != "output" &&
           belongs_to_fit(row);
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
        // What sampling costs grows with 1/epsilon^2 or faster: of an expectation only the user can say.
        if (settings.epsilon == 0 && !is_sampler(settings)) options.epsilon = kUsualEpsilon;
    }
    options.measure_every = settings.measure;
    options.test = {.samples = settings.test_samples, .confidence = settings.confidence};
    options.step_scale = settings.step_scale;
    options.seed = settings.seed;
    return options;
}

void validate(const FitSettings& settings) {
    std::vector<std::string> violations;
    for (const Row& row : fit_options()) {
        const std::string violation = range_violation(row, settings);
        if (!violation.empty()) violations.push_back(violation);
    }
    collect(violations, "step", [&] { number_or_auto("step", settings.step); });
    collect(violations, "", [&] { lags_of(settings, 1); });
    collect(violations, "", [&] { corruption_of(settings); });
    collect(violations, "reg", [&] { parse_regulariser(settings.reg); });
    const bool known_method = collect(violations, "method", [&] { method_row(method_of(settings)); });
    // Losses over whole tables take their shape from the data.
    collect(violations, "loss", [&] { loss_target(settings.loss); });
    const auto refuse = [&](bool asked, const char* what) {
        if (asked) violations.emplace_back(what);
    };
    refuse(settings.output == "random" && known_method && !method_row(method_of(settings)).random_index,
           "output = random: the theory of this method speaks of no random index; take best or last");
    refuse(settings.loss.starts_with("factors") && (settings.standardise || settings.normalise),
           "standardise, normalise: the features of factors are numbers of rows and columns; leave it out");
    refuse(settings.test_only && settings.start == "zeros",
           "test-only: needs a model to measure, given by start = FILE");
    refuse(settings.test_only && (!settings.checkpoint.empty() || !settings.resume.empty()),
           "test-only: moves nothing, so there is nothing to save or to go on with");
    collect(violations, "", [&] { validate(static_cast<const StoreSettings&>(settings)); });
    if (!settings.store.empty()) {
        refuse(settings.test_only, "store: test-only moves nothing, so there is nothing to keep");
        refuse(!settings.checkpoint.empty() || !settings.resume.empty(),
               "store: holds the state itself; leave out checkpoint and resume");
    }
    refuse(settings.checkpoint == "-" || settings.resume == "-", "checkpoint, resume: must be files");
    const auto names_sampler = [](const std::string& data) { return data.starts_with(kSamplerPrefix); };
    refuse(settings.data.size() > 1 && std::any_of(settings.data.begin(), settings.data.end(), names_sampler),
           "data: a sampler stands for all data; name it alone");
    if (is_sampler(settings)) {
        refuse(!settings.predictions.empty(), "predictions: a sampler has no rows to predict");
        const FitSettings usual;
        for (const Row& row : fit_options()) {
            const bool of_rows =
                (row.group == "Data" && row.name != "data") || row.name == "loss" || row.name == "intercept";
            if (of_rows && present(row, settings) != present(row, usual)) {
                violations.push_back(std::string(row.name) +
                                     ": a sampler makes its own rows and has its own loss; see 'proxstream "
                                     "list samplers'");
            }
        }
    }
    if (!violations.empty()) throw ConfigError(violations);
}

}  // namespace proxstream
