// Ensembles of windows, and models that are not the judge: against plain learners bit for bit, and against
// gaps worked out from the definitions.

#include "proxstream/core/draw.hpp"
#include "proxstream/core/error.hpp"
#include "proxstream/prox/prox_gradient_step.hpp"
#include "proxstream/prox/regulariser_table.hpp"

#include "loss/linear_family.hpp"
#include "online/learner_table.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

constexpr Index kFeatures = 4;
constexpr Real kEnsembleStep = 0.3;

const LinearFamily& family() {
    static const LinearFamily instance({ScalarFormula::cauchy, 1}, kFeatures, false);
    return instance;
}

RowBlock row(std::uint64_t seed, Round t, Round jump = 80) {
    std::vector<Real> a(kFeatures);
    const Round phase = t / jump * 3;  // the truth jumps with it
    Real score = 0;
    for (Index i = 0; i < kFeatures; ++i) {
        a[i] = normal({seed, t, static_cast<std::uint32_t>(i), 0, 0}) / 2;
        score += a[i] * std::cos(static_cast<Real>(phase + i));
    }
    RowBlock record;
    record.add_dense(a, score + 0.1 * normal({seed, t, 0, 1, 0}));
    return record;
}

std::unique_ptr<AnyLearner> make(const std::string& text, const std::string& inner = "backtracking",
                                 const std::string& g = "l1:0.01") {
    return make_learner(text, {.g = parse_regulariser(g),
                               .make_batch = [](Index capacity) { return family().make_batch(capacity); },
                               .make_forecasts = [] { return family().make_batch(2); },
                               .start = std::vector<Real>(kFeatures),
                               .window = "16",
                               .step = kEnsembleStep,
                               .smoothness = 1 / kEnsembleStep,
                               .tolerance = Tolerance::automatic(),
                               .budget = {.max_steps = 50},
                               .inner = inner,
                               .seed = 5});
}

std::vector<Real> copy_of(ConstView x) {
    return {x.begin(), x.end()};
}

/// |P(x; grad of sum_i weights_i f_{t-i})| from single losses.
Real gap_by_definition(const std::vector<RowBlock>& records, const std::vector<Real>& weights, ConstView x) {
    Scratch scratch;
    std::vector<Real> gradient(kFeatures);
    std::vector<Real> single(kFeatures);
    for (Index age = 0; age < std::min(weights.size(), records.size()); ++age) {
        family().value_and_gradient(records[records.size() - 1 - age], x, single, scratch);
        axpy(weights[age], single, gradient);
    }
    std::vector<Real> forward(kFeatures);
    std::vector<Real> gap(kFeatures);
    return prox_gradient_step(parse_regulariser("l1:0.01"), x, gradient, kEnsembleStep, {forward, gap},
                              scratch)
        .norm;
}

TEST(Models, GapsUseTheReferenceWindowForEveryForecast) {
    for (const char* window :
         {"1", "2", "9", "exp:4", "triangle:8", "mean:12,keep=4", "season:4,3", "weights:0.3,0.1,0.2"}) {
        for (const char* model : {"previous", "mean", "zero", "season:5"}) {
            std::unique_ptr<AnyLearner> learner;
            const std::string text = std::string("time-smoothed:window=(") + window + "),model=" + model;
            try {
                learner = make(text);
            } catch (const ConfigError&) {
                continue;
            }
            const WindowWeights judge = WindowWeights::parse(window);
            const WindowWeights solved = judge.forecast_window(ForecastRule::parse(model));
            std::vector<RowBlock> records;
            std::vector<Real> weights;
            Real prior = learner->facts().initial_gap;
            for (Round t = 1; t <= 120; ++t) {
                records.push_back(row(1, t));
                const std::vector<Real> played = copy_of(learner->decide());
                const RoundReport report = learner->observe(records.back());
                judge.at(t, weights);
                const Real entry = gap_by_definition(records, weights, played);
                ASSERT_NEAR(report.entry_gap, entry, 1e-11) << text << " t=" << t;
                solved.at(t, weights);
                ASSERT_NEAR(report.forecast_gap, gap_by_definition(records, weights, played), 1e-11) << text;
                ASSERT_NEAR(report.exit_gap, gap_by_definition(records, weights, learner->decide()), 1e-11);
                // (A-Q): R_t <= |p + v/2| + |v|/2 <= r_{t-1} + |v|.
                ASSERT_LE(entry, report.firm_bound + 1e-11) << text << " t=" << t;
                ASSERT_LE(report.firm_bound, prior + report.variation / judge.effective_length() + 1e-11)
                    << text;
                prior = report.exit_gap;
            }
        }
    }
}

TEST(Models, ExactForecastsGiveNoVariation) {
    // The exact forecast: the judge of round t is the model of round t-1, so R_t = r_{t-1}.
    const auto learner = make("time-smoothed:window=6,model=forecast");
    Real prior = 0;
    for (Round t = 1; t <= 60; ++t) {
        learner->expect(row(2, t + 1));
        const RoundReport report = learner->observe(row(2, t));
        if (t > 1) {
            ASSERT_NEAR(report.entry_gap, prior, 1e-12) << t;
            ASSERT_LE(report.variation, 1e-12) << t;
        }
        prior = report.exit_gap;
    }
    // A forecast of w rounds before is Algorithm 1 by other means.
    const auto plain = make("time-smoothed:window=6", "prox-grad");
    const auto seasonal = make("time-smoothed:window=6,model=season:6", "prox-grad");
    for (Round t = 1; t <= 100; ++t) {
        plain->observe(row(3, t));
        seasonal->observe(row(3, t));
        ASSERT_LE(distance(plain->decide(), seasonal->decide()), 1e-10) << t;
    }
}

TEST(Ensemble, OfOneMemberIsThatMemberToTheLastBit) {
    for (const char* window : {"1", "16", "exp:8"}) {
        for (const char* selection : {"draw", "hedge", "leader", "mean"}) {
            const auto ensemble = make(std::string("ensemble:windows=(") + window +
                                       "),also=none,steps=50,effort=inf,selection=" + selection);
            const auto single = make(std::string("time-smoothed:window=(") + window + ")");
            for (Round t = 1; t <= 200; ++t) {
                const RoundReport left = ensemble->observe(row(4, t));
                const RoundReport right = single->observe(row(4, t));
                ASSERT_TRUE(std::ranges::equal(ensemble->decide(), single->decide()))
                    << window << " " << selection << " " << t;
                ASSERT_EQ(left.entry_gap, right.entry_gap);
                ASSERT_EQ(left.exit_gap, right.exit_gap);
                // A mean is looked at, whatever it is made of.
                if (std::string(selection) != "mean") {
                    ASSERT_EQ(left.cost, right.cost);
                }
            }
        }
    }
}

TEST(Ensemble, MembersAreThePlainLearnersWithoutCrossStart) {
    const auto ensemble = make("ensemble:windows=2/8/32,also=(adagrad:0.3),cross=no,steps=50,effort=inf");
    std::vector<std::unique_ptr<AnyLearner>> alone;
    alone.push_back(make("adagrad:0.3,window=1"));
    for (const char* window : {"2", "8", "32"})
        alone.push_back(make(std::string("time-smoothed:window=") + window));
    for (Round t = 1; t <= 200; ++t) {
        const std::vector<Real> played = copy_of(ensemble->decide());
        std::vector<std::vector<Real>> points;
        for (const auto& learner : alone) points.push_back(copy_of(learner->decide()));
        const RoundReport report = ensemble->observe(row(5, t));
        const EnsembleRound& round = *ensemble->ensemble();
        ASSERT_EQ(played, points[round.active_member]) << t;
        Cost cost;
        for (Index k = 0; k < alone.size(); ++k) {
            const RoundReport own = alone[k]->observe(row(5, t));
            ASSERT_EQ(round.members[k].entry_gap, own.entry_gap) << k << " " << t;
            ASSERT_EQ(round.members[k].exit_gap, own.exit_gap);
            ASSERT_EQ(round.members[k].loss, own.loss);
            cost += own.cost;
        }
        ASSERT_EQ(report.cost, cost);
        ASSERT_EQ(report.loss, round.members[round.active_member].loss);
    }
}

TEST(Ensemble, CrossStartTakesAPointOnlyWhereTheModelIsLower) {
    // One step a round: after a switch the long window is behind its own minimiser for a while.
    const auto ensemble = make("ensemble:windows=8/128,also=none,steps=1,effort=inf", "prox-grad");
    Round jumps = 0;
    for (Round t = 1; t <= 2000; ++t) {
        ensemble->observe(row(6, t, 250));
        const RoundReport& longer = ensemble->ensemble()->members[1];
        EXPECT_EQ(ensemble->ensemble()->members[0].jump, 0);  // the first has no member before it
        if (longer.jump == 0) continue;
        ++jumps;
        ASSERT_LE(longer.objective_exit, longer.objective_entry);
        ASSERT_LE(longer.movement, longer.jump + longer.path + 1e-12);
    }
    EXPECT_GT(jumps, 3U);
}

TEST(Ensemble, RefusesInvalidTexts) {
    const auto refusal = [](const std::string& text) -> std::string {
        try {
            make(text);
        } catch (const ConfigError& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_NE(refusal("ensemble:windows=4/8/4").find("twice"), std::string::npos);
    EXPECT_NE(refusal("ensemble:windows=4/(box:4)").find("twice"), std::string::npos);
    EXPECT_NE(refusal("ensemble:windows=/").find("at least one window"), std::string::npos);
    EXPECT_NE(refusal("ensemble:windows=auto").find("cannot hold an ensemble"), std::string::npos);
    EXPECT_NE(refusal("ensemble:also=ensemble").find("cannot hold an ensemble"), std::string::npos);
    EXPECT_NE(refusal("ensemble:also=(adam:1)/(adam:1)").find("twice"), std::string::npos);
    EXPECT_NE(refusal("ensemble:ratio=1").find("ratio"), std::string::npos);
    EXPECT_NE(refusal("ensemble:windows=4,longest=8").find("give the windows, or"), std::string::npos);
    EXPECT_NE(refusal("ensemble:selection=men").find("did you mean 'mean'"), std::string::npos);
    EXPECT_NE(refusal("ensemble:play=leader").find("play"), std::string::npos);
    EXPECT_NE(refusal("ensemble:also=rls").find("linear models"), std::string::npos);
    EXPECT_NE(refusal("ensemble:cross=maybe").find("yes or no"), std::string::npos);
    EXPECT_NE(refusal("time-smoothed:window=(auto:windows=3/3)").find("twice"), std::string::npos);
    EXPECT_NE(refusal("time-smoothed:hysteresis=0").find("hysteresis"), std::string::npos);
    EXPECT_NE(refusal("time-smoothed:switching=-1").find("switching"), std::string::npos);
    EXPECT_NE(refusal("time-smoothed:model=zero,window=1").find("no record"), std::string::npos);
}

TEST(Ensemble, TheAutomaticWindowIsAnEnsemble) {
    const auto learner = make("time-smoothed:window=auto");
    const RunHeader facts = learner->facts();
    ASSERT_GE(facts.members.size(), 6U);
    EXPECT_EQ(facts.window, 1024U);
    EXPECT_EQ(facts.members.back().window, 1024U);
    EXPECT_EQ(facts.selection, "draw");
    EXPECT_EQ(make("adam:window=auto")->facts().members.size(),
              0U);  // a baseline is measured by a window, no more
}

}  // namespace
}  // namespace proxstream
