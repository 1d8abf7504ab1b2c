/// Claims about sampled gradients: Theorems 2, 4 and 5, with Algorithm 2 as it is printed.
#include "proxstream/core/draw.hpp"

#include "study/across_noise.hpp"
#include "study/errata.hpp"
#include "study/function_learner.hpp"
#include "study/played_run.hpp"

#include <cmath>

#include <fmt/format.h>

namespace proxstream {
namespace {

constexpr const char* kSampledGroup = "sampled gradients";

using Variant = EstimatorOptions::Kind;

NoisySetting setting_of(Variant variant, AnyOracle oracle, std::string text, std::uint64_t seed) {
    NoisySetting setting{std::move(oracle), std::move(text)};
    setting.estimator.kind = variant;
    setting.seed = seed;
    return setting;
}

/// What variance alone proves of the regret, (D-var), with this run's E_T and N in place of their means.
/// `level` is s, `tolerance` rho; L = 0.
Real variance_bound(const PlayedRun& run, Real step, Real level, Real tolerance) {
    const RunSummary& summary = run.certificate.summary;
    const Real rounds = run.rounds();
    const Real tests = rounds + static_cast<Real>(summary.totals.steps);
    const Real paid =
        summary.energy / step + square(level) * tests + tolerance * level * std::sqrt(rounds * tests);
    const Real way = 2 * (paid + rounds * square(tolerance)) + 2 * square(level) * tests;
    const Real exits = 4 * rounds * square(tolerance) + 4 * level * std::sqrt(rounds * way);
    const auto window = static_cast<Real>(run.certificate.header.window);
    return square(std::sqrt(exits) + std::sqrt(summary.variation) / window);
}

/// A gradient that drops out passes the test wherever the point is. The sign flips every w rounds; the
/// interval is wide enough for the point to swing in its interior. All of w^2 Reg/T, after burn-in. (D-var)
/// is proved where rounds begin with fresh estimates.
Trial dropout(Index window, std::uint64_t seed, StopFlag stop, Variant variant) {
    constexpr Round kPeriods = 5;
    constexpr Real kBound = 1e4;  // M
    constexpr Real kDelta = 1.5;  // sigma = eta = 1
    const auto length = static_cast<Real>(window);
    const Real slope = std::pow(kBound / std::pow(length, 3), 0.25);
    const Real odds = 1 / square(length * slope);
    const Real chance = odds / (1 + odds);
    const Real width = kBound / slope;
    const FunctionProblem problem{
        .reg = fmt::format("box:0,{:.17g}", width), .start = {0.1 * width}, .window = window, .step = 1};
    const NoiseModel model{.kind = NoiseModel::Kind::dropout, .sigma = chance};
    const auto learner =
        make_noisy(problem, kDelta,
                   setting_of(variant, AnyOracle(NoisyOracle(model, 1, false)), "dropout, shared", seed));
    Real regret = 0;
    const PlayedRun run = play(
        *learner, kPeriods * window, stop,
        [&](Round t, ConstView) { return line(((t - 1) / window) % 2 == 0 ? -slope : slope); },
        [&](const RoundReport& report) {
            if (report.round > window) regret += square(report.entry_residual);
        });
    Trial trial;
    note_run(run, "run", trial.cell);
    const Real scored = run.rounds() - length;
    trial.claimed = 2 * (square(kDelta) + 7) + 6 * square(2 * slope);
    trial.measured = square(length) * regret / scored;
    if (variant == Variant::fresh) {
        trial.corrected = square(length) * variance_bound(run, 1, 1 / length, kDelta / length) / run.rounds();
    }
    return trial;
}

/// Where its push outwards equals the pull inwards the point goes round for ever.
constexpr AcrossNoise kPlane{.step = 4, .smoothness = 0.1, .radius = 20};

/// delta = sigma passes (23), 2/(eta (1 - eta L)) = 0.83 < 1, and fails c delta^2 > sigma^2, 0.8 < 1.
/// Claimed and measured: the probability of more than K updates.
Trial endless(Index most_steps, std::uint64_t seed, StopFlag /*stop*/) {
    const Real circle = kPlane.circle();
    const auto learner = kPlane.learner(circle, 1, most_steps, seed);
    const RoundReport report = kPlane.round(*learner);
    const Real room = kPlane.step * (1 - kPlane.step * kPlane.smoothness) - 2;
    Trial trial;
    trial.claimed =
        (kPlane.value(circle) + kPlane.value(kPlane.radius)) / (2 * room * static_cast<Real>(most_steps));
    trial.measured = report.status == RoundStatus::budget_exhausted ? 1 : 0;
    trial.corrected = 1;
    return trial;
}

/// The same with delta^2 = 1.5 sigma^2, from far outside: c delta^2 = 1.2 sigma^2, and Theorem 4' bounds the
/// mean of N.
Trial ending(Index /*value*/, std::uint64_t seed, StopFlag /*stop*/) {
    const Real delta = std::sqrt(1.5);
    const auto learner = kPlane.learner(kPlane.radius, delta, 100'000, seed);
    Trial trial;
    trial.measured = static_cast<Real>(kPlane.round(*learner).steps);
    const Real c = 1 - kPlane.step * kPlane.smoothness / 2;
    trial.corrected = (kPlane.value(kPlane.radius) / kPlane.step + 1) / (c * square(delta) - 1);
    return trial;
}

/// Theorem 3's adversary with noise of length sigma/w at most: eta = 0.5, delta = 0.8, sigma = 0.1 satisfy
/// Theorem 5, and no noise that small keeps a round from walking all the way.
Trial noisy_updates(Index rounds, std::uint64_t seed, StopFlag stop) {
    constexpr Index kWindow = 9;
    constexpr Real kStep = 0.5;
    constexpr Real kDelta = 0.8;
    constexpr Real kSigma = 0.1;
    const NoiseModel model{.kind = NoiseModel::Kind::sphere, .sigma = kSigma / kWindow};
    const auto learner = make_noisy(
        {.reg = "box:-1,1", .start = {0}, .window = kWindow, .step = kStep}, kDelta,
        setting_of(Variant::paper, AnyOracle(NoisyOracle(model, 1, false)), "sphere, shared", seed));
    const PlayedRun run = play(
        *learner, rounds, stop, [](Round t, ConstView) { return line(t % 2 == 0 ? 1 : -1); },
        [](const RoundReport&) {});
    Trial trial;
    note_run(run, "run", trial.cell);
    trial.claimed = 4 * square(kWindow) / ((1 - kStep) * kStep * square(kDelta) - square(kSigma));
    trial.measured = static_cast<Real>(run.certificate.summary.totals.steps);
    trial.corrected =
        2 * static_cast<Real>(kWindow) * static_cast<Real>(rounds) / (kStep * kDelta * (kDelta - kSigma));
    return trial;
}

}  // namespace

std::vector<Erratum> sampled_errata(StudyPreset preset) {
    const bool full = preset == StudyPreset::full;
    using Values = std::vector<Index>;
    return {
        {.group = kSampledGroup,
         .name = "Theorem 2",
         .quantity = "w^2 Reg/T",
         .set_up =
             "[0, M/A], f_t = -+A x, the sign flips every w rounds, A^4 = M/w^3, M = 10000, eta = sigma = "
             "1, delta = 1.5; gradients drop out with the probability that makes their variance "
             "sigma^2/w^2, all of the window at once; rounds begin with kept samples, as printed",
         .parameter = "w",
         .values = full ? Values{16, 64, 256, 1024} : Values{16, 64},
         .random = true,
         .proved = false,
         .least_ratio = 5,
         .growth = Growth{.of_ratio = false, .low = 0.4, .high = 0.6},
         .run = [](Index window, std::uint64_t seed,
                   StopFlag stop) { return dropout(window, seed, stop, Variant::paper); }},
        {.group = kSampledGroup,
         .name = "Theorem 2, fresh samples",
         .quantity = "w^2 Reg/T",
         .set_up = "the same, but rounds begin with fresh samples; corrected: (D-var)",
         .parameter = "w",
         .values = full ? Values{16, 64, 256} : Values{16, 64},
         .random = true,
         .least_ratio = 5,
         .growth = Growth{.of_ratio = false, .low = 0.4, .high = 0.6},
         .run = [](Index window, std::uint64_t seed,
                   StopFlag stop) { return dropout(window, seed, stop, Variant::fresh); }},
        {.group = kSampledGroup,
         .name = "Theorem 4",
         .quantity = "P(more than K updates in a round)",
         .set_up =
             "f = 0.05 |x|^2 in the plane, noise of length 1 across the gradient, |x_1| = 5, w = 1, eta = 4, "
             "delta = sigma = 1",
         .parameter = "K",
         .values = full ? Values{10'000, 1'000'000} : Values{1000, 10'000},
         .random = true,
         .least_ratio = 100,
         .run = endless},
        {.group = kSampledGroup,
         .name = "Theorem 4'",
         .quantity = "updates of a round",
         .set_up = "the same with delta^2 = 1.5 and |x_1| = 20: c delta^2 = 1.2 sigma^2",
         .parameter = "",
         .values = {1},
         .random = true,
         .run = ending},
        {.group = kSampledGroup,
         .name = "Theorem 5",
         .quantity = "updates N",
         .set_up = "as Theorem 3 with w = 9, eta = 0.5, delta = 0.8, and noise +-sigma/w, sigma = 0.1",
         .parameter = "T",
         .values = full ? Values{300, 3000, 30'000} : Values{300, 1000, 3000},
         .random = true,
         .least_ratio = 5,
         .growth = Growth{.low = 0.9, .high = 1.1},
         .run = noisy_updates},
    };
}

}  // namespace proxstream
