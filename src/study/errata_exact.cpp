/// Claims about exact gradients: Theorems 1 and 3, Corollary 2.
#include "proxstream/core/draw.hpp"

#include "study/errata.hpp"
#include "study/function_learner.hpp"
#include "study/played_run.hpp"

#include <algorithm>
#include <cmath>

namespace proxstream {
namespace {

constexpr const char* kExactGroup = "exact gradients";

Trial trial_of(const PlayedRun& run, Real claimed, Real measured, Real corrected) {
    Trial trial{claimed, measured, corrected};
    note_run(run, "run", trial.cell);
    return trial;
}

/// f = 0, g = |x|, x_1 = 5: no window is stationary at x_1, and the proof takes the one before the first
/// round for it.
Trial first_round(Index window, std::uint64_t /*seed*/, StopFlag stop) {
    constexpr Real kDelta = 0.01;
    const auto learner = make_smoothed({.reg = "l1:1", .start = {5}, .window = window, .step = 1}, kDelta);
    const PlayedRun run = play(
        *learner, window, stop, [](Round, ConstView) { return line(0); }, [](const RoundReport&) {});
    const auto length = static_cast<Real>(window);
    return trial_of(run, 2 / square(length) * length * square(kDelta), run.certificate.summary.regret,
                    run.certificate.at("C3c").right);
}

/// A push at the present point: slope -1 there, 0 at a distance of 1 and beyond.
Real push(Real centre, Real x) {
    return -std::max<Real>(0, 1 - std::abs(x - centre));
}

LossFunction bump(Real centre) {
    return [centre](ConstView x, View gradient) {
        if (!gradient.empty()) gradient[0] = push(centre, x[0]);
        const Real u = std::clamp<Real>(x[0] - centre, -1, 1);
        return -(u - u * std::abs(u) / 2);
    };
}

/// sup over x of sum_t |f_t'(x) - f_{t-w}'(x)|^2 for bumps at `centres`, on a grid.
Real largest_variation(const std::vector<Real>& centres, Index window) {
    constexpr Real kGrid = 0.05;
    const auto [first, last] = std::minmax_element(centres.begin(), centres.end());
    const Real origin = *first - 1;
    std::vector<Real> sums(static_cast<Index>((*last + 1 - origin) / kGrid) + 2);
    for (Index t = 0; t < centres.size(); ++t) {
        const Real left = t < window ? centres[t] : std::min(centres[t], centres[t - window]);
        const Real right = t < window ? centres[t] : std::max(centres[t], centres[t - window]);
        const auto begin = static_cast<Index>((left - 1 - origin) / kGrid);
        const auto end = std::min(static_cast<Index>((right + 1 - origin) / kGrid) + 1, sums.size());
        for (Index i = begin; i < end; ++i) {
            const Real x = origin + kGrid * static_cast<Real>(i);
            sums[i] += square(push(centres[t], x) - (t < window ? 0 : push(centres[t - window], x)));
        }
    }
    return *std::max_element(sums.begin(), sums.end());
}

/// Each bump pushes the point ahead of all earlier ones: a fixed x meets two or three in its life, x_t one
/// every round.
Trial variation(Index rounds, std::uint64_t /*seed*/, StopFlag stop) {
    constexpr Index kWindow = 10;
    constexpr Real kDelta = 0.1;
    const auto learner = make_smoothed({.window = kWindow, .step = 0.5, .smoothness = 1}, kDelta);
    std::vector<Real> centres;
    const PlayedRun run = play(
        *learner, rounds, stop,
        [&](Round, ConstView x) {
            centres.push_back(x[0]);
            return bump(x[0]);
        },
        [](const RoundReport&) {});
    const Real claimed = 2 / square(kWindow) *
                         (static_cast<Real>(rounds) * square(kDelta) + largest_variation(centres, kWindow));
    return trial_of(run, claimed, run.certificate.summary.regret, run.certificate.at("C3c").right);
}

/// Every round walks from one end to the other (study steps has more of it).
Trial updates(Index rounds, std::uint64_t /*seed*/, StopFlag stop) {
    constexpr Index kWindow = 21;
    constexpr Real kDelta = 0.999;
    const auto learner = make_smoothed({.reg = "box:-1,1", .window = kWindow, .step = 1}, kDelta);
    const PlayedRun run = play(
        *learner, rounds, stop, [](Round t, ConstView) { return line(t % 2 == 0 ? 1 : -1); },
        [](const RoundReport&) {});
    const auto count = static_cast<Real>(run.certificate.summary.totals.steps);
    return trial_of(run, 2 * square(kWindow) / square(kDelta), count,
                    2 * static_cast<Real>(kWindow) * static_cast<Real>(rounds) / square(kDelta));
}

/// x_t was fitted to the losses of its window, so it is not independent of them: the order is 1/w. Corrected:
/// grad S_t and grad f differ by gap_t = sin(a) |mean of the signs|, whatever x, so that
/// E|grad f(x_t)|^2 <= (sqrt(E R_t^2) + sqrt(E gap_t^2))^2.
Trial fitted(Index window, std::uint64_t seed, StopFlag stop, Index runs) {
    constexpr Real kDelta = 0.01;
    const auto length = static_cast<Real>(window);
    Trial trial;
    Real stationarity = 0;  // sums over runs and rounds w..2w
    Real residuals = 0;
    Real gaps = 0;
    Real variation = 0;  // at 0, where it is largest but for chance
    Real counted = 0;
    for (Index run = 0; run < runs; ++run) {
        const auto learner = make_smoothed({.window = window, .step = 0.9, .smoothness = 1}, kDelta);
        std::vector<Real> signs;
        Real total = 0;  // of the window's signs
        Real here = 0;   // x_t
        const PlayedRun played = play(
            *learner, 2 * window, stop,
            [&](Round t, ConstView x) {
                here = x[0];
                const Real sign = uniform({.seed = seed, .round = t, .sample = run}) < 0.5 ? -1 : 1;
                const Real leaving = t <= window ? 0 : signs[t - 1 - window];
                signs.push_back(sign);
                total += sign - leaving;
                variation += square(std::sin(kFittedPhase) * (sign - leaving));
                return wave(kFittedPhase * sign);
            },
            [&](const RoundReport& report) {
                if (report.round < window) return;
                stationarity += square(std::cos(kFittedPhase) * std::sin(here));
                residuals += square(report.entry_residual);
                gaps += square(std::sin(kFittedPhase) * total / length);
                ++counted;
            });
        note_run(played, "run", trial.cell);
        if (trial.cell.interrupted) return trial;
    }
    const Real mean_variation = variation / (2 * length * static_cast<Real>(runs));
    trial.claimed = 4 * (square(kDelta) + mean_variation) / square(length);
    trial.measured = stationarity / counted;
    trial.corrected = square(std::sqrt(residuals / counted) + std::sqrt(gaps / counted));
    return trial;
}

}  // namespace

Erratum fitted_erratum(StudyPreset preset) {
    const bool full = preset == StudyPreset::full;
    const auto runs = [full](Index window) { return (full ? 20'000U : 2'000U) / window + (full ? 5U : 2U); };
    using Values = std::vector<Index>;
    return {.group = kExactGroup,
            .name = "Corollary 2",
            .quantity = "E|grad f(x_t)|^2",
            .set_up =
                "g = 0, f_t = -cos(x - xi_t), xi_t = +-0.8 with fair coins, T = 2w, t in w..T, eta = 0.9, "
                "delta = 0.01",
            .parameter = "w",
            .values = full ? Values{20, 100, 500, 2000} : Values{20, 100},
            .random = true,
            .least_ratio = 8,
            .growth = Growth{.low = 0.8, .high = 1.2},
            .run = [runs](Index window, std::uint64_t seed, StopFlag stop) {
                return fitted(window, seed, stop, runs(window));
            }};
}

std::vector<Erratum> exact_errata(StudyPreset preset) {
    const bool full = preset == StudyPreset::full;
    using Values = std::vector<Index>;
    return {
        {.group = kExactGroup,
         .name = "Theorem 1, first round",
         .quantity = "Reg",
         .set_up = "f_t = 0, g = |x|, x_1 = 5, w = T = 10, eta = 1, delta = 0.01",
         .parameter = "T",
         .values = {10},
         .least_ratio = 10'000,
         .run = first_round},
        {.group = kExactGroup,
         .name = "Theorem 1, V as a supremum",
         .quantity = "Reg",
         .set_up = "g = 0, f_t' = -max(0, 1 - |x - x_t|), w = 10, eta = 0.5, delta = 0.1",
         .parameter = "T",
         .values = full ? Values{200, 1000, 5000} : Values{200, 1000},
         .least_ratio = 25,
         .run = variation},
        {.group = kExactGroup,
         .name = "Theorem 3",
         .quantity = "updates N",
         .set_up = "g = indicator of [-1, 1], f_t = (-1)^t x, w = 21, eta = 1, delta = 0.999",
         .parameter = "T",
         .values = full ? Values{1000, 10'000, 100'000} : Values{300, 1000, 3000},
         .least_ratio = 100,
         .growth = Growth{.low = 0.95, .high = 1.1},
         .run = updates},
        fitted_erratum(preset),
    };
}

}  // namespace proxstream
