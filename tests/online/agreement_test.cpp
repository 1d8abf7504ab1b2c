// Every learner of the table against a slow twin written from the definitions (tests/support/naive.hpp).

#include "proxstream/core/draw.hpp"
#include "proxstream/prox/regulariser_table.hpp"

#include "loss/loss_table.hpp"
#include "online/learner_table.hpp"
#include "support/naive.hpp"

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

struct Stream {
    const char* name;
    Index dimension;
    naive::Formula formula;
    const char* loss;
    const char* regulariser;
    naive::Penalty penalty;
    Index window;
    Real delta;
};

std::vector<Stream> streams() {
    using naive::Formula;
    return {
        {"scalar_l1", 1, Formula::squared, "squared", "l1:0.05", naive::l1(0.05), 1, 0.2},
        {"scalar_box", 1, Formula::cauchy, "cauchy", "box:-0.4,0.4", naive::box(-0.4, 0.4), 2, 0.1},
        {"sigmoid_l1", 3, Formula::sigmoid, "sigmoid", "l1:0.01", naive::l1(0.01), 7, 0.05},
        {"squared_simplex", 5, Formula::squared, "squared", "simplex", naive::simplex(), 2, 0.1},
        {"cauchy_simplex", 5, Formula::cauchy, "cauchy", "simplex", naive::simplex(), 32, 0.3},
        {"cauchy_group", 8, Formula::cauchy, "cauchy", "group:0.02,size=4", naive::group(0.02, 4), 7, 0.2},
        {"sigmoid_group", 8, Formula::sigmoid, "sigmoid", "group:0.01,size=2", naive::group(0.01, 2), 32,
         0.1},
        {"squared_box", 12, Formula::squared, "squared", "box:-0.5,0.5", naive::box(-0.5, 0.5), 7, 0.5},
        {"cauchy_l1", 20, Formula::cauchy, "cauchy", "l1:0.02", naive::l1(0.02), 32, 0.5},
        {"wide_simplex", 30, Formula::cauchy, "cauchy", "simplex", naive::simplex(), 7, 0.3},
        {"wide_box", 30, Formula::sigmoid, "sigmoid", "box:-0.2,0.2", naive::box(-0.2, 0.2), 2, 0.1},
        {"wide_group", 30, Formula::squared, "squared", "group:0.05,size=5", naive::group(0.05, 5), 32, 0.5},
    };
}

struct Method {
    const char* name;
    const char* learner;
    const char* inner;
    naive::Method method;
    std::uint64_t effort;
    bool automatic;
};

constexpr Method kMethods[] = {
    {"fixed_step", "time-smoothed", "prox-grad", naive::Method::smoothed, 0, false},
    {"fixed_step_automatic", "time-smoothed", "prox-grad", naive::Method::smoothed, 0, true},
    {"backtracking", "time-smoothed", "backtracking", naive::Method::backtracking, 0, false},
    {"window_steps", "window-steps:steps=3", "prox-grad", naive::Method::window_steps, 3, false},
    {"single_window_step", "window-steps", "prox-grad", naive::Method::window_steps, 1, false},
    {"re_solve", "re-solve:steps=6", "prox-grad", naive::Method::re_solve, 6, false},
    {"prox_gradient", "prox-gradient", "prox-grad", naive::Method::prox_gradient, 1, false},
    {"prox_sgd", "prox-sgd", "prox-grad", naive::Method::prox_sgd, 1, false},
    {"momentum", "momentum", "prox-grad", naive::Method::momentum, 1, false},
    {"adam", "adam", "prox-grad", naive::Method::adam, 1, false},
    {"optimistic", "optimistic", "prox-grad", naive::Method::optimistic, 1, false},
    {"extragradient", "extragradient", "prox-grad", naive::Method::extragradient, 1, false},
    {"adagrad", "adagrad", "prox-grad", naive::Method::adagrad, 1, false},
    {"adagrad_replay", "adagrad:replay=4", "prox-grad", naive::Method::adagrad, 5, false},
    {"ftrl", "ftrl", "prox-grad", naive::Method::ftrl, 1, false},
    {"full_history", "full-history", "prox-grad", naive::Method::full_history, 1, false},
};

/// A drifting linear model with noise: enough movement that quiet and busy rounds alternate.
struct Rows {
    std::vector<std::vector<Real>> features;
    std::vector<Real> targets;
    Real smoothness = 0;
};

Rows draw_rows(const Stream& stream, Index rounds, std::uint64_t seed) {
    Rows rows;
    for (Index t = 0; t < rounds; ++t) {
        std::vector<Real> a(stream.dimension);
        Real score = 0;
        Real squares = 0;
        for (Index i = 0; i < a.size(); ++i) {
            a[i] = normal({seed, t, static_cast<std::uint32_t>(i), 0, 0}) /
                   std::sqrt(static_cast<Real>(a.size()));
            score += a[i] * std::sin(0.05 * static_cast<Real>(t) + static_cast<Real>(i));
            squares += a[i] * a[i];
        }
        const Real noisy = score + 0.1 * normal({seed, t, 0, 1, 0});
        rows.features.push_back(std::move(a));
        rows.targets.push_back(stream.formula == naive::Formula::sigmoid ? (noisy < 0 ? -1 : 1) : noisy);
        rows.smoothness = std::max(rows.smoothness, naive::curvature(stream.formula) * squares);
    }
    return rows;
}

bool close(Real a, Real b) {
    return std::abs(a - b) <= 1e-10 * (1 + std::abs(b));
}

void compare(const Stream& stream, const Method& method, std::uint64_t seed) {
    SCOPED_TRACE(std::string(stream.name) + ", " + method.name);
    const Index rounds = 3 * stream.window + 60;
    const Rows rows = draw_rows(stream, rounds, seed);
    const Real step = 0.9 / rows.smoothness;
    // Away from zero, where a penalty can hold x until the automatic tolerance is nothing but rounding.
    const bool centred = std::string_view(stream.regulariser) == "simplex";
    std::vector<Real> start(stream.dimension, centred ? 1 / static_cast<Real>(stream.dimension) : 0.15);

    const auto family =
        parse_loss(stream.loss, {.features = stream.dimension, .intercept = false, .classes = 0});
    constexpr Real kFactor = 1.5;
    const auto learner = make_learner(
        method.learner,
        {.g = parse_regulariser(stream.regulariser),
         .make_batch = [&](Index capacity) { return family->make_batch(capacity); },
         .start = start,
         .window = std::to_string(stream.window),
         .step = step,
         .smoothness = rows.smoothness,
         .tolerance = method.automatic ? Tolerance::automatic(kFactor) : Tolerance::fixed(stream.delta),
         .budget = {},
         .inner = method.inner});
    naive::Player twin(stream.penalty, start,
                       {.method = method.method,
                        .window = stream.window,
                        .step = step,
                        .delta = method.automatic ? -kFactor : stream.delta,
                        .effort = method.effort,
                        .fixed_sum = centred,
                        .replayed = [](std::uint64_t t, std::uint64_t i, std::size_t losses) {
                            return uniform_below({.seed = 0, .round = t, .sample = i}, losses);
                        }});

    RowBlock record;
    for (Index t = 0; t < rounds; ++t) {
        record.clear();
        record.add_dense(rows.features[t], rows.targets[t]);
        const RoundReport report = learner->observe(record);
        const naive::Round expected =
            twin.play(naive::row_loss(stream.formula, rows.features[t], rows.targets[t]));
        ASSERT_EQ(report.steps, expected.steps) << "N_t at t = " << t + 1;
        ASSERT_TRUE(close(report.entry_gap, expected.entry))
            << "R_t at t = " << t + 1 << ": " << report.entry_gap << " and " << expected.entry;
        ASSERT_TRUE(close(report.exit_gap, expected.exit))
            << "r_t at t = " << t + 1 << ": " << report.exit_gap << " and " << expected.exit;
        ASSERT_TRUE(close(report.tolerance, expected.tolerance)) << "delta_t / w at t = " << t + 1;
        for (Index i = 0; i < stream.dimension; ++i) {
            ASSERT_TRUE(close(learner->decide()[i], expected.next[i]))
                << "coordinate " << i << " of x at t = " << t + 2 << ": " << learner->decide()[i] << " and "
                << expected.next[i];
        }
    }
}

class Agreement : public testing::TestWithParam<Method> {};

TEST_P(Agreement, EqualsTheDefinitionOnEveryStream) {
    std::uint64_t seed = 100;
    for (const Stream& stream : streams()) {
        // FTRL-proximal needs a step for each coordinate.
        if (GetParam().method == naive::Method::ftrl && !parse_regulariser(stream.regulariser).can_weigh())
            continue;
        compare(stream, GetParam(), seed++);
    }
}

INSTANTIATE_TEST_SUITE_P(Learners, Agreement, testing::ValuesIn(kMethods),
                         [](const auto& param) { return std::string(param.param.name); });

}  // namespace
}  // namespace proxstream
