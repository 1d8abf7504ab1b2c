// What every oracle promises. An estimate is the weighted sum of its answers, a ticket names its draws, and a
// difference has the same samples at both points.

#include "proxstream/core/error.hpp"

#include "window/oracle_case.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

constexpr const char* kTexts[] = {"minibatch:2",
                                  "minibatch:4",
                                  "minibatch:7,replace=yes",
                                  "sphere:0.3",
                                  "gaussian:0.3,samples=3",
                                  "gaussian:0.3,noise=shared",
                                  "heavy:0.3,tail=3,samples=2",
                                  "heavy:0.3,noise=shared",
                                  "dropout:0.4,samples=2",
                                  "dropout:0.4,noise=shared"};

std::vector<std::pair<std::string, AnyOracle>> stochastic_oracles() {
    std::vector<std::pair<std::string, AnyOracle>> all;
    for (const char* text : kTexts) all.emplace_back(text, parse_oracle(text, {}));
    all.emplace_back("callback", callback_oracle(2, true));
    all.emplace_back("callback, shared", callback_oracle(2, false));
    return all;
}

// ---- estimates and answers

void check_answers(const TestWindow& window, const AnyOracle& oracle) {
    for (std::uint32_t pass = 0; pass < 5; ++pass) {
        const Ticket ticket{5, kRound, pass};
        Cost whole;
        Cost apart;
        const Vector together = estimate(oracle, window, ticket, &whole);
        Vector sum(window.y.size());
        Real size = 0;
        for (Index age = 0; age < window.weights.size(); ++age) {
            if (window.weights[age] == 0) continue;
            const Vector own = answer(oracle, window, age, ticket, &apart);
            axpy(window.weights[age], own, sum);
            size += window.weights[age] * norm(own);
        }
        EXPECT_LE(distance(together, sum), 1e-14 * size) << "pass " << pass;
        EXPECT_EQ(whole, apart);
        if (oracle->exact()) {
            EXPECT_EQ(whole, (Cost{.record_gradients = 4}));
        } else {
            EXPECT_EQ(whole.oracle_calls, 4U);
            EXPECT_EQ(whole.record_gradients, 0U);
        }
    }
}

TEST(Oracle, AnEstimateIsTheWeightedSumOfItsAnswers) {
    auto all = stochastic_oracles();
    all.emplace_back("exact", parse_oracle("exact", {}));
    for (const auto& [text, oracle] : all) {
        SCOPED_TRACE(text);
        check_answers(rows_window(false), oracle);
        check_answers(rows_window(true), oracle);
        check_answers(functions_window(), oracle);
    }
}

TEST(Oracle, CountsBaseSamples) {
    // Ages 0, 1, 3, 4 count: 4, 3, 5 and 4 rows.
    const auto window = rows_window(false);
    const std::map<std::string, std::uint64_t> expected = {{"minibatch:2", 8},
                                                           {"minibatch:4", 15},
                                                           {"minibatch:7,replace=yes", 28},
                                                           {"sphere:0.3", 4},
                                                           {"gaussian:0.3,samples=3", 12},
                                                           {"dropout:0.4,samples=2", 8},
                                                           {"minibatch:100", 16}};
    for (const auto& [text, samples] : expected) {
        Cost cost;
        estimate(parse_oracle(text, {}), window, {5, kRound, 0}, &cost);
        EXPECT_EQ(cost, (Cost{.oracle_calls = 4, .base_samples = samples})) << text;
    }
}

TEST(Oracle, TicketsNameTheDraws) {
    const auto window = rows_window(false);
    for (const auto& [text, oracle] : stochastic_oracles()) {
        if (text.starts_with("dropout")) continue;  // two outcomes a record: below
        const Vector first = estimate(oracle, window, {5, kRound, 2});
        EXPECT_EQ(first, estimate(oracle, window, {5, kRound, 2})) << text;
        EXPECT_NE(first, estimate(oracle, window, {5, kRound, 3})) << text;
        EXPECT_NE(first, estimate(oracle, window, {5, kRound + 1, 2})) << text;
        EXPECT_NE(first, estimate(oracle, window, {6, kRound, 2})) << text;
        EXPECT_EQ(answer(oracle, window, 1, {5, kRound, 2}), answer(oracle, window, 1, {5, kRound, 2}));
        const Vector from(window.y.size(), 0.1);
        EXPECT_EQ(difference(oracle, window, {5, kRound, 2}, 3, {window.y, from}),
                  difference(oracle, window, {5, kRound, 2}, 3, {window.y, from}));
    }
    const AnyOracle dropout = parse_oracle("dropout:0.5", {});
    std::set<Vector> seen;
    for (std::uint32_t pass = 0; pass < 400; ++pass) {
        seen.insert(estimate(dropout, window, {5, kRound, pass}));
        EXPECT_EQ(estimate(dropout, window, {5, kRound, pass}), estimate(dropout, window, {5, kRound, pass}));
    }
    EXPECT_EQ(seen.size(), 16U);  // of four records each is there or not
}

// ---- minibatches

TEST(Minibatch, OfWholeRecordsIsTheExactPass) {
    for (const bool sparse : {false, true}) {
        const auto window = rows_window(sparse);
        EXPECT_EQ(estimate(parse_oracle("minibatch:5", {}), window, {5, kRound, 0}),
                  window.gradient(window.y));
        EXPECT_NE(estimate(parse_oracle("minibatch:4", {}), window, {5, kRound, 0}),
                  window.gradient(window.y));
    }
    const auto functions = functions_window();  // a function cannot be taken apart
    EXPECT_EQ(estimate(parse_oracle("minibatch:1", {}), functions, {5, kRound, 0}),
              functions.gradient(functions.y));
}

/// One record, whose i-th row has the gradient e_i at 0: an estimate shows the rows it was made from.
TestWindow telling_rows(Index count) {
    TestWindow window{AnyBatch(Rows(LinearFamily({ScalarFormula::squared, 1}, count, false), 1)), {1}, {}};
    RowBlock block;
    for (Index row = 0; row < count; ++row) {
        Vector values(count);
        values[row] = 1;
        block.add_dense(values, -1);
    }
    window.batch.push(block);
    window.y.assign(count, 0);
    return window;
}

/// Sum of (seen - expected)^2 / expected over all outcomes.
Real chi_square(const std::map<Vector, Real>& seen, Real outcomes, Real draws) {
    const Real expected = draws / outcomes;
    Real total = (outcomes - static_cast<Real>(seen.size())) * expected;
    for (const auto& [outcome, count] : seen) total += (count - expected) * (count - expected) / expected;
    return total;
}

TEST(Minibatch, WithoutReplacementEverySubsetIsAsLikely) {
    constexpr Index kDraws = 6000;
    const auto window = telling_rows(6);
    const AnyOracle oracle = parse_oracle("minibatch:3", {});
    std::map<Vector, Real> seen;
    for (std::uint32_t pass = 0; pass < kDraws; ++pass) {
        const Vector drawn = estimate(oracle, window, {5, kRound, pass});
        ASSERT_EQ(std::count(drawn.begin(), drawn.end(), 1.0 / 3), 3);
        ASSERT_EQ(std::count(drawn.begin(), drawn.end(), 0.0), 3);
        ++seen[drawn];
    }
    EXPECT_EQ(seen.size(), 20U);
    EXPECT_LT(chi_square(seen, 20, kDraws), 43.8);  // 19 degrees of freedom, 1 in 1000
}

TEST(Minibatch, WithReplacementEverySequenceIsAsLikely) {
    constexpr Index kDraws = 6000;
    const auto window = telling_rows(3);
    const AnyOracle oracle = parse_oracle("minibatch:2,replace=yes", {});
    std::map<Vector, Real> twice;
    std::map<Vector, Real> apart;
    for (std::uint32_t pass = 0; pass < kDraws; ++pass) {
        const Vector drawn = estimate(oracle, window, {5, kRound, pass});
        ++(max_abs(drawn) == 1 ? twice : apart)[drawn];
    }
    // Of 9 pairs each row is drawn twice by one, each two rows by two.
    Real total = 0;
    for (const Real count : {twice[{1, 0, 0}], twice[{0, 1, 0}], twice[{0, 0, 1}]})
        total += (count - kDraws / 9.0) * (count - kDraws / 9.0) / (kDraws / 9.0);
    for (const Real count : {apart[{0.5, 0.5, 0}], apart[{0.5, 0, 0.5}], apart[{0, 0.5, 0.5}]})
        total += (count - kDraws / 4.5) * (count - kDraws / 4.5) / (kDraws / 4.5);
    EXPECT_LT(total, 20.5);  // 5 degrees of freedom, 1 in 1000
}

// ---- records drawn by weight

TEST(DrawAges, IsUnbiasedStratifiedAndBlindToWeightZero) {
    const Vector weights{0, 0.3, 0, 0.05, 0.25, 0, 0};
    constexpr Index kRuns = 4000;
    for (const Index samples : {Index{1}, Index{3}, Index{100}}) {
        Vector mean(weights.size());
        for (Round run = 0; run < kRuns; ++run) {
            std::vector<WeightedPart> parts(samples);
            draw_ages(weights, {4, run, 0, 0, 0}, parts);
            Vector drawn(weights.size());
            for (const WeightedPart& each : parts) {
                ASSERT_NEAR(each.weight, 0.6 / static_cast<Real>(samples), 1e-15);
                drawn[each.age] += each.weight;
            }
            for (Index age = 0; age < weights.size(); ++age) {
                if (weights[age] == 0) {
                    ASSERT_EQ(drawn[age], 0);
                }
                // A record spans so many whole slices, and cuts two more at most.
                ASSERT_LE(std::abs(drawn[age] - weights[age]), 2 * 0.6 / static_cast<Real>(samples) + 1e-12);
            }
            axpy(1.0 / kRuns, drawn, mean);
        }
        for (Index age = 0; age < weights.size(); ++age) {
            const Real share = weights[age] / 0.6;
            EXPECT_NEAR(mean[age], weights[age],
                        5 * 0.6 * std::sqrt(share * (1 - share) / kRuns / static_cast<Real>(samples)))
                << samples << " samples, age " << age;
        }
    }
    std::vector<WeightedPart> one_each(8);
    draw_ages(Vector(8, 0.125), {4, 1, 0, 0, 0}, one_each);
    for (Index i = 0; i < 8; ++i) EXPECT_EQ(one_each[i].age, i);
}

// ---- differences

void check_difference(const TestWindow& window, const AnyOracle& oracle, const Vector& exact_there) {
    const Vector& from = window.y;
    Vector far = from;
    for (Real& entry : far) entry += 0.5;
    Cost cost;
    const Vector nothing = difference(oracle, window, {5, kRound, 1}, 3, {from, from}, &cost);
    EXPECT_EQ(norm(nothing), 0);
    if (oracle->exact()) {
        EXPECT_LE(cost.record_gradients, 6U);  // a record drawn twice is evaluated once
    } else {
        EXPECT_EQ(cost, (Cost{.oracle_calls = 6, .base_samples = 6}));
    }
    for (const std::uint64_t samples : {1U, 5U}) {
        const Errors found = errors(3000, exact_there, [&](const Ticket& ticket) {
            return difference(oracle, window, ticket, samples, {far, from});
        });
        EXPECT_LT(found.bias, 4.5 * found.uncertainty) << samples << " samples";
        EXPECT_GT(found.square, 0);
    }
}

Vector exact_difference(const TestWindow& window) {
    Vector far = window.y;
    for (Real& entry : far) entry += 0.5;
    Vector change = window.gradient(far);
    axpy(-1, window.gradient(window.y), change);
    return change;
}

TEST(Difference, IsZeroAtOnePointAndRightInTheMean) {
    const auto rows = rows_window(false);
    const auto functions = functions_window();
    std::vector<std::pair<std::string, AnyOracle>> all = stochastic_oracles();
    all.emplace_back("exact", parse_oracle("exact", {}));
    for (const auto& [text, oracle] : all) {
        SCOPED_TRACE(text);
        const bool own = text.starts_with("callback");  // of losses record |x|^2 / 2, at rounds 9, 8, 6, 5
        const Vector line(rows.y.size(), 0.5 * (0.1 * 9 + 0.4 * 8 + 0.3 * 6 + 0.2 * 5));
        check_difference(rows, oracle, own ? line : exact_difference(rows));
        if (!own) check_difference(functions, oracle, exact_difference(functions));
    }
}

TEST(Difference, ShrinksWithTheDistance) {
    // Mean-squared smoothness (section 17 of docs/theory.md): with a curvature of at most 1 a row's gradient
    // moves by at most |a|^2 |y - from|, so b samples are off by at most the root of its mean square / b.
    const auto window = rows_window(false);
    Real curvature = 0;  // weighted mean of |a|^4
    for (const Index age : {Index{0}, Index{1}, Index{3}, Index{4}}) {
        const std::uint32_t record = 5 - static_cast<std::uint32_t>(age);
        const std::uint32_t rows = 3 + record % 4;
        for (std::uint32_t row = 0; row < rows; ++row) {
            Real size = 1;  // the intercept's
            for (std::uint32_t i = 0; i < kFeatures; ++i) size += std::pow(normal({1, record, row, i, 0}), 2);
            curvature += window.weights[age] * size * size / rows;
        }
    }
    const AnyOracle oracle = parse_oracle("minibatch:2", {});
    const Vector direction{0.5, -0.5, 0.5, -0.5, 0};
    for (const Real h : {1.0, 1e-2, 1e-4}) {
        Vector far = window.y;
        axpy(h, direction, far);
        Vector change = window.gradient(far);
        axpy(-1, window.gradient(window.y), change);
        for (const std::uint64_t samples : {2U, 8U}) {
            const Errors found = errors(1000, change, [&](const Ticket& ticket) {
                return difference(oracle, window, ticket, samples, {far, window.y});
            });
            EXPECT_LE(found.square, curvature * h * h / static_cast<Real>(samples));
            EXPECT_GT(found.square, 0.001 * curvature * h * h / static_cast<Real>(samples));
        }
    }
}

TEST(Difference, AdditiveNoiseCancels) {
    const auto window = rows_window(true);
    const Vector from(window.y.size(), 0.2);
    const AnyOracle exact = parse_oracle("exact", {});
    for (const char* text : {"sphere:9", "gaussian:9", "gaussian:9,noise=shared", "heavy:9"}) {
        EXPECT_EQ(difference(parse_oracle(text, {}), window, {5, kRound, 4}, 3, {window.y, from}),
                  difference(exact, window, {5, kRound, 4}, 3, {window.y, from}))
            << text;
    }
}

TEST(Difference, BaseSamplesOfOneRecordAreDropsOfTheirOwn) {
    TestWindow window = functions_window();
    window.weights = {1};  // all base samples are of the newest record
    const Vector change = exact_difference(window);
    Vector far = window.y;
    for (Real& entry : far) entry += 0.5;
    const Errors found = errors(2000, change, [&](const Ticket& ticket) {
        return difference(parse_oracle("dropout:0.5", {}), window, ticket, 16, {far, window.y});
    });
    EXPECT_NEAR(found.square, squared_norm(change) / 16, 5 * found.spread);
}

// ---- samplers of one's own

TEST(Callback, ErrorsNameASampleOfTheWrongLength) {
    const auto window = functions_window();
    const AnyOracle oracle(
        CallbackOracle([](Round record, ConstView x, const Draw& /*draw*/,
                          Vector& gradient) { gradient.assign(record == 6 ? 2 : x.size(), 1); },
                       1, {}));
    const auto message = [](auto&& call) -> std::string {
        try {
            call();
        } catch (const Error& error) {
            return error.what();
        }
        return "";
    };
    const std::string expected = "the oracle's gradient of record 6 has 2 numbers, x has 3";
    EXPECT_EQ(message([&] { estimate(oracle, window, {5, kRound, 0}); }), expected);
    EXPECT_EQ(message([&] { answer(oracle, window, 3, {5, kRound, 0}); }), expected);
    EXPECT_EQ(message([&] { answer(oracle, window, 2, {5, kRound, 0}); }), "");
    EXPECT_EQ(message([&] {
                  difference(oracle, window, {5, kRound, 0}, 9, {window.y, window.y});
              }),
              expected);
}

}  // namespace
}  // namespace proxstream
