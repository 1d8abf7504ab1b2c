/// Small problems for whole runs, every method with short phases, and what two equal runs have in common.
#pragma once

#include "proxstream/core/draw.hpp"
#include "proxstream/prox/regulariser_table.hpp"

#include "offline/fit.hpp"
#include "offline/function_loss.hpp"
#include "offline/sampler.hpp"

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace proxstream::fit_setting {

inline OfflineResult run_fit(const OfflineProblem& problem, const OfflineOptions& options) {
    return FitRun(problem, options).run();
}

/// Robust regression on 50 rows of 4 normal features, with L1.
inline OfflineProblem sum_problem() {
    constexpr Index kFeatures = 4;
    const auto row = [](SampleId sample, ConstView x, View gradient) {
        const auto feature = [&](std::uint32_t i) {
            return normal({.seed = 11, .round = sample, .record = i});
        };
        Real miss = -feature(0) + Real{0.3} * feature(kFeatures);
        for (std::uint32_t i = 0; i < kFeatures; ++i) miss += feature(i) * x[i];
        for (std::uint32_t i = 0; i < kFeatures; ++i) gradient[i] = feature(i) * miss / (1 + miss * miss);
        return std::log1p(miss * miss) / 2;
    };
    auto loss = std::make_shared<FunctionLoss>(FunctionLoss::Parts{
        .dimension = kFeatures,
        .components = 50,
        .sample = row,
        .smoothness =
            SmoothnessFacts{.mean = 2, .mean_square = 5, .largest = 20, .proved = true, .origin = "test"},
        .infimum = 0});
    return make_offline_problem(std::move(loss), parse_regulariser("l1:0.01"), {0.25, 0.5, 0, -0.5});
}

/// An expectation without its closed form.
class Hidden final : public SampledLoss {
  public:
    explicit Hidden(std::shared_ptr<const SampledLoss> known) : known_(std::move(known)) {}

    Index dimension() const override { return known_->dimension(); }
    std::uint64_t components() const override { return 0; }
    Real mean(std::span<const SampleId> samples, ConstView x, View gradient,
              Scratch& scratch) const override {
        return known_->mean(samples, x, gradient, scratch);
    }
    bool knows_f() const override { return false; }
    Real f(ConstView /*x*/, View /*gradient*/, Scratch& /*scratch*/) const override {
        ADD_FAILURE() << "f of an expectation was asked for";
        return 0;
    }
    std::optional<SmoothnessFacts> smoothness() const override { return known_->smoothness(); }

  private:
    std::shared_ptr<const SampledLoss> known_;
};

inline OfflineProblem sampler_problem(const std::string& text, std::uint64_t seed = 1,
                                      const std::string& g = "l1:0.01") {
    Sampler sampler = parse_sampler(text, seed);
    return make_offline_problem(std::move(sampler.loss), parse_regulariser(g), std::move(sampler.start));
}

inline OfflineProblem hidden(OfflineProblem problem) {
    problem.loss = std::make_shared<Hidden>(std::move(problem.loss));
    return problem;
}

/// A row of the table each, with phases that a few iterations meet all of.
inline std::vector<std::string> every_method() {
    return {"panoc",
            "accelerated",
            "backtracking",
            "prox-grad",
            "prox-sgd:batch=3,schedule=epoch",
            "prox-svrg:batch=3,epoch=4,anchor=50",
            "prox-svrg+:batch=3,epoch=4,anchor=9",
            "spiderboost:batch=3,epoch=4,anchor=50",
            "sarah:batch=3,epoch=4,anchor=50",
            "sarah-adaptive:batch=3,epoch=4,anchor=50",
            "storm:batch=3,first=5",
            "hybrid:batch=3,epoch=4,anchor=20",
            "adam:batch=3",
            "reduction:w=3,T=9,filled=no,delta=0.001,samples=4"};
}

inline std::vector<std::string> methods_for(const OfflineProblem& problem) {
    std::vector<std::string> texts;
    for (const std::string& text : every_method()) {
        if (method_row(text).stochastic || problem.loss->knows_f()) texts.push_back(text);
    }
    return texts;
}

inline OfflineOptions options(std::string method, std::uint64_t iterations) {
    OfflineOptions all;
    all.method = std::move(method);
    all.iterations = iterations;
    all.test.samples = 64;
    return all;
}

inline void expect_same(const MeasuredPoint& a, const MeasuredPoint& b) {
    EXPECT_EQ(a.x, b.x);
    EXPECT_EQ(a.iteration, b.iteration);
    EXPECT_EQ(a.loss, b.loss);
    EXPECT_EQ(a.regulariser, b.regulariser);
    EXPECT_EQ(a.gap, b.gap);
    EXPECT_EQ(a.gap_error, b.gap_error);
    EXPECT_EQ(a.loss_error, b.loss_error);
    EXPECT_EQ(a.nonzeros, b.nonzeros);
}

/// To the bit, in everything but seconds.
inline void expect_same(const OfflineResult& a, const OfflineResult& b) {
    EXPECT_EQ(a.status, b.status);
    EXPECT_EQ(a.iterations, b.iterations);
    EXPECT_EQ(a.cost, b.cost);
    EXPECT_EQ(a.referee_cost, b.referee_cost);
    EXPECT_EQ(a.certified_decrease, b.certified_decrease);
    expect_same(a.start, b.start);
    expect_same(a.last, b.last);
    expect_same(a.best, b.best);
    ASSERT_EQ(a.random.has_value(), b.random.has_value());
    if (a.random) expect_same(*a.random, *b.random);
    ASSERT_EQ(a.trace.size(), b.trace.size());
    for (Index i = 0; i < a.trace.size(); ++i) {
        SCOPED_TRACE("line " + std::to_string(i));
        EXPECT_EQ(a.trace[i].iteration, b.trace[i].iteration);
        EXPECT_EQ(a.trace[i].base_samples, b.trace[i].base_samples);
        EXPECT_EQ(a.trace[i].objective, b.trace[i].objective);
        EXPECT_EQ(a.trace[i].gap, b.trace[i].gap);
        EXPECT_EQ(a.trace[i].gap_error, b.trace[i].gap_error);
        EXPECT_EQ(a.trace[i].nonzeros, b.trace[i].nonzeros);
        EXPECT_EQ(a.trace[i].step, b.trace[i].step);
    }
}

}  // namespace proxstream::fit_setting
