/// Problems as methods get them: starts, constants known, claimed and measured, and what is refused.
#include "proxstream/core/error.hpp"
#include "proxstream/core/linalg.hpp"
#include "proxstream/prox/regulariser_table.hpp"

#include "loss/linear_family.hpp"
#include "loss/row_fixtures.hpp"
#include "offline/offline_problem.hpp"
#include "offline/row_sum.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

using fixtures::Source;

std::shared_ptr<const RowSum> draw_sum(const std::string& spec, Index features, Index rows,
                                       std::uint64_t seed = 1) {
    std::shared_ptr<const PassFamily> family = parse_loss(spec, {.features = features, .intercept = false});
    Source source{.seed = seed};
    return std::make_shared<RowSum>(family, draw_record(*family, features, rows, source).dense);
}

std::string refusal(std::vector<Real> start, const std::string& g, ProblemOptions options = {}) {
    try {
        make_offline_problem(draw_sum("squared", 3, 10), parse_regulariser(g), std::move(start), options);
    } catch (const ConfigError& error) {
        return error.what();
    }
    return "";
}

TEST(RowSum, HasCorrectConstantsAndInfimum) {
    const auto sum = draw_sum("logistic", 6, 300);
    const auto facts = sum->smoothness();
    ASSERT_TRUE(facts);
    const auto known = sum->family().data_smoothness(sum->rows());
    EXPECT_EQ(facts->mean, known->mean);
    EXPECT_EQ(facts->mean_square, known->mean_square);
    EXPECT_EQ(facts->largest, known->largest);
    EXPECT_TRUE(facts->proved);
    EXPECT_LE(facts->mean, facts->mean_square);
    EXPECT_LE(facts->mean_square, facts->largest);
    EXPECT_NE(facts->origin, "");
    EXPECT_EQ(sum->infimum(), 0);
    EXPECT_EQ(draw_sum("pca", 3, 4)->infimum(), -kInfinity);
    EXPECT_FALSE(draw_sum("mlp:hidden=2", 3, 4)->smoothness());
}

TEST(RowSum, MultipliesLossesByWeightsOfRows) {
    for (const bool sparse : {false, true}) {
        std::shared_ptr<const PassFamily> family = parse_loss("huber", {.features = 4});
        Source source;
        fixtures::Twins twins = draw_record(*family, 4, 600, source);
        RowBlock rows = sparse ? twins.sparse : twins.dense;
        for (Index row = 0; row < rows.rows(); ++row)
            rows.set_weight(row, row % 3 == 0 ? 0 : std::abs(source.normal()));
        const RowSum sum(family, rows);
        const std::vector<Real> x = source.point(family->dimension());
        const std::vector<SampleId> samples{0, 599, 7, 7, 301};
        std::vector<Real> gradient(x.size()), one(x.size()), all(x.size()), some(x.size());
        Scratch scratch;
        Real value_of_all = 0, value_of_some = 0;
        for (Index row = 0; row < rows.rows(); ++row) {
            RowBlock single(sparse);
            single.add_row(rows, row);
            single.set_weight(0, 1);
            const Real value = family->value_and_gradient(single, x, one, scratch);
            value_of_all += rows.weight(row) * value / 600;
            axpy(rows.weight(row) / 600, one, all);
            const auto times = static_cast<Real>(std::count(samples.begin(), samples.end(), row));
            value_of_some += times * rows.weight(row) * value / 5;
            axpy(times * rows.weight(row) / 5, one, some);
        }
        EXPECT_NEAR(sum.f(x, gradient, scratch), value_of_all, 1e-12);
        EXPECT_LE(distance(gradient, all), 1e-12);
        EXPECT_NEAR(sum.mean(samples, x, gradient, scratch), value_of_some, 1e-12);
        EXPECT_LE(distance(gradient, some), 1e-12);
    }
}

TEST(RowSum, RefusesRowsItsFamilyCannotUse) {
    std::shared_ptr<const PassFamily> family =
        parse_loss("factors:rank=2", {.features = 2, .largest = {3, 3}});
    RowBlock rows(false);
    rows.add_dense(std::vector<Real>{1, 2}, 1);
    EXPECT_NO_THROW(RowSum(family, rows));
    rows.add_dense(std::vector<Real>{0, 2}, 1);
    try {
        const RowSum refused(family, rows);
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(std::string(error.what()), "row 2: row number 0 is not a whole number from 1 to 3");
    }
}

TEST(OfflineProblem, StartIsProjectedOntoTheDomain) {
    const auto loss = draw_sum("squared", 3, 10);
    Scratch scratch;
    for (const char* text : {"simplex:1", "box:0.5,1"}) {
        const AnyRegulariser g = parse_regulariser(text);
        const OfflineProblem problem = make_offline_problem(loss, g, {-3, 5, 0.2});
        std::vector<Real> nearest = {-3, 5, 0.2};
        g.prox(nearest, 1, nearest, scratch);
        EXPECT_EQ(problem.start, nearest) << text;
        EXPECT_LT(g.value(problem.start, scratch), kInfinity) << text;
    }
    // In the domain it stays where it is.
    EXPECT_EQ(make_offline_problem(loss, parse_regulariser("l1:9"), {-3, 5, 0.2}).start,
              (std::vector<Real>{-3, 5, 0.2}));
}

TEST(OfflineProblem, ConstantsAreTheLosssUnlessGiven) {
    const auto loss = draw_sum("squared", 3, 10);
    const AnyRegulariser g = parse_regulariser("zero");
    const SmoothnessFacts own = *loss->smoothness();
    const OfflineProblem plain = make_offline_problem(loss, g, {0, 0, 0});
    EXPECT_EQ(plain.smoothness.mean, own.mean);
    EXPECT_EQ(plain.reference_step, 1 / own.mean);
    EXPECT_TRUE(plain.smoothness.proved);
    const OfflineProblem claimed = make_offline_problem(loss, g, {0, 0, 0}, {.smoothness = 1000});
    EXPECT_EQ(claimed.smoothness.mean, 1000);
    EXPECT_EQ(claimed.smoothness.mean_square, 1000);
    EXPECT_EQ(claimed.reference_step, 1e-3);
    EXPECT_TRUE(claimed.smoothness.proved);
    EXPECT_FALSE(make_offline_problem(loss, g, {0, 0, 0}, {.smoothness = 1e-3}).smoothness.proved);
    const OfflineProblem stepped = make_offline_problem(loss, g, {0, 0, 0}, {.reference_step = 0.25});
    EXPECT_EQ(stepped.smoothness.mean, own.mean);
    EXPECT_EQ(stepped.reference_step, 0.25);
    EXPECT_EQ(stepped.step_origin, "given");
}

TEST(OfflineProblem, DataOfZerosHaveAPositiveStep) {
    std::shared_ptr<const PassFamily> family = parse_loss("squared", {.features = 2, .intercept = false});
    RowBlock rows(false);
    rows.add_dense(std::vector<Real>{0, 0}, 1);
    const auto problem =
        make_offline_problem(std::make_shared<RowSum>(family, rows), parse_regulariser("zero"), {0, 0});
    EXPECT_EQ(problem.smoothness.mean, 0);
    EXPECT_EQ(problem.reference_step, 1);
}

TEST(OfflineProblem, RefusesInconsistentArguments) {
    EXPECT_NE(refusal({0, 0}, "zero").find("it has 2 numbers, the loss takes 3"), std::string::npos);
    EXPECT_NE(refusal({0, std::numeric_limits<Real>::quiet_NaN(), 0}, "zero").find("finite"),
              std::string::npos);
    EXPECT_NE(refusal({0, kInfinity, 0}, "zero"), "");
    EXPECT_NE(refusal({0, 0, 0}, "group:1,size=2"), "");
    EXPECT_NE(refusal({0, 0, 0}, "zero", {.smoothness = -1}).find("smoothness = -1"), std::string::npos);
    EXPECT_NE(refusal({0, 0, 0}, "zero", {.reference_step = kInfinity}), "");
    EXPECT_EQ(refusal({0, 0, 0}, "zero"), "");
}

TEST(MeasureSmoothness, FindsKnownConstants) {
    Scratch scratch;
    const auto sum = draw_sum("squared", 20, 200);
    const SmoothnessFacts known = *sum->smoothness();
    const std::vector<Real> x(20, 0.3);
    const SmoothnessFacts met = measure_smoothness(*sum, x, 1, scratch);
    EXPECT_FALSE(met.proved);
    EXPECT_EQ(met.largest, kInfinity);
    // Twice the measured curvature, which power iteration finds to a few percent.
    EXPECT_GT(met.mean, 1.8 * known.mean);
    EXPECT_LT(met.mean, 2.001 * known.mean);
    EXPECT_GT(met.mean_square, known.mean_square);
    EXPECT_LT(met.mean_square, 2.001 * known.mean_square);
    EXPECT_NE(met.origin.find("2 times"), std::string::npos);
    const SmoothnessFacts again = measure_smoothness(*sum, x, 1, scratch);
    EXPECT_EQ(met.mean, again.mean);
    EXPECT_EQ(met.mean_square, again.mean_square);
    EXPECT_NE(measure_smoothness(*sum, x, 2, scratch).mean_square, met.mean_square);
}

TEST(MeasureSmoothness, BoundsTheCurvatureOfANetworkNearby) {
    Scratch scratch;
    const auto sum = draw_sum("mlp:hidden=5", 4, 60);
    std::vector<Real> start(sum->dimension());
    sum->family().start(start, 3);
    const OfflineProblem problem = make_offline_problem(sum, parse_regulariser("zero"), start);
    EXPECT_EQ(problem.reference_step, 1 / problem.smoothness.mean);
    Source source{.seed = 8};
    std::vector<Real> at_x(start.size());
    std::vector<Real> at_y(start.size());
    for (int trial = 0; trial < 50; ++trial) {
        const std::vector<Real> x = source.point(start.size(), 0.1);
        std::vector<Real> y = start;
        axpy(1, x, y);
        sum->f(start, at_x, scratch);
        sum->f(y, at_y, scratch);
        EXPECT_LE(distance(at_x, at_y), problem.smoothness.mean * norm(x));
    }
}

TEST(MeasureSmoothness, GivesNoConstantForNonFiniteLosses) {
    std::shared_ptr<const PassFamily> family = parse_loss("mlp:hidden=2", {.features = 2});
    RowBlock rows(false);
    rows.add_dense(std::vector<Real>{1, 2}, std::numeric_limits<Real>::quiet_NaN());
    const auto problem =
        make_offline_problem(std::make_shared<RowSum>(family, rows), parse_regulariser("zero"),
                             std::vector<Real>(family->dimension(), 0.1));
    EXPECT_EQ(problem.smoothness.mean, 0);
    EXPECT_EQ(problem.reference_step, 1);
}

}  // namespace
}  // namespace proxstream
