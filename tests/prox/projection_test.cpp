// Thresholded projections and total variation against independent slow references, on input that breaks fast
// methods.
#include "proxstream/core/linalg.hpp"
#include "proxstream/prox/balls.hpp"
#include "proxstream/prox/capped_simplex.hpp"
#include "proxstream/prox/simplex.hpp"
#include "proxstream/prox/total_variation.hpp"

#include "prox/simplex_projection.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace proxstream {
namespace {

using Vector = std::vector<Real>;
using Wide = long double;

/// tau by sorting, in extended precision.
Wide sorted_threshold(Vector sizes, Real radius) {
    std::sort(sizes.begin(), sizes.end(), std::greater<>());
    Wide total = 0, tau = 0;
    for (Index k = 0; k < sizes.size(); ++k) {
        total += sizes[k];
        const Wide candidate = (total - radius) / static_cast<Wide>(k + 1);
        if (sizes[k] > candidate) tau = candidate;
    }
    return tau;
}

Vector reference_simplex(const Vector& v, Real radius) {
    const Wide tau = sorted_threshold(v, radius);
    Vector out(v.size());
    for (Index i = 0; i < v.size(); ++i) out[i] = static_cast<Real>(std::max<Wide>(v[i] - tau, 0));
    return out;
}

Vector reference_l1_ball(const Vector& v, Real radius) {
    Vector sizes(v.size());
    std::transform(v.begin(), v.end(), sizes.begin(), [](Real x) { return std::abs(x); });
    if (std::accumulate(sizes.begin(), sizes.end(), Wide{0}) <= radius) return v;
    Vector out = reference_simplex(sizes, radius);
    for (Index i = 0; i < v.size(); ++i) out[i] = std::copysign(out[i], v[i]);
    return out;
}

Vector simplex(const Vector& v, Real radius, Scratch& scratch) {
    Vector out(v.size());
    project_onto_simplex(v, radius, out, scratch);
    return out;
}

Vector l1_ball(const Vector& v, Real radius, Scratch& scratch) {
    Vector out(v.size());
    project_onto_l1_ball(v, radius, out, scratch);
    return out;
}

void expect_near(const Vector& got, const Vector& wanted, Real tolerance) {
    ASSERT_EQ(got.size(), wanted.size());
    for (Index i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], wanted[i], tolerance) << "coordinate " << i;
}

struct Shape {
    std::string name;
    std::function<Real(Index, Index, Real)> entry;  // of i, n and a standard normal
};

const std::vector<Shape>& shapes() {
    static const std::vector<Shape> all = {
        {"normal", [](Index, Index, Real z) { return z; }},
        {"ties", [](Index, Index, Real) { return 0.25; }},
        {"two levels", [](Index i, Index, Real) { return i % 2 == 0 ? 1.0 : 0.999; }},
        {"few non-zeros", [](Index i, Index, Real z) { return i % 97 == 5 ? z : 0.0; }},
        {"all negative", [](Index, Index, Real z) { return -std::abs(z) - 3; }},
        {"ascending", [](Index i, Index n, Real) { return static_cast<Real>(i) / static_cast<Real>(n); }},
        {"descending", [](Index i, Index n, Real) { return -static_cast<Real>(i) / static_cast<Real>(n); }},
        // Newton drops one candidate a step for as long as it can.
        {"geometric", [](Index i, Index, Real) { return -std::ldexp(1.0, -static_cast<int>(i % 60)); }},
        {"denormal", [](Index, Index, Real z) { return 1e-310 * z; }},
        {"heavy tails", [](Index, Index, Real z) { return std::exp(6 * z); }},
        {"far away", [](Index, Index, Real z) { return 1e6 + z; }},
    };
    return all;
}

TEST(SimplexProjection, EqualsSorting) {
    Scratch scratch;
    std::mt19937_64 random(1);
    std::normal_distribution<Real> normal;
    for (const Shape& shape : shapes()) {
        for (const Index n : {1, 2, 3, 15, 16, 17, 255, 256, 257, 3000, 40000}) {
            for (const Real radius : {1e-6, 1.0, 50.0, 1e9}) {
                if (n > 10000 && radius == 50) continue;  // long input once per regime
                SCOPED_TRACE(shape.name + ", n = " + std::to_string(n) + ", radius " +
                             std::to_string(radius));
                Vector v(n);
                for (Index i = 0; i < n; ++i) v[i] = shape.entry(i, n, normal(random));
                const Real tolerance = 4e-15 * radius + 2e-16 * max_abs(v);
                expect_near(simplex(v, radius, scratch), reference_simplex(v, radius), tolerance);
                expect_near(l1_ball(v, radius, scratch), reference_l1_ball(v, radius), tolerance);
            }
        }
    }
}

TEST(SimplexProjection, IsIdempotentAtFullPrecision) {
    Scratch scratch;
    std::mt19937_64 random(2);
    std::normal_distribution<Real> normal;
    for (const Shape& shape : shapes()) {
        for (const Index n : {1, 7, 100, 5000}) {
            SCOPED_TRACE(shape.name + ", n = " + std::to_string(n));
            Vector v(n);
            for (Index i = 0; i < n; ++i) v[i] = shape.entry(i, n, normal(random));
            const Vector p = simplex(v, 3, scratch);
            EXPECT_NEAR(sum(p), 3, 1e-13);
            const Vector again = simplex(p, 3, scratch);
            for (Index i = 0; i < n; ++i)
                ASSERT_NEAR(again[i], p[i], 1e-15 * std::max(p[i], 1.0 / static_cast<Real>(n)));
            const Vector q = l1_ball(v, 3, scratch);
            expect_near(l1_ball(q, 3, scratch), q, 1e-15);
        }
    }
    // A feasible point with exact zeros keeps them.
    Vector feasible(1000);
    for (Index i = 0; i < 1000; i += 4) feasible[i] = 1.0 / 250;
    EXPECT_EQ(simplex(feasible, 1, scratch), feasible);
}

TEST(SimplexProjection, KnownPoints) {
    Scratch scratch;
    // tau = 1 with both leading entries active, as (3 + 1 - 2)/2 = 1 leaves the second at 0: only the first
    // stays.
    EXPECT_EQ(l1_ball({3, 1, -0.5, 0.2}, 2, scratch), (Vector{2, 0, 0, 0}));
    EXPECT_EQ(l1_ball({3, -2, -0.5, 0.2}, 2, scratch), (Vector{1.5, -0.5, 0, 0}));
    EXPECT_EQ(l1_ball({0.5, -0.5}, 2, scratch), (Vector{0.5, -0.5}));
    EXPECT_EQ(simplex({-5}, 1, scratch), (Vector{1}));
    EXPECT_EQ(simplex({-5, -5}, 1, scratch), (Vector{0.5, 0.5}));
    EXPECT_EQ(simplex({}, 1, scratch), Vector{});
    for (const Real x : l1_ball({3, -1e-3}, 1, scratch)) EXPECT_FALSE(std::signbit(x));  // no -0.0
}

TEST(SimplexProjection, ExtremeMagnitudes) {
    Scratch scratch;
    EXPECT_EQ(simplex({1e300, 1e300, -1e300, 0}, 1, scratch), (Vector{0.5, 0.5, 0, 0}));
    EXPECT_EQ(simplex({1e308, 1e308, 1e308, -1e308}, 3, scratch), (Vector{1, 1, 1, 0}));  // the sum overflows
    EXPECT_EQ(l1_ball({1e308, -1e308, 1e308}, 3, scratch), (Vector{1, -1, 1}));
    EXPECT_EQ(simplex({1, 2, 3, 4}, 1e300, scratch), (Vector{2.5e299, 2.5e299, 2.5e299, 2.5e299}));
    EXPECT_EQ(simplex({1e-320, 0, 0, 0}, 4, scratch), (Vector{1, 1, 1, 1}));
    const Vector tiny = simplex(Vector(100, 5), 1e-310, scratch);
    EXPECT_NEAR(sum(tiny), 1e-310, 1e-320);
    Vector wide(300, 1e300);  // beyond one chunk
    wide[7] = -1e300;
    EXPECT_NEAR(sum(simplex(wide, 1, scratch)), 1, 1e-15);
}

TEST(SimplexProjection, RefusesNonFiniteInput) {
    Scratch scratch;
    const Real bad[] = {std::numeric_limits<Real>::quiet_NaN(), kInfinity, -kInfinity};
    for (const Real value : bad) {
        for (const Index n : {1, 5, 300}) {
            for (const Index at : {Index{0}, n / 2, n - 1}) {
                Vector v(n, 0.5);
                v[at] = value;
                Vector out(n);
                EXPECT_TRUE(std::isnan(project_onto_simplex(v, 1, out, scratch)));
                EXPECT_TRUE(std::all_of(out.begin(), out.end(), [](Real x) { return std::isnan(x); }));
                EXPECT_TRUE(std::isnan(project_onto_l1_ball(v, 1, out, scratch)));
                EXPECT_TRUE(std::all_of(out.begin(), out.end(), [](Real x) { return std::isnan(x); }));
                EXPECT_TRUE(std::isnan(l1_ball_level(v, 1, scratch)));
            }
        }
    }
}

TEST(SimplexProjection, ManyExactZeros) {
    // A method that picks pivots among the entries needs n^2 comparisons here; a test that hangs would show
    // it.
    Scratch scratch;
    Vector v(30000);
    for (Index i = 0; i < 10; ++i) v[3000 * i] = 1 + 0.1 * static_cast<Real>(i);
    expect_near(simplex(v, 1, scratch), reference_simplex(v, 1), 1e-15);
    expect_near(l1_ball(v, 1, scratch), reference_l1_ball(v, 1), 1e-15);
    const Index capacity = scratch.capacity();
    for (Real& entry : v) entry = 1;
    simplex(v, 1, scratch);
    simplex(v, 1e6, scratch);
    EXPECT_EQ(scratch.capacity(), capacity);
}

RC_GTEST_PROP(SimplexProjection, MeetsItsOptimalityConditions, ()) {
    // Small integers and powers of two: ties, cancellation and exact feasibility are common.
    const auto small = *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(-6, 7)));
    const Real unit = std::ldexp(1.0, *rc::gen::inRange(-40, 40));
    const Real radius = unit * *rc::gen::inRange(1, 20);
    Vector v;
    for (const int k : small) v.push_back(unit * k);
    Scratch scratch;
    const Vector p = simplex(v, radius, scratch);
    RC_ASSERT(std::abs(sum(p) - radius) <= 1e-14 * radius * static_cast<Real>(v.size()));
    // v - p is one number on the support and no larger elsewhere.
    Real tau = -kInfinity;
    for (Index i = 0; i < v.size(); ++i) {
        if (p[i] > 0) tau = std::max(tau, v[i] - p[i]);
    }
    for (Index i = 0; i < v.size(); ++i) {
        RC_ASSERT(p[i] >= 0);
        RC_ASSERT(v[i] - p[i] <= tau + 1e-14 * (radius + 6 * unit));
        if (p[i] > 0) RC_ASSERT(v[i] - p[i] >= tau - 1e-14 * (radius + 6 * unit));
    }
}

TEST(SimplexProduct, EqualsBlockByBlock) {
    std::mt19937_64 random(3);
    std::normal_distribution<Real> normal;
    std::vector<Index> sizes;
    Vector radii;
    for (int k = 0; k < 2000; ++k) {
        sizes.push_back(1 + random() % 40);
        radii.push_back(0.1 + static_cast<Real>(random() % 30));
    }
    const SimplexProduct product(BlockLayout::of_sizes(sizes), radii);
    const Index n = std::accumulate(sizes.begin(), sizes.end(), Index{0});
    product.check_dimension(n);
    Vector v(n), out(n), direction(n);
    for (Real& entry : v) entry = 5 * normal(random);
    for (Real& entry : direction) entry = normal(random);
    Scratch scratch;
    EXPECT_EQ(product.prox(v, 1, out, scratch), 0);
    EXPECT_EQ(product.value(out, scratch), 0);
    product.project_direction(direction);
    const Index capacity = scratch.capacity();
    Index begin = 0;
    for (Index k = 0; k < sizes.size(); ++k) {
        const auto first = static_cast<std::ptrdiff_t>(begin);
        const auto last = static_cast<std::ptrdiff_t>(begin + sizes[k]);
        const Vector block(v.begin() + first, v.begin() + last);
        expect_near(Vector(out.begin() + first, out.begin() + last), reference_simplex(block, radii[k]),
                    1e-14 * (20 + radii[k]));
        EXPECT_NEAR(sum({direction.data() + begin, sizes[k]}), 0, 1e-13);
        begin += sizes[k];
    }
    product.prox(out, 1, out, scratch);
    EXPECT_EQ(scratch.capacity(), capacity);
}

/// clip(v - tau) with the right total, by bisection in extended precision.
Vector reference_capped(const Vector& v, Real total, const Vector& lo, const Vector& hi) {
    const auto at = [&](Wide tau, Index i) { return std::clamp<Wide>(v[i] - tau, lo[i], hi[i]); };
    Wide low = -1e4, high = 1e4;
    for (int k = 0; k < 200; ++k) {
        const Wide tau = (low + high) / 2;
        Wide reached = 0;
        for (Index i = 0; i < v.size(); ++i) reached += at(tau, i);
        (reached > total ? low : high) = tau;
    }
    Vector out(v.size());
    for (Index i = 0; i < v.size(); ++i) out[i] = static_cast<Real>(at((low + high) / 2, i));
    return out;
}

TEST(CappedSimplex, EqualsBisection) {
    std::mt19937_64 random(4);
    std::normal_distribution<Real> normal;
    Scratch scratch;
    for (int trial = 0; trial < 400; ++trial) {
        const Index n = 1 + random() % 30;
        Vector v(n), lo(n), hi(n);
        Real least = 0, most = 0;
        for (Index i = 0; i < n; ++i) {
            v[i] = trial % 3 == 0 ? std::round(3 * normal(random)) : 10 * normal(random);
            lo[i] = trial % 4 == 0 ? 0 : normal(random);
            hi[i] = lo[i] + (random() % 5 == 0 ? 0 : std::abs(normal(random)));
            least += lo[i];
            most += hi[i];
        }
        for (const Real share : {0.0, 0.3, 1.0}) {
            const Real total = least + share * (most - least);
            const CappedSimplex g(total, lo, hi);
            Vector out(n);
            ASSERT_EQ(g.prox(v, 1, out, scratch), 0);
            ASSERT_EQ(g.value(out, scratch), 0);
            const Vector wanted = reference_capped(v, total, lo, hi);
            // At the ends of the range many tau are right; the point is still unique.
            expect_near(out, wanted, 1e-12);
        }
    }
}

TEST(CappedSimplex, ExtremeMagnitudes) {
    Scratch scratch;
    Vector out(3);
    const CappedSimplex capped(1, 0, 1);
    EXPECT_EQ(capped.prox(Vector{1e300, 1e300, 0}, 1, out, scratch), 0);
    EXPECT_EQ(out, (Vector{0.5, 0.5, 0}));
    capped.prox(Vector{0, 1e-320, -1e300}, 1, out, scratch);
    EXPECT_NEAR(out[0], 0.5, 1e-15);
    EXPECT_EQ(out[2], 0);
    // With bounds that never bind it is a projection onto a hyperplane.
    CappedSimplex(6, -kInfinity, kInfinity).prox(Vector{1, 2, 0}, 1, out, scratch);
    expect_near(out, {2, 3, 1}, 1e-15);
    // No caps: the simplex.
    const Vector v = {0.3, -2, 1.1};
    CappedSimplex(1, 0, kInfinity).prox(v, 1, out, scratch);
    expect_near(out, reference_simplex(v, 1), 1e-15);
    // A total out of reach, without a check of the dimension: an infinite value, not a hang.
    EXPECT_EQ(CappedSimplex(9, 0, 1).prox(v, 1, out, scratch), kInfinity);
}

/// x = v - D'u with |u| <= m, by accelerated projected gradient on the dual.
Vector reference_total_variation(const Vector& v, Real m) {
    const Index n = v.size();
    Vector u(n - 1), ahead(n - 1), x(n);
    const auto primal = [&](const Vector& dual) {
        for (Index i = 0; i < n; ++i) x[i] = v[i] + (i + 1 < n ? dual[i] : 0) - (i > 0 ? dual[i - 1] : 0);
    };
    Real momentum = 1;
    for (int k = 0; k < 20000; ++k) {
        primal(ahead);
        const Real next = (1 + std::sqrt(1 + 4 * momentum * momentum)) / 2;
        for (Index i = 0; i + 1 < n; ++i) {
            const Real moved = std::clamp(ahead[i] + (x[i + 1] - x[i]) / 4, -m, m);
            ahead[i] = moved + (momentum - 1) / next * (moved - u[i]);
            u[i] = moved;
        }
        momentum = next;
    }
    primal(u);
    return x;
}

TEST(TotalVariation, EqualsTheDualSolution) {
    std::mt19937_64 random(6);
    std::normal_distribution<Real> normal;
    Scratch scratch;
    for (int trial = 0; trial < 24; ++trial) {
        const Index n = 2 + random() % 24;
        Vector v(n), out(n);
        Real walk = 0;
        for (Real& entry : v) {
            walk += normal(random);
            entry = trial % 3 == 0 ? std::round(walk) : trial % 3 == 1 ? walk : normal(random);
        }
        for (const Real m : {0.05, 0.7, 30.0}) {
            TotalVariation(m).prox(v, 1, out, scratch);
            expect_near(out, reference_total_variation(v, m), 1e-6);
        }
    }
}

TEST(TotalVariation, MeetsItsOptimalityConditionsOnLongInput) {
    // u_k = sum_{i <= k} (v_i - x_i) stays within [-m, m], is at the end it points to where x jumps, and ends
    // at 0.
    std::mt19937_64 random(7);
    std::normal_distribution<Real> normal;
    Scratch scratch;
    for (const Real m : {0.0, 0.3, 5.0, 1e6}) {
        Vector v(20000), x(20000);
        Real walk = 0;
        for (Real& entry : v) entry = (walk += 0.1 * normal(random)) + normal(random);
        TotalVariation(m).prox(v, 1, x, scratch);
        Real u = 0;
        for (Index k = 0; k < v.size(); ++k) {
            u += v[k] - x[k];
            const Real jump = k + 1 < v.size() ? x[k + 1] - x[k] : 0;
            ASSERT_LE(std::abs(u), m + 1e-7);
            if (std::abs(jump) > 1e-7) {
                ASSERT_NEAR(u, jump > 0 ? -m : m, 1e-7);
            }
        }
        ASSERT_NEAR(u, 0, 1e-7);
    }
}

TEST(TotalVariation, MonotoneAndConstantInput) {
    Scratch scratch;
    Vector out(4);
    // On a ramp only the ends move inwards, by the threshold.
    TotalVariation(0.5).prox(Vector{0, 2, 4, 6}, 1, out, scratch);
    expect_near(out, {0.5, 2, 4, 5.5}, 1e-15);
    TotalVariation(100).prox(Vector{0, 2, 4, 6}, 1, out, scratch);
    expect_near(out, {3, 3, 3, 3}, 1e-14);
    TotalVariation(1).prox(Vector(4, 7), 1, out, scratch);
    expect_near(out, Vector(4, 7), 1e-14);
}

TEST(L2Ball, KeepsTheDirectionOfHugeAndTinyVectors) {
    Scratch scratch;
    const L2Ball ball(5);
    Vector out(2);
    EXPECT_EQ(ball.prox(Vector{3e300, 4e300}, 1, out, scratch), 0);
    expect_near(out, {3, 4}, 1e-14);
    EXPECT_EQ(ball.prox(Vector{3e-320, 0}, 1, out, scratch), 0);
    EXPECT_EQ(out, (Vector{3e-320, 0}));
}

}  // namespace
}  // namespace proxstream
