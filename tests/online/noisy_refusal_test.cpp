// What a stochastic learner refuses: rounds whose estimates are not finite, which leave no trace, and parts
// that noise does not allow.

#include "proxstream/core/error.hpp"
#include "proxstream/core/linalg.hpp"

#include "online/noisy_twin.hpp"
#include "online/trap_learner.hpp"
#include "regret/ledger_format.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

using naive::Vector;
using Kind = EstimatorOptions::Kind;

/// Every figure of a round, as a ledger keeps it.
std::string figures_text(const RoundReport& report, const EnsembleRound* ensemble = nullptr) {
    std::string row;
    append_row(row, report, {.other_gaps = {}, .prediction_loss = {}, .ensemble = ensemble});
    return row;
}

// ---- refused rounds

enum class Trap {
    none,
    nan_loss,
    infinite_loss,
    gradient,      // of the loss: estimates do not see it
    first,         // the first estimate
    loop,          // the one after the first update
    confirmation,  // the one that should confirm a stop
    referee,       // the loss where the learner went, which it never evaluates itself
    thrown,        // by the sampler, after the first update
};

/// Honest samples, unless a trap is set.
AnyOracle trapped_oracle(const Trap* trap) {
    return AnyOracle(CallbackOracle(
        [trap](Round record, ConstView x, const Draw& draw, std::vector<Real>& gradient) {
            const bool first = draw.step == 0;
            gradient.assign(x.size(), 0);
            switch (*trap) {
                case Trap::first:
                    if (first && record == draw.round) gradient[0] = kNaN;
                    return;
                case Trap::loop:
                    gradient[0] = first ? 1000 : kNaN;
                    return;
                case Trap::confirmation:
                    gradient[0] = first ? 0 : kNaN;
                    return;
                case Trap::thrown:
                    if (!first) throw std::runtime_error("no sample");
                    gradient[0] = 1000;
                    return;
                case Trap::referee:
                    gradient[0] = first ? 1000 : 0;
                    return;
                default:
                    gradient =
                        naive::sampled(0.2, record, {x.begin(), x.end()}, draw.round, draw.step, draw.sample);
            }
        },
        1, {.base_noise = 0.2, .bounded = false, .independent = true}));
}

FunctionFamily::Record trapped_loss(Trap trap, ConstView point) {
    return [trap, played = Vector(point.begin(), point.end())](ConstView x, View gradient) {
        if (!gradient.empty()) fill(gradient, 0);
        if (trap == Trap::nan_loss) return kNaN;
        if (trap == Trap::infinite_loss) return kInfinity;
        if (trap == Trap::gradient && !gradient.empty()) gradient[0] = kNaN;
        const bool elsewhere = !std::equal(x.begin(), x.end(), played.begin());
        return trap == Trap::referee && elsewhere ? kNaN : 1.0;
    };
}

struct Member {
    const char* name;
    Kind kind;
    std::uint64_t confirm;
    bool refereed;
};

class RefusedRounds : public testing::TestWithParam<Member> {};

TEST_P(RefusedRounds, LeaveNoTrace) {
    const Member& member = GetParam();
    std::vector<Trap> traps{Trap::nan_loss, Trap::infinite_loss, Trap::first, Trap::loop, Trap::thrown};
    if (member.confirm > 1) traps.push_back(Trap::confirmation);
    if (member.refereed) traps.insert(traps.end(), {Trap::gradient, Trap::referee});
    for (const Index window : {Index{1}, Index{5}}) {
        NoisySmoothedOptions options;
        options.window = window;
        options.step = 0.8;
        options.smoothness = 1;
        options.delta = 0.12 * static_cast<Real>(window);
        options.confirm = member.confirm;
        options.refereed = member.refereed;
        options.estimator = {.kind = member.kind, .batch = 10, .samples = 3, .restart = 2};
        options.budget.max_steps = 500;
        Trap trap = Trap::none;
        const Trap never = Trap::none;
        const Vector start{0.6, -0.4, 0.1};
        const auto disturbed = make_noisy_learner(trapped_oracle(&trap), options, "box:-2,2", start);
        const auto undisturbed = make_noisy_learner(trapped_oracle(&never), options, "box:-2,2", start);
        for (Round t = 1; t <= 60; ++t) {
            // One kind after another, before the window is full and after, now and then a whole run of them.
            const Round count = t % 13 == 0 ? 2 * window + 3 : t % 3 == 0 ? 0 : 1;
            for (Round i = 0; i < count; ++i) {
                trap = traps[(t + i) % traps.size()];
                const Vector played(disturbed->decide().begin(), disturbed->decide().end());
                if (trap == Trap::thrown) {
                    ASSERT_THROW(disturbed->observe(trapped_loss(trap, played)), std::runtime_error);
                    ASSERT_TRUE(std::ranges::equal(played, disturbed->decide()));
                    trap = Trap::none;
                    continue;
                }
                const RoundReport report = disturbed->observe(trapped_loss(trap, played));
                ASSERT_EQ(report.status, RoundStatus::refused) << "trap " << static_cast<int>(trap);
                ASSERT_EQ(report.round, t);
                ASSERT_TRUE(std::ranges::equal(played, disturbed->decide()));
                // What it took to find out is charged.
                const bool at_once =
                    trap == Trap::nan_loss || trap == Trap::infinite_loss || trap == Trap::gradient;
                ASSERT_EQ(report.cost.base_samples > 0, !at_once) << "trap " << static_cast<int>(trap);
                ASSERT_GT(report.referee_cost.record_gradients + report.referee_cost.record_values, 0U);
                trap = Trap::none;
            }
            const RoundReport report = disturbed->observe(naive::record_of(t));
            ASSERT_EQ(figures_text(report), figures_text(undisturbed->observe(naive::record_of(t))))
                << "round " << t << ", w = " << window;
            ASSERT_TRUE(std::ranges::equal(disturbed->decide(), undisturbed->decide())) << "round " << t;
        }
        EXPECT_EQ(disturbed->close().losses, undisturbed->close().losses);
        EXPECT_EQ(disturbed->close().regulariser, undisturbed->close().regulariser);
    }
}

INSTANTIATE_TEST_SUITE_P(
    Estimators, RefusedRounds,
    testing::Values(Member{"fresh", Kind::fresh, 1, true}, Member{"fresh_alone", Kind::fresh, 1, false},
                    Member{"confirmed", Kind::fresh, 3, true},
                    Member{"confirmed_alone", Kind::fresh, 2, false}, Member{"paper", Kind::paper, 1, true},
                    Member{"paper_alone", Kind::paper, 1, false}, Member{"spider", Kind::spider, 1, true},
                    Member{"spider_confirmed", Kind::spider, 2, true},
                    Member{"spider_alone", Kind::spider, 2, false}),
    [](const auto& param) { return std::string(param.param.name); });

// ---- ensembles

TEST(NoisyEnsemble, ARefusedRoundLeavesAllMembersAsTheyWere) {
    for (const char* text :
         {"time-smoothed:window=(auto:longest=16),oracle=(gaussian:0.05)",
          "ensemble:windows=1/4/16,oracle=(dropout:0.2),tolerance=1,confirm=2,steps=50",
          "ensemble:windows=2/8,oracle=(sphere:0.02),variant=paper,selection=leader",
          "ensemble:windows=2/8,oracle=(gaussian:0.05),inner=(spider:batch=64,samples=2,restart=3)"}) {
        SCOPED_TRACE(text);
        Calls calls;
        Configuration setup;
        setup.inner = "auto";
        setup.tolerance = Tolerance::automatic();
        const auto disturbed = make(text, setup, &calls);
        const auto undisturbed = make(text, setup, &calls);
        Round refused = 0;
        for (Round t = 1; t <= 80; ++t) {
            for (const Real kind : {kNaNValue, kNaNGradient, kElsewhere}) {
                if ((t + static_cast<Round>(kind)) % 4 != 0) continue;
                const Vector played(disturbed->decide().begin(), disturbed->decide().end());
                const RoundReport report = disturbed->observe(trap(played, kind));
                // A trap elsewhere catches the learners that move: not all do.
                if (kind != kElsewhere) {
                    ASSERT_EQ(report.status, RoundStatus::refused);
                }
                if (report.status == RoundStatus::refused) {
                    ++refused;
                } else {
                    disturbed->rollback();
                }
                ASSERT_TRUE(std::ranges::equal(played, disturbed->decide()));
            }
            const RowBlock record = honest(setup.dimension, 3, t);
            const RoundReport expected = undisturbed->observe(record);
            const RoundReport report = disturbed->observe(record);
            ASSERT_EQ(figures_text(report, disturbed->ensemble()),
                      figures_text(expected, undisturbed->ensemble()))
                << "round " << t;
            ASSERT_TRUE(std::ranges::equal(disturbed->decide(), undisturbed->decide())) << "round " << t;
        }
        EXPECT_GT(refused, 40U);
        for (const RunHeader& member : disturbed->facts().members) EXPECT_TRUE(member.noise);
    }
}

// ---- parts that cannot be

LearnerConfig parts_for(const std::string& oracle, Calls* calls) {
    LearnerConfig parts{
        .g = parse_regulariser("l1:0.01"),
        .make_batch =
            [calls](Index capacity) { return AnyBatch(RecordRing(TrapFamily(4, calls), capacity)); },
        .start = std::vector<Real>(4),
        .window = "8",
        .step = 0.4,
        .smoothness = 1,
        .tolerance = Tolerance::fixed(1),
        .budget = {}};
    parts.noise.oracle = oracle;
    return parts;
}

/// All violations; empty: the learner was made.
std::vector<std::string> violations(LearnerConfig parts, const std::string& text = "time-smoothed") {
    try {
        make_learner(text, std::move(parts));
    } catch (const ConfigError& error) {
        return error.violations();
    }
    return {};
}

bool names(const std::vector<std::string>& all, const std::string& what) {
    return std::any_of(all.begin(), all.end(),
                       [&](const std::string& each) { return each.find(what) != std::string::npos; });
}

TEST(NoisyParts, EverythingWrongIsSaidAtOnce) {
    Calls calls;
    LearnerConfig parts = parts_for("minibatch:5", &calls);
    EXPECT_EQ(violations(parts), std::vector<std::string>{});
    parts.model = ForecastRule::parse("mean");
    parts.hysteresis = 0.5;
    parts.switching = 0.1;
    parts.proximal.named = 0.1;
    parts.effort = 100;
    parts.inner = "backtracking";
    parts.noise.confirm = 0;
    parts.noise.confidence = 1.5;
    parts.noise.record_rows = 4;
    std::vector<std::string> all = violations(parts);
    for (const char* what :
         {"model = mean", "hysteresis", "switching", "proximal", "effort", "inner = backtracking",
          "confirm = 0", "confidence = 1.5", "minibatch:5: draws 5 rows of a record, which has 4"}) {
        EXPECT_TRUE(names(all, what)) << what;
    }
    EXPECT_EQ(all.size(), 9U);

    parts = parts_for("gaussian:-1", &calls);
    parts.window = "exp:8";
    parts.inner = "spider";
    parts.noise.variant = "paper";
    parts.noise.confirm = 2;
    all = violations(parts);
    for (const char* what :
         {"spider has none", "exp:8", "confirm: the paper's variant", "sigma = -1: must be finite"}) {
        EXPECT_TRUE(names(all, what)) << what;
    }
    EXPECT_EQ(all.size(), 4U);
    // Its effective length is its length, but its weights change from round to round.
    parts = parts_for("gaussian:0.1", &calls);
    parts.window = "mean:8";
    parts.noise.variant = "paper";
    EXPECT_TRUE(names(violations(parts), "mean:8"));

    parts = parts_for("gaussian:0.1", &calls);
    parts.noise.variant = "stale";
    EXPECT_TRUE(names(violations(parts), "variant = stale: must be fresh or paper"));
    EXPECT_TRUE(names(violations(parts_for("exact", &calls), "time-smoothed:oracle=(gaussian:0.1),confirm=0"),
                      "confirm"));
    parts = parts_for("minibatch:1", &calls);
    parts.noise.record_rows = 1;
    EXPECT_TRUE(names(violations(parts), "records of one row have nothing to draw from"));
}

TEST(NoisyParts, ATestTheNoiseKeepsFailingNeedsForce) {
    Calls calls;
    // c = 0.8, sigma = w_a s = 8 * 0.3 / sqrt(8): the least delta is sigma / sqrt(c) = 0.9487 > 0.9.
    LearnerConfig parts = parts_for("gaussian:0.3", &calls);
    parts.tolerance = Tolerance::fixed(0.9);
    const std::vector<std::string> all = violations(parts);
    ASSERT_EQ(all.size(), 1U);
    EXPECT_NE(all[0].find("0.948"), std::string::npos) << all[0];
    parts.tolerance = Tolerance::fixed(0.96);
    EXPECT_EQ(violations(parts), std::vector<std::string>{});
    parts.tolerance = Tolerance::fixed(0.01);
    parts.noise.force = true;
    parts.budget.max_steps = 30;
    const auto learner = make_learner("time-smoothed", parts);
    for (Round t = 1; t <= 5; ++t) {
        const RoundReport report = learner->observe(honest(4, 3, t));
        EXPECT_EQ(report.status, RoundStatus::budget_exhausted);
        EXPECT_EQ(report.steps, 30U);
        EXPECT_GT(report.tested_gap, report.tolerance);
        EXPECT_EQ(report.tolerance, 0.01 / 8);
    }
    ASSERT_TRUE(learner->facts().noise);
    EXPECT_NEAR(*learner->facts().noise->sigma, 8 * 0.3 / std::sqrt(8), 1e-12);
}

TEST(NoisyParts, ChoosesRowsByDefault) {
    Calls calls;
    for (const char* text : {"minibatch", "minibatch:replace=yes", "minibatch:replace=no"}) {
        LearnerConfig parts = parts_for(text, &calls);
        parts.tolerance = Tolerance::automatic();
        parts.noise.record_rows = 1000;
        parts.noise.base_noise = 1;
        parts.noise.first_gap = 0.2;
        ASSERT_EQ(violations(parts), std::vector<std::string>{}) << text;
        const NoiseFacts noise = *make_learner("time-smoothed", parts)->facts().noise;
        EXPECT_TRUE(noise.oracle.starts_with("minibatch:")) << noise.oracle;
        // The test sees a quarter of the first gap, with the fewest rows: usual_delta is 2 sigma /
        // sqrt(c).
        EXPECT_LE(*noise.sigma, 8 * 0.2 / 4);
        EXPECT_EQ(noise.oracle.find("replace=yes") != std::string::npos,
                  std::string(text).find("replace=yes") != std::string::npos);
        EXPECT_GT(*noise.sigma, 0.1);
    }
}

}  // namespace
}  // namespace proxstream
