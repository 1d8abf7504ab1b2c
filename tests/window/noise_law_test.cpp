// The laws of noisy estimates: their mean, and their mean square against what level() claims of it.

#include "window/oracle_case.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

Errors estimate_errors(const AnyOracle& oracle, const TestWindow& window, Index runs) {
    return errors(runs, window.gradient(window.y),
                  [&](const Ticket& ticket) { return estimate(oracle, window, ticket); });
}

/// E|e|^2 = s^2, within `deviations` of what so many runs tell.
void expect_level(const Errors& found, Real level, Real deviations = 4.5) {
    EXPECT_LT(found.bias, deviations * found.uncertainty);
    EXPECT_NEAR(found.square, level * level, deviations * found.spread);
    EXPECT_LT(found.spread, 0.1 * found.square);  // the runs were enough to tell
}

// ---- noise models

TEST(NoiseLaw, TheMeanSquareOfAdditiveNoiseIsItsLevel) {
    const auto rows = rows_window(true);
    const auto functions = functions_window();
    const Real squares = std::sqrt(0.1 * 0.1 + 0.4 * 0.4 + 0.3 * 0.3 + 0.2 * 0.2);
    struct Case {
        const char* text;
        Real level;
    };
    for (const Case& each : {Case{"gaussian:0.5", 0.5 * squares},
                             {"gaussian:0.5,samples=4", 0.25 * squares},
                             {"gaussian:0.5,noise=shared", 0.5},
                             {"gaussian:0.5,samples=4,noise=shared", 0.25},
                             {"heavy:0.5,tail=8", 0.5 * squares},
                             {"heavy:0.5,tail=8,samples=4,noise=shared", 0.25}}) {
        SCOPED_TRACE(each.text);
        const AnyOracle oracle = parse_oracle(each.text, {});
        EXPECT_FALSE(oracle->bounded());
        const std::optional<Real> level = oracle->level(rows.weights, oracle->samples());
        ASSERT_TRUE(level);
        EXPECT_NEAR(*level, each.level, 1e-15);
        expect_level(estimate_errors(oracle, rows, 4000), each.level);
        expect_level(estimate_errors(oracle, functions, 4000), each.level);
    }
}

TEST(NoiseLaw, GaussianNoiseIsTheSameInEveryDirection) {
    const auto window = rows_window(false);
    const AnyOracle oracle = parse_oracle("gaussian:1,noise=shared", {});
    const Vector exact = window.gradient(window.y);
    Vector squares(exact.size());
    Vector tails(exact.size());
    constexpr Index kRuns = 8000;
    for (std::uint32_t pass = 0; pass < kRuns; ++pass) {
        Vector e = estimate(oracle, window, {5, kRound, pass});
        axpy(-1, exact, e);
        for (Index i = 0; i < e.size(); ++i) {
            const Real unit = e[i] * std::sqrt(5);  // of variance 1
            squares[i] += unit * unit / kRuns;
            tails[i] += std::abs(unit) > 1.96 ? 1.0 / kRuns : 0;
        }
    }
    for (Index i = 0; i < squares.size(); ++i) {
        EXPECT_NEAR(squares[i], 1, 5 * std::sqrt(2.0 / kRuns));
        EXPECT_NEAR(tails[i], 0.05, 5 * std::sqrt(0.0475 / kRuns));
    }
}

TEST(NoiseLaw, OneSampleOnTheSphereHasItsLengthExactly) {
    const auto window = functions_window();
    const AnyOracle shared = parse_oracle("sphere:0.5,noise=shared", {});
    EXPECT_TRUE(shared->bounded());
    const Errors found = estimate_errors(shared, window, 4000);
    EXPECT_NEAR(found.smallest, 0.5, 1e-12);
    EXPECT_NEAR(found.largest, 0.5, 1e-12);
    EXPECT_LT(found.bias, 4.5 * found.uncertainty);
    EXPECT_EQ(shared->level(window.weights, 1), 0.5);

    // Independent spheres add up to less, but never surely: what is claimed is the sure bound, also of means.
    for (const char* text : {"sphere:0.5", "sphere:0.5,samples=9"}) {
        const AnyOracle oracle = parse_oracle(text, {});
        EXPECT_EQ(oracle->level(window.weights, oracle->samples()), 0.5);
        const Errors own = estimate_errors(oracle, window, 4000);
        EXPECT_LE(own.largest, 0.5);
        const Real mean_square = 0.25 * 0.3 / static_cast<Real>(oracle->samples());
        EXPECT_NEAR(own.square, mean_square, 4.5 * own.spread);
    }
}

TEST(NoiseLaw, HeavyNoiseHasTheDeclaredTail) {
    TestWindow window = functions_window();
    window.weights = {1};
    const Vector exact = window.gradient(window.y);
    constexpr Index kRuns = 20'000;
    for (const Real tail : {2.5, 4.0}) {
        NoiseModel model{NoiseModel::Kind::heavy, 2, tail};
        const AnyOracle oracle(NoisyOracle(model, 1, true));
        EXPECT_EQ(oracle->level(window.weights, 1), 2);
        const Real least = 2 * std::sqrt((tail - 2) / tail);  // E|e|^2 = tail u_0^2 / (tail - 2) = 4
        std::vector<Real> lengths;
        for (std::uint32_t pass = 0; pass < kRuns; ++pass) {
            Vector e = estimate(oracle, window, {5, kRound, pass});
            axpy(-1, exact, e);
            lengths.push_back(norm(e));
        }
        EXPECT_GE(*std::min_element(lengths.begin(), lengths.end()), least * (1 - 1e-9));
        for (const Real factor : {1.2, 2.0, 5.0}) {
            const Real share = std::pow(factor, -tail);
            const auto above = std::count_if(lengths.begin(), lengths.end(),
                                             [&](Real length) { return length > factor * least; });
            EXPECT_NEAR(static_cast<Real>(above) / kRuns, share, 5 * std::sqrt(share / kRuns))
                << tail << ", " << factor;
        }
    }
}

TEST(NoiseLaw, DropoutFollowsItsOwnFormula) {
    const auto window = rows_window(false);
    const Real odds = 0.3 / 0.7;
    Real apart = 0;
    for (Index age = 0; age < window.weights.size(); ++age)
        apart += std::pow(window.weights[age], 2) * squared_norm(window.record_gradient(age, window.y));
    const Real together = squared_norm(window.gradient(window.y));
    struct Case {
        const char* text;
        Real square;
    };
    for (const Case& each : {Case{"dropout:0.3", odds * apart},
                             {"dropout:0.3,samples=5", odds * apart / 5},
                             {"dropout:0.3,noise=shared", odds * together},
                             {"dropout:0.3,samples=5,noise=shared", odds * together / 5}}) {
        SCOPED_TRACE(each.text);
        const AnyOracle oracle = parse_oracle(each.text, {});
        EXPECT_FALSE(oracle->level(window.weights, 1));  // it grows with the gradient: nothing can be claimed
        expect_level(estimate_errors(oracle, window, 6000), std::sqrt(each.square));
    }
}

// ---- minibatches

/// The mean square distance of a row's gradient from its record's.
Real row_variance(const TestWindow& window, Index age) {
    const Vector whole = window.record_gradient(age, window.y);
    Scratch scratch;
    Vector row(window.y.size());
    Real total = 0;
    const Index rows = window.batch.parts(age);
    for (Index i = 0; i < rows; ++i) {
        const WeightedPart part{age, i, 1};
        window.batch.parts_gradient({&part, 1}, window.y, row, scratch);
        const Real away = distance(row, whole);
        total += away * away / static_cast<Real>(rows);
    }
    return total;
}

TEST(NoiseLaw, MinibatchesHaveTheVarianceOfTheirDraws) {
    const auto window = rows_window(false);
    for (const bool replace : {true, false}) {
        for (const Index samples : {Index{1}, Index{2}, Index{3}}) {
            SCOPED_TRACE(std::to_string(samples) + (replace ? " with" : " without"));
            Real square = 0;
            for (Index age = 0; age < window.weights.size(); ++age) {
                const Real rows = static_cast<Real>(window.batch.parts(age));
                const Real b = static_cast<Real>(samples);
                const Real left = replace ? 1 : (rows - b) / (rows - 1);  // the finite population's
                square += std::pow(window.weights[age], 2) * row_variance(window, age) / b * left;
            }
            const AnyOracle oracle(MinibatchOracle(samples, replace, {}, 0));
            EXPECT_FALSE(oracle->level(window.weights, samples));
            expect_level(estimate_errors(oracle, window, 6000), std::sqrt(square));
        }
    }
}

TEST(NoiseLaw, MinibatchVarianceClaimHoldsForIdenticalRecords) {
    TestWindow window = rows_window(true);
    window.weights = {0, 0, 0, 0.8};  // one record of five rows
    const Real base = std::sqrt(row_variance(window, 3));
    const auto level = [&](std::uint64_t samples, bool replace, Index rows) {
        return MinibatchOracle(samples, replace, base, rows).level(window.weights, samples);
    };
    EXPECT_NEAR(*level(2, true, 5), 0.8 * base / std::sqrt(2), 1e-14);
    EXPECT_NEAR(*level(2, false, 5), 0.8 * base / std::sqrt(2) * std::sqrt(3.0 / 4), 1e-14);
    EXPECT_NEAR(*level(2, false, 0), 0.8 * base / std::sqrt(2), 1e-14);  // rows not known
    EXPECT_EQ(*level(5, false, 5), 0);
    EXPECT_GT(*level(5, true, 5), 0);
    for (const bool replace : {true, false}) {
        const AnyOracle oracle(MinibatchOracle(2, replace, base, 5));
        expect_level(estimate_errors(oracle, window, 6000), *oracle->level(window.weights, 2));
    }

    // Over records of several kinds sigma_0 of the worst of them is a bound.
    const auto mixed = rows_window(true);
    Real worst = 0;
    for (Index age = 0; age < mixed.weights.size(); ++age) worst = std::max(worst, row_variance(mixed, age));
    const AnyOracle oracle(MinibatchOracle(2, false, std::sqrt(worst), 5));
    const Real claimed = *oracle->level(mixed.weights, 2);
    EXPECT_LE(estimate_errors(oracle, mixed, 3000).square, claimed * claimed);
}

// ---- samplers of one's own

TEST(NoiseLaw, SamplersShareNoiseOnlyIfDeclared) {
    const auto window = functions_window();
    // At rounds 9, 8, 6, 5: losses record |x|^2 / 2, noise of variance 1/3 times |record x|^2.
    const Vector parts{0.1 * 9, 0.4 * 8, 0, 0.3 * 6, 0.2 * 5};
    Vector exact(window.y.size());
    scaled(sum(parts), window.y, exact);
    for (const bool independent : {true, false}) {
        const AnyOracle oracle = callback_oracle(4, independent);
        const Errors found =
            errors(6000, exact, [&](const Ticket& ticket) { return estimate(oracle, window, ticket); });
        expect_level(found, noise_level(norm(window.y) / std::sqrt(3), parts, 4, independent));
    }
    const CallbackOracle::Claim surely{.base_noise = 2, .bounded = true, .independent = true};
    EXPECT_EQ(CallbackOracle({}, 9, surely).level(window.weights, 9), 2);
    EXPECT_FALSE(CallbackOracle({}, 9, {}).level(window.weights, 9));
}

}  // namespace
}  // namespace proxstream
