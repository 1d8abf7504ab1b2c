/// The stochastic learner from its text: what oracle, which estimator, how tight a test.
#include "proxstream/online/advice.hpp"
#include "proxstream/online/noisy_smoothed.hpp"

#include "online/learner_arguments.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace proxstream {
namespace {

using Batch = AnyBatch<RowBlock>;
using Violations = std::vector<std::string>;

constexpr std::string_view kSpider = "spider";

/// What has no theorem, or no meaning, with estimated gradients.
void check_parts(const LearnerParts& parts, const WindowWeights& window, Violations& violations) {
    const auto refuse = [&](bool asked, const std::string& what) {
        if (asked) violations.push_back(what);
    };
    const ModelRule::Kind model = parts.model.kind;
    refuse(model != ModelRule::Kind::previous && model != ModelRule::Kind::automatic,
           "model = " + parts.model.text() + ": with an oracle a round solves its own window (previous)");
    refuse(parts.hysteresis != 1, "hysteresis: has no proof under noise; leave it out");
    refuse(parts.switching != 0, "switching: has no proof under noise; leave it out");
    refuse(parts.effort != kInfinity,
           "effort: counts exact gradients; limit a round by max-steps, and samples by the oracle");
    const std::string inner = Spec::parse(parts.inner).name();
    refuse(inner != "auto" && inner != "prox-grad" && inner != kSpider,
           "inner = " + parts.inner +
               ": looks at values or gradients that noise has moved; prox-grad and spider have proofs");
    const std::string& variant = parts.noise.variant;
    refuse(variant != "fresh" && variant != "paper", "variant = " + variant + ": must be fresh or paper");
    refuse(variant == "paper" && inner == kSpider,
           "variant = paper: keeps the answers of single records; spider has none");
    refuse(variant == "paper" && window.effective_length() != static_cast<Real>(window.length()),
           "variant = paper: is about plain windows; " + window.text() + " is none");
    refuse(parts.noise.confirm < 1, "confirm = 0: at least one estimate has to pass");
    refuse(variant == "paper" && parts.noise.confirm > 1,
           "confirm: the paper's variant stops at the first estimate that passes");
    refuse(!(parts.noise.confidence > 0 && parts.noise.confidence < 1),
           "confidence = " + format_short(parts.noise.confidence) + ": must lie between 0 and 1");
}

/// Minibatches are drawn from the rows of a record.
void check_rows(const NoiseParts& noise, std::uint64_t samples) {
    if (Spec::parse(noise.oracle).name() != "minibatch" || noise.record_rows == 0) return;
    const std::string what = "oracle = " + noise.oracle + ": ";
    if (noise.record_rows == 1) {
        throw ConfigError(what + "records of one row have nothing to draw from; gather rows with batch");
    }
    if (samples > noise.record_rows) {
        throw ConfigError(what + "draws " + std::to_string(samples) + " rows of a record, which has " +
                          std::to_string(noise.record_rows) + " (batch); draw fewer, or make records larger");
    }
}

/// delta: given and found to work, or what suits the noise.
Real choose_delta(const LearnerParts& parts, const NoisyTest& test, std::optional<Real> level,
                  std::uint64_t samples) {
    const std::optional<Real> given = parts.tolerance.fixed_delta();
    if (!level) {
        if (given) return *given;
        throw ConfigError("tolerance: auto is made from the noise's deviation, and of '" +
                          parts.noise.oracle + "' none is known; give the tolerance, or noise");
    }
    if (given) {
        if (!parts.noise.force) check_condition(test, *given, samples);
        return *given;
    }
    const Real usual = usual_delta(test);
    if (usual > 0) return usual;
    throw ConfigError(
        "tolerance: auto is made from the noise's deviation, and there is none; give a tolerance");
}

/// B, b and q of a spider (G2): 8 sigma_0^2/rho^2 samples make the fresh estimate as good as the test needs.
void read_spider(const Spec& spec, Real level_of_one, Real tolerance, Index window,
                 EstimatorOptions& estimator) {
    estimator.kind = EstimatorOptions::Kind::spider;
    const Real records = static_cast<Real>(window);
    // level_of_one is the window's with a sample a record: w such samples have the variance sigma_0^2/w.
    const Real needed = 8 * records * std::pow(level_of_one / tolerance, 2);
    const Real batch = std::clamp<Real>(std::ceil(needed), records, 1e9);
    estimator.batch = spec.count_or("batch", static_cast<Index>(batch));
    const auto root = static_cast<Index>(std::ceil(std::sqrt(static_cast<Real>(estimator.batch) / 2)));
    estimator.samples = spec.count_or("samples", root);
    estimator.restart = spec.count_or("restart", root);
    spec.finish();
}

}  // namespace

bool is_noisy(const LearnerParts& parts) {
    return Spec::parse(parts.noise.oracle).name() != "exact" || Spec::parse(parts.inner).name() == kSpider;
}

std::unique_ptr<RowLearner> make_noisy(LearnerParts parts) {
    const WindowWeights window = WindowWeights::parse(parts.window);
    Violations violations;
    check_parts(parts, window, violations);
    if (!violations.empty()) throw ConfigError(violations);
    AnyOracle oracle = parse_oracle(parts.noise.oracle, {window, parts.noise.base_noise});
    check_rows(parts.noise, oracle.samples());

    NoisySmoothedOptions options;
    options.window = window;
    options.step = parts.step;
    options.smoothness = parts.smoothness;
    options.confirm = parts.noise.confirm;
    options.budget = parts.budget;
    options.seed = parts.seed;
    options.refereed = parts.noise.refereed;
    options.oracle_text = parts.noise.oracle;
    options.noise_origin = parts.noise.origin;
    options.confidence = parts.noise.confidence;
    if (parts.noise.variant == "paper") options.estimator.kind = EstimatorOptions::Kind::paper;

    std::vector<Real> weights;
    window.at(window.length(), weights);
    const std::optional<Real> level = oracle.level(weights, oracle.samples());
    const NoisyTest test{.smoothness = parts.smoothness,
                         .step = parts.step,
                         .sigma = window.effective_length() * level.value_or(0),
                         .confirm = parts.noise.confirm,
                         .bounded = oracle.bounded()};
    options.delta = choose_delta(parts, test, level, oracle.samples());
    const Spec inner = Spec::parse(parts.inner);
    if (inner.name() == kSpider) {
        read_spider(inner, oracle.level(weights, 1).value_or(0), options.delta / window.effective_length(),
                    window.length(), options.estimator);
    }
    Batch batch = parts.make_batch(CarriedWindow<Batch>::slots(window.length()));
    return std::make_unique<NoisySmoothed<AnyRegulariser, Batch>>(
        std::move(parts.g), std::move(batch), std::move(parts.start), std::move(oracle), options);
}

}  // namespace proxstream
