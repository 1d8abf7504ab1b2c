// (G1) and (G2): what recursive differences cost and reach, on a mean of robust distances.

#include "proxstream/core/draw.hpp"
#include "proxstream/core/linalg.hpp"

#include "support/noisy_learner.hpp"
#include "support/probe.hpp"

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

using Kind = EstimatorOptions::Kind;

/// f is the mean of robust distances to many centres, of which a base sample is one: sigma_0^2 <= n/4, and a
/// sample moves no faster than its point (L = 1 in the mean square).
class Cloud {
  public:
    static constexpr Index kCentres = 60;
    static constexpr Index kDimension = 2;
    static constexpr Real kNoise = 0.25 * kDimension;  // sigma_0^2

    static Real centre(Index i, Index j) {
        return 2 * normal({70, 0, static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j), 0});
    }
    static Real slope(Index i, Index j, Real x) {
        const Real r = x - centre(i, j);
        return r / (1 + r * r);
    }
    static std::vector<Real> gradient(ConstView x) {
        std::vector<Real> out(kDimension);
        for (Index i = 0; i < kCentres; ++i)
            for (Index j = 0; j < kDimension; ++j) out[j] += slope(i, j, x[j]) / kCentres;
        return out;
    }
    static Real value(ConstView x) {
        Real total = 0;
        for (Index i = 0; i < kCentres; ++i)
            for (Index j = 0; j < kDimension; ++j)
                total += std::log1p(square(x[j] - centre(i, j))) / 2 / kCentres;
        return total;
    }
    static AnyOracle oracle() {
        return AnyOracle(CallbackOracle(
            [](Round, ConstView x, const Draw& draw, std::vector<Real>& gradient) {
                const Index i = uniform_below(draw, kCentres);
                for (Index j = 0; j < kDimension; ++j) gradient[j] = slope(i, j, x[j]);
            },
            1, {.base_noise = std::sqrt(kNoise)}));
    }
    static FunctionFamily::Record loss() {
        return [](ConstView x, View gradient) {
            if (!gradient.empty()) copy(Cloud::gradient(x), gradient);
            return value(x);
        };
    }
};

/// g = 0 that remembers where each prox-gradient step led.
struct Path {
    std::vector<std::vector<Real>>* points;
    Real value(ConstView /*x*/, Scratch& /*scratch*/) const { return 0; }
    Real prox(ConstView v, Real /*step*/, View out, Scratch& /*scratch*/) const {
        copy(v, out);
        points->emplace_back(out.begin(), out.end());
        return 0;
    }
};

NoisySmoothedOptions spider_options(Real step, Real delta, std::uint64_t root, std::uint64_t seed) {
    NoisySmoothedOptions options;
    options.step = step;
    options.smoothness = 1;
    options.delta = delta;
    options.estimator = {.kind = Kind::spider, .batch = 2 * root * root, .samples = root, .restart = root};
    options.seed = seed;
    return options;
}

TEST(SpiderTheorems, ARandomPointOfThePathIsAsStationaryAsProved) {
    // (G1): eta = 1/(3L), q = b = sqrt(B/2).
    const std::vector<Real> start{6, -5};
    const Real fall = Cloud::value(start);  // at least f(x_1) - inf f
    for (const std::uint64_t root : {3U, 10U}) {
        for (const std::uint64_t steps : {20U, 120U}) {
            const Real batch = 2 * static_cast<Real>(root * root);
            Real mean = 0;
            const std::uint64_t seeds = long_runs() ? 400 : 40;
            for (std::uint64_t seed = 0; seed < seeds; ++seed) {
                NoisySmoothedOptions options = spider_options(1.0 / 3, 1e-300, root, seed);
                options.budget.max_steps = steps;
                options.refereed = false;
                std::vector<std::vector<Real>> points;
                const auto learner =
                    make_noisy_learner(Cloud::oracle(), options, AnyRegulariser(Path{&points}), start);
                points.clear();
                const RoundReport report = learner->observe(Cloud::loss());
                ASSERT_EQ(report.status, RoundStatus::budget_exhausted);
                ASSERT_EQ(points.size(), steps + 1);  // the last one was tried, not taken
                for (Index k = 0; k < steps; ++k)
                    mean += squared_norm(Cloud::gradient(k == 0 ? start : points[k - 1]));
                EXPECT_LE(static_cast<Real>(report.cost.base_samples),
                          batch + 2 * std::sqrt(2 * batch) * static_cast<Real>(steps));
            }
            mean /= static_cast<Real>(seeds * steps);
            const Real bound = 13.34 * fall / static_cast<Real>(steps) + 8.67 * Cloud::kNoise / batch;
            RecordProperty("ratio_" + std::to_string(root) + "_" + std::to_string(steps),
                           std::to_string(mean / bound));
            EXPECT_LE(mean, bound);
            EXPECT_GT(mean, 0.001 * bound);
        }
    }
}

TEST(SpiderTheorems, AStoppedLoopTakesAsManyStepsAndSamplesAsProved) {
    // (G2): eta = 1/(2L), B >= 8 sigma_0^2/rho^2, q = b = sqrt(B/2).
    const std::vector<Real> start{6, -5};
    const Real fall = Cloud::value(start);
    for (const std::uint64_t root : {12U, 40U}) {
        const Real batch = 2 * static_cast<Real>(root * root);
        const Real tolerance = std::sqrt(8 * Cloud::kNoise / batch);
        Real steps = 0;
        Real samples = 0;
        Real kept = 0;
        const Real seeds = long_runs() ? 2000 : 100;
        for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(seeds); ++seed) {
            const RoundReport report =
                make_noisy_learner(Cloud::oracle(), spider_options(0.5, tolerance, root, seed), "zero", start)
                    ->observe(Cloud::loss());
            EXPECT_NE(report.status, RoundStatus::budget_exhausted);
            steps += static_cast<Real>(report.steps) / seeds;
            samples += static_cast<Real>(report.cost.base_samples) / seeds;
            kept += square(report.kept_noise) / seeds;
        }
        const Real bound = 16 * fall / square(tolerance) + static_cast<Real>(root) + 1;
        const std::string at = "_" + std::to_string(root);
        RecordProperty("steps_ratio" + at, std::to_string(steps / bound));
        RecordProperty("samples_ratio" + at,
                       std::to_string(samples / (batch + 2 * std::sqrt(2 * batch) * steps)));
        RecordProperty("kept_noise_ratio" + at, std::to_string(kept / (Cloud::kNoise / batch)));
        EXPECT_LE(steps, bound);
        EXPECT_GT(steps, 1);
        EXPECT_LE(samples, batch + 2 * std::sqrt(2 * batch) * steps);
    }
}

}  // namespace
}  // namespace proxstream
