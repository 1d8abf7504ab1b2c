/// An exception of the user's code, wherever it is thrown, leaves the learner as it was before the round.
#include "front/front_fixtures.hpp"

#include <gtest/gtest.h>

namespace proxstream::front_test {
namespace {

struct Kind {
    std::string name;
    OnlineOptions options;
    Round rounds = 8;
    std::function<OnlineLearner(OnlineOptions options, const SharedCalls& calls)> make;
    std::function<void(OnlineLearner& learner, Round t, const SharedCalls& calls)> play;
};

void play_closure(OnlineLearner& learner, Round t, const SharedCalls& calls) {
    learner.observe([at = target(t).at, calls](ConstView x, View gradient) {
        calls->count();
        return track(at, x, gradient);
    });
}
void play_record(OnlineLearner& learner, Round t, const SharedCalls& /*calls*/) {
    learner.observe(target(t));
}
OnlineLearner of_closures(OnlineOptions options, const SharedCalls& /*calls*/) {
    options.dimension = kDimension;
    return OnlineLearner(std::move(options));
}
OnlineLearner of_family(OnlineOptions options, const SharedCalls& calls) {
    return OnlineLearner(std::move(options), TargetFamily{calls});
}
OnlineLearner of_batches(OnlineOptions options, const SharedCalls& calls) {
    return OnlineLearner(std::move(options), batched(calls));
}
/// Its copies are counted, and one of them throws.
struct FragileTarget {
    std::vector<Real> at = std::vector<Real>(kDimension);
    SharedCalls calls = nullptr;

    FragileTarget() = default;
    FragileTarget(Target target, SharedCalls counted) : at(std::move(target.at)), calls(std::move(counted)) {}
    FragileTarget(const FragileTarget& other) { *this = other; }
    FragileTarget& operator=(const FragileTarget& other) {
        if (this == &other) return *this;
        if (other.calls) other.calls->count();
        at = other.at;
        calls = other.calls;
        return *this;
    }
};
struct FragileFamily {
    using Record = FragileTarget;
    Index dimension() const { return kDimension; }
    Real value(const Record& record, ConstView x, Scratch& scratch) const {
        Scratch::Frame frame(scratch);
        return track(record.at, x, frame.take(x.size()));
    }
    Real value_and_gradient(const Record& record, ConstView x, View gradient, Scratch& /*scratch*/) const {
        return track(record.at, x, gradient);
    }
};
OnlineLearner of_fragile(OnlineOptions options, const SharedCalls& /*calls*/) {
    return OnlineLearner(std::move(options), FragileFamily{});
}
void play_fragile(OnlineLearner& learner, Round t, const SharedCalls& calls) {
    if (learner.rounds() % 2 == 0) learner.expect(FragileTarget(target(t + 1), calls));
    learner.observe(FragileTarget(target(t), calls));
}

OnlineLearner of_box(OnlineOptions options, const SharedCalls& calls) {
    options.regulariser = CountingBox{calls};
    return OnlineLearner(std::move(options), TargetFamily{});
}
OnlineLearner of_sampler(OnlineOptions options, const SharedCalls& calls) {
    options.sampler = GradientSampler{
        .sample =
            [calls](Round record, ConstView x, const Draw& draw, std::vector<Real>& gradient) {
                calls->count();
                track(target(record).at, x, gradient);
                for (Index i = 0; i < x.size(); ++i)
                    gradient[i] +=
                        0.01 * normal({draw.seed, draw.round, draw.record, draw.step, draw.sample * 8 + i});
            },
        .noise = 0.02};
    return OnlineLearner(std::move(options), TargetFamily{});
}

std::vector<Kind> kinds() {
    const OnlineOptions fixed{.regulariser = L1Norm(0.01), .window = 4, .tolerance = 0.01};
    const OnlineOptions automatic{.regulariser = L1Norm(0.01), .window = "auto:longest=16"};
    const OnlineOptions switching{.window = 4, .tolerance = 0.01, .switching = 0.05};
    OnlineOptions forecast = fixed;
    forecast.forecast = "forecast";
    OnlineOptions forecast_ensemble = automatic;
    forecast_ensemble.forecast = "forecast";
    const OnlineOptions noisy{.window = 3, .tolerance = 1, .max_steps = 50};
    OnlineOptions unrefereed = noisy;
    unrefereed.referee = false;
    const auto expecting = [](OnlineLearner& learner, Round t, const SharedCalls& calls) {
        if (t % 3 != 0) learner.expect(target(t + 1));
        play_record(learner, t, calls);
    };
    return {{"closures, window 4", fixed, 8, of_closures, play_closure},
            {"closures, automatic", automatic, 6, of_closures, play_closure},
            {"family, window 4", fixed, 8, of_family, play_record},
            {"family, automatic", automatic, 6, of_family, play_record},
            {"family, switching", switching, 8, of_family, play_record},
            {"family, forecast", forecast, 8, of_family, expecting},
            {"family, forecast, automatic", forecast_ensemble, 6, of_family, expecting},
            {"family, gaussian oracle",
             OnlineOptions{.window = 3, .tolerance = 1, .max_steps = 50, .oracle = "gaussian:0.02"}, 8,
             of_family, play_record},
            {"batched, window 4", fixed, 8, of_batches, play_record},
            {"batched, automatic", automatic, 6, of_batches, play_record},
            {"regulariser, window 4", fixed, 8, of_box, play_record},
            {"regulariser, automatic", automatic, 6, of_box, play_record},
            {"regulariser, switching", switching, 8, of_box, play_record},
            {"copies of records", forecast, 8, of_fragile, play_fragile},
            {"copies of records, automatic", forecast_ensemble, 6, of_fragile, play_fragile},
            {"sampler", noisy, 6, of_sampler, play_record},
            {"sampler without referee", unrefereed, 6, of_sampler, play_record}};
}

/// Plays all rounds; a round that throws is played again.
Trace run(const Kind& kind, const SharedCalls& calls, std::uint64_t throw_at, std::uint64_t& thrown) {
    OnlineLearner learner = kind.make(kind.options, calls);
    calls->made = 0;
    calls->throw_at = throw_at;
    Trace trace;
    for (Round t = 1; t <= kind.rounds; ++t) {
        const std::vector<Real> before(learner.decision().begin(), learner.decision().end());
        try {
            kind.play(learner, t, calls);
        } catch (const Boom&) {
            ++thrown;
            EXPECT_TRUE(std::equal(before.begin(), before.end(), learner.decision().begin()));
            EXPECT_EQ(learner.rounds(), t - 1);
            kind.play(learner, t, calls);
        }
        EXPECT_NE(learner.report().status, RoundStatus::refused) << kind.name << ", round " << t;
        trace.add(learner);
    }
    calls->throw_at = std::numeric_limits<std::uint64_t>::max();
    trace.certificate = timeless(learner.certificate());
    return trace;
}

TEST(OnlineLearnerExceptions, LeaveTheLearnerUnchanged) {
    for (const Kind& kind : kinds()) {
        SCOPED_TRACE(kind.name);
        const auto calls = std::make_shared<Calls>();
        std::uint64_t none = 0;
        const Trace undisturbed = run(kind, calls, std::numeric_limits<std::uint64_t>::max(), none);
        ASSERT_TRUE(undisturbed.certificate.sound());
        const std::uint64_t all = calls->made;
        ASSERT_GT(all, kind.rounds);
        std::uint64_t thrown = 0, played = 0;
        for (std::uint64_t k = 0; k < all; ++k) {
            const Trace disturbed = run(kind, calls, k, thrown);
            ++played;
            ASSERT_EQ(disturbed.figures, undisturbed.figures) << "call " << k << " of " << all;
            ASSERT_EQ(disturbed.certificate, undisturbed.certificate) << "call " << k << " of " << all;
        }
        // The calls of the certificate come last; the exceptions of all others were seen.
        EXPECT_GT(thrown, played / 2);
    }
}

TEST(OnlineLearnerExceptions, AForecastIsKeptIfTheRoundIsRolledBack) {
    for (const char* window : {"4", "auto:longest=16"}) {
        const auto calls = std::make_shared<Calls>();
        const OnlineOptions options{.window = window, .forecast = "forecast", .tolerance = 0.01};
        OnlineLearner disturbed = of_family(options, calls);
        OnlineLearner undisturbed = of_family(options, std::make_shared<Calls>());
        for (Round t = 1; t <= 10; ++t) {
            undisturbed.expect(target(t + 1));
            undisturbed.observe(target(t));
            disturbed.expect(target(t + 1));
            Target bad = target(t);
            bad.at[1] = std::numeric_limits<Real>::quiet_NaN();
            EXPECT_EQ(disturbed.observe(bad).status, RoundStatus::refused);
            calls->throw_at = calls->made + 2;
            EXPECT_THROW(disturbed.observe(target(t)), Boom);
            disturbed.observe(target(t));
            ASSERT_TRUE(std::equal(disturbed.decision().begin(), disturbed.decision().end(),
                                   undisturbed.decision().begin()))
                << window << ", round " << t;
        }
    }
}

TEST(OnlineLearnerExceptions, PropagateFromTheCertificate) {
    const auto calls = std::make_shared<Calls>();
    OnlineLearner learner = of_family({.window = 4}, calls);
    for (Round t = 1; t <= 5; ++t) learner.observe(target(t));
    const Certificate before = timeless(learner.certificate());
    calls->throw_at = calls->made + 1;
    EXPECT_THROW(learner.certificate(), Boom);
    EXPECT_EQ(timeless(learner.certificate()), before);
}

TEST(OnlineLearnerExceptions, ARoundInsideARoundIsRefused) {
    OnlineLearner learner({.dimension = 1, .window = 2});
    const auto loss = [](ConstView x, View gradient) {
        gradient[0] = x[0];
        return x[0] * x[0] / 2;
    };
    EXPECT_THROW(learner.observe([&](ConstView x, View gradient) {
        learner.observe(loss);
        return loss(x, gradient);
    }),
                 ConfigError);
    learner.observe(loss);
    EXPECT_EQ(learner.rounds(), 1U);
}

/// Answers NaN in one call.
struct BadBox {
    std::shared_ptr<Calls> calls;
    Real value(ConstView /*x*/) const { return answer(0); }
    Real prox(ConstView v, Real /*step*/, View out) const {
        const Real extra = answer(0);
        for (Index i = 0; i < v.size(); ++i) out[i] = std::min(std::max(v[i], Real{-1}), Real{1}) + extra;
        return extra;
    }
    Real answer(Real honest) const {
        return calls->made++ == calls->throw_at ? std::numeric_limits<Real>::quiet_NaN() : honest;
    }
};

TEST(OnlineLearnerExceptions, AProxThatIsNotANumberNeverReachesTheDecision) {
    for (const char* window : {"4", "auto:longest=16"}) {
        std::uint64_t refused = 0;
        for (std::uint64_t k = 0; k < 250; ++k) {
            const auto calls = std::make_shared<Calls>();
            OnlineLearner learner({.regulariser = BadBox{calls}, .window = window}, TargetFamily{});
            learner.observe(target(1));
            calls->made = 0;
            calls->throw_at = k;
            for (Round t = 2; t <= 6; ++t) {
                if (learner.observe(target(t)).status == RoundStatus::refused) {
                    ++refused;
                    learner.observe(target(t));
                }
                for (const Real each : learner.decision()) ASSERT_TRUE(std::isfinite(each)) << k;
            }
            ASSERT_EQ(learner.rounds(), 6U) << k;
            calls->throw_at = std::numeric_limits<std::uint64_t>::max();
            ASSERT_TRUE(learner.certificate().sound()) << k;
        }
        EXPECT_GT(refused, 10U) << window;
    }
}

}  // namespace
}  // namespace proxstream::front_test
