/// Every stochastic method against a twin that knows its definition and the samples it asked for: each
/// estimate and each step anew, by plain loops. Differences have to be of the same samples at two points.
#include "offline/stochastic_setting.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

using recorded::Call;
using recorded::full_gradient;
using recorded::make;
using recorded::mean_gradient;
using recorded::RecordedLoss;
using recorded::Setting;
using recorded::setting;
using recorded::Vector;
using recorded::vector_of;

constexpr std::uint64_t kTwinCount = 30;
constexpr Index kTwinDimension = 4;
constexpr Real kWeight = 0.01;  // of g = l1

/// The evaluations of the loss, in order.
class Asked {
  public:
    explicit Asked(const RecordedLoss& loss) : loss_(loss) {}

    const Call& next() { return loss_.calls.at(place_++); }
    bool all_used() const { return place_ == loss_.calls.size(); }

  private:
    const RecordedLoss& loss_;
    Index place_ = 0;
};

Vector soft(Vector v, Real threshold) {
    for (Real& e : v) e = std::copysign(std::max(std::fabs(e) - threshold, 0.0), e);
    return v;
}

struct Twin {
    Index batch = 1;
    Index epoch = 1;
    std::function<Real(int)> step;
    std::function<Real(int)> share = [](int) { return 1.0; };
    /// v of iteration k, from v before.
    std::function<Vector(int, const Vector& v, const Vector& x, const Vector& previous, Asked&)> estimate;
};

/// grad(x) and grad(previous) of the next two calls, which have to be of one batch.
void expect_pair(const Twin& twin, const Vector& x, const Vector& previous, Asked& asked, Vector& here,
                 Vector& there) {
    const Call& first = asked.next();
    const Call& second = asked.next();
    ASSERT_EQ(first.samples.size(), twin.batch);
    ASSERT_EQ(first.samples, second.samples) << "two gradients of different batches";
    ASSERT_EQ(first.x, x);
    ASSERT_EQ(second.x, previous);
    here = mean_gradient(first.samples, x);
    there = mean_gradient(second.samples, previous);
}

void expect_twins(const std::string& text, const Twin& twin) {
    SCOPED_TRACE(text);
    Setting s = setting(kTwinCount, kTwinDimension, "l1:" + format_short(kWeight));
    const auto method = make(text, {.problem = s.problem, .seed = 11});
    std::vector<Vector> points = {s.problem.start};
    Cost cost;
    constexpr int kIterations = 17;
    for (int k = 0; k < kIterations; ++k) {
        ASSERT_EQ(method->advance(cost), StepStatus::moved);
        points.push_back(vector_of(method->point()));
    }
    Asked asked(*s.loss);
    Vector v(kTwinDimension);
    for (int k = 0; k < kIterations; ++k) {
        const auto i = static_cast<Index>(k);
        const Vector& x = points[i];
        v = twin.estimate(k, v, x, points[i == 0 ? 0 : i - 1], asked);
        Vector forward = x;
        for (Index j = 0; j < x.size(); ++j) forward[j] -= twin.step(k) * v[j];
        forward = soft(forward, twin.step(k) * kWeight);
        for (Index j = 0; j < x.size(); ++j) {
            const Real wanted = (1 - twin.share(k)) * x[j] + twin.share(k) * forward[j];
            ASSERT_NEAR(points[i + 1][j], wanted, 1e-12) << k << ' ' << j;
        }
        ASSERT_NE(points[i + 1], x) << k;
    }
    EXPECT_TRUE(asked.all_used());
}

auto constant(Real value) {
    return [value](int) { return value; };
}

/// v <- v + grad(x) - grad(previous), and f anew every epoch.
Twin recursive(Index batch, Index epoch, Real step) {
    Twin twin{.batch = batch, .epoch = epoch, .step = constant(step), .estimate = {}};
    twin.estimate = [twin](int k, const Vector& v, const Vector& x, const Vector& previous, Asked& asked) {
        if (k % static_cast<int>(twin.epoch) == 0) {
            EXPECT_TRUE(asked.next().samples.empty());
            return full_gradient(kTwinCount, x);
        }
        Vector here(kTwinDimension), there(kTwinDimension), out = v;
        expect_pair(twin, x, previous, asked, here, there);
        for (Index j = 0; j < kTwinDimension; ++j) out[j] += here[j] - there[j];
        return out;
    };
    return twin;
}

TEST(MethodTwins, ProxSgdMatchesItsTwin) {
    Twin twin;
    twin.step = [](int k) { return 0.3 / (1 + 0.5 * std::floor(k * 4 / 30.0)); };
    twin.estimate = [](int, const Vector&, const Vector& x, const Vector&, Asked& asked) {
        const Call& call = asked.next();
        EXPECT_EQ(call.samples.size(), 4U);
        EXPECT_EQ(call.x, x);
        return mean_gradient(call.samples, x);
    };
    expect_twins("prox-sgd:batch=4,step=0.3,schedule=epoch,decay=0.5", twin);
    twin.step = [](int k) { return 0.3 / std::sqrt(1 + 2 * k * 4 / 30.0); };
    expect_twins("prox-sgd:batch=4,step=0.3,schedule=sqrt,decay=2", twin);
    twin.step = [](int k) { return 0.3 / (1 + 2 * k * 4 / 30.0); };
    expect_twins("prox-sgd:batch=4,step=0.3,schedule=inverse,decay=2", twin);
}

TEST(MethodTwins, ProxSvrgMatchesItsTwin) {
    for (const std::string name : {"prox-svrg", "prox-svrg+"}) {
        Vector anchor, anchor_gradient;
        Twin twin{.batch = 5, .epoch = 6, .step = constant(0.1), .estimate = {}};
        twin.estimate = [&](int k, const Vector&, const Vector& x, const Vector&, Asked& asked) {
            if (k % 6 == 0) {
                EXPECT_TRUE(asked.next().samples.empty());
                anchor = x;
                anchor_gradient = full_gradient(kTwinCount, x);
                return anchor_gradient;
            }
            Vector here(kTwinDimension), there(kTwinDimension), out = anchor_gradient;
            expect_pair(twin, x, anchor, asked, here, there);
            for (Index j = 0; j < kTwinDimension; ++j) out[j] += here[j] - there[j];
            return out;
        };
        expect_twins(name + ":batch=5,epoch=6,step=0.1", twin);
    }
}

TEST(MethodTwins, SpiderBoostMatchesItsTwin) {
    expect_twins("spiderboost:batch=5,epoch=4,step=0.1", recursive(5, 4, 0.1));
}

TEST(MethodTwins, SarahMatchesItsTwin) {
    Twin twin = recursive(5, 4, 0.2);
    twin.share = constant(0.7);
    expect_twins("sarah:batch=5,epoch=4,step=0.2,gamma=0.7", twin);
}

TEST(MethodTwins, SarahAdaptiveMatchesItsTwin) {
    // From the last place of the epoch backwards, Lb = 5.
    const Real x = 0.2 * 5;
    const Real rho = (30.0 - 5) / (5 * 29.0);
    std::vector<Real> shares(4);
    Real later = 0;
    for (int place = 3; place >= 0; --place) {
        shares[static_cast<Index>(place)] = std::min(0.9, 1 / (x + (1 + 2 * x * x) * rho * later));
        later += shares[static_cast<Index>(place)];
    }
    Twin twin = recursive(5, 4, 0.2);
    twin.share = [&shares](int k) { return shares[static_cast<Index>(k % 4)]; };
    EXPECT_LT(shares[0], shares[1]);
    EXPECT_EQ(shares[3], 0.9);
    expect_twins("sarah-adaptive:batch=5,epoch=4,step=0.2,gamma=0.9", twin);
}

TEST(MethodTwins, SarahsBatchesHaveNoRepetitions) {
    Setting s = setting(kTwinCount, kTwinDimension);
    const auto method = make("sarah:batch=20,epoch=50", {.problem = s.problem});
    Cost cost;
    for (int k = 0; k < 20; ++k) method->advance(cost);
    for (Call call : s.loss->calls) {
        std::sort(call.samples.begin(), call.samples.end());
        EXPECT_EQ(std::unique(call.samples.begin(), call.samples.end()), call.samples.end());
    }
}

TEST(MethodTwins, StormMatchesItsTwin) {
    const Real smoothness = 5;
    const auto step = [](int k) { return 0.02 * std::pow(4.0 / (k + 4), 1.0 / 3); };
    for (const std::string beta : {"", ",beta=0.3"}) {
        Twin twin{.batch = 4, .epoch = 1, .step = step, .estimate = {}};
        twin.estimate = [&](int k, const Vector& v, const Vector& x, const Vector& previous, Asked& asked) {
            if (k == 0) {
                const Call& call = asked.next();
                EXPECT_EQ(call.samples.size(), 7U);
                return mean_gradient(call.samples, x);
            }
            const Real r = step(k - 1) * smoothness;
            const Real b = beta.empty() ? (1 + 24 * r * r - step(k) / step(k - 1)) / (1 + 4 * r * r) : 0.3;
            Vector here(kTwinDimension), there(kTwinDimension), out(kTwinDimension);
            expect_pair(twin, x, previous, asked, here, there);
            for (Index j = 0; j < kTwinDimension; ++j) out[j] = here[j] + (1 - b) * (v[j] - there[j]);
            return out;
        };
        expect_twins("storm:batch=4,first=7,step=0.02" + beta, twin);
    }
}

TEST(MethodTwins, HybridMatchesItsTwin) {
    Twin twin{.batch = 3, .epoch = 5, .step = constant(0.1), .share = constant(0.6), .estimate = {}};
    twin.estimate = [&](int k, const Vector& v, const Vector& x, const Vector& previous, Asked& asked) {
        if (k % 5 == 0) {
            EXPECT_TRUE(asked.next().samples.empty());
            return full_gradient(kTwinCount, x);
        }
        Vector here(kTwinDimension), there(kTwinDimension), out(kTwinDimension);
        expect_pair(twin, x, previous, asked, here, there);
        const Call& fresh = asked.next();
        EXPECT_EQ(fresh.samples.size(), 3U);
        EXPECT_EQ(fresh.x, x);
        const Vector second = mean_gradient(fresh.samples, x);
        for (Index j = 0; j < kTwinDimension; ++j) {
            out[j] = 0.8 * (v[j] + here[j] - there[j]) + (1 - 0.8) * second[j];
        }
        return out;
    };
    expect_twins("hybrid:batch=3,epoch=5,step=0.1,beta=0.8,gamma=0.6", twin);
}

TEST(MethodTwins, HybridsTwoBatchesAreIndependent) {
    Setting s = setting(0, kTwinDimension);
    const auto method = make("hybrid:batch=3,epoch=40,anchor=4", {.problem = s.problem});
    Cost cost;
    for (int k = 0; k < 10; ++k) method->advance(cost);
    for (Index i = 1; i + 2 < s.loss->calls.size(); i += 3) {
        for (const SampleId id : s.loss->calls[i].samples) {
            const auto& fresh = s.loss->calls[i + 2].samples;
            EXPECT_EQ(std::find(fresh.begin(), fresh.end(), id), fresh.end());
        }
    }
}

TEST(MethodTwins, AdamMatchesItsTwin) {
    // The direction's coordinates have steps of their own; the prox takes their mean.
    Setting s = setting(kTwinCount, kTwinDimension, "l1:" + format_short(kWeight));
    const auto method = make("adam:batch=6,step=0.05,beta1=0.8,beta2=0.9,floor=1e-3,metric=coordinates",
                             {.problem = s.problem});
    Vector x = s.problem.start, first(kTwinDimension), second(kTwinDimension);
    Cost cost;
    for (int k = 1; k <= 15; ++k) {
        ASSERT_EQ(method->advance(cost), StepStatus::moved);
        const Call& call = s.loss->calls.back();
        ASSERT_EQ(call.samples.size(), 6U);
        const Vector gradient = mean_gradient(call.samples, call.x);
        Real scale = 0;
        for (Index j = 0; j < kTwinDimension; ++j) {
            first[j] = 0.8 * first[j] + 0.2 * gradient[j];
            second[j] = 0.9 * second[j] + 0.1 * gradient[j] * gradient[j];
            const Real root = std::sqrt(second[j] / (1 - std::pow(0.9, k))) + 1e-3;
            x[j] -= 0.05 * first[j] / (1 - std::pow(0.8, k)) / root;
            scale += 1 / root / kTwinDimension;
        }
        x = soft(x, 0.05 * scale * kWeight);
        for (Index j = 0; j < kTwinDimension; ++j) ASSERT_NEAR(method->point()[j], x[j], 1e-12) << k;
        x = vector_of(method->point());
    }
}

TEST(MethodTwins, AdamWithOneScaleMatchesItsTwin) {
    Setting s = setting(kTwinCount, kTwinDimension, "l1:" + format_short(kWeight));
    const auto method = make("adam:batch=6,step=0.05,beta1=0.8,beta2=0.9,floor=1e-3", {.problem = s.problem});
    Vector x = s.problem.start, first(kTwinDimension);
    Real second = 0;
    Cost cost;
    for (int k = 1; k <= 15; ++k) {
        ASSERT_EQ(method->advance(cost), StepStatus::moved);
        const Call& call = s.loss->calls.back();
        const Vector gradient = mean_gradient(call.samples, call.x);
        Real squares = 0;
        for (const Real each : gradient) squares += each * each;
        second = 0.9 * second + 0.1 * squares / kTwinDimension;
        const Real step = 0.05 / (std::sqrt(second / (1 - std::pow(0.9, k))) + 1e-3);
        for (Index j = 0; j < kTwinDimension; ++j) {
            first[j] = 0.8 * first[j] + 0.2 * gradient[j];
            x[j] -= step * first[j] / (1 - std::pow(0.8, k));
        }
        x = soft(x, step * kWeight);
        for (Index j = 0; j < kTwinDimension; ++j) ASSERT_NEAR(method->point()[j], x[j], 1e-12) << k;
        x = vector_of(method->point());
    }
}

}  // namespace
}  // namespace proxstream
