#include "proxstream/core/draw.hpp"
#include "proxstream/core/error.hpp"
#include "proxstream/core/linalg.hpp"

#include "core/find_row.hpp"
#include "core/spec_range.hpp"
#include "loss/linear_family.hpp"
#include "loss/loss_table.hpp"
#include "offline/function_loss.hpp"
#include "offline/row_expectation.hpp"
#include "offline/sampler.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <string>
#include <utility>

namespace proxstream {
namespace {

/// Record numbers of draws, so that no two purposes share draws.
enum Purpose : std::uint32_t { kFeature, kNoise, kOutlier, kWeight, kPhase };

/// -cos(x - xi), xi = a or -a.
Sampler make_shifted_cosine(const Spec& spec, std::uint64_t seed) {
    const Real shift = number_within(spec, "a", 1, 0, 100);
    const Real height = std::cos(shift);
    FunctionLoss::Parts parts;
    parts.dimension = 1;
    parts.sample = [=](SampleId sample, ConstView x, View gradient) {
        const Real angle =
            x[0] - (uniform({.seed = seed, .round = sample, .record = kPhase}) < 0.5 ? shift : -shift);
        gradient[0] = std::sin(angle);
        return -std::cos(angle);
    };
    parts.exact = [=](ConstView x, View gradient) {
        if (!gradient.empty()) gradient[0] = height * std::sin(x[0]);
        return -height * std::cos(x[0]);
    };
    parts.smoothness = SmoothnessFacts{
        .mean = std::abs(height), .mean_square = 1, .largest = 1, .proved = true, .origin = "closed form"};
    parts.infimum = -std::abs(height);
    // The gradient of a sample is sin x cos xi - cos x sin xi. Only the second term varies.
    return {std::make_shared<FunctionLoss>(std::move(parts)), {2}, std::abs(std::sin(shift))};
}

/// A slope that flattens so slowly that every method needs about its worst-case number of steps, and a well
/// in which noise keeps a point moving: f(x) = (1 + x_1^2)^(-p/2) / p + sum_{i>1} x_i^2 / 2. Gradient descent
/// needs K ~ eps^(-(2+p)/(2+2p)) steps to |grad f|^2 <= eps. Samples add sqrt(2) sigma/k sin(k w.x + theta)
/// with w = (1, ..., 1)/sqrt(n) and theta uniform: at every point noise of variance sigma^2 in the gradient,
/// and between two points at most (sigma k |x - y|)^2 of it in the difference.
Sampler make_ramp(const Spec& spec, std::uint64_t seed) {
    const Index n = count_within(spec, "features", 2, 1, 1'000'000);
    const Real power = number_within(spec, "power", 0.05, 1e-3, 2);
    const Real sigma = number_within(spec, "noise", 1, 0, 1e6);
    const Real wave = number_within(spec, "wave", 1, 1e-6, 1e6);
    const Real from = number_within(spec, "from", 1, -1e6, 1e6);
    const Real along = 1 / std::sqrt(static_cast<Real>(n));

    const auto exact = [=](ConstView x, View gradient) {
        const Real square = 1 + x[0] * x[0];
        const Real slope = std::pow(square, -power / 2);
        const ConstView well = x.subspan(1);
        if (!gradient.empty()) {
            gradient[0] = -x[0] * slope / square;
            copy(well, gradient.subspan(1));
        }
        return slope / power + squared_norm(well) / 2;
    };
    FunctionLoss::Parts parts;
    parts.dimension = n;
    parts.exact = exact;
    parts.sample = [=](SampleId sample, ConstView x, View gradient) {
        const Real value = exact(x, gradient);
        const Real phase = 2 * std::numbers::pi * uniform({.seed = seed, .round = sample, .record = kPhase});
        const Real angle = wave * along * sum(x) + phase;
        const Real slope = std::numbers::sqrt2 * sigma * along * std::cos(angle);
        for (Real& entry : gradient) entry += slope;
        return value + std::numbers::sqrt2 * sigma / wave * std::sin(angle);
    };
    // The ramp's second derivative is (1 + x^2)^(-p/2-2) ((1 + p) x^2 - 1): largest in size at 0, where it is
    // -1. The noise is independent of f, so their squares add up.
    parts.smoothness = SmoothnessFacts{.mean = 1,
                                       .mean_square = std::hypot(1, sigma * wave),
                                       .largest = 1 + std::numbers::sqrt2 * sigma * wave,
                                       .proved = true,
                                       .origin = "closed form"};
    parts.infimum = 0;
    std::vector<Real> start(n, 1);
    start[0] = from;
    return {std::make_shared<FunctionLoss>(std::move(parts)), std::move(start), sigma};
}

/// Rows of linear models with standard normal features and `active` weights of size 0.5 to 1.5, spread over
/// the features.
struct LinearLaw {
    explicit LinearLaw(const Spec& spec) : weights(count_within(spec, "features", 20, 1, 1'000'000), 0) {
        const Index active =
            count_within(spec, "active", std::min<Index>(5, weights.size()), 1, weights.size());
        const auto truth = static_cast<std::uint64_t>(spec.count_or("truth", 1));
        for (Index slot = 0; slot < active; ++slot) {
            const Real size = 0.5 + uniform({.seed = truth, .round = 0, .record = kWeight, .sample = slot});
            const bool negative =
                uniform({.seed = truth, .round = 1, .record = kWeight, .sample = slot}) < 0.5;
            weights[slot * weights.size() / active] = negative ? -size : size;
        }
    }

    /// Draws the features; returns their score.
    Real draw(std::uint64_t seed, SampleId sample, View features) const {
        for (Index i = 0; i < features.size(); ++i) {
            features[i] = normal({.seed = seed, .round = sample, .record = kFeature, .sample = i});
        }
        return dot(features, weights);
    }

    std::vector<Real> weights;
};

/// E phi(a.x; y) over a law of rows.
Sampler over_rows(const Spec& spec, const char* fallback, TargetKind target, Index features, RowLaw law) {
    const std::string loss = without_shield(spec.word_or("loss", fallback));
    std::shared_ptr<const PassFamily> family = parse_loss(loss, {.features = features, .intercept = false});
    if (family->target_kind() != target && family->target_kind() != TargetKind::none) {
        throw ConfigError("'" + spec.text() + "': loss=" + loss + " does not fit; take one such as " +
                          fallback);
    }
    std::optional<SmoothnessFacts> facts;
    if (const auto curvature = family->score_curvature()) {
        // Of standard normal a: E a a' = I, and E |a|^2 a a' = (n + 2) I.
        facts = SmoothnessFacts{.mean = *curvature,
                                .mean_square = *curvature * std::sqrt(static_cast<Real>(features) + 2),
                                .largest = kInfinity,
                                .proved = true,
                                .origin = "max |phi''| times moments of normal features"};
    }
    std::vector<Real> start(family->dimension());
    family->start(start, 1);
    return {std::make_shared<RowExpectation>(std::move(family), std::move(law), std::move(facts)),
            std::move(start)};
}

Sampler make_regression(const Spec& spec, std::uint64_t seed) {
    LinearLaw law(spec);
    const Index features = law.weights.size();
    const Real noise = number_within(spec, "noise", 0.1, 0, 1e6);
    const Real outliers = number_within(spec, "outliers", 0.05, 0, 1);
    const Real size = number_within(spec, "outlier_size", 10, 0, 1e6);
    return over_rows(
        spec, "geman-mcclure", TargetKind::number, features,
        [=, law = std::move(law)](SampleId sample, View row) {
            const Draw own{.seed = seed, .round = sample, .record = kNoise, .step = 0, .sample = 0};
            Real target = law.draw(seed, sample, row) + noise * normal(own);
            const Draw gross{.seed = seed, .round = sample, .record = kOutlier, .step = 0, .sample = 0};
            if (uniform(gross) < outliers) {
                const Draw far{.seed = seed, .round = sample, .record = kOutlier, .step = 0, .sample = 1};
                target += size * normal(far);
            }
            return target;
        });
}

Sampler make_classification(const Spec& spec, std::uint64_t seed) {
    LinearLaw law(spec);
    const Index features = law.weights.size();
    const Real noise = number_within(spec, "noise", 0.1, 0, 1e6);
    const Real flips = number_within(spec, "flips", 0.05, 0, 1);
    return over_rows(
        spec, "squared-sigmoid", TargetKind::sign, features,
        [=, law = std::move(law)](SampleId sample, View row) {
            const Draw own{.seed = seed, .round = sample, .record = kNoise, .step = 0, .sample = 0};
            const Draw flip{.seed = seed, .round = sample, .record = kOutlier, .step = 0, .sample = 0};
            const Real score = law.draw(seed, sample, row) + noise * normal(own);
            const Real label = score < 0 ? -1 : 1;
            return uniform(flip) < flips ? -label : label;
        });
}

constexpr auto kSamplers = std::to_array<SamplerRow>({
    {"regression",
     "regression[:features=20,active=5,truth=1,noise=0.1,outliers=0.05,outlier_size=10,loss=geman-mcclure]",
     "phi(a.x; y)", "linear regression with gross errors, on normal features", make_regression},
    {"classification",
     "classification[:features=20,active=5,truth=1,noise=0.1,flips=0.05,loss=squared-sigmoid]", "phi(a.x; y)",
     "linear classification with flipped labels, on normal features", make_classification},
    {"shifted-cosine", "shifted-cosine[:a=1]", "-cos(x - xi), xi = a or -a; f = -cos(a) cos(x)",
     "one variable: what is stationary for a window of samples is not for their law", make_shifted_cosine},
    {"ramp", "ramp[:features=2,power=0.05,noise=1,wave=1,from=1]",
     "(1 + x_1^2)^(-p/2)/p + sum_{i>1} x_i^2/2 + sqrt(2) sigma/k sin(k w.x + theta)",
     "an endless slope beside a noisy well: sample counts grow as in worst cases", make_ramp},
});

}  // namespace

std::span<const SamplerRow> samplers() {
    return kSamplers;
}

Sampler parse_sampler(std::string_view text, std::uint64_t seed) {
    const Spec spec = Spec::parse(text);
    Sampler made = find_row(samplers(), "sampler", spec.name()).make(spec, seed);
    spec.finish();
    return made;
}

}  // namespace proxstream
