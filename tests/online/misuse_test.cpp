/// What a learner that is put together by hand refuses.
#include "proxstream/loss/function_family.hpp"
#include "proxstream/loss/row_block.hpp"
#include "proxstream/prox/separable.hpp"
#include "proxstream/window/record_ring.hpp"

#include "loss/loss_table.hpp"
#include "online/noisy_smoothed.hpp"
#include "online/time_smoothed.hpp"
#include "solve/backtracking.hpp"
#include "window/callback_oracle.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

Real bowl(ConstView x, View gradient) {
    Real total = 0;
    for (Index i = 0; i < x.size(); ++i) {
        gradient[i] = x[i] - 1;  // an empty view would be written to
        total += (x[i] - 1) * (x[i] - 1) / 2;
    }
    return total;
}

template <class Run>
std::string refused_because(const Run& run) {
    try {
        run();
    } catch (const ConfigError& error) {
        return error.what();
    }
    return "";
}

TEST(LearnerMisuse, AStoreWithoutTheExtraSlotIsRefused) {
    const auto make = [](Index capacity) {
        TimeSmoothed learner(Zero(), AnyBatch(make_batch(FunctionFamily(2), capacity)), std::vector<Real>(2),
                             TimeSmoothedOptions{.window = 4, .budget = {}}, Backtracking{});
    };
    EXPECT_EQ(refused_because([&] { make(5); }), "");
    const std::string reason = refused_because([&] { make(4); });
    EXPECT_NE(reason.find("room for 4"), std::string::npos) << reason;
    EXPECT_NE(reason.find("needs 5"), std::string::npos) << reason;
    EXPECT_THROW(make(0), ConfigError);
}

TEST(LearnerMisuse, ALearnerMakesItsOwnStore) {
    const TimeSmoothedOptions options{.window = 4, .tolerance = Tolerance::fixed(1e-6), .budget = {}};
    TimeSmoothed own(Zero(), FunctionFamily(2), std::vector<Real>(2), options, Backtracking{});
    TimeSmoothed given(Zero(), AnyBatch(make_batch(FunctionFamily(2), 5)), std::vector<Real>(2), options,
                       Backtracking{});
    for (Round t = 1; t <= 10; ++t) {
        own.observe(FunctionFamily::Record(bowl));
        given.observe(FunctionFamily::Record(bowl));
    }
    EXPECT_TRUE(std::equal(own.decide().begin(), own.decide().end(), given.decide().begin()));
    const std::string reason = refused_because(
        [&] { TimeSmoothed(Zero(), FunctionFamily(3), std::vector<Real>(2), options, Backtracking{}); });
    EXPECT_NE(reason.find("3 coordinates"), std::string::npos) << reason;
}

TEST(LearnerMisuse, StepsStartsAndWindowsThatCannotBeAreRefused) {
    const auto make = [](Real step, const std::vector<Real>& start, Index window) {
        TimeSmoothed learner(Zero(), FunctionFamily(start.size()), start,
                             TimeSmoothedOptions{.window = window, .step = step, .budget = {}},
                             Backtracking{});
    };
    for (const Real step : {0.0, -1.0, std::nan(""), kInfinity}) {
        EXPECT_NE(refused_because([&] { make(step, {0}, 2); }).find("step = "), std::string::npos) << step;
    }
    EXPECT_NE(refused_because([&] { make(1, {}, 2); }).find("coordinates"), std::string::npos);
    EXPECT_THROW(make(1, {0}, 0), ConfigError);
}

TEST(LearnerMisuse, PointsOfAnotherLengthAreRefused) {
    const auto family = parse_loss("huber:1", {.features = 2});
    RowBlock row;
    const Real features[] = {1, 2};
    row.add_dense(features, 1);
    Scratch scratch;
    EXPECT_THROW(family->value(row, features, scratch), ConfigError);  // the intercept is missing
    std::vector<Real> gradient(2);
    EXPECT_THROW(family->value_and_gradient(row, std::vector<Real>(3), gradient, scratch), ConfigError);
}

TEST(LearnerMisuse, FunctionsAlwaysGetAGradientToWriteTo) {
    const FunctionFamily family(2);
    Scratch scratch;
    const Real x[] = {2, 3};
    EXPECT_EQ(family.value(bowl, x, scratch), 2.5);
    const FunctionFamily careful(2, true);
    const FunctionFamily::Record value_alone = [](ConstView, View gradient) {
        return gradient.empty() ? 1.0 : 2.0;
    };
    EXPECT_EQ(careful.value(value_alone, x, scratch), 1);
}

/// Its prox is honest until `after` calls, then no number.
struct Broken {
    std::shared_ptr<Index> left;
    Real value(ConstView /*x*/, Scratch& /*scratch*/) const { return 0; }
    Real prox(ConstView v, Real /*step*/, View out, Scratch& /*scratch*/) const {
        const Real extra = *left == 0 ? std::numeric_limits<Real>::quiet_NaN() : 0;
        if (*left > 0) --*left;
        for (Index i = 0; i < v.size(); ++i) out[i] = v[i] + extra;
        return extra;
    }
};

TEST(LearnerMisuse, AProxThatIsNotANumberRefusesTheRound) {
    for (Index calls = 1; calls < 12; ++calls) {
        const auto left = std::make_shared<Index>(calls);
        TimeSmoothed learner(
            Broken{left}, FunctionFamily(2), std::vector<Real>(2),
            TimeSmoothedOptions{.window = 3, .step = 0.3, .tolerance = Tolerance::fixed(1e-3), .budget = {}},
            Backtracking{});
        RoundStatus status = RoundStatus::quiet;
        for (Round t = 1; t <= 20 && status != RoundStatus::refused; ++t)
            status = learner.observe(FunctionFamily::Record(bowl)).status;
        EXPECT_EQ(status, RoundStatus::refused) << calls;
        for (const Real each : learner.decide()) EXPECT_TRUE(std::isfinite(each)) << calls;
    }
}

TEST(LearnerMisuse, RowsThatDoNotFitTheirBlockAreRefused) {
    const Real two[] = {1, 2}, three[] = {1, 2, 3};
    RowBlock dense;
    dense.add_dense(two, 0);
    EXPECT_NE(refused_because([&] { dense.add_dense(three, 0); }).find("3 features"), std::string::npos);
    const FeatureIndex ascending[] = {0, 4}, twice[] = {4, 4};
    EXPECT_THROW(dense.add_sparse(ascending, two, 0), ConfigError);
    RowBlock sparse(true);
    EXPECT_THROW(sparse.add_dense(two, 0), ConfigError);
    EXPECT_THROW(sparse.add_sparse(ascending, three, 0), ConfigError);
    EXPECT_THROW(sparse.add_sparse(twice, two, 0), ConfigError);
    EXPECT_EQ(dense.rows(), 1U);
    EXPECT_EQ(sparse.rows(), 0U);
}

TEST(LearnerMisuse, AnOracleWithoutATextIsCalledByItsName) {
    NoisySmoothed learner(
        Zero(), AnyBatch(make_batch(FunctionFamily(1), 3)), std::vector<Real>(1),
        AnyOracle(
            CallbackOracle([](Round, ConstView, const Draw&, std::vector<Real>&) {}, 1, {.name = "mine"})),
        NoisySmoothedOptions{
            .window = 2, .budget = {}, .estimator = {}, .oracle_text = {}, .noise_origin = {}});
    ASSERT_TRUE(learner.facts().noise);
    EXPECT_EQ(learner.facts().noise->oracle, "mine");
}

}  // namespace
}  // namespace proxstream
