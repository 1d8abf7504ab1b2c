// What a learner promises beyond its trajectory: the price of a quiet round, refusals that leave no trace,
// honest counts, and what cannot be made.

#include "proxstream/core/error.hpp"

#include "online/trap_learner.hpp"
#include "support/naive.hpp"

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

std::vector<Real> figures(const RoundReport& r) {
    const auto number = [](std::uint64_t count) { return static_cast<Real>(count); };
    return {number(r.round),
            number(static_cast<std::uint64_t>(r.status)),
            r.tolerance,
            r.target_gap,
            r.forecast_gap,
            r.tested_gap,
            r.forecast_change,
            r.value_change,
            r.movement_one,
            number(r.changed),
            r.path,
            r.jump,
            r.penalty,
            number(r.cheap_steps),
            number(r.confirmations),
            r.entry_gap,
            r.exit_gap,
            r.variation,
            r.firm_bound,
            r.loss,
            r.outgoing_loss,
            r.regulariser,
            r.objective_entry,
            r.objective_exit,
            number(r.steps),
            r.certified_decrease,
            r.squared_gaps,
            r.smallest_step,
            r.largest_step,
            r.movement,
            r.gap_rounding,
            r.objective_rounding,
            number(r.cost.record_gradients),
            number(r.cost.record_values),
            number(r.cost.passes),
            number(r.cost.prox),
            number(r.referee_cost.record_gradients),
            number(r.referee_cost.passes),
            number(r.referee_cost.prox)};
}

// ---- the price of a quiet round

TEST(QuietRound, CostsTwoRecordGradientsAndOneProxForEveryWindow) {
    for (const Index window : {Index{16}, Index{1024}}) {
        Calls calls;
        Configuration setup;
        setup.window = window;
        setup.tolerance = Tolerance::fixed(1e6);  // nothing ever needs work
        const auto learner = make("time-smoothed", setup, &calls);
        Round reanchored = 0;
        for (Round t = 1; t <= 3 * window; ++t) {
            const RoundReport report = learner->observe(honest(setup.dimension, 1, t));
            ASSERT_EQ(report.status, RoundStatus::quiet);
            // A full pass every w rounds keeps rounding from piling up; while t <= w nothing leaves.
            const bool anchored = report.cost.passes > 0;
            reanchored += anchored ? 1 : 0;
            const std::uint64_t single = t > window ? 2 : 1;
            ASSERT_EQ(report.cost.record_gradients, single + (anchored ? std::min<Round>(t, window) : 0))
                << t;
            ASSERT_EQ(report.cost.prox, anchored ? 2U : 1U);
            ASSERT_EQ(report.cost.record_values, 0U);
        }
        EXPECT_EQ(reanchored, 3U);
    }
}

TEST(QuietRound, AgreesWithAFullPassAfterManyCarries) {
    Calls calls;
    Configuration setup;
    setup.window = 64;
    setup.start = {0.5, -0.5, 0.25, 1};
    setup.tolerance = Tolerance::fixed(1e6);
    const auto learner = make("time-smoothed", setup, &calls);
    naive::Player twin(naive::l1(0.01), setup.start, {.window = 64, .step = 0.4, .delta = 1e6});
    for (Round t = 1; t <= 63 + 64; ++t) {
        const RowBlock record = honest(4, 2, t);
        const RoundReport report = learner->observe(record);
        const naive::Vector a(record.values(0).begin(), record.values(0).end());
        const naive::Round expected = twin.play(naive::row_loss(naive::Formula::cauchy, a, record.target(0)));
        ASSERT_NEAR(report.entry_gap, expected.entry, report.gap_rounding + 1e-14);
        ASSERT_LT(report.gap_rounding, 1e-11);
    }
}

// ---- refused rounds

struct Named {
    const char* name;
    const char* learner;
    const char* inner;
    bool automatic;
};

constexpr Named kNamed[] = {
    {"fixed_step", "time-smoothed", "prox-grad", false},
    {"backtracking", "time-smoothed", "backtracking", false},
    {"automatic_tolerance", "time-smoothed", "prox-grad", true},
    {"automatic_backtracking", "time-smoothed", "backtracking", true},
    {"prox_gradient", "prox-gradient:0.3", "prox-grad", false},
    {"prox_sgd", "prox-sgd:0.3", "prox-grad", false},
    {"replay", "prox-sgd:0.2,replay=3", "prox-grad", false},
    {"momentum", "momentum:0.3", "prox-grad", false},
    {"adam", "adam:0.05", "prox-grad", false},
    {"optimistic", "optimistic:0.2", "prox-grad", false},
    {"extragradient", "extragradient:0.2", "prox-grad", false},
    {"adagrad", "adagrad:0.3", "prox-grad", false},
    {"adagrad_replay", "adagrad:0.2,replay=3", "prox-grad", false},
    {"ftrl", "ftrl:0.3", "prox-grad", false},
    {"rls", "rls", "prox-grad", false},
    {"rls_forgetting", "rls:20", "prox-grad", false},
    {"coin", "coin", "prox-grad", false},
    {"full_history", "full-history:0.3", "prox-grad", false},
    {"window_steps", "window-steps:steps=2", "prox-grad", false},
    {"re_solve", "re-solve:steps=60", "prox-grad", false},
    {"exponential", "time-smoothed:window=(exp:4)", "backtracking", true},
    {"triangle", "time-smoothed:window=(triangle:7),model=mean", "backtracking", true},
    {"running_mean", "time-smoothed:window=(mean:9,keep=3),model=zero", "backtracking", true},
    {"season", "time-smoothed:window=(season:4,3)", "backtracking", true},
    {"seasonal_model", "time-smoothed:window=6,model=season:4", "prox-grad", true},
    {"mean_model", "time-smoothed:model=mean", "prox-grad", false},
    {"hysteresis", "time-smoothed:model=mean,hysteresis=0.4", "backtracking", true},
    {"switching", "time-smoothed:model=mean,switching=0.1", "backtracking", true},
    {"proximal", "time-smoothed:window=3,proximal=0.4", "backtracking", true},
    {"proximal_auto", "time-smoothed:window=3,proximal=0.4", "auto", false},
    {"panoc", "time-smoothed:window=8", "panoc", true},
    {"auto_inner", "time-smoothed:window=8", "auto", false},
    {"blocks", "time-smoothed:window=8", "blocks", true},
    {"ensemble", "ensemble:windows=1/3/9,also=(adagrad:0.3),steps=200,effort=inf", "backtracking", true},
    {"ensemble_mean", "ensemble:windows=2/8,also=none,selection=mean,cross=no,steps=200", "backtracking",
     true},
    {"ensemble_mean_points", "ensemble:windows=2/8,selection=mean,steps=200", "backtracking", true},
    {"ensemble_mean_tracking",
     "ensemble:windows=1/4,also=coin/rls/(prox-sgd:0.1),selection=(mean:mixers=losses/tracking)", "prox-grad",
     true},
    {"ensemble_leader", "ensemble:windows=2/8,selection=leader,steps=200", "prox-grad", true},
};

bool starts_with(const Named& named, std::initializer_list<std::string_view> names) {
    const std::string_view learner = named.learner;
    return std::any_of(names.begin(), names.end(),
                       [&](std::string_view name) { return learner.starts_with(name); });
}
/// Whether an inner solver looks for the next point.
bool solves(const Named& named) {
    return starts_with(named, {"time-smoothed", "window-steps", "re-solve"});
}

Configuration setup_for(const Named& named, Index window) {
    Configuration setup;
    setup.window = window;
    setup.inner = named.inner;
    if (named.automatic) setup.tolerance = Tolerance::automatic(1);
    return setup;
}

class EveryLearner : public testing::TestWithParam<Named> {};

TEST_P(EveryLearner, RefusedRoundsLeaveNoTrace) {
    for (const Index window : {Index{1}, Index{3}, Index{20}}) {
        const Configuration setup = setup_for(GetParam(), window);
        Calls calls;
        const auto undisturbed = make(GetParam().learner, setup, &calls);
        const auto disturbed = make(GetParam().learner, setup, &calls);
        Round refusals = 0;
        const auto poison = [&](Real kind) {
            const std::vector<Real> played(disturbed->decide().begin(), disturbed->decide().end());
            const RoundReport report = disturbed->observe(trap(played, kind));
            ASSERT_EQ(report.status, RoundStatus::refused) << "trap " << kind;
            ++refusals;
            ASSERT_TRUE(std::equal(played.begin(), played.end(), disturbed->decide().begin()));
        };
        // Longer than the automatic tolerance remembers, so that its ring wraps.
        for (Round t = 1; t <= 230; ++t) {
            if (t == 1 || t % 9 == 4) poison(kNaNValue);
            if (t % 7 == 3) poison(kInfiniteValue);
            if (t % 11 == 5) poison(kNaNGradient);
            // Solvers that meet such a loss end where they stand, and members of an ensemble restart.
            const bool refuses = !solves(GetParam()) && !starts_with(GetParam(), {"ensemble"});
            const Real elsewhere = refuses ? kElsewhere : kInfiniteValue;
            if (t % 5 == 0) poison(elsewhere);
            if (t % 20 == 0) {
                for (Index i = 0; i < 2 * window + 1; ++i) poison(i % 2 == 0 ? elsewhere : kNaNValue);
            }
            const RowBlock record = honest(setup.dimension, 3, t);
            const RoundReport expected = undisturbed->observe(record);
            const RoundReport report = disturbed->observe(record);
            ASSERT_EQ(figures(report), figures(expected)) << "round " << t << ", w = " << window;
            ASSERT_TRUE(std::ranges::equal(disturbed->decide(), undisturbed->decide())) << "round " << t;
        }
        EXPECT_GT(refusals, 100U);
        const Closing left = disturbed->close();
        const Closing right = undisturbed->close();
        EXPECT_EQ(left.losses, right.losses);
        EXPECT_EQ(left.weights, right.weights);
        EXPECT_EQ(left.regulariser, right.regulariser);
        EXPECT_EQ(left.members.size(), right.members.size());
    }
}

TEST_P(EveryLearner, SolversEndWhereTheyStandIfALossIsNotFiniteElsewhere) {
    // A window of seasons refuses the round in which such a record comes back, because the point has moved.
    if (!solves(GetParam()) ||
        std::string_view(GetParam().learner).find("window=(season") != std::string::npos)
        return;
    Configuration setup = setup_for(GetParam(), 3);
    setup.tolerance = Tolerance::fixed(0.05);  // every trap asks for work
    Calls calls;
    const auto learner = make(GetParam().learner, setup, &calls);
    for (Round t = 1; t <= 120; ++t) {
        const std::vector<Real> played(learner->decide().begin(), learner->decide().end());
        const bool trapped = t % 40 == 20;
        const RoundReport report =
            learner->observe(trapped ? trap(played, kElsewhere) : honest(setup.dimension, 3, t));
        ASSERT_NE(report.status, RoundStatus::refused) << t;
        ASSERT_EQ(report.round, t);
        ASSERT_TRUE(std::isfinite(report.exit_gap)) << t;
        if (!trapped) continue;
        ASSERT_TRUE(std::ranges::equal(played, learner->decide())) << t;
        ASSERT_TRUE(report.status == RoundStatus::moved || report.status == RoundStatus::budget_exhausted);
        ASSERT_GT(report.exit_gap, report.tolerance);
    }
    // Thirty rounds after the last trap the point follows the stream again.
    const std::vector<Real> before(learner->decide().begin(), learner->decide().end());
    for (Round t = 121; t <= 150; ++t) learner->observe(honest(setup.dimension, 3, t));
    EXPECT_FALSE(std::ranges::equal(before, learner->decide()));
}

TEST_P(EveryLearner, CountsItsEvaluations) {
    for (const Index window : {Index{1}, Index{6}}) {
        Calls calls;
        const auto learner = make(GetParam().learner, setup_for(GetParam(), window), &calls);
        calls = {};  // r_0 is measured while the learner is made
        for (Round t = 1; t <= 60; ++t) {
            const Calls before = calls;
            const bool bad = t % 8 == 0;
            const RoundReport report = learner->observe(
                bad ? trap(learner->decide(), t % 16 == 0 ? kElsewhere : kNaNValue) : honest(4, 4, t));
            const Cost total = report.cost + report.referee_cost;
            ASSERT_EQ(total.record_gradients, calls.gradients - before.gradients) << "round " << t;
            ASSERT_EQ(total.record_values, calls.values - before.values) << "round " << t;
            ASSERT_EQ(total.prox, calls.proxes - before.proxes) << "round " << t;
        }
    }
}

TEST_P(EveryLearner, StaysInTheDomain) {
    for (const std::string regulariser : {"box:-0.2,0.3", "simplex", "nonneg", "l2ball:0.5"}) {
        const bool sticky = std::string(GetParam().name) == "switching";
        if (sticky && !supports_switching(parse_regulariser(regulariser))) continue;
        const bool weighs = std::string(GetParam().name) == "ftrl";
        if (weighs && !supports_weighted_prox(parse_regulariser(regulariser))) continue;
        Configuration setup = setup_for(GetParam(), 4);
        setup.regulariser = regulariser;
        setup.start.assign(4, 0.25);
        Calls calls;
        const auto learner = make(GetParam().learner, setup, &calls);
        const AnyRegulariser g = parse_regulariser(regulariser);
        Scratch scratch;
        for (Round t = 1; t <= 80; ++t) {
            learner->observe(honest(4, 5, t));
            ASSERT_TRUE(std::isfinite(g.value(learner->decide(), scratch))) << regulariser << ", round " << t;
        }
        EXPECT_EQ(learner->close().regulariser, g.value(learner->decide(), scratch));
    }
}

INSTANTIATE_TEST_SUITE_P(Learners, EveryLearner, testing::ValuesIn(kNamed),
                         [](const auto& param) { return std::string(param.param.name); });

// ---- what cannot be made

TEST(Learner, RefusesAStartOutsideTheDomain) {
    for (const Named& named : kNamed) {
        Configuration setup = setup_for(named, 3);
        setup.regulariser = "box:1,2";
        Calls calls;
        EXPECT_THROW(make(named.learner, setup, &calls), ConfigError) << named.name;
    }
}

TEST(Learner, FactsIncludeTheInitialGap) {
    Configuration setup;
    setup.regulariser = "l1:0.5";
    setup.start = {3, -3, 3, 3};
    Calls calls;
    const RunHeader facts = make("time-smoothed", setup, &calls)->facts();
    EXPECT_NEAR(facts.initial_gap, 1, 1e-12);  // mu sqrt(n): the t = 1 term
    EXPECT_NEAR(facts.initial_objective, 6, 1e-12);
    EXPECT_EQ(facts.regulariser_infimum, 0);
    EXPECT_EQ(facts.window, 5U);
    EXPECT_TRUE(facts.exit_test);
    EXPECT_FALSE(make("window-steps", setup, &calls)->facts().exit_test);
    EXPECT_EQ(make("adam", setup, &calls)->facts().step_rule, StepRule::none);
}

TEST(LearnerTable, EveryRowIsConstructibleAndPlays) {
    EXPECT_EQ(learners().size(), 17U);
    for (const LearnerRow& row : learners()) {
        Calls calls;
        const auto learner = make(std::string(row.name), Configuration{}, &calls);
        const RoundReport report = learner->observe(honest(4, 10, 1));
        EXPECT_EQ(report.round, 1U) << row.name;
        EXPECT_FALSE(row.help.empty());
        EXPECT_EQ(row.usage.substr(0, row.name.size()), row.name);
    }
}

std::string refusal(const std::string& learner) {
    Calls calls;
    try {
        make(learner, Configuration{}, &calls);
    } catch (const ConfigError& error) {
        return error.what();
    }
    return "";
}

TEST(LearnerTable, RefusesUnknownNamesAndArguments) {
    EXPECT_NE(refusal("time-smooth").find("time-smoothed"), std::string::npos);
    EXPECT_NE(refusal("adamm").find("did you mean 'adam'"), std::string::npos);
    EXPECT_NE(refusal("adam:beta3=0.5").find("beta3"), std::string::npos);
    EXPECT_NE(refusal("momentum:0.1,decay=1").find("decay must lie in [0, 1)"), std::string::npos);
    EXPECT_NE(refusal("prox-sgd:-1").find("step must be positive"), std::string::npos);
    EXPECT_NE(refusal("prox-sgd:power=2").find("power must lie in [0, 1]"), std::string::npos);
    EXPECT_NE(refusal("adagrad:floor=0").find("floor must be positive"), std::string::npos);
    EXPECT_NE(refusal("window-steps:steps=0"), "");
    EXPECT_NE(refusal("time-smoothed:3"), "");
    EXPECT_NE(refusal("full-history:nan"), "");
}

}  // namespace
}  // namespace proxstream
