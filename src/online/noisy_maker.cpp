/// The stochastic learner from its text: what oracle, which estimator, how tight a test.
#include "proxstream/online/advice.hpp"

#include "core/violations.hpp"
#include "online/figure_checks.hpp"
#include "online/learner_arguments.hpp"
#include "online/noisy_smoothed.hpp"
#include "online/noisy_test.hpp"
#include "window/minibatch_oracle.hpp"
#include "window/oracle_table.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace proxstream {
namespace {

constexpr std::string_view kSpider = "spider";

/// What has no theorem, or no meaning, with estimated gradients.
void check_parts(const LearnerConfig& parts, const WindowWeights& window, Violations& violations) {
    const ForecastRule::Kind model = parts.model.kind;
    violations.refuse(
        model != ForecastRule::Kind::previous && model != ForecastRule::Kind::automatic,
        "model = " + parts.model.text() + ": with an oracle a round solves its own window (previous)");
    violations.refuse(parts.hysteresis != 1, "hysteresis: has no proof under noise; leave it out");
    violations.refuse(parts.proximal.named.value_or(0) != 0,
                      "proximal: has no proof under noise; leave it out");
    violations.refuse(parts.switching != 0, "switching: has no proof under noise; leave it out");
    violations.refuse(
        parts.effort != kInfinity,
        "effort: counts exact gradients; limit a round by max-steps, and samples by the oracle");
    const std::string inner = Spec::parse(parts.inner).name();
    violations.refuse(
        inner != "auto" && inner != "prox-grad" && inner != kSpider,
        "inner = " + parts.inner +
            ": looks at values or gradients that noise has moved; prox-grad and spider have proofs");
    const std::string& variant = parts.noise.variant;
    violations.refuse(variant != "fresh" && variant != "paper",
                      "variant = " + variant + ": must be fresh or paper");
    violations.refuse(variant == "paper" && inner == kSpider,
                      "variant = paper: keeps the answers of single records; spider has none");
    violations.refuse(window.varies(),
                      "window = " + window.text() +
                          ": its weights change from round to round, and its noise with them; take one "
                          "whose do not");
    const bool plain = !window.varies() && window.effective_length() == static_cast<Real>(window.length());
    violations.refuse(variant == "paper" && !plain,
                      "variant = paper: is about plain windows; " + window.text() + " is none");
    violations.refuse(parts.noise.confirm < 1, "confirm = 0: at least one estimate has to pass");
    violations.refuse(variant == "paper" && parts.noise.confirm > 1,
                      "confirm: the paper's variant stops at the first estimate that passes");
    violations.refuse(!(parts.noise.confidence > 0 && parts.noise.confidence < 1),
                      "confidence = " + format_short(parts.noise.confidence) + ": must lie between 0 and 1");
}

/// The oracle, drawing no more rows of a record than there are.
AnyOracle fitting_oracle(const NoiseParts& noise, const WindowWeights& window) {
    if (noise.sampler) return AnyOracle(*noise.sampler);
    const bool minibatch = Spec::parse(noise.oracle).name() == "minibatch";
    const std::string what = "oracle = " + noise.oracle + ": ";
    if (minibatch && noise.record_rows == 1) {
        throw ConfigError(what + "records of one row have nothing to draw from; gather rows with batch");
    }
    AnyOracle oracle = parse_oracle(noise.oracle, {window, noise.base_noise, noise.record_rows});
    if (minibatch && noise.record_rows > 0 && oracle->samples() > noise.record_rows) {
        throw ConfigError(what + "draws " + std::to_string(oracle->samples()) +
                          " rows of a record, which has " + std::to_string(noise.record_rows) +
                          " (batch); draw fewer, or make records larger");
    }
    return oracle;
}

/// The oracle, held against everything else that is asked for. Throws ConfigError with all that is wrong.
AnyOracle checked_oracle(const LearnerConfig& parts, const WindowWeights& window) {
    Violations violations;
    check_parts(parts, window, violations);
    std::optional<AnyOracle> oracle;
    violations.collect("", [&] { oracle = fitting_oracle(parts.noise, window); });
    violations.conclude();
    return std::move(*oracle);
}

/// w_a s of a full window.
std::optional<Real> sigma_of(const AnyOracle& oracle, const WindowWeights& window, std::uint64_t samples) {
    std::vector<Real> weights;
    window.at(window.length(), weights);
    const std::optional<Real> level = oracle->level(weights, samples);
    if (!level) return std::nullopt;
    return window.effective_length() * *level;
}

NoisyTest test_of(const LearnerConfig& parts, const AnyOracle& oracle, Real sigma) {
    return {.smoothness = parts.smoothness,
            .step = parts.step,
            .sigma = sigma,
            .confirm = parts.noise.confirm,
            .bounded = oracle->bounded()};
}

/// `minibatch` alone: the fewest rows with which the test can see a quarter of the first gap. A test as
/// coarse as that gap would leave the start where it is.
void choose_rows(LearnerConfig& parts, const WindowWeights& window) {
    NoiseParts& noise = parts.noise;
    const Spec spec = Spec::parse(noise.oracle);
    if (spec.name() != "minibatch" || spec.positional_count() > 0 || spec.has("sigma")) return;
    if (noise.record_rows < 2 || !noise.base_noise || !noise.first_gap) return;  // refused further on
    const Real wanted = window.effective_length() * *noise.first_gap / 4;
    const bool replace = spec.word_or("replace", "no") == "yes";
    std::uint64_t rows = 1;
    for (; rows + 1 < noise.record_rows; ++rows) {
        const AnyOracle oracle(MinibatchOracle(rows, replace, noise.base_noise, noise.record_rows));
        const Real sigma = *sigma_of(oracle, window, rows);
        const Real needed = parts.tolerance.fixed_delta()
                                ? 1.1 * stopping_delta(test_of(parts, oracle, sigma))
                                : usual_delta(test_of(parts, oracle, sigma));
        if (needed <= parts.tolerance.fixed_delta().value_or(wanted)) break;
    }
    const auto colon = noise.oracle.find(':');
    noise.oracle = "minibatch:" + std::to_string(rows) +
                   (colon == std::string::npos ? "" : "," + noise.oracle.substr(colon + 1));
}

/// delta: given, or what suits the noise.
Real choose_delta(const LearnerConfig& parts, const AnyOracle& oracle, std::optional<Real> sigma) {
    if (const std::optional<Real> given = parts.tolerance.fixed_delta()) return *given;
    if (!sigma) {
        throw ConfigError("tolerance: auto is made from the noise's deviation, and of '" +
                          (parts.noise.sampler ? parts.noise.sampler->name() : parts.noise.oracle) +
                          "' none is known; give the tolerance");
    }
    const NoisyTest test = test_of(parts, oracle, *sigma);
    Violations violations;
    check_step(violations, test.smoothness, test.step);
    violations.conclude();
    const Real usual = usual_delta(test);
    if (usual > 0) return usual;
    throw ConfigError(
        "tolerance: auto is made from the noise's deviation, and there is none; give a tolerance");
}

/// B, b and q of a spider (G2): 8 sigma_0^2/rho^2 samples make the fresh estimate as good as the test needs.
/// `noise_ratio` is s/rho with one sample a record: w samples have the variance sigma_0^2/w.
void read_spider(const Spec& spec, Real noise_ratio, Index window, EstimatorOptions& estimator) {
    estimator.kind = EstimatorOptions::Kind::spider;
    const Real records = static_cast<Real>(window);
    const Real needed = 8 * records * noise_ratio * noise_ratio;
    const Real batch = std::clamp<Real>(std::ceil(needed), records, 1e9);
    estimator.batch = spec.count_or("batch", static_cast<Index>(batch));
    const auto root = static_cast<Index>(std::ceil(std::sqrt(static_cast<Real>(estimator.batch) / 2)));
    estimator.samples = spec.count_or("samples", root);
    estimator.restart = spec.count_or("restart", root);
    spec.finish();
}

/// Throws ConfigError unless something says that rounds end with estimates of so many samples a record.
void check_ends(const LearnerConfig& parts, const AnyOracle& oracle, const WindowWeights& window, Real delta,
                std::uint64_t samples, bool spider) {
    const std::optional<Real> sigma = sigma_of(oracle, window, samples);
    if (!sigma || parts.noise.force) return;
    const Spec spec = Spec::parse(parts.noise.oracle);
    const bool replaced = spec.name() != "minibatch" || spec.word_or("replace", "no") == "yes";
    check_condition(test_of(parts, oracle, *sigma), delta, samples, replaced ? 0 : parts.noise.record_rows);
    if (spider && 8 * *sigma * *sigma > delta * delta) {
        throw ConfigError(
            "inner = " + parts.inner + ": its fresh estimates have sigma = " + format_short(*sigma) +
            ", and rounds are known to end if 8 sigma^2 <= delta^2 = " + format_short(delta * delta) +
            " (G2); leave out batch, or make it larger");
    }
}

}  // namespace

bool is_noisy(const LearnerConfig& parts) {
    return parts.noise.sampler || Spec::parse(parts.noise.oracle).name() != "exact" ||
           Spec::parse(parts.inner).name() == kSpider;
}

std::unique_ptr<AnyLearner> make_noisy(LearnerConfig parts) {
    const WindowWeights window = WindowWeights::parse(parts.window);
    choose_rows(parts, window);
    AnyOracle oracle = checked_oracle(parts, window);

    NoisySmoothedOptions options;
    options.window = window;
    options.step = parts.step;
    options.smoothness = parts.smoothness;
    options.confirm = parts.noise.confirm;
    options.budget = parts.budget;
    options.seed = parts.seed;
    options.refereed = parts.noise.refereed;
    options.oracle_text = parts.noise.sampler ? parts.noise.sampler->name() : parts.noise.oracle;
    const bool minibatch = Spec::parse(parts.noise.oracle).name() == "minibatch";
    options.noise_origin = minibatch ? parts.noise.origin : "the oracle's own";
    options.confidence = parts.noise.confidence;
    if (parts.noise.variant == "paper") options.estimator.kind = EstimatorOptions::Kind::paper;

    options.delta = choose_delta(parts, oracle, sigma_of(oracle, window, oracle->samples()));
    std::uint64_t samples = oracle->samples();  // of a record's answer, in a fresh estimate
    const Spec inner = Spec::parse(parts.inner);
    const bool spider = inner.name() == kSpider;
    if (spider) {
        read_spider(inner, sigma_of(oracle, window, 1).value_or(0) / options.delta, window.length(),
                    options.estimator);
        samples = (options.estimator.batch + window.length() - 1) / window.length();
    }
    check_ends(parts, oracle, window, options.delta, samples, spider);
    AnyBatch batch = parts.make_batch(CarriedWindow::slots(window.length()));
    return std::make_unique<NoisySmoothed>(std::move(parts.g), std::move(batch), std::move(parts.start),
                                           std::move(oracle), options);
}

}  // namespace proxstream
