// Recursive least squares, coin betting and the last value: against closed forms and plain twins.

#include "online/linear_rules.hpp"

#include "proxstream/core/draw.hpp"
#include "proxstream/core/error.hpp"
#include "proxstream/prox/regulariser_table.hpp"

#include "loss/linear_family.hpp"
#include "online/learner_table.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace proxstream {
namespace linear_rules {
namespace {

using Long = long double;
using Longs = std::vector<Long>;

struct Row {
    std::vector<Real> a;
    Real y;
};
using Record = std::vector<Row>;

struct Setting {
    ScalarLoss loss = {ScalarFormula::squared, 1};
    Index features = 4;
    bool intercept = false;
    std::string g = "zero";
    std::vector<Real> start = {};
    std::optional<Index> last_value = {};
};

std::unique_ptr<AnyLearner> make(const std::string& text, const Setting& setting) {
    const auto family = std::make_shared<LinearFamily>(setting.loss, setting.features, setting.intercept);
    const LinearModel model{setting.loss, setting.features, setting.intercept};
    return make_learner(
        text, {.g = parse_regulariser(setting.g),
               .make_batch = [family](Index capacity) { return family->make_batch(capacity); },
               .start = setting.start.empty() ? std::vector<Real>(model.dimension()) : setting.start,
               .window = "1",
               .linear = model,
               .last_value = setting.last_value,
               .step = 0.1,
               .smoothness = 10,
               .tolerance = Tolerance::fixed(1),
               .budget = {},
               .inner = "backtracking"});
}

Record draw_record(const Setting& setting, std::uint64_t seed, Round t, Index rows) {
    Record record;
    for (Index row = 0; row < rows; ++row) {
        Row drawn;
        Real score = 0;
        for (Index i = 0; i < setting.features; ++i) {
            drawn.a.push_back(normal({seed, t, static_cast<std::uint32_t>(i), 0, row}));
            score += drawn.a[i] * std::cos(0.02 * static_cast<Real>(t) + static_cast<Real>(i));
        }
        drawn.y = score + 0.3 * normal({seed, t, 0, 1, row});
        if (target_kind(setting.loss.formula) == TargetKind::sign) drawn.y = drawn.y < 0 ? -1 : 1;
        if (setting.intercept) drawn.a.push_back(1);
        record.push_back(drawn);
    }
    return record;
}

RowBlock block_of(const Record& record, const Setting& setting) {
    RowBlock block;
    for (const Row& row : record) block.add_dense(ConstView(row.a).first(setting.features), row.y);
    return block;
}

/// Solves A x = b by elimination with pivots.
Longs solve(std::vector<Longs> A, Longs b) {
    const Index n = b.size();
    for (Index c = 0; c < n; ++c) {
        Index pivot = c;
        for (Index i = c + 1; i < n; ++i) {
            if (std::abs(A[i][c]) > std::abs(A[pivot][c])) pivot = i;
        }
        std::swap(A[c], A[pivot]);
        std::swap(b[c], b[pivot]);
        for (Index i = c + 1; i < n; ++i) {
            const Long factor = A[i][c] / A[c][c];
            for (Index j = c; j < n; ++j) A[i][j] -= factor * A[c][j];
            b[i] -= factor * b[c];
        }
    }
    for (Index c = n; c-- > 0;) {
        for (Index j = c + 1; j < n; ++j) b[c] -= A[c][j] * b[j];
        b[c] /= A[c][c];
    }
    return b;
}

Real farthest(ConstView x, const Longs& expected) {
    Long most = 0;
    for (Index i = 0; i < x.size(); ++i) most = std::max(most, std::abs(x[i] - expected[i]));
    return static_cast<Real>(most);
}

TEST(RecursiveLeastSquares, IsTheWeightedRidgeSolution) {
    // min over x of sum_s lambda^{t-s} (mean over the rows of (a.x - y)^2 / 2) + lambda^t |x - x_1|^2 / 2.
    for (const bool intercept : {false, true}) {
        for (const Index rows : {1U, 3U}) {
            for (const Real memory : {kInfinity, 500.0, 20.0}) {
                const Setting setting{.intercept = intercept,
                                      .start = std::vector<Real>(intercept ? 5 : 4, 0.3)};
                const Index n = setting.start.size();
                const auto learner = make("rls:" + std::to_string(memory), setting);
                const Long kept = 1 - 1 / static_cast<Long>(memory);
                std::vector<Longs> A(n, Longs(n));
                for (Index i = 0; i < n; ++i) A[i][i] = 1;
                Longs b(n, 0.3L);
                for (Round t = 1; t <= 400; ++t) {
                    const Record record = draw_record(setting, 5, t, rows);
                    const RoundReport report = learner->observe(block_of(record, setting));
                    ASSERT_EQ(report.status, RoundStatus::moved);
                    for (Index i = 0; i < n; ++i) {
                        b[i] *= kept;
                        for (Index j = 0; j < n; ++j) A[i][j] *= kept;
                    }
                    for (const Row& row : record) {
                        for (Index i = 0; i < n; ++i) {
                            b[i] += row.a[i] * static_cast<Long>(row.y) / rows;
                            for (Index j = 0; j < n; ++j)
                                A[i][j] += static_cast<Long>(row.a[i]) * row.a[j] / rows;
                        }
                    }
                    ASSERT_LE(farthest(learner->decide(), solve(A, b)), 1e-8)
                        << t << " memory " << memory << " rows " << rows;
                }
            }
        }
    }
}

/// The recipe's update, row by row in extended precision.
struct SquaresTwin {
    Long kept;
    bool margin;
    std::vector<Longs> P;
    Longs x;
    std::function<Long(Long, Long)> slope, curvature;
    Long best = 0;  // the residual of least loss

    void learn(const Record& record) {
        const Long share = 1 / static_cast<Long>(record.size());
        for (Index r = 0; r < record.size(); ++r) learn(record[r], share, r == 0 ? kept : 1);
    }
    void learn(const Row& row, Long share, Long lambda) {
        const Index n = x.size();
        Longs u(n);
        Long q = 0, s = 0, trace = 0;
        for (Index i = 0; i < n; ++i) {
            for (Index j = 0; j < n; ++j) u[i] += P[i][j] * row.a[j];
            q += u[i] * row.a[i];
            s += x[i] * row.a[i];
        }
        Long h = 0;
        if (margin) {
            // Bisection: s + (q/lambda) share phi' rises with s where phi is convex.
            const auto excess = [&](Long at) { return at - s + q / lambda * share * slope(at, row.y); };
            Long low = std::min(s, s - excess(s)), high = std::max(s, s - excess(s));
            for (int i = 0; i < 200; ++i) {
                const Long middle = (low + high) / 2;
                (excess(middle) < 0 ? low : high) = middle;
            }
            h = share * std::max(curvature(low, row.y), 1e-6L);
            for (Index i = 0; i < n; ++i) x[i] += u[i] * (low - s) / q;
        } else {
            h = share * slope(s, row.y) / (s - row.y - best);
            for (Index i = 0; i < n; ++i) x[i] -= share * slope(s, row.y) * u[i] / (lambda + h * q);
        }
        for (Index i = 0; i < n; ++i) trace += P[i][i];
        for (Index i = 0; i < n; ++i) {
            for (Index j = 0; j < n; ++j) {
                P[i][j] -= h * u[i] * u[j] / (lambda + h * q);
                if (trace <= 1000 * static_cast<Long>(n)) P[i][j] /= lambda;
            }
        }
    }
};

SquaresTwin twin_of(const Setting& setting, Real memory) {
    SquaresTwin twin{.kept = 1 - 1 / static_cast<Long>(memory),
                     .margin = target_kind(setting.loss.formula) == TargetKind::sign,
                     .P = {},
                     .x = Longs(setting.features),
                     .slope = {},
                     .curvature = {}};
    twin.P.assign(setting.features, Longs(setting.features));
    for (Index i = 0; i < setting.features; ++i) twin.P[i][i] = 1;
    if (twin.margin) {
        twin.slope = [](Long s, Long y) { return -y / (1 + std::exp(y * s)); };
        twin.curvature = [](Long s, Long y) {
            const Long p = 1 / (1 + std::exp(-y * s));
            return p * (1 - p);
        };
    } else if (setting.loss.formula == ScalarFormula::quantile) {
        const Long c = setting.loss.scale, q = setting.loss.level;
        twin.best = c * (2 * q - 1);
        twin.slope = [c, q](Long s, Long y) { return std::clamp((s - y) / (2 * c) + 0.5L - q, -q, 1 - q); };
    } else {
        const Long c = setting.loss.scale;
        twin.slope = [c](Long s, Long y) { return (s - y) / (1 + (s - y) * (s - y) / (c * c)); };
    }
    return twin;
}

TEST(RecursiveLeastSquares, WeighsRowsOfRobustLosses) {
    for (const ScalarLoss& loss :
         {ScalarLoss{ScalarFormula::cauchy, 0.5}, ScalarLoss{ScalarFormula::quantile, 0.1, 0.9}}) {
        for (const Real memory : {kInfinity, 30.0}) {
            const Setting setting{.loss = loss};
            const auto learner = make("rls:" + std::to_string(memory), setting);
            SquaresTwin twin = twin_of(setting, memory);
            for (Round t = 1; t <= 500; ++t) {
                const Record record = draw_record(setting, 6, t, 1 + t % 3);
                learner->observe(block_of(record, setting));
                twin.learn(record);
                ASSERT_LE(farthest(learner->decide(), twin.x), 1e-9) << t;
            }
        }
    }
}

TEST(RecursiveLeastSquares, TakesTheImplicitStepForMargins) {
    for (const Real memory : {kInfinity, 500.0, 100.0}) {
        const Setting setting{.loss = {ScalarFormula::logistic, 1}};
        const auto learner = make("rls:" + std::to_string(memory), setting);
        SquaresTwin twin = twin_of(setting, memory);
        for (Round t = 1; t <= 600; ++t) {
            const Record record = draw_record(setting, 7, t, 1);
            // The equation itself, from the learner's own points: s' = s - (q/lambda) phi'(s').
            const Row& row = record[0];
            Long q = 0, before = 0, after = 0;
            for (Index i = 0; i < 4; ++i) {
                for (Index j = 0; j < 4; ++j) q += row.a[i] * twin.P[i][j] * row.a[j];
                before += static_cast<Long>(learner->decide()[i]) * row.a[i];
            }
            learner->observe(block_of(record, setting));
            for (Index i = 0; i < 4; ++i) after += static_cast<Long>(learner->decide()[i]) * row.a[i];
            const Long off = after - before + q / twin.kept * twin.slope(after, row.y);
            ASSERT_LE(std::abs(off), 1e-5L * (1 + std::abs(after))) << t << " memory " << memory;
            twin.learn(record);
            ASSERT_LE(farthest(learner->decide(), twin.x), 1e-5) << t << " memory " << memory;
        }
    }
}

TEST(RecursiveLeastSquares, StaysFiniteOnCollinearFeatures) {
    for (const ScalarFormula formula :
         {ScalarFormula::squared, ScalarFormula::logistic, ScalarFormula::cauchy}) {
        const Setting setting{.loss = {formula, 1}, .features = 6, .intercept = true};
        const auto learner = make("rls:100", setting);
        Record record(1);
        Real last = 0;
        for (Round t = 1; t <= 100'000; ++t) {
            const Real u = normal({8, t, 0, 0, 0});
            // Directions that never show, that show rarely, and of very different sizes.
            record[0].a = {u, 2 * u, -u, 1e-8 * u, 1e4 * u, t % 5000 == 0 ? 1.0 : 0.0};
            record[0].y = formula == ScalarFormula::logistic ? (u + 0.3 < 0 ? -1 : 1) : 3 * u + 1;
            const RoundReport report = learner->observe(block_of(record, setting));
            ASSERT_NE(report.status, RoundStatus::refused) << t;
            last = report.loss;
        }
        for (const Real x : learner->decide()) ASSERT_LT(std::abs(x), 1e6);
        if (formula == ScalarFormula::squared) {
            EXPECT_LT(last, 1e-6);
        }
    }
}

TEST(RecursiveLeastSquares, RefusesLossesItCannotFollow) {
    const auto refusal = [](const std::string& text, const Setting& setting) -> std::string {
        try {
            make(text, setting);
        } catch (const ConfigError& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_NE(refusal("rls:1", {}).find("memory"), std::string::npos);
    EXPECT_NE(refusal("rls:-3", {}).find("memory"), std::string::npos);
    EXPECT_NE(refusal("rls:nan", {}), "");
    EXPECT_EQ(refusal("rls:inf", {}), "");
    EXPECT_NE(refusal("last-value", {}).find("--lags 1"), std::string::npos);
    EXPECT_NE(refusal("coin:3", {}), "");
    EXPECT_NE(refusal("ftrl", {.g = "simplex", .start = std::vector<Real>(4, 0.25)}).find("take adagrad"),
              std::string::npos);
    EXPECT_NE(refusal("ftrl:alpha=0", {}).find("alpha"), std::string::npos);
}

TEST(RecursiveLeastSquares, StaysInTheDomainOfTheRegulariser) {
    for (const char* g : {"simplex", "box:-0.1,0.3", "l1:0.1"}) {
        for (const char* text : {"rls", "rls:50", "coin"}) {
            const Setting setting{.g = g, .start = std::vector<Real>(4, 0.25)};
            const auto learner = make(text, setting);
            const AnyRegulariser regulariser = parse_regulariser(g);
            Scratch scratch;
            for (Round t = 1; t <= 200; ++t) {
                ASSERT_NE(learner->observe(block_of(draw_record(setting, 9, t, 1), setting)).status,
                          RoundStatus::refused);
                ASSERT_TRUE(std::isfinite(regulariser.value(learner->decide(), scratch))) << g << " " << t;
            }
        }
    }
}

/// Vowpal Wabbit's --coin with alpha 4 and beta 1, with the gradient of the loss that is given.
struct CoinTwin {
    Longs wealth, theta, G, m, M, x;
    Long norms = 0, rows = 0;

    explicit CoinTwin(Index n) : wealth(n), theta(n), G(n), m(n), M(n), x(n) {}
    Long bet(Index i) const {
        const Long unit = m[i] * M[i];
        return unit > 0 ? (4 + wealth[i]) * theta[i] / (unit * (unit + G[i])) : 0;
    }
    void learn(const Record& record, const std::function<Long(Long, Long)>& slope) {
        for (const Row& row : record) {
            Long score = 0;
            for (Index i = 0; i < x.size(); ++i) score += x[i] * row.a[i];
            const Long d = slope(score, row.y) / static_cast<Long>(record.size());
            for (Index i = 0; i < x.size(); ++i) {
                if (row.a[i] == 0) continue;
                const Long size = std::abs(static_cast<Long>(row.a[i]));
                m[i] = std::max(m[i], size);
                if (std::abs(d) > M[i]) M[i] = std::max<Long>(std::abs(d), 1);
                norms += size * size / (m[i] * m[i]);
                const Long g = d * row.a[i];
                wealth[i] -= g * bet(i);
                theta[i] -= g;
                G[i] += std::abs(g);
            }
            rows += 1;
        }
        for (Index i = 0; i < x.size(); ++i) x[i] = bet(i) / (norms / rows);
    }
};

TEST(CoinBetting, IsThePlainRule) {
    for (const bool robust : {false, true}) {
        const Setting setting{.loss = {robust ? ScalarFormula::cauchy : ScalarFormula::squared, 1},
                              .intercept = true};
        const auto learner = make("coin", setting);
        CoinTwin twin(5);
        const auto slope = [&](Long s, Long y) { return robust ? (s - y) / (1 + (s - y) * (s - y)) : s - y; };
        for (Round t = 1; t <= 800; ++t) {
            Record record = draw_record(setting, 12, t, 1 + t % 2);
            if (t % 3 == 0) record[0].a[1] = 0;
            if (t == 300) record[0].a[2] = 40;  // a new largest value
            learner->observe(block_of(record, setting));
            twin.learn(record, slope);
            ASSERT_LE(farthest(learner->decide(), twin.x), 1e-9) << t;
        }
    }
}

TEST(LastValue, PredictsTheFeatureAndNeverMoves) {
    const Setting setting{.intercept = true, .last_value = 2};
    const auto learner = make("last-value", setting);
    const std::vector<Real> expected{0, 0, 1, 0, 0};
    for (Round t = 1; t <= 50; ++t) {
        ASSERT_TRUE(std::equal(expected.begin(), expected.end(), learner->decide().begin())) << t;
        const Record record = draw_record(setting, 13, t, 1);
        const RoundReport report = learner->observe(block_of(record, setting));
        ASSERT_NEAR(report.loss, std::pow(record[0].a[2] - record[0].y, 2) / 2, 1e-12);
    }
}

}  // namespace
}  // namespace linear_rules
}  // namespace proxstream
