// The simplex with a price on moving, against a slow twin and against other feasible points.
#include "proxstream/core/linalg.hpp"
#include "proxstream/prox/simplex.hpp"

#include "prox/anchored.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

using Vector = std::vector<Real>;

constexpr Real kKappas[] = {0.05, 0.5, 4};

/// Spread out, on a coarse grid (ties), tiny, large.
Vector draw_splits(std::mt19937_64& random, Index n, int kind) {
    constexpr Real kScales[] = {1, 2, 1e-3, 100};
    std::normal_distribution<Real> normal(0, kScales[kind % 4]);
    Vector v(n);
    for (Real& entry : v) entry = kind % 4 == 1 ? std::round(normal(random)) / 2 : normal(random);
    return v;
}

/// The multiplier by plain bisection, one coordinate at a time.
Vector simplex_twin(const Vector& v, Real pull, const Vector& centre, Real radius) {
    const auto at = [&](Index i, Real tau) {
        const Real up = std::max(v[i] - tau - pull, 0.0), down = std::max(v[i] - tau + pull, 0.0);
        return up > centre[i] ? up : down < centre[i] ? down : centre[i];
    };
    const Real largest = *std::max_element(v.begin(), v.end());
    Real low = largest - pull - radius - 1, high = largest + pull + 1;
    for (int pass = 0; pass < 200; ++pass) {
        const Real tau = (low + high) / 2;
        Real total = 0;
        for (Index i = 0; i < v.size(); ++i) total += at(i, tau);
        (total > radius ? low : high) = tau;
    }
    Vector x(v.size());
    for (Index i = 0; i < v.size(); ++i) x[i] = at(i, high);
    return x;
}

TEST(SwitchingSimplex, AgreesWithBisection) {
    Scratch scratch;
    std::mt19937_64 random(21);
    for (const Index n : {Index{1}, Index{2}, Index{7}, Index{300}}) {
        for (int trial = 0; trial < 120; ++trial) {
            const Real radius = trial % 2 == 0 ? 1 : 3.5;
            const Real kappa = kKappas[trial % 3] * (trial % 4 == 0 ? 0.01 : 1);
            Anchored<Simplex> g(Simplex(radius), {.kappa = kappa}, n);
            const Vector v = draw_splits(random, n, trial);
            Vector centre = draw_splits(random, n, trial / 4), x(n);
            if (trial % 3 != 0) g.unpenalised().prox(centre, 1, centre, scratch);
            g.centre(centre);
            g.prox(v, 0.5, x, scratch);
            const Vector twin = simplex_twin(v, 0.5 * kappa, centre, radius);
            for (Index i = 0; i < n; ++i)
                ASSERT_NEAR(x[i], twin[i], 1e-11 * (1 + max_abs(v))) << n << " " << trial;
            ASSERT_NEAR(sum(x), radius, 1e-14 * static_cast<Real>(n + 8) * radius);
            ASSERT_GE(*std::min_element(x.begin(), x.end()), 0);
        }
    }
}

TEST(SwitchingSimplex, NoFeasiblePointIsBetter) {
    Scratch scratch;
    std::mt19937_64 random(22);
    std::exponential_distribution<Real> exponential;
    constexpr Index kSize = 4;
    for (int trial = 0; trial < 60; ++trial) {
        Anchored<Simplex> g(Simplex(1), {.kappa = kKappas[trial % 3]}, kSize);
        const Vector v = draw_splits(random, kSize, trial % 2);
        Vector centre = draw_splits(random, kSize, trial / 2 % 2), x(kSize), z(kSize);
        g.unpenalised().prox(centre, 1, centre, scratch);
        g.centre(centre);
        const auto objective = [&](const Vector& at) {
            return g.penalty(at) + distance(at, v) * distance(at, v) / 2;
        };
        g.prox(v, 1, x, scratch);
        const Real least = objective(x);
        for (int other = 0; other < 2000; ++other) {
            Real total = 0;
            for (Real& entry : z) total += entry = exponential(random);
            for (Real& entry : z) entry /= total;
            const Real share = std::pow(10.0, -(other % 8));
            for (Index i = 0; i < kSize; ++i) z[i] = x[i] + share * (z[i] - x[i]);
            ASSERT_GE(objective(z), least - 1e-14);
        }
    }
}

TEST(SwitchingSimplex, StaysFeasibleFarAway) {
    // Entries so large that the multiplier's last digit is worth more than the radius.
    Scratch scratch;
    std::mt19937_64 random(23);
    for (const Real scale : {1e6, 1e12, 1e17, 1e100}) {
        for (const Real kappa : {1e-3, 1.0, 1e9, 1e16}) {
            for (int trial = 0; trial < 6; ++trial) {
                constexpr Index kSize = 9;
                Anchored<Simplex> g(Simplex(1), {.kappa = kappa}, kSize);
                Vector v = draw_splits(random, kSize, trial % 2), centre(kSize, 1.0 / kSize);
                for (Real& entry : v) entry = trial < 3 ? scale * entry : scale + entry;
                g.centre(centre);
                const Real value = g.prox(v, 1, v, scratch);
                ASSERT_TRUE(std::isfinite(value)) << scale << " " << kappa;
                ASSERT_NEAR(sum(v), 1, 1e-12);
                ASSERT_GE(*std::min_element(v.begin(), v.end()), 0);
            }
        }
    }
}

TEST(SwitchingSimplex, ChangesFewerCoordinates) {
    // What the penalty is for: after a step, coordinates that gain too little stay where they were.
    Scratch scratch;
    std::mt19937_64 random(24);
    constexpr Index kSize = 200;
    Vector centre = draw_splits(random, kSize, 2), v(kSize), x(kSize);
    Anchored<Simplex> g(Simplex(1), {.kappa = 1e-3}, kSize);
    g.unpenalised().prox(centre, 1, centre, scratch);
    step_along(centre, 1, draw_splits(random, kSize, 2), v);
    g.centre(centre);
    const auto changed = [&] {
        Index count = 0;
        for (Index i = 0; i < kSize; ++i) count += x[i] != centre[i] ? 1 : 0;
        return count;
    };
    g.unpenalised().prox(v, 1, x, scratch);
    const Index without = changed();
    g.prox(v, 1, x, scratch);
    EXPECT_LT(changed(), without * 2 / 3);
    EXPECT_GT(changed(), Index{0});
}

}  // namespace
}  // namespace proxstream
