// The methods on f itself: what they reach, what they charge, what they prove, and what they do in trouble.

#include "proxstream/core/error.hpp"
#include "proxstream/core/linalg.hpp"
#include "proxstream/prox/prox_gradient_step.hpp"
#include "proxstream/prox/regulariser_table.hpp"

#include "loss/loss_table.hpp"
#include "offline/method_rows.hpp"
#include "offline/method_table.hpp"
#include "offline/recorded_loss.hpp"
#include "offline/row_sum.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

using recorded::RecordedLoss;
using recorded::Vector;

const std::vector<std::string>& methods() {
    static const std::vector<std::string> names{"panoc", "accelerated", "backtracking", "prox-grad"};
    return names;
}

OfflineProblem recorded_problem(const std::string& g, std::uint64_t n = 40, Index dimension = 12) {
    Vector start(dimension, g == "simplex" ? 1 / static_cast<Real>(dimension) : 0);
    return make_offline_problem(std::make_shared<RecordedLoss>(n, dimension), parse_regulariser(g), start,
                                {.smoothness = 10});
}
const RecordedLoss& recorded_in(const OfflineProblem& problem) {
    return dynamic_cast<const RecordedLoss&>(*problem.loss);
}

/// Robust regression with outliers: mean of r^2 / (1 + r^2) / 2.
OfflineProblem robust_regression(const std::string& g, Index rows = 200, Index features = 30) {
    RowBlock block;
    Vector row(features);
    for (Index i = 0; i < rows; ++i) {
        Real target = 0.1 * normal({71, i, 0, 0, 0});
        if (i % 10 == 0) target += 10 * normal({72, i, 0, 0, 0});
        for (Index j = 0; j < features; ++j) {
            row[j] = normal({73, i, 0, 0, j});
            if (j % 7 == 0) target += row[j] * (j % 2 == 0 ? 0.4 : -0.6);
        }
        block.add_dense(row, target);
    }
    std::shared_ptr<const PassFamily> family =
        parse_loss("geman-mcclure:1", {.features = features, .intercept = false});
    Vector start(features, g == "simplex" ? 1 / static_cast<Real>(features) : 0);
    return make_offline_problem(std::make_shared<RowSum>(family, std::move(block)), parse_regulariser(g),
                                std::move(start));
}

Real gap_at(const OfflineProblem& problem, ConstView x, ConstView gradient) {
    Scratch scratch;
    Vector forward(x.size()), gap(x.size());
    return prox_gradient_step(problem.g, x, gradient, problem.reference_step, {forward, gap}, scratch).norm;
}

/// |P| at the method's point, by a pass of the test's own.
Real measured(const OfflineProblem& problem, const OfflineMethod& method) {
    Scratch scratch;
    Vector gradient(problem.dimension());
    problem.loss->f(method.point(), gradient, scratch);
    return gap_at(problem, method.point(), gradient);
}

Real objective(const OfflineProblem& problem, ConstView x) {
    Scratch scratch;
    return problem.loss->f(x, {}, scratch) + problem.g.value(x, scratch);
}

Vector copy_of(ConstView x) {
    return {x.begin(), x.end()};
}

TEST(ExactMethods, AreAllTested) {
    std::vector<std::string> rows;
    for (const OfflineMethodRow& row : exact_method_rows()) {
        rows.emplace_back(row.name);
        EXPECT_EQ(row.usage.substr(0, row.name.size()), row.name);
        EXPECT_FALSE(row.stochastic || row.random_index || row.source.empty() || row.help.empty());
    }
    EXPECT_EQ(rows, methods());
}

TEST(ExactMethods, ReachAStationaryPointOfRobustRegression) {
    for (const std::string g : {"l1:0.005", "simplex", "l2ball:0.5"}) {
        const OfflineProblem problem = robust_regression(g);
        for (const std::string& name : methods()) {
            const auto method = make_method(name, {.problem = problem});
            const Real before = objective(problem, problem.start);
            Cost cost;
            Scratch scratch;
            Real gap = kInfinity;
            int iterations = 0;
            while (gap > 1e-9 && ++iterations < 20'000) {
                ASSERT_EQ(method->advance(cost), StepStatus::moved) << name << ' ' << g << ' ' << iterations;
                ASSERT_LT(problem.g.value(method->point(), scratch), kInfinity) << name;
                ASSERT_TRUE(method->exact());
                gap = gap_at(problem, method->point(), method->exact()->gradient);
            }
            EXPECT_LE(measured(problem, *method), 1.001e-9) << name << ' ' << g;
            const Real after = objective(problem, method->point());
            EXPECT_NEAR(method->exact()->value + problem.g.value(method->point(), scratch), after, 1e-15);
            ASSERT_TRUE(method->certified_decrease()) << name;
            EXPECT_GT(*method->certified_decrease(), 0) << name;
            EXPECT_LE(*method->certified_decrease(), before - after + 1e-15) << name << ' ' << g;
            EXPECT_EQ(cost.base_samples, 200 * cost.passes);
            EXPECT_EQ(cost.oracle_calls, 0U);  // f itself is no answer of an oracle
            EXPECT_GT(cost.passes, static_cast<std::uint64_t>(iterations));
            EXPECT_LT(cost.passes, name == "panoc" ? 150U : 20'000U) << name << ' ' << g;
        }
    }
}

TEST(PanocMethod, StepsOnAReducedCopyOfALargeSum) {
    for (const std::string g : {"l1:0.005", "simplex"}) {
        const OfflineProblem large = robust_regression(g, 1000);
        ASSERT_TRUE(large.loss->reducible());
        ASSERT_FALSE(robust_regression(g, 100).loss->reducible());
        const auto method = make_method("panoc", {.problem = large, .epsilon = 1e-9});
        const Real before = objective(large, large.start);
        Cost cost;
        int iterations = 0;
        while (measured(large, *method) > 1e-9 && ++iterations < 20)
            ASSERT_EQ(method->advance(cost), StepStatus::moved) << g << ' ' << iterations;
        EXPECT_LE(measured(large, *method), 1.001e-9) << g;
        EXPECT_LE(*method->certified_decrease(), before - objective(large, method->point()) + 1e-15) << g;
        EXPECT_EQ(cost.base_samples, 1000 * cost.passes);
        EXPECT_GT(cost.passes, 4U * static_cast<std::uint64_t>(iterations)) << g;
        EXPECT_LT(cost.passes, 200U) << g;
    }
}

TEST(ExactMethods, ChargeEveryPassTheyMake) {
    const OfflineProblem problem = recorded_problem("l1:0.02");
    for (const std::string& name : methods()) {
        recorded_in(problem).calls.clear();
        recorded_in(problem).evaluated = 0;
        // A first step that is far too long: candidates are rejected.
        const auto method =
            make_method(name, {.problem = problem, .step_scale = name == "prox-grad" ? 1.0 : 1e4});
        Cost cost;
        for (int i = 0; i < 8; ++i) ASSERT_EQ(method->advance(cost), StepStatus::moved) << name;
        EXPECT_EQ(cost.passes, recorded_in(problem).calls.size()) << name;
        EXPECT_EQ(cost.base_samples, recorded_in(problem).evaluated) << name;
        EXPECT_GT(cost.passes, name == "prox-grad" ? 8U : 10U) << name;
    }
}

TEST(ExactMethods, ContinueWhileTheStepShrinks) {
    const OfflineProblem problem = recorded_problem("l1:0.02");
    for (const std::string name : {"panoc", "accelerated", "backtracking"}) {
        const auto method = make_method(name + ":shrink=0.98", {.problem = problem, .step_scale = 1e4});
        Cost cost;
        EXPECT_EQ(method->advance(cost), StepStatus::moved) << name;
        EXPECT_GT(cost.passes, 200U) << name;
    }
}

TEST(ProxGradMethod, IsThePlainProxGradientLoop) {
    const OfflineProblem problem = recorded_problem("l1:0.02");
    const auto method = make_method("prox-grad", {.problem = problem, .step_scale = 0.5});
    EXPECT_EQ(method->step(), 0.5 / problem.smoothness.mean);
    EXPECT_FALSE(method->exact());
    Vector x = problem.start;
    Cost cost;
    for (int k = 0; k < 30; ++k) {
        const Vector gradient = recorded::full_gradient(40, x);
        for (Index j = 0; j < x.size(); ++j) {
            const Real v = x[j] + -method->step() * gradient[j];
            const Real pull = method->step() * 0.02;
            x[j] = std::copysign(std::max(std::abs(v) - pull, 0.0), v);
        }
        ASSERT_EQ(method->advance(cost), StepStatus::moved);
        ASSERT_EQ(copy_of(method->point()), x) << k;
    }
    EXPECT_EQ(cost.passes, 31U);
}

TEST(ProxGradMethod, ProvesOnlyWithAProvedConstant) {
    const OfflineProblem proved = robust_regression("l1:0.005");
    ASSERT_TRUE(proved.smoothness.proved);
    EXPECT_TRUE(make_method("prox-grad", {.problem = proved})->certified_decrease());
    // Beyond 2/L nothing is proved; nor with a constant that was only claimed.
    EXPECT_FALSE(make_method("prox-grad", {.problem = proved, .step_scale = 2.01})->certified_decrease());
    EXPECT_FALSE(make_method("prox-grad", {.problem = recorded_problem("zero")})->certified_decrease());
}

TEST(ExactMethods, ContinueBitForBitFromASavedState) {
    for (const std::string g : {"l1:0.005", "simplex"}) {
        const OfflineProblem problem = robust_regression(g, 60, 10);
        for (const std::string& name : methods()) {
            for (const int rounds : {0, 1, 6}) {
                const auto whole = make_method(name, {.problem = problem});
                Cost cost;
                for (int i = 0; i < rounds; ++i) whole->advance(cost);
                StateArchive saved;
                saved.section("method", *whole);
                const auto resumed = make_method(name, {.problem = problem});
                StateArchive loaded(saved.seal(), "test");
                loaded.section("method", *resumed);
                loaded.finish();
                EXPECT_EQ(copy_of(resumed->point()), copy_of(whole->point()));
                Cost whole_cost, resumed_cost;
                for (int i = 0; i < 9; ++i) {
                    ASSERT_EQ(whole->advance(whole_cost), resumed->advance(resumed_cost));
                    ASSERT_EQ(copy_of(resumed->point()), copy_of(whole->point())) << name << ' ' << i;
                }
                EXPECT_EQ(whole_cost, resumed_cost) << name;
                EXPECT_EQ(whole->certified_decrease(), resumed->certified_decrease());
                EXPECT_EQ(whole->step(), resumed->step());
                EXPECT_EQ(whole->exact()->value, resumed->exact()->value);
            }
        }
    }
}

TEST(ExactMethods, StayAtTheLastFinitePoint) {
    for (const std::string& name : methods()) {
        auto loss = std::make_shared<RecordedLoss>(20, 6);
        loss->broken_from = 12;
        const OfflineProblem problem =
            make_offline_problem(loss, parse_regulariser("l1:0.01"), Vector(6, 0.5), {.smoothness = 10});
        loss->calls.clear();
        const auto method = make_method(name, {.problem = problem});
        Cost cost;
        Vector last = problem.start;
        Real value = 0;
        StepStatus status = StepStatus::moved;
        for (int i = 0; i < 1000 && status == StepStatus::moved; ++i) {
            status = method->advance(cost);
            if (status != StepStatus::moved) break;
            last = copy_of(method->point());
            value = method->exact()->value;
        }
        EXPECT_EQ(status, StepStatus::not_finite) << name;
        EXPECT_EQ(copy_of(method->point()), last) << name;
        EXPECT_EQ(method->exact()->value, value) << name;
        EXPECT_NE(last, problem.start) << name;
    }
}

TEST(ExactMethods, ReportAStartWithoutAFiniteLoss) {
    for (const std::string& name : methods()) {
        auto loss = std::make_shared<RecordedLoss>(20, 6);
        const OfflineProblem problem =
            make_offline_problem(loss, parse_regulariser("l1:0.01"), Vector(6, 0.5), {.smoothness = 10});
        loss->broken_beyond = 0.1;
        const auto method = make_method(name, {.problem = problem});
        Cost cost;
        EXPECT_EQ(method->advance(cost), StepStatus::not_finite) << name;
        EXPECT_EQ(copy_of(method->point()), problem.start);
        EXPECT_FALSE(method->exact());
        EXPECT_EQ(cost.passes, 1U);
    }
}

/// f = 0.
class NoLoss final : public SampledLoss {
  public:
    Index dimension() const override { return 4; }
    std::uint64_t components() const override { return 1; }
    Real mean(std::span<const SampleId> /*samples*/, ConstView /*x*/, View gradient,
              Scratch& /*scratch*/) const override {
        fill(gradient, 0);
        return 0;
    }
    Real f(ConstView /*x*/, View gradient, Scratch& /*scratch*/) const override {
        fill(gradient, 0);
        return 0;
    }
};

TEST(ExactMethods, NeedNoLoss) {
    for (const std::string& name : methods()) {
        const OfflineProblem problem =
            make_offline_problem(std::make_shared<NoLoss>(), parse_regulariser("l1:0.5"), Vector{3, -1, 0, 2},
                                 {.reference_step = 1});
        const auto method = make_method(name, {.problem = problem});
        Cost cost;
        StepStatus status = StepStatus::moved;
        for (int i = 0; i < 1000 && status == StepStatus::moved; ++i) status = method->advance(cost);
        EXPECT_EQ(status, StepStatus::stalled) << name;  // at the minimum itself: nothing left to gain
        EXPECT_EQ(copy_of(method->point()), Vector(4)) << name;
    }
}

TEST(ExactMethods, StopAtTheRoundingFloor) {
    const OfflineProblem problem = robust_regression("l1:0.005");
    for (const std::string& name : methods()) {
        const auto until_stalled = [&](bool saved_on_the_way) {
            auto method = make_method(name, {.problem = problem});
            Cost cost;
            int iterations = 0;
            while (iterations < 20'000 && method->advance(cost) == StepStatus::moved) {
                if (++iterations % 30 != 0 || !saved_on_the_way) continue;
                StateArchive saved;
                saved.section("method", *method);
                StateArchive loaded(saved.seal(), "test");
                method = make_method(name, {.problem = problem});
                loaded.section("method", *method);
            }
            EXPECT_EQ(method->advance(cost), StepStatus::stalled) << name;
            // Backtracking compares values alone, which tell gaps apart down to the root of rounding.
            EXPECT_LT(measured(problem, *method), name == "backtracking" ? 1e-7 : 1e-13) << name;
            return iterations;
        };
        const int iterations = until_stalled(false);
        EXPECT_LT(iterations, 20'000) << name;
        EXPECT_EQ(until_stalled(true), iterations) << name;
    }
}

std::string refusal(const std::string& text, Real scale = 1) {
    const OfflineProblem problem = recorded_problem("zero");
    try {
        make_method(text, {.problem = problem, .step_scale = scale});
    } catch (const ConfigError& error) {
        return error.what();
    }
    return "";
}

TEST(ExactMethods, ReadTheirArgumentsAndRefuseTheRest) {
    for (const std::string& name : methods()) {
        const OfflineProblem problem = recorded_problem("zero");
        const auto method = make_method(name + ":step=0.25", {.problem = problem, .step_scale = 2});
        EXPECT_EQ(method->step(), 0.5) << name;
        const auto parameters = method->parameters();
        const auto step = std::find_if(parameters.begin(), parameters.end(),
                                       [](const MethodParameter& each) { return each.name == "step"; });
        ASSERT_NE(step, parameters.end());
        EXPECT_EQ(step->value, "0.5");
        EXPECT_EQ(step->source, "given, times 2");
        EXPECT_NE(refusal(name + ":step=0"), "");
        EXPECT_NE(refusal(name + ":step=-1"), "");
        EXPECT_NE(refusal(name, 0), "");
        EXPECT_NE(refusal(name + ":batch=3").find("batch"), std::string::npos);
    }
    EXPECT_EQ(refusal("panoc:memory=20,trials=1,shrink=0.3,grow=2"), "");
    EXPECT_NE(refusal("panoc:memory=0"), "");
    EXPECT_NE(refusal("panoc:memory=100000"), "");
    EXPECT_NE(refusal("accelerated:shrink=1"), "");
    EXPECT_NE(refusal("plane").find("unknown method"), std::string::npos);
    EXPECT_NE(refusal("panoc:shrink=0.999"), "");
    EXPECT_NE(refusal("backtracking:lambda=2"), "");
    EXPECT_NE(refusal("backtracking:grow=0.5"), "");
}

}  // namespace
}  // namespace proxstream
