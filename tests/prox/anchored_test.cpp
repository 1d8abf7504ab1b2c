// g + kappa |. - centre|_1 + (mu/2) |. - centre|^2 against slow searches and against the definition of a
// prox.
#include "prox/anchored.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/core/linalg.hpp"
#include "proxstream/prox/regulariser_table.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

using Vector = std::vector<Real>;
using Pulled = Anchored<AnyRegulariser>;

struct PulledCase {
    std::string text;
    Index n;
    bool set = false;  // an indicator
};

const std::vector<PulledCase>& supported() {
    static const std::vector<PulledCase> all = {
        {"zero", 5},
        {"linear:0.7", 4},
        {"linear:slopes=1;-2;0", 3},
        {"l1:0.4", 7},
        {"l1:weights=0;1;2", 3},
        {"nonneg-l1:0.3", 6},
        {"l2sq:0.8", 5},
        {"elastic:0.1,0.2", 6},
        {"box:-1,0.5", 6, true},
        {"box:lo=-inf;0;1,hi=0;inf;1", 3, true},
        {"nonneg", 5, true},
        {"linfball:0.7", 5, true},
        {"l1:0.1+box:-1,1", 6},
        {"l2sq:0.3+l1:0.2+nonneg", 6},
        {"linear:0.3+l1:0.2", 4},
        {"blocks:(l1:0.4),size=2", 6},
        {"scale:2,(l1:0.1)", 4},
        {"shift:by=0.1;2.7;-1.3,(l1:0.4)", 3},
        {"slice:1,4,(l1:0.4)", 6},
        {"simplex", 8, true},
        {"simplex:2.5", 40, true},
        {"simplex:3", 1, true},
        {"capped-simplex:sum=1,lo=0,hi=0.5", 6, true},
        {"capped-simplex:sum=0,lo=-1;-inf;-0.2;-3,hi=1;2;inf;-0.1", 4, true},
        {"blocks:(simplex),sizes=3;1;5,radii=1;2;0.5", 9, true},
        {"blocks:(simplex:2),size=4", 12, true},
        {"blocks:(capped-simplex:sum=1,hi=0.6),size=3", 6, true},
        {"scale:3,(simplex)", 4, true},
        {"shift:by=0.1;2.7;-1.3,(simplex)", 3, true},
        {"slice:1,4,(simplex)", 6, true},
        {"linear:0.3+simplex", 5},
        {"linear:slopes=1;2;-1+simplex", 3},
        {"l2sq:0.5+simplex", 5},
        {"linear:0.2+l2sq:0.5+blocks:(simplex),size=3", 6},
        {"slice:0,4,(l2sq:0.5+simplex)", 5},
    };
    return all;
}

const std::vector<std::string>& refused() {
    static const std::vector<std::string> all = {"l2:0.6",
                                                 "linf:0.9",
                                                 "group:0.5,size=3",
                                                 "sparse-group:0.3,0.2,size=3",
                                                 "tv:0.5",
                                                 "fused:0.4,0.2",
                                                 "nuclear:0.5,rows=3,cols=4",
                                                 "l1ball:1",
                                                 "l2ball:1.5",
                                                 "hyperplane:a=1;2;-3,b=1",
                                                 "halfspace:a=1;2;-3,b=-1",
                                                 "affine:a=1;1;0;0;1;-1,b=1;0",
                                                 "l1:0.2+l2ball:1",
                                                 "l2sq:0.1+tv:0.3",
                                                 "linear:1+tv:0.3",
                                                 "blocks:(l2ball:1),size=2",
                                                 "slice:0,2,(l2ball:1)",
                                                 "scale:2,(tv:0.5)",
                                                 "shift:by=1;2,(tv:0.5)"};
    return all;
}

/// Spread out, on a coarse grid (ties with the centre, and with 0), tiny, large.
Vector draw_pulled(std::mt19937_64& random, Index n, int kind) {
    std::normal_distribution<Real> normal;
    Vector v(n);
    for (Real& entry : v) {
        const Real z = normal(random);
        switch (kind % 4) {
            case 0:
                entry = z;
                break;
            case 1:
                entry = std::round(2 * z) / 2;
                break;
            case 2:
                entry = 1e-3 * z;
                break;
            default:
                entry = 100 * z;
                break;
        }
    }
    return v;
}

constexpr Real kPulls[] = {0.05, 0.5, 4};
constexpr Real kSquares[] = {0, 0.2, 5, 0};
constexpr Real kPulledSteps[] = {0.3, 1, 6};

/// Any regulariser can carry the square alone.
std::vector<PulledCase> squares_only() {
    return {{"l2:0.6", 4},
            {"linf:0.9", 4},
            {"group:0.5,size=3", 6},
            {"tv:0.5", 6},
            {"fused:0.4,0.2", 5},
            {"nuclear:0.5,rows=3,cols=4", 12},
            {"l1ball:1", 5, true},
            {"l2ball:1.5", 5, true},
            {"hyperplane:a=1;2;-3,b=1", 3, true},
            {"halfspace:a=1;2;-3,b=-1", 3, true}};
}

/// Runs body(penalised, v, step, random) over every case with centres in dom g, outside, at v and at 0.
void for_each_problem(int trials, const std::function<void(const Pulled&, const PulledCase&, const Vector&,
                                                           Real, std::mt19937_64&)>& body) {
    std::vector<PulledCase> cases = squares_only();
    const std::size_t without_switching = cases.size();
    cases.insert(cases.end(), supported().begin(), supported().end());
    for (std::size_t i = 0; i < cases.size(); ++i) {
        const PulledCase& c = cases[i];
        SCOPED_TRACE(c.text);
        std::mt19937_64 random(std::hash<std::string>{}(c.text));
        Scratch scratch;
        for (int trial = 0; trial < trials; ++trial) {
            const AnchorWeights weights{.kappa = i < without_switching ? 0 : kPulls[trial % 3],
                                        .mu = kSquares[trial % 4]};
            Pulled g(parse_regulariser(c.text), weights, c.n);
            ASSERT_NO_THROW(g.check_dimension(c.n));
            const Vector v = draw_pulled(random, c.n, trial);
            Vector centre = draw_pulled(random, c.n, trial / 2);
            if (trial % 5 < 3) g.unpenalised().prox(centre, 1, centre, scratch);
            if (trial % 5 == 3) centre = v;
            if (trial % 7 != 0) g.centre(centre);
            body(g, c, v, kPulledSteps[trial / 3 % 3], random);
        }
    }
}

TEST(Anchored, EveryRowIsSupportedOrRefused) {
    std::set<std::string> known;
    const auto name = [](const std::string& text) { return text.substr(0, text.find_first_of(":+")); };
    for (const PulledCase& c : supported()) {
        EXPECT_TRUE(supports_switching(parse_regulariser(c.text))) << c.text;
        known.insert(name(c.text));
    }
    for (const std::string& text : refused()) {
        EXPECT_FALSE(supports_switching(parse_regulariser(text))) << text;
        known.insert(name(text));
    }
    for (const RegulariserRow& row : regularisers()) {
        EXPECT_TRUE(known.contains(std::string(row.name))) << row.name << " has no test case";
    }
}

TEST(Anchored, ErrorsNameTheAllowedRange) {
    for (const std::string& text : refused()) {
        try {
            const Pulled pulled(parse_regulariser(text), {.kappa = 0.1}, 3);
            ADD_FAILURE() << text;
        } catch (const ConfigError& error) {
            EXPECT_TRUE(std::string(error.what()).find("cannot carry") != std::string::npos);
            EXPECT_TRUE(std::string(error.what()).find("capped-simplex") != std::string::npos);
        }
        EXPECT_NO_THROW(Pulled(parse_regulariser(text), {}, 3)) << text;
        EXPECT_NO_THROW(Pulled(parse_regulariser(text), {.mu = 0.1}, 3)) << text;
    }
    for (const Real kappa : {-0.1, kInfinity, std::numeric_limits<Real>::quiet_NaN()}) {
        EXPECT_THROW(Pulled(parse_regulariser("l1:1"), {.kappa = kappa}, 3), ConfigError) << kappa;
        EXPECT_THROW(Pulled(parse_regulariser("tv:1"), {.mu = kappa}, 3), ConfigError) << kappa;
    }
    try {
        const Pulled both_wrong(parse_regulariser("tv:1"), {.kappa = -1}, 3);
        ADD_FAILURE();
    } catch (const ConfigError& error) {
        EXPECT_EQ(error.violations().size(), 2U);
    }
    const Pulled three(parse_regulariser("l1:1"), {.kappa = 0.1}, 3);
    EXPECT_THROW(three.check_dimension(4), ConfigError);
    EXPECT_THROW(Pulled(parse_regulariser("l1:weights=1;2"), {.kappa = 0.1}, 3).check_dimension(3),
                 ConfigError);
}

TEST(Anchored, OneCoordinateAgainstAGridSearch) {
    const char* kinds[] = {
        "zero",   "linear:0.7", "l1:0.4",          "nonneg-l1:0.3",         "l2sq:0.8",
        "nonneg", "box:-1,0.5", "elastic:0.3,0.5", "shift:by=0.5,(l1:0.4)", "l1:0.4+box:-1,0.5"};
    constexpr int kHalf = 3000;
    constexpr Real kSpacing = 1e-3;
    Scratch scratch;
    for (int kind = 0; kind < 3 * static_cast<int>(std::size(kinds)); ++kind) {
        const char* text = kinds[kind / 3];
        constexpr AnchorWeights kWeights[] = {
            {.kappa = 0.6}, {.kappa = 0, .mu = 0.8}, {.kappa = 0.3, .mu = 2.5}};
        Pulled g(parse_regulariser(text), kWeights[kind % 3], 1);
        for (const Real centre : {0.0, 0.25, -0.75, 1.5}) {
            g.centre(Vector{centre});
            for (const Real z : {0.0, 0.25, -0.75, 1.5, 0.9, -1.7, 2.5, -0.1}) {
                for (const Real step : {0.5, 1.0}) {
                    Vector best(1, 0), x(1);
                    Real least = kInfinity;
                    for (int k = -kHalf; k <= kHalf; ++k) {
                        x[0] = kSpacing * k;
                        const Real value = step * g.value(x, scratch) + (x[0] - z) * (x[0] - z) / 2;
                        if (value < least) {
                            least = value;
                            best = x;
                        }
                    }
                    g.prox(Vector{z}, step, x, scratch);
                    EXPECT_NEAR(x[0], best[0], kSpacing / 2 + 1e-9)
                        << text << ", centre " << centre << ", z " << z << ", step " << step;
                    EXPECT_LE(step * g.value(x, scratch) + (x[0] - z) * (x[0] - z) / 2, least + 1e-15);
                }
            }
        }
    }
}

TEST(Anchored, L1AgainstItsClosedForm) {
    // Notes on windows, 3.4: u = z - a - k above both kinks, z + a + k below both, else clipped between them.
    Scratch scratch;
    std::mt19937_64 random(3);
    const Real mu = 0.4;
    for (int trial = 0; trial < 2000; ++trial) {
        const Real step = kPulledSteps[trial % 3], kappa = kPulls[trial / 3 % 3];
        const Real a = step * mu, k = step * kappa;
        const Real z = draw_pulled(random, 1, trial % 2)[0], c = draw_pulled(random, 1, trial / 2 % 2)[0];
        const Real lo = std::min(0.0, c), hi = std::max(0.0, c);
        const Real middle = c > 0 ? a - k : k - a;
        Real expected = std::min(std::max(z - middle, lo), hi);
        if (z - a - k > hi) expected = z - a - k;
        if (z + a + k < lo) expected = z + a + k;
        Anchored<L1Norm> g(L1Norm(mu), {.kappa = kappa}, 1);
        g.centre(Vector{c});
        Vector x(1);
        g.prox(Vector{z}, step, x, scratch);
        ASSERT_NEAR(x[0], expected, 1e-14) << "z " << z << ", c " << c;
    }
}

TEST(Anchored, IsTheMinimiser) {
    // p = prox(v) iff F(z) >= F(p) + <v - p, z - p> / step for every z, F = g + penalty. prox of g puts z
    // into its domain.
    for_each_problem(
        36, [](const Pulled& g, const PulledCase& c, const Vector& v, Real step, std::mt19937_64& random) {
            Scratch scratch;
            Vector p(c.n), z(c.n);
            const Real value = g.prox(v, step, p, scratch);
            ASSERT_TRUE(std::isfinite(value));
            ASSERT_NEAR(value, g.value(p, scratch), 1e-12 * (1 + std::abs(value)));
            if (c.set) {
                ASSERT_EQ(value, g.penalty(p));
            }
            for (int other = 0; other < 40; ++other) {
                const Vector noise = draw_pulled(random, c.n, other % 2);
                const Real reach = std::pow(10.0, -(other % 6));
                for (Index i = 0; i < c.n; ++i) z[i] = other < 30 ? p[i] + reach * noise[i] : g.centre()[i];
                if (other >= 30) axpy(0.1 * (other - 30), noise, z);
                g.unpenalised().prox(z, 1e-3 * reach, z, scratch);
                Real slope = 0;
                for (Index i = 0; i < c.n; ++i) slope += (v[i] - p[i]) * (z[i] - p[i]);
                // A sum that is right to rounding is worth the multiplier, |v| / step, times
                // that rounding.
                const Real tolerance =
                    1e-12 * ((norm(v) + 1) * (distance(z, p) + 1) / step + std::abs(value) + 1);
                ASSERT_GE(g.value(z, scratch), value + slope / step - tolerance);
            }
        });
}

TEST(Anchored, IsFirmlyNonExpansive) {
    for_each_problem(
        36, [](const Pulled& g, const PulledCase& c, const Vector& v, Real step, std::mt19937_64& random) {
            Scratch scratch;
            Vector p(c.n), q(c.n);
            for (int other = 0; other < 6; ++other) {
                Vector w = draw_pulled(random, c.n, other);
                if (other % 2 == 0) step_along(v, 1e-2, w, w);
                g.prox(v, step, p, scratch);
                g.prox(w, step, q, scratch);
                Real moved = 0, along = 0;
                for (Index i = 0; i < c.n; ++i) {
                    moved += (p[i] - q[i]) * (p[i] - q[i]);
                    along += (p[i] - q[i]) * (v[i] - w[i]);
                }
                ASSERT_LE(moved, along + 1e-11 * (1 + norm(v)) * (1 + distance(v, w)));
            }
        });
}

TEST(Anchored, DiffersFromGByASubgradientOfThePenalty) {
    // y = prox_{g+h}(v) = prox_g(v - step s), s - mu (y - centre) with entries of at most kappa, so the
    // stationarity gaps differ by at most kappa sqrt(n) + mu |y - centre|.
    for_each_problem(
        36, [](const Pulled& g, const PulledCase& c, const Vector& v, Real step, std::mt19937_64&) {
            Scratch scratch;
            Vector with(c.n), without(c.n);
            g.prox(v, step, with, scratch);
            g.unpenalised().prox(v, step, without, scratch);
            ASSERT_LE(distance(with, without) / step, g.weights().kappa * std::sqrt(static_cast<Real>(c.n)) +
                                                          g.weights().mu * distance(with, g.centre()) +
                                                          1e-12 * (1 + norm(v)) / step);
        });
}

TEST(Anchored, WorksInPlaceWithoutGrowingAndKeepsNaN) {
    for_each_problem(12,
                     [](const Pulled& g, const PulledCase& c, const Vector& v, Real step, std::mt19937_64&) {
                         Scratch scratch;
                         Vector out(c.n, -7), in_place = v;
                         const Real value = g.prox(v, step, out, scratch);
                         const Index capacity = scratch.capacity();
                         ASSERT_EQ(g.prox(in_place, step, in_place, scratch), value);
                         ASSERT_EQ(out, in_place);
                         ASSERT_EQ(scratch.capacity(), capacity);
                         for (Index at = 0; at < c.n; ++at) {
                             Vector bad = v;
                             bad[at] = std::numeric_limits<Real>::quiet_NaN();
                             g.prox(bad, step, bad, scratch);
                             ASSERT_TRUE(std::isnan(bad[at])) << "coordinate " << at;
                         }
                     });
}

TEST(Anchored, WithoutAPriceIsGToTheBit) {
    Scratch scratch;
    std::mt19937_64 random(11);
    std::vector<PulledCase> cases = supported();
    cases.push_back({"tv:0.5", 6});
    cases.push_back({"l2ball:0.5", 6});
    for (const PulledCase& c : cases) {
        const AnyRegulariser g = parse_regulariser(c.text);
        Pulled free(g, {}, c.n);
        free.centre(draw_pulled(random, c.n, 0));
        for (int trial = 0; trial < 8; ++trial) {
            const Vector v = draw_pulled(random, c.n, trial);
            Vector p(c.n), q(c.n);
            ASSERT_EQ(g.prox(v, 0.7, p, scratch), free.prox(v, 0.7, q, scratch)) << c.text;
            ASSERT_EQ(p, q) << c.text;
            ASSERT_EQ(g.value(v, scratch), free.value(v, scratch)) << c.text;
        }
        ASSERT_EQ(free.infimum(), g.infimum());
    }
}

TEST(Anchored, AHighPriceKeepsTheCentreToTheBit) {
    Scratch scratch;
    std::mt19937_64 random(12);
    for (const PulledCase& c : supported()) {
        Pulled g(parse_regulariser(c.text), {.kappa = 1e6}, c.n);
        for (int trial = 0; trial < 8; ++trial) {
            Vector centre = draw_pulled(random, c.n, trial % 3), x(c.n);
            g.unpenalised().prox(centre, 1, centre, scratch);
            g.centre(centre);
            g.prox(draw_pulled(random, c.n, trial), 0.7, x, scratch);
            ASSERT_EQ(x, centre) << c.text;
            ASSERT_EQ(g.penalty(x), 0);
        }
    }
    // (0.03 + 0.9) - 0.9 is not 0.03.
    Pulled shifted(parse_regulariser("shift:by=-0.9;0.2;0.7,(simplex:1.3)"), {.kappa = 1e6}, 3);
    const Vector centre = {0.03, 0.4, 0.87};
    Vector x(3);
    shifted.centre(centre);
    shifted.prox(Vector{1, 2, 3}, 1, x, scratch);
    EXPECT_EQ(x, centre);
}

}  // namespace
}  // namespace proxstream
