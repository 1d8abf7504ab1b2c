/// ps::fit: independent values, the program's figures, and what it refuses.
#include "proxstream/fit.hpp"

#include "proxstream/core/draw.hpp"
#include "proxstream/core/error.hpp"
#include "proxstream/prox/regulariser_table.hpp"

#include "fit/fit_job.hpp"

#include <Eigen/Dense>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace proxstream::test {
namespace {

constexpr Index kRows = 60;
constexpr Index kFeatures = 5;

struct LeastSquares {
    Eigen::MatrixXd a{kRows, kFeatures};
    Eigen::VectorXd b{kRows};

    LeastSquares() {
        for (Index i = 0; i < kRows; ++i) {
            for (Index j = 0; j < kFeatures; ++j)
                a(i, j) = normal({.seed = 3, .round = i, .record = static_cast<std::uint32_t>(j)});
            b(i) = a(i, 0) - 2 * a(i, 2) + 0.1 * normal({.seed = 4, .round = i});
        }
    }
    /// |a x - b|^2 / (2 rows)
    Real operator()(ConstView x, View gradient) const {
        const Eigen::Map<const Eigen::VectorXd> at(x.data(), kFeatures);
        const Eigen::VectorXd miss = a * at - b;
        Eigen::Map<Eigen::VectorXd>(gradient.data(), kFeatures) = a.transpose() * miss / kRows;
        return miss.squaredNorm() / (2 * kRows);
    }
    Real sample(std::uint64_t i, ConstView x, View gradient) const {
        Real miss = -b(i);
        for (Index j = 0; j < kFeatures; ++j) miss += a(i, j) * x[j];
        for (Index j = 0; j < kFeatures; ++j) gradient[j] = miss * a(i, j);
        return miss * miss / 2;
    }
    RowBlock rows() const {
        RowBlock block;
        std::vector<Real> row(kFeatures);
        for (Index i = 0; i < kRows; ++i) {
            for (Index j = 0; j < kFeatures; ++j) row[j] = a(i, j);
            block.add_dense(row, b(i));
        }
        return block;
    }
    FitProblem as_samples() const {
        return {.dimension = kFeatures,
                .sample = [this](std::uint64_t i, ConstView x, View g) { return sample(i, x, g); },
                .samples = kRows};
    }
};

TEST(Fit, LeastSquaresByEigen) {
    const LeastSquares problem;
    const Eigen::VectorXd exact = problem.a.colPivHouseholderQr().solve(problem.b);
    const FitOptions close{.epsilon = 1e-10};
    for (const FitResult& found :
         {fit({.dimension = kFeatures, .function = problem}, close), fit(problem.as_samples(), close),
          fit({.loss = "squared", .rows = problem.rows(), .intercept = false}, close)}) {
        EXPECT_TRUE(found.converged());
        EXPECT_TRUE(found.certificate.sound());
        EXPECT_LE(found.stationarity_gap, 1e-10);
        ASSERT_EQ(found.x.size(), kFeatures);
        for (Index j = 0; j < kFeatures; ++j) EXPECT_NEAR(found.x[j], exact(static_cast<long>(j)), 1e-8);
        EXPECT_NEAR(found.objective, (problem.a * exact - problem.b).squaredNorm() / (2 * kRows), 1e-12);
        EXPECT_EQ(found.certificate.at("F3").verdict, Verdict::holds);
        EXPECT_NE(found.certificate.text.find("F3"), std::string::npos);
        EXPECT_NE(found.certificate.json.find("\"proxstream-fit-certificate\""), std::string::npos);
    }
}

TEST(Fit, LassoIsOptimal) {
    const LeastSquares problem;
    constexpr Real kWeight = 0.3;
    const FitResult found =
        fit({.dimension = kFeatures, .regulariser = parse_regulariser("l1:0.3"), .function = problem},
            {.epsilon = 1e-10});
    std::vector<Real> gradient(kFeatures);
    problem(found.x, gradient);
    for (Index j = 0; j < kFeatures; ++j) {
        if (found.x[j] == 0) {
            EXPECT_LE(std::abs(gradient[j]), kWeight);
        } else {
            EXPECT_NEAR(gradient[j], found.x[j] > 0 ? -kWeight : kWeight, 1e-8);
        }
    }
}

TEST(Fit, MatchesTheProgram) {
    FitSettings settings;
    settings.data = {"builtin:drift,rows=400"};
    settings.loss = "logistic";
    settings.reg = "l1:0.001";
    for (const char* method : {"auto", "spiderboost"}) {
        settings.method = method;
        settings.passes = method == std::string("auto") ? 0 : 20;
        FitJob job(settings);
        const RowBlock rows = job.task().rows()->rows();
        const FitCertificate expected = drive(job).certificate;
        FitOptions options{.method = method};
        if (settings.passes > 0) {
            options.max_passes = settings.passes;
            options.epsilon = 0;
        }
        const FitResult found =
            fit({.regulariser = parse_regulariser("l1:0.001"), .loss = "logistic", .rows = rows}, options);
        EXPECT_EQ(found.x, expected.point.x) << method;
        EXPECT_EQ(found.iterations, expected.result.iterations);
        EXPECT_EQ(found.stationarity_gap, expected.point.gap);
        EXPECT_EQ(found.status, expected.status);
        ASSERT_EQ(found.certificate.inequalities.size(), expected.inequalities.size());
        for (Index i = 0; i < expected.inequalities.size(); ++i)
            EXPECT_EQ(found.certificate.inequalities[i].left, expected.inequalities[i].left);
    }
}

TEST(Fit, StochasticMethodsTakeSamples) {
    const LeastSquares problem;
    const FitResult found = fit(problem.as_samples(), {.method = "spiderboost", .epsilon = 1e-4});
    EXPECT_TRUE(found.converged());
    EXPECT_GT(found.passes, 0);
    EXPECT_GT(found.smoothness, 0);
    EXPECT_EQ(found.step, 1 / found.smoothness);
}

TEST(Fit, AnExpectationIsMeasuredWithAnInterval) {
    // E (x - xi)^2 / 2 with xi normal around 2: minimal at 2.
    const FitProblem problem{.dimension = 1,
                             .sample =
                                 [](std::uint64_t i, ConstView x, View gradient) {
                                     gradient[0] = x[0] - 2 - normal({.seed = 5, .round = i});
                                     return gradient[0] * gradient[0] / 2;
                                 },
                             .expectation = true};
    const FitResult found = fit(problem, {.epsilon = 0.05, .max_passes = 200});
    EXPECT_TRUE(found.converged()) << found.certificate.text;
    EXPECT_NEAR(found.x[0], 2, 0.05);
    EXPECT_GT(found.stationarity_gap_error, 0);
    EXPECT_EQ(found.certificate.at("F3").verdict, Verdict::holds);
}

TEST(Fit, SparseRowsAreTheSameAsDenseOnes) {
    const LeastSquares problem;
    RowBlock sparse(true);
    const std::vector<FeatureIndex> all{0, 1, 2, 3, 4};
    const RowBlock dense = problem.rows();
    for (Index i = 0; i < dense.rows(); ++i) sparse.add_sparse(all, dense.values(i), dense.target(i));
    const FitResult one = fit({.loss = "cauchy", .rows = dense}, {.epsilon = 1e-9});
    const FitResult other = fit({.loss = "cauchy", .rows = sparse}, {.epsilon = 1e-9});
    ASSERT_EQ(one.x.size(), kFeatures + 1);
    for (Index j = 0; j <= kFeatures; ++j) EXPECT_NEAR(one.x[j], other.x[j], 1e-7);
    RowBlock unsorted(true);
    EXPECT_THROW(unsorted.add_sparse(std::vector<FeatureIndex>{3, 1}, std::vector<Real>{1, 2}, 0),
                 ConfigError);
}

TEST(Fit, ProgressCanStopIt) {
    const LeastSquares problem;
    std::vector<FitProgress> seen;
    const FitResult found = fit({.dimension = kFeatures, .function = problem},
                                {.method = "prox-grad", .on_progress = [&](const FitProgress& progress) {
                                     seen.push_back(progress);
                                     return progress.iteration < 3;
                                 }});
    EXPECT_EQ(found.status, FitStatus::interrupted);
    EXPECT_EQ(found.iterations, 3U);
    ASSERT_EQ(seen.size(), 4U);
    EXPECT_GT(seen.front().objective, seen.back().objective);
    EXPECT_EQ(seen.back().stationarity_gap, found.stationarity_gap);
}

TEST(Fit, ExceptionsOfTheFunctionPassThrough) {
    int calls = 0;
    EXPECT_THROW(fit({.dimension = 1,
                      .function = [&](ConstView, View) -> Real {
                          if (++calls > 5) throw std::runtime_error("mine");
                          return 0;
                      }}),
                 std::runtime_error);
}

TEST(Fit, ANaNEndsTheFitAtTheBestEarlierPoint) {
    const auto cliff = [](ConstView x, View gradient) {
        gradient[0] = 1;
        return x[0] < -3 ? std::nan("") : x[0];
    };
    const FitResult found =
        fit({.dimension = 1, .function = cliff}, {.method = "prox-grad", .step = 1, .smoothness = 1});
    EXPECT_EQ(found.status, FitStatus::not_finite);
    EXPECT_TRUE(std::isfinite(found.x[0]));
}

std::string refusal(FitProblem problem, const FitOptions& options = {}) {
    try {
        fit(std::move(problem), options);
    } catch (const ConfigError& error) {
        return error.what();
    } catch (const DataError& error) {
        return error.what();
    }
    return "accepted";
}

TEST(Fit, ErrorsNameTheValueAndTheAllowedRange) {
    const LeastSquares squares;
    const auto has = [](const std::string& text, const char* part) {
        EXPECT_NE(text.find(part), std::string::npos) << text << "\nlacks: " << part;
    };
    const FitProblem good{.dimension = kFeatures, .function = squares};
    has(refusal({.dimension = 1}), "none of function, sample and loss are given");
    has(refusal({.dimension = 1, .function = squares, .loss = "squared"}), "several of function");
    has(refusal({.function = squares}), "dimension = 0: must be at least 1");
    FitProblem no_samples = squares.as_samples();
    no_samples.samples = 0;
    has(refusal(no_samples), "samples = 0");
    has(refusal({.dimension = 1, .function = squares, .expectation = true}),
        "expectation: it is of the function");
    has(refusal({.loss = "squared"}), "rows: there are none");
    const std::string all = refusal(good, {.method = "newton",
                                           .epsilon = -1,
                                           .max_passes = 0,
                                           .max_seconds = std::nan(""),
                                           .step = -0.5,
                                           .smoothness = -2});
    for (const char* part : {"newton", "epsilon = -1", "max_passes = 0", "max_seconds = nan",
                             "step = -0.5: must be positive", "smoothness = -2"})
        has(all, part);
    has(refusal(good, {.start = {1, 2}}), "start: it has 2 numbers, the loss takes 5");
    has(refusal(good, {.start = {1, 2, 3, 4, std::nan("")}}), "start: it has to be finite");
    has(refusal(good, {.epsilon = 0, .max_passes = kInfinity}), "nothing would end this fit");
    RowBlock rows;
    rows.add_dense(std::vector<Real>{1, 2}, 0.5);
    has(refusal({.loss = "logistic", .rows = rows}), "rows:1: the target 0.5 is neither -1 nor 1");
    has(refusal({.loss = "squraed", .rows = rows}), "squraed");
    has(refusal({.dimension = 7, .loss = "squared", .rows = rows}), "dimension = 7");
    rows.add_dense(std::vector<Real>{1, std::nan("")}, 0.5);
    has(refusal({.loss = "squared", .rows = rows}), "rows:2: a feature is not a finite number");
    has(refusal({.dimension = 1, .function = [](ConstView, View) { return std::nan(""); }}),
        "start: the objective or its gradient is not finite there; scale the columns or the label");
    EXPECT_THROW(FitReport{}.at("F9"), ConfigError);
}

}  // namespace
}  // namespace proxstream::test
