/// Claims about exact gradients: Theorems 1 and 3, Corollary 2.
#include "proxstream/core/draw.hpp"

#include "studies/errata.hpp"
#include "studies/learners.hpp"

#include <algorithm>
#include <cmath>

namespace proxstream {
namespace {

/// f = 0, g = |x|, x_1 = 5: no window is stationary at x_1, but the proof assumes it of the window before
/// the first round.
Trial first_round(Index window, Cell& cell) {
    constexpr Real kDelta = 0.01;
    const auto learner = make_learner({.reg = "l1:1", .start = {5}}, paper_learner(window, kDelta));
    const Certificate run = play(*learner, window, cell, [](Round, ConstView) { return line(0); });
    const auto length = static_cast<Real>(window);
    return {2 / square(length) * length * square(kDelta), run.summary.regret, run.at("C3c").right};
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

/// Each bump pushes the point ahead of all earlier bumps. A fixed x lies in two or three bumps, x_t in one
/// every round.
Trial variation(Index rounds, Cell& cell) {
    constexpr Index kWindow = 10;
    constexpr Real kDelta = 0.1;
    const auto learner = make_learner({.step = 0.5, .smoothness = 1}, paper_learner(kWindow, kDelta));
    std::vector<Real> centres;
    const Certificate run = play(*learner, rounds, cell, [&](Round, ConstView x) {
        centres.push_back(x[0]);
        return bump(x[0]);
    });
    const Real claimed = 2 / square(kWindow) *
                         (static_cast<Real>(rounds) * square(kDelta) + largest_variation(centres, kWindow));
    return {claimed, run.summary.regret, run.at("C3c").right};
}

/// Every round crosses the interval (see study steps).
Trial updates(Index rounds, Cell& cell) {
    constexpr Index kWindow = 21;
    constexpr Real kDelta = 0.999;
    const auto learner = make_learner({.reg = "box:-1,1"}, paper_learner(kWindow, kDelta));
    const Certificate run =
        play(*learner, rounds, cell, [](Round t, ConstView) { return line(t % 2 == 0 ? 1 : -1); });
    return {2 * square(kWindow) / square(kDelta), static_cast<Real>(run.summary.totals.steps),
            2 * static_cast<Real>(kWindow) * static_cast<Real>(rounds) / square(kDelta)};
}

/// Sums over runs and rounds w..2w of Corollary 2's set-up.
struct FittedSums {
    Real stationarity = 0, gaps = 0, differences = 0, counted = 0;
    Real variation = 0;  // at 0, where it is largest but for chance
};

constexpr Real kPhase = 0.8;  // a

void add_fitted_run(Index window, Index run, FittedSums& sums, Cell& cell) {
    const auto learner = make_learner({.step = 0.9, .smoothness = 1}, paper_learner(window, 0.01));
    std::vector<Real> signs;
    Real total = 0;  // of the window's signs
    Real here = 0;   // x_t
    play(
        *learner, 2 * window, cell,
        [&](Round t, ConstView x) {
            here = x[0];
            const Real sign = uniform({.seed = cell.seed, .round = t, .sample = run}) < 0.5 ? -1 : 1;
            const Real leaving = t <= window ? 0 : signs[t - 1 - window];
            signs.push_back(sign);
            total += sign - leaving;
            sums.variation += square(std::sin(kPhase) * (sign - leaving));
            return wave(kPhase * sign);
        },
        [&](const RoundReport& report) {
            if (report.round < window) return;
            sums.stationarity += square(std::cos(kPhase) * std::sin(here));
            sums.gaps += square(report.entry_gap);
            sums.differences += square(std::sin(kPhase) * total / static_cast<Real>(window));
            ++sums.counted;
        });
}

/// x_t was fitted to the losses of its window, so it is not independent of them: the order is 1/w. Corrected:
/// grad S_t and grad f differ by e_t = sin(a) |mean of the signs|, whatever x, so that
/// E|grad f(x_t)|^2 <= (sqrt(E R_t^2) + sqrt(E e_t^2))^2. In units of sin^2(a)/w, the variance of the
/// window's mean gradient.
template <Index kTotal, Index kMore>
Trial fitted(Index window, Cell& cell) {
    const Index runs = kTotal / window + kMore;
    FittedSums sums;
    for (Index run = 0; run < runs && !cell.interrupted; ++run) add_fitted_run(window, run, sums, cell);
    const auto length = static_cast<Real>(window);
    const Real unit = square(std::sin(kPhase)) / length;
    const Real mean_variation = sums.variation / (2 * length * static_cast<Real>(runs));
    return {4 * (square(0.01) + mean_variation) / square(length) / unit,
            sums.stationarity / sums.counted / unit,
            square(std::sqrt(sums.gaps / sums.counted) + std::sqrt(sums.differences / sums.counted)) / unit};
}

}  // namespace

std::vector<Erratum> exact_errata(bool full) {
    const std::string group = "exact gradients";
    using Values = std::vector<Index>;
    return {{.group = group,
             .name = "Theorem 1, first round",
             .quantity = "Reg",
             .set_up = "f_t = 0, g = |x|, x_1 = 5, w = T = 10, eta = 1, delta = 0.01",
             .parameter = "T",
             .values = {10},
             .least_ratio = 10'000,
             .run = first_round},
            {.group = group,
             .name = "Theorem 1, V as a supremum",
             .quantity = "Reg",
             .set_up = "g = 0, f_t' = -max(0, 1 - |x - x_t|), w = 10, eta = 0.5, delta = 0.1",
             .parameter = "T",
             .values = full ? Values{200, 1000, 5000} : Values{200, 1000},
             .least_ratio = 25,
             .run = variation},
            {.group = group,
             .name = "Theorem 3",
             .quantity = "updates N",
             .set_up = "g = indicator of [-1, 1], f_t = (-1)^t x, w = 21, eta = 1, delta = 0.999",
             .parameter = "T",
             .values = full ? Values{1000, 10'000, 100'000} : Values{300, 1000, 3000},
             .least_ratio = 100,
             .ratio_slope = Bounds{0.95, 1.1},
             .run = updates},
            {.group = group,
             .name = "Corollary 2",
             .quantity = "w E|grad f(x_t)|^2 / sin^2 a",
             .set_up = "g = 0, f_t = -cos(x - xi_t), xi_t = +-a with fair coins, a = 0.8, T = 2w, t in w..T, "
                       "eta = 0.9, delta = 0.01",
             .parameter = "w",
             .values = full ? Values{20, 100, 500, 2000} : Values{20, 100},
             .random = true,
             .least_ratio = 8,
             .ratio_slope = Bounds{0.8, 1.2},
             .range = Bounds{0.6, 1.4},
             .run = full ? fitted<20'000, 5> : fitted<2000, 2>}};
}

}  // namespace proxstream
