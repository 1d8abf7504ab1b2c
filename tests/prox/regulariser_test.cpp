// Every row of the table against the definition of a prox, whatever the formula behind it.
#include "proxstream/core/error.hpp"
#include "proxstream/core/linalg.hpp"
#include "proxstream/prox/regulariser_table.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

using Vector = std::vector<Real>;

struct Case {
    std::string text;
    Index n;
    bool set = false;              // an indicator: prox is a projection
    bool fixed_dimension = false;  // fits no other n
};

std::vector<Case> single_terms() {
    return {
        {"zero", 5},
        {"linear:0.7", 4},
        {"linear:slopes=1;-2;0", 3, false, true},
        {"l1:0.4", 7},
        {"l1:0", 3},
        {"l1:weights=0;1;2", 3, false, true},
        {"nonneg-l1:0.3", 6},
        {"nonneg-l1:weights=0;1;2", 3, false, true},
        {"l2:0.6", 5},
        {"l2sq:0.8", 5},
        {"elastic:0.1,0.2", 6},
        {"linf:0.9", 6},
        {"linf:0.9", 1},
        {"group:0.5,size=3", 9},
        {"group:0.5,sizes=1;2;4,weights=1;0;2", 7, false, true},
        {"sparse-group:0.3,0.2,size=3", 9},
        {"sparse-group:0.3,0.2,sizes=2;5", 7, false, true},
        {"tv:0.5", 12},
        {"tv:0.5", 1},
        {"tv:0.5", 2},
        {"fused:0.4,0.2", 12},
        {"nuclear:0.5,rows=3,cols=4", 12, false, true},
        {"nuclear:0.5,rows=5,cols=2", 10, false, true},
        {"box:-1,0.5", 6, true},
        {"box:lo=-inf;0;1,hi=0;inf;1", 3, true, true},
        {"nonneg", 5, true},
        {"simplex", 8, true},
        {"simplex:2.5", 40, true},
        {"simplex:3", 1, true},
        {"capped-simplex:sum=1,lo=0,hi=0.5", 6, true},
        {"capped-simplex:sum=0,lo=-1;-inf;-0.2;-3,hi=1;2;inf;-0.1", 4, true, true},
        {"l1ball:1", 8, true},
        {"l1ball:2", 30, true},
        {"l2ball:1.5", 5, true},
        {"linfball:0.7", 5, true},
        {"hyperplane:a=1;2;-3,b=1", 3, true, true},
        {"halfspace:a=1;2;-3,b=-1", 3, true, true},
        {"affine:a=1;1;0;1;0;1;-1;0;2;2;0;2,b=1;0;2", 4, true, true},
        {"blocks:(simplex),sizes=3;1;5", 9, true, true},
        {"blocks:(simplex),sizes=3;1;5,radii=1;2;0.5", 9, true, true},
        {"blocks:(simplex:2),size=4", 12, true},
        {"blocks:(l2ball:1),size=2", 6, true},
        {"blocks:(tv:0.3+l1:0.1),size=4", 8},
        {"scale:2,(l1:0.1)", 4},
        {"scale:3,(simplex)", 4, true},
        {"shift:by=1;2;-1,(l1:0.4)", 3, false, true},
        {"shift:by=1;2;-1,(simplex)", 3, true, true},
        {"slice:1,4,(l1:0.4)", 6},
        {"slice:0,3,(simplex)", 5, true},
    };
}

std::vector<Case> sums() {
    return {
        {"zero+simplex", 4, true},
        {"linear:0.3+simplex", 5},
        {"linear:slopes=1;2;-1+box:-1,1", 3, false, true},
        {"l2sq:0.5+simplex", 5},
        {"l2sq:0.5+l2sq:0.25", 4},
        {"tv:0.2+l2sq:0.5+linear:0.1", 6},
        {"l1:0.1+box:-1,1", 6},
        {"l1:weights=0.1;0.5;1+box:lo=-1;0.2;-inf,hi=1;2;-0.1", 3, false, true},
        {"l1:0.2+nonneg", 6},
        {"nonneg+l2ball:1", 6, true},
        {"l1:0.2+nonneg+l2ball:1", 6},
        {"l1:0.2+l2ball:1", 6},
        {"l1:0.2+l2:0.3", 6},
        {"linf:0.2+l2ball:1", 6},
        {"tv:0.3+l2ball:1", 6},
        {"tv:0.3+box:-1,1", 8},
        {"tv:0.3+nonneg", 8},
        {"tv:0.2+l1:0.3+box:-0.5,1", 8},
        {"fused:0.2,0.3+box:-0.5,1", 8},
        {"tv:0.2+elastic:0.1,0.4", 8},
        {"group:0.3,size=3+l1:0.2", 6},
        {"group:0.3,size=3+nonneg", 6},
        {"group:0.3,size=3+l1:0.2+nonneg", 6},
        {"blocks:(l2ball:1),size=3+nonneg", 6, true},
        {"halfspace:a=1;1;1,b=0+l2ball:1", 3, true, true},
        {"elastic:0.1,0.3+box:-1,0.5", 5},
        {"nuclear:0.3,rows=2,cols=3+l2ball:1", 6, false, true},
        {"scale:0.5,(l2sq:1)+simplex", 4},
        {"slice:1,5,(l2ball:1)+nonneg", 6, true},
    };
}

const std::vector<Case>& cases() {
    static const std::vector<Case> all = [] {
        std::vector<Case> both = single_terms();
        for (Case& sum : sums()) both.push_back(std::move(sum));
        return both;
    }();
    return all;
}

/// Inputs of several kinds: spread out, tied, mostly zero, all negative, large, tiny.
Vector draw(std::mt19937_64& random, Index n, int kind) {
    std::normal_distribution<Real> normal;
    Vector v(n);
    for (Real& entry : v) {
        const Real z = normal(random);
        switch (kind % 7) {
            case 0:
                entry = z;
                break;
            case 1:
                entry = std::round(z);
                break;
            case 2:
                entry = random() % 4 == 0 ? z : 0;
                break;
            case 3:
                entry = -std::abs(z) - 0.1;
                break;
            case 4:
                entry = 100 * z;
                break;
            case 5:
                entry = 1e-3 * z;
                break;
            default:
                entry = 1;
                break;
        }
    }
    return v;
}

constexpr int kKinds = 7;
constexpr Real kRegulariserSteps[] = {0.3, 1, 6};

/// Runs body(g, case, random) for every case of the table above.
void for_each_case(const std::function<void(const AnyRegulariser&, const Case&, std::mt19937_64&)>& body) {
    for (const Case& c : cases()) {
        SCOPED_TRACE(c.text + ", n = " + std::to_string(c.n));
        std::mt19937_64 random(std::hash<std::string>{}(c.text));
        const AnyRegulariser g = parse_regulariser(c.text);
        ASSERT_NO_THROW(g.check_dimension(c.n));
        body(g, c, random);
    }
}

TEST(RegulariserTable, EveryRowHasACaseAndItsUsageParses) {
    std::set<std::string> covered;
    for (const Case& c : cases()) covered.insert(c.text.substr(0, c.text.find_first_of(":+")));
    for (const RegulariserRow& row : regularisers()) {
        EXPECT_TRUE(covered.contains(std::string(row.name))) << row.name << " has no test case";
        EXPECT_FALSE(row.formula.empty() || row.cost.empty() || row.help.empty()) << row.name;
        for (const std::string& usage : split_outside_parentheses(row.usage, '|')) {
            EXPECT_NO_THROW(parse_regulariser(usage)) << usage;
            EXPECT_TRUE(usage.starts_with(row.name)) << usage;
        }
    }
}

TEST(Prox, IsTheMinimiser) {
    // p = prox(v) iff g(z) >= g(p) + <v - p, z - p> / step for every z in dom g. Points z are drawn far from
    // p and close to it; prox puts them into dom g.
    for_each_case([](const AnyRegulariser& g, const Case& c, std::mt19937_64& random) {
        Scratch scratch;
        Vector p(c.n), z(c.n);
        for (int trial = 0; trial < 3 * kKinds; ++trial) {
            const Real step = kRegulariserSteps[trial % 3];
            const Vector v = draw(random, c.n, trial);
            const Real value = g.prox(v, step, p, scratch);
            ASSERT_TRUE(std::isfinite(value));
            for (int other = 0; other < 24; ++other) {
                const Vector noise = draw(random, c.n, other % 2 == 0 ? 0 : other);
                const Real reach = std::pow(10.0, -(other % 6));
                for (Index i = 0; i < c.n; ++i) z[i] = other < 18 ? p[i] + reach * noise[i] : noise[i];
                const Real at_z = g.prox(z, 1e-3 * reach, z, scratch);
                Real slope = 0;
                for (Index i = 0; i < c.n; ++i) slope += (v[i] - p[i]) * (z[i] - p[i]);
                const Real tolerance = 1e-9 * (norm(v) + 1) * (distance(z, p) + 1e-3) / step + 1e-12;
                ASSERT_GE(at_z, value + slope / step - tolerance)
                    << "step " << step << ", kind " << trial % kKinds;
            }
        }
    });
}

TEST(Prox, ReturnsTheValueAndWorksInPlace) {
    for_each_case([](const AnyRegulariser& g, const Case& c, std::mt19937_64& random) {
        Scratch scratch;
        for (int trial = 0; trial < 2 * kKinds; ++trial) {
            const Real step = kRegulariserSteps[trial % 3];
            const Vector v = draw(random, c.n, trial);
            Vector out(c.n, -7), in_place = v;
            const Real value = g.prox(v, step, out, scratch);
            const Real value_in_place = g.prox(in_place, step, in_place, scratch);
            ASSERT_EQ(out, in_place);
            ASSERT_EQ(value, value_in_place);
            ASSERT_NEAR(value, g.value(out, scratch), 1e-9 * (1 + std::abs(value)));
            ASSERT_GE(value, g.infimum());
            if (c.set) {
                ASSERT_EQ(value, 0);
            }
        }
    });
}

TEST(Prox, IsFirmlyNonExpansive) {
    for_each_case([](const AnyRegulariser& g, const Case& c, std::mt19937_64& random) {
        Scratch scratch;
        Vector p(c.n), q(c.n);
        for (int trial = 0; trial < 3 * kKinds; ++trial) {
            const Real step = kRegulariserSteps[trial % 3];
            const Vector v = draw(random, c.n, trial);
            Vector w = draw(random, c.n, trial / 2);
            if (trial % 2 == 0) step_along(v, 1e-2, w, w);
            g.prox(v, step, p, scratch);
            g.prox(w, step, q, scratch);
            Real moved = 0, along = 0;
            for (Index i = 0; i < c.n; ++i) {
                moved += (p[i] - q[i]) * (p[i] - q[i]);
                along += (p[i] - q[i]) * (v[i] - w[i]);
            }
            ASSERT_LE(moved, along + 1e-10 * (1 + norm(v)) * (1 + distance(v, w)));
        }
    });
}

TEST(Prox, ProjectionsAreIdempotent) {
    for_each_case([](const AnyRegulariser& g, const Case& c, std::mt19937_64& random) {
        if (!c.set) return;
        Scratch scratch;
        for (int trial = 0; trial < 2 * kKinds; ++trial) {
            Vector p = draw(random, c.n, trial);
            g.prox(p, 1, p, scratch);
            Vector again = p;
            g.prox(again, 5, again, scratch);
            for (Index i = 0; i < c.n; ++i) ASSERT_NEAR(again[i], p[i], 1e-15 * std::max(1.0, max_abs(p)));
        }
    });
}

TEST(Prox, IgnoresRemovedDirections) {
    for_each_case([](const AnyRegulariser& g, const Case& c, std::mt19937_64& random) {
        Scratch scratch;
        for (int trial = 0; trial < kKinds; ++trial) {
            const Vector x = draw(random, c.n, trial), d = draw(random, c.n, 0);
            Vector seen = d;
            g.project_direction(seen);
            Vector twice = seen;
            g.project_direction(twice);
            for (Index i = 0; i < c.n; ++i) ASSERT_NEAR(seen[i], twice[i], 1e-12);
            ASSERT_LE(norm(seen), norm(d) * (1 + 1e-12));
            Vector with(c.n), without(c.n);
            step_along(x, -0.7, d, with);
            step_along(x, -0.7, seen, without);
            g.prox(with, 0.7, with, scratch);
            g.prox(without, 0.7, without, scratch);
            for (Index i = 0; i < c.n; ++i) ASSERT_NEAR(with[i], without[i], 1e-11 * (1 + norm(x)));
        }
    });
}

TEST(Prox, KeepsNaN) {
    for_each_case([](const AnyRegulariser& g, const Case& c, std::mt19937_64& random) {
        Scratch scratch;
        for (Index at = 0; at < c.n; ++at) {
            Vector v = draw(random, c.n, 0);
            v[at] = std::numeric_limits<Real>::quiet_NaN();
            g.prox(v, 0.5, v, scratch);
            ASSERT_TRUE(std::isnan(v[at])) << "coordinate " << at;
        }
    });
}

TEST(Prox, MemoryStaysAfterTheFirstCall) {
    for_each_case([](const AnyRegulariser& g, const Case& c, std::mt19937_64& random) {
        Scratch scratch;
        Vector v = draw(random, c.n, 0);
        g.prox(v, 0.5, v, scratch);
        g.value(v, scratch);
        const Index capacity = scratch.capacity();
        for (int trial = 0; trial < 3 * kKinds; ++trial) {
            v = draw(random, c.n, trial);
            g.prox(v, 0.5, v, scratch);
            g.value(v, scratch);
        }
        ASSERT_EQ(scratch.capacity(), capacity);
    });
}

TEST(Prox, DimensionsAreChecked) {
    for_each_case([](const AnyRegulariser& g, const Case& c, std::mt19937_64&) {
        if (c.fixed_dimension) {
            EXPECT_THROW(g.check_dimension(c.n + 1), ConfigError);
            EXPECT_THROW(g.check_dimension(0), ConfigError);
        } else {
            EXPECT_NO_THROW(g.check_dimension(2 * c.n));
        }
    });
}

TEST(Prox, MoreauSplitsNormsAndDualBalls) {
    const std::pair<const char*, const char*> pairs[] = {
        {"l1:1", "linfball:1"},        {"l2:1", "l2ball:1"},
        {"linf:1", "l1ball:1"},        {"group:1,size=4", "blocks:(l2ball:1),size=4"},
        {"nonneg-l1:1", "box:-inf,1"}, {"zero", "box:0,0"}};
    std::mt19937_64 random(5);
    Scratch scratch;
    for (const auto& [norm_text, ball_text] : pairs) {
        const AnyRegulariser g = parse_regulariser(norm_text);
        const AnyRegulariser dual = parse_regulariser(ball_text);
        for (int trial = 0; trial < 10 * kKinds; ++trial) {
            const Real step = kRegulariserSteps[trial % 3];
            const Vector v = draw(random, 12, trial);
            Vector p(12), q(12);
            g.prox(v, step, p, scratch);
            scaled(1 / step, v, q);
            dual.prox(q, 1, q, scratch);
            for (Index i = 0; i < 12; ++i) {
                ASSERT_NEAR(p[i] + step * q[i], v[i], 1e-13 * (1 + norm(v))) << norm_text;
            }
        }
    }
}

TEST(Regulariser, InfimumIsMinusInfinityForLinearTermsAlone) {
    EXPECT_EQ(parse_regulariser("linear:1").infimum(), -kInfinity);
    EXPECT_EQ(parse_regulariser("linear:0").infimum(), 0);
    EXPECT_EQ(parse_regulariser("l1:1+box:-1,1").infimum(), 0);
    EXPECT_EQ(parse_regulariser("slice:0,1,(linear:1)").infimum(), -kInfinity);
}

TEST(Regulariser, ValuesFollowTheFormulas) {
    Scratch scratch;
    const Vector x = {3, -4, 0, 12};
    const auto value = [&](const char* text) { return parse_regulariser(text).value(x, scratch); };
    EXPECT_DOUBLE_EQ(value("l1:0.5"), 9.5);
    EXPECT_DOUBLE_EQ(value("l2:2"), 26);
    EXPECT_DOUBLE_EQ(value("l2sq:2"), 169);
    EXPECT_DOUBLE_EQ(value("elastic:1,2"), 19 + 169);
    EXPECT_DOUBLE_EQ(value("linf:2"), 24);
    EXPECT_DOUBLE_EQ(value("tv:1"), 7 + 4 + 12);
    EXPECT_DOUBLE_EQ(value("group:2,size=2"), 2 * (5 + 12));  // no hidden sqrt(size)
    EXPECT_DOUBLE_EQ(value("group:2,sizes=2;2,weights=1;3"), 2 * (5 + 3 * 12));
    EXPECT_DOUBLE_EQ(value("sparse-group:2,1,size=2"), 2 * (5 + 12) + 19);
    EXPECT_NEAR(value("nuclear:1,rows=2,cols=2"), std::sqrt(169 + 2 * 36),
                1e-12);  // (s1+s2)^2 = |A|^2 + 2|det A|
    EXPECT_DOUBLE_EQ(value("linear:slopes=1;1;1;-1"), -13);
    EXPECT_EQ(value("nonneg"), kInfinity);
    EXPECT_EQ(value("nonneg-l1:1"), kInfinity);
    EXPECT_EQ(value("simplex"), kInfinity);
    EXPECT_EQ(value("box:-5,12"), 0);
    EXPECT_EQ(value("box:-5,11.9"), kInfinity);
    EXPECT_EQ(value("l1ball:19"), 0);
    EXPECT_EQ(value("l1ball:18.9"), kInfinity);
    EXPECT_EQ(value("l2ball:13"), 0);
    EXPECT_EQ(value("l2ball:12.9"), kInfinity);
    EXPECT_EQ(value("hyperplane:a=1;1;1;1,b=11"), 0);
    EXPECT_EQ(value("hyperplane:a=1;1;1;1,b=11.1"), kInfinity);
    EXPECT_EQ(value("halfspace:a=1;1;1;1,b=12"), 0);
    EXPECT_EQ(value("halfspace:a=1;1;1;1,b=10"), kInfinity);
    EXPECT_EQ(value("capped-simplex:sum=11,lo=-4,hi=12"), 0);
    EXPECT_EQ(value("capped-simplex:sum=10,lo=-4,hi=12"), kInfinity);
    EXPECT_DOUBLE_EQ(value("slice:1,3,(l1:1)"), 4);
    EXPECT_DOUBLE_EQ(value("shift:by=3;-4;0;12,(l1:1)"), 0);
    EXPECT_DOUBLE_EQ(value("scale:2,(l1:1)"), 38);
}

}  // namespace
}  // namespace proxstream
