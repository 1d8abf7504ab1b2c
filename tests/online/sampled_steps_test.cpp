// Steps along estimates: the estimated gradients, the rules that use them, refusals and accounts. Also the
// certificate of a run without a referee.

#include "online/sampled_steps.hpp"

#include "proxstream/core/error.hpp"

#include "loss/loss_table.hpp"
#include "online/trap_learner.hpp"
#include "regret/ledger_format.hpp"
#include "regret/tally.hpp"
#include "support/naive.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

constexpr Index kSampledFeatures = 4;

std::unique_ptr<AnyLearner> make_rows(const std::string& text, std::uint64_t seed = 7,
                                      const std::string& g = "l1:0.01") {
    const std::shared_ptr<const RowFamily> family =
        parse_loss("cauchy", {.features = kSampledFeatures, .intercept = false, .classes = 0});
    LearnerConfig parts{.g = parse_regulariser(g),
                        .make_batch = [family](Index capacity) { return family->make_batch(capacity); },
                        .start = std::vector<Real>(kSampledFeatures, 0.2),
                        .window = "1",
                        .step = 0.1,
                        .budget = {},
                        .seed = seed};
    return make_learner(text, std::move(parts));
}

RowBlock rows_at(Round t, Index rows) {
    RowBlock record;
    for (Index row = 0; row < rows; ++row) {
        const RowBlock one = honest(kSampledFeatures, 100 + row, t);
        record.add_dense(one.values(0), one.target(0));
    }
    return record;
}

std::vector<Real> point_of(const AnyLearner& learner) {
    return {learner.decide().begin(), learner.decide().end()};
}

void expect_near(const std::vector<Real>& a, const std::vector<Real>& b, Round t) {
    for (Index i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], 1e-12) << "round " << t;
}

// With one row a record and a window of 1 there is nothing to draw: every rule is the exact one.
TEST(SampledSteps, RulesAreThoseOfExactGradientsWhereNothingIsLeftOut) {
    const std::pair<const char*, const char*> pairs[] = {
        {"sampled-steps:samples=3", "prox-gradient"},
        {"sampled-steps:rule=momentum,step=0.2,samples=1", "momentum:0.2"},
        {"sampled-steps:rule=adam,step=0.02,beta1=0.5,beta2=0.9", "adam:0.02,beta1=0.5,beta2=0.9"},
        {"sampled-steps:rule=optimistic", "optimistic"},
        {"sampled-steps:rule=extragradient,step=0.3", "extragradient:0.3"},
    };
    for (const char* g : {"l1:0.01", "simplex"}) {
        for (const auto& [sampled, exact] : pairs) {
            SCOPED_TRACE(sampled);
            const std::string start = std::string(g) == "simplex" ? "simplex:0.8" : g;
            const auto a = make_rows(sampled, 7, start);
            const auto b = make_rows(exact, 7, start);
            for (Round t = 1; t <= 50; ++t) {
                a->observe(rows_at(t, 1));
                b->observe(rows_at(t, 1));
                expect_near(point_of(*a), point_of(*b), t);
            }
        }
    }
}

TEST(SampledSteps, OptimisticAdamIsItsDefinition) {
    const auto learner = make_rows("sampled-steps:rule=optimistic-adam,step=0.02,beta1=0.5", 7, "zero");
    std::vector<Real> x(kSampledFeatures, 0.2);
    std::vector<Real> m(kSampledFeatures);
    std::vector<Real> v(kSampledFeatures);
    std::vector<Real> last(kSampledFeatures);
    for (Round t = 1; t <= 60; ++t) {
        const RowBlock record = rows_at(t, 1);
        const naive::Vector a(record.values(0).begin(), record.values(0).end());
        const naive::Vector slope = naive::row_loss(naive::Formula::cauchy, a, record.target(0)).gradient(x);
        for (Index i = 0; i < x.size(); ++i) {
            m[i] = 0.5 * m[i] + 0.5 * slope[i];
            v[i] = 0.999 * v[i] + 0.001 * slope[i] * slope[i];
            const Real now = m[i] / (1 - std::pow(0.5, static_cast<Real>(t))) /
                             (std::sqrt(v[i] / (1 - std::pow(0.999, static_cast<Real>(t)))) + 1e-8);
            x[i] -= 2 * 0.02 * now - 0.02 * last[i];
            last[i] = now;
        }
        learner->observe(record);
        expect_near(point_of(*learner), x, t);
    }
}

// 12 samples are as many for each of 1, 2, 3 or 4 records: the estimate is the window's own gradient.
TEST(SampledSteps, StepAlongTheWindowWhereSamplesCoverIt) {
    for (const std::uint64_t steps : {1, 3}) {
        const auto learner =
            make_rows("sampled-steps:window=4,samples=12,steps=" + std::to_string(steps), 7, "l1:0.02");
        naive::Player twin(
            naive::l1(0.02), std::vector<Real>(kSampledFeatures, 0.2),
            {.method = naive::Method::window_steps, .window = 4, .step = 0.1, .effort = steps});
        for (Round t = 1; t <= 40; ++t) {
            const RowBlock record = rows_at(t, 1);
            const naive::Vector a(record.values(0).begin(), record.values(0).end());
            const std::vector<Real> played = point_of(*learner);
            const RoundReport report = learner->observe(record);
            twin.play(naive::row_loss(naive::Formula::cauchy, a, record.target(0)));
            expect_near(point_of(*learner), twin.point(), t);
            EXPECT_EQ(report.steps, steps);
            // The mean loss of what the window holds.
            ASSERT_NEAR(report.loss, twin.window_value(played) * 4 / static_cast<Real>(std::min<Round>(t, 4)),
                        1e-12);
        }
    }
}

TEST(SampledSteps, EstimatesAreUnbiasedOverTheRowsOfAWindow) {
    // A step without g is minus the step times the estimate: the mean of many is the window's gradient.
    for (const char* window : {"1", "3", "season:2,2", "weights:0.5,0.25,0.1"}) {
        std::vector<Real> mean(kSampledFeatures);
        std::vector<Real> weights;
        WindowWeights::parse(window).at(3, weights);
        constexpr std::uint64_t kSeeds = 4000;
        for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
            // Nothing moves in the first two rounds, but for the last bits.
            const auto learner = make_rows(
                "sampled-steps:samples=2,step=1e-9,window=(" + std::string(window) + ")", seed, "zero");
            for (Round t = 1; t <= 2; ++t) learner->observe(rows_at(t, 5));
            const std::vector<Real> before = point_of(*learner);
            learner->observe(rows_at(3, 5));
            for (Index i = 0; i < kSampledFeatures; ++i)
                mean[i] += (before[i] - learner->decide()[i]) / 1e-9 / static_cast<Real>(kSeeds);
        }
        naive::Vector exact(kSampledFeatures);
        for (Index age = 0; age < std::min<Index>(weights.size(), 3); ++age) {
            const RowBlock record = rows_at(3 - age, 5);
            for (Index row = 0; row < 5; ++row) {
                const naive::Vector a(record.values(row).begin(), record.values(row).end());
                exact = naive::along(exact, weights[age] / 5,
                                     naive::row_loss(naive::Formula::cauchy, a, record.target(row))
                                         .gradient(naive::Vector(kSampledFeatures, 0.2)));
            }
        }
        for (Index i = 0; i < kSampledFeatures; ++i) EXPECT_NEAR(mean[i], exact[i], 0.012) << window;
    }
}

TEST(SampledSteps, DrawsAreNamedBySeed) {
    const char* text = "sampled-steps:rule=adam,window=4,samples=2";
    const auto a = make_rows(text, 1);
    const auto b = make_rows(text, 1);
    const auto c = make_rows(text, 2);
    for (Round t = 1; t <= 10; ++t) {
        for (const auto* each : {&a, &b, &c}) (*each)->observe(rows_at(t, 6));
    }
    EXPECT_EQ(point_of(*a), point_of(*b));
    EXPECT_NE(point_of(*a), point_of(*c));
}

constexpr const char* kTexts[] = {
    "sampled-steps:samples=2",
    "sampled-steps:rule=momentum,samples=2",
    "sampled-steps:rule=adam,samples=3,steps=2",
    "sampled-steps:rule=optimistic-adam,samples=2",
    "sampled-steps:rule=optimistic,samples=2",
    "sampled-steps:rule=extragradient,samples=2",
    "sampled-steps:rule=extragradient,samples=2,steps=3",
    "sampled-steps:samples=2,window=(weights:0,0.5,0.5)",
};

std::string row_of(const RoundReport& report) {
    std::string row;
    append_row(row, report, {.other_gaps = {}, .prediction_loss = {}, .ensemble = nullptr});
    return row;
}

TEST(SampledSteps, RefusedAndRolledBackRoundsLeaveNoTrace) {
    for (const char* text : kTexts) {
        SCOPED_TRACE(text);
        for (const Index window : {Index{1}, Index{20}}) {
            Configuration setup;
            setup.window = window;
            Calls calls;
            const auto undisturbed = make(text, setup, &calls);
            const auto disturbed = make(text, setup, &calls);
            const auto poison = [&](Real kind) {
                const std::vector<Real> played = point_of(*disturbed);
                const RoundReport report = disturbed->observe(trap(played, kind));
                ASSERT_EQ(report.status, RoundStatus::refused) << "trap " << kind;
                ASSERT_EQ(point_of(*disturbed), played);
            };
            for (Round t = 1; t <= 60; ++t) {
                if (t == 1 || t % 9 == 4) poison(kNaNValue);
                if (t % 7 == 3) poison(kInfiniteValue);
                if (t % 11 == 5) poison(kNaNGradient);
                if (t % 4 == 1) poison(kNaN);  // no number in the record itself
                if (t % 3 == 0) {
                    disturbed->observe(honest(4, 8, t));
                    disturbed->rollback();
                }
                if (t % 5 == 0) {  // entered, but never advanced
                    RoundReport report;
                    ASSERT_TRUE(disturbed->enter(honest(4, 9, t), report));
                    disturbed->rollback();
                }
                const RowBlock record = honest(4, 3, t);
                const RoundReport expected = undisturbed->observe(record);
                const RoundReport report = disturbed->observe(record);
                ASSERT_EQ(row_of(report), row_of(expected)) << "round " << t << ", w = " << window;
                ASSERT_EQ(report.cost, expected.cost);
                ASSERT_EQ(point_of(*disturbed), point_of(*undisturbed)) << "round " << t;
            }
        }
    }
}

TEST(SampledSteps, AccountsByHand) {
    Configuration setup;
    setup.window = 3;
    Calls calls;
    const auto learner = make("sampled-steps:samples=6,steps=2", setup, &calls);
    for (Round t = 1; t <= 8; ++t) {
        calls = {};
        const RoundReport report = learner->observe(honest(4, 3, t));
        const std::uint64_t records = std::min<Round>(t, 3);
        EXPECT_EQ(report.status, RoundStatus::moved);
        EXPECT_EQ(report.round, t);
        EXPECT_EQ(report.cost.base_samples, 12U);
        EXPECT_EQ(report.cost.oracle_calls, 2 * records);
        EXPECT_EQ(report.cost.passes, 2U);
        EXPECT_EQ(report.cost.prox, 2U);
        EXPECT_EQ(report.cost.record_gradients, 0U);
        EXPECT_EQ(calls.proxes, 2U);
        EXPECT_EQ(calls.gradients, 12U);  // a record of one part is evaluated for each of its samples
        EXPECT_EQ(calls.values, 0U);
        EXPECT_EQ(report.referee_cost, Cost{});
        EXPECT_GT(report.movement, 0);
    }
    // Where no sample is of the newest loss, it is looked at besides.
    setup.window = 1;
    const auto late = make("sampled-steps:samples=4,window=(weights:0,1)", setup, &calls);
    for (Round t = 1; t <= 3; ++t) {
        const RoundReport report = late->observe(honest(4, 3, t));
        EXPECT_EQ(report.cost.base_samples, 5U);
        EXPECT_EQ(report.movement > 0, t > 1);
        EXPECT_GT(report.loss, 0);
    }
}

TEST(SampledSteps, StaysInTheDomain) {
    for (const char* text : kTexts) {
        for (const std::string g : {"box:-0.2,0.25", "nonneg", "l2ball:0.5", "simplex:0.8"}) {
            const auto learner = make_rows(text, 3, g);
            const AnyRegulariser set = parse_regulariser(g);
            Scratch scratch;
            for (Round t = 1; t <= 40; ++t) {
                learner->observe(rows_at(t, 4));
                ASSERT_TRUE(std::isfinite(set.value(learner->decide(), scratch))) << text << ", " << g;
            }
            EXPECT_EQ(learner->close().regulariser, set.value(learner->decide(), scratch));
        }
    }
}

TEST(SampledSteps, ACertificateSaysThatNothingWasMeasured) {
    for (const char* text : kTexts) {
        const auto learner = make_rows(text, 3, "l1:0.05");
        const RunHeader header = learner->facts();
        EXPECT_GT(header.initial_gap, 0);
        Tally tally(header);
        for (Round t = 1; t <= 30; ++t) {
            RowBlock record = rows_at(t, 4);
            if (t == 9) record.set_target(2, kNaN);
            RoundReport report = learner->observe(record);
            EXPECT_EQ(report.status == RoundStatus::refused, t == 9);
            EXPECT_EQ(report.round, t > 9 ? t - 1 : t);
            tally.add(report);
        }
        const Certificate certificate = tally.certificate(tally.footer(learner->close(), RunEnding{}, 0));
        EXPECT_FALSE(certificate.summary.measured);
        EXPECT_EQ(certificate.summary.totals.refused, 1U);
        EXPECT_EQ(certificate.summary.totals.rounds, 29U);
        for (const Inequality& each : certificate.inequalities) {
            if (each.id == "C0") continue;  // distances are compared with each other all the same
            EXPECT_TRUE(each.verdict == Verdict::not_applicable || each.verdict == Verdict::not_promised)
                << each.id << ": " << each.explanation;
        }
        for (const PaperClaim& claim : certificate.paper_claims) EXPECT_FALSE(claim.applicable) << claim.id;
    }
}

TEST(SampledSteps, TextsThatCannotBe) {
    for (const char* text :
         {"sampled-steps:rule=sgdd", "sampled-steps:samples=0", "sampled-steps:steps=0",
          "sampled-steps:step=-1", "sampled-steps:beta1=0.5", "sampled-steps:rule=adam,beta1=1",
          "sampled-steps:rule=optimistic,beta2=0.5", "sampled-steps:samples=1e9"}) {
        EXPECT_THROW(make_rows(text), ConfigError) << text;
    }
    EXPECT_THROW(make_rows("sampled-steps", 1, "box:1,2"), ConfigError);
}

}  // namespace
}  // namespace proxstream
