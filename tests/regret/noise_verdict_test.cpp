/// Which promises a run with sampled gradients gives, when it may miss them, and what is found out.
#include "proxstream/regret/certify.hpp"

#include "core/json.hpp"
#include "regret/ledger_writer.hpp"
#include "regret/naive_ensemble.hpp"
#include "regret/naive_noise.hpp"
#include "regret/temporary_file.hpp"

#include <functional>
#include <map>
#include <sstream>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

using naive::Noise;
using naive::NoisyPlan;
using naive::play_noisily;
using naive::Played;

NoisyPlan plan(Noise noise) {
    return {.plan = {.n = 2, .w = 3, .rounds = 40}, .noise = noise, .level = 0.03};
}

bool says(const std::string& text, const std::string& words) {
    return text.find(words) != std::string::npos;
}

void expect_verdicts(const Certificate& result, const std::map<std::string, Verdict>& expected) {
    for (const auto& [id, verdict] : expected) {
        const Verdict seen = result.at(id).verdict;
        EXPECT_EQ(kept(seen) ? Verdict::holds : seen, verdict) << id << '\n' << to_text(result);
    }
}

TEST(NoiseVerdict, KeptSamplesPromiseNothingWithAProbability) {
    NoisyPlan rules = plan(Noise::gaussian);
    rules.variant = "paper";
    const Certificate result = play_noisily(rules).live();
    expect_verdicts(result, {{"C1", Verdict::holds},
                             {"C3a", Verdict::holds},
                             {"C3c", Verdict::not_promised},
                             {"C10", Verdict::not_promised},
                             {"C11", Verdict::not_promised},
                             {"C12", Verdict::not_promised},
                             {"C13", Verdict::not_promised}});
    EXPECT_TRUE(says(result.at("C11").explanation, "kept because they passed"));
    EXPECT_TRUE(says(result.at("C3c").explanation, "kept because it passed"));
    EXPECT_TRUE(says(result.at("C12").explanation, "whole run"));
    EXPECT_TRUE(result.sound());
}

TEST(NoiseVerdict, WithoutSigmaOnlyExactFiguresCount) {
    NoisyPlan rules = plan(Noise::sphere);
    rules.claims = false;
    const Certificate result = play_noisily(rules).live();
    for (const char* id : {"C3c", "C4", "C6", "C7a", "C7b", "C10", "C11", "C12", "C13"}) {
        EXPECT_EQ(result.at(id).verdict, Verdict::not_promised) << id;
        EXPECT_TRUE(says(result.at(id).explanation, "no sigma was claimed")) << id;
    }
    expect_verdicts(result, {{"C1", Verdict::holds}, {"C2", Verdict::holds}, {"C5", Verdict::holds}});
    for (const PaperClaim& claim : result.paper_claims) EXPECT_FALSE(claim.applicable) << claim.id;
    EXPECT_TRUE(says(conclusion(result), "Proved on this run"));
    // A level that belongs to no sigma claims nothing either.
    rules.plan.max_steps = 0;
    Played run = play_noisily(rules);
    for (RoundReport& report : run.reports) report.noise_level = 10;
    const Certificate stray = run.live();
    EXPECT_EQ(stray.summary.noise->endless, 0U);
    EXPECT_EQ(stray.summary.noise->claimed, 0);
    EXPECT_EQ(stray.at("C1").verdict, Verdict::not_promised);
}

TEST(NoiseVerdict, WithoutRefereeTheBoundIsStated) {
    for (const Noise noise : {Noise::sphere, Noise::gaussian}) {
        const Played run = naive::without_referee(play_noisily(plan(noise)));
        const Certificate result = run.live();
        for (const char* id :
             {"C2", "C3a", "C3b", "C3c", "C4", "C5", "C6", "C7a", "C7b", "C10", "C12", "C13"}) {
            EXPECT_EQ(result.at(id).verdict, Verdict::not_applicable) << id;
            EXPECT_EQ(result.at(id).explanation, "the referee was off") << id;
        }
        expect_verdicts(result, {{"C1", Verdict::holds}, {"C11", Verdict::stated}});
        EXPECT_FALSE(result.summary.measured);
        EXPECT_EQ(result.summary.energy, 0);
        EXPECT_TRUE(says(conclusion(result), "Certified with probability 0.95 at least"));
        EXPECT_TRUE(says(to_text(result), "not measured"));
        const auto json = nlohmann::json::parse(to_json(result));
        EXPECT_TRUE(json["summary"]["regret"].is_null());
        for (const auto& each : json["inequalities"]) {
            if (each["id"] != "C11") continue;
            EXPECT_TRUE(each["left"].is_null());
            EXPECT_EQ(each["right"].get<Real>(), result.at("C11").right);
            EXPECT_EQ(each["confidence"].get<Real>(), 0.95);
        }
    }
    NoisyPlan rules = plan(Noise::sphere);
    rules.variant = "paper";
    const Certificate nothing = naive::without_referee(play_noisily(rules)).live();
    EXPECT_TRUE(says(conclusion(nothing), "Nothing was proved: the paper's first test"));
}

TEST(NoiseVerdict, EndlessLoopsAreNamedWithTheSmallestDelta) {
    NoisyPlan rules = plan(Noise::gaussian);
    rules.plan.max_steps = 25;
    rules.level = 3 * rules.plan.delta / std::sqrt(3.0);  // sigma = 3 delta
    const Certificate result = play_noisily(rules).live();
    EXPECT_GT(result.summary.budget_exhausted, 0U);
    ASSERT_TRUE(result.summary.noise);
    EXPECT_GT(result.summary.noise->endless, 30U);
    const Real smallest = 3 * 0.3 / std::sqrt(0.7);
    EXPECT_NEAR(result.summary.noise->smallest_delta, smallest, 1e-12);
    const std::string words = "delta has to be above 1.07";
    for (const char* id : {"C1", "C12"}) {
        EXPECT_EQ(result.at(id).verdict, Verdict::not_promised) << id;
        EXPECT_TRUE(says(result.at(id).explanation, words)) << result.at(id).explanation;
    }
    EXPECT_TRUE(says(conclusion(result), words)) << conclusion(result);
    expect_verdicts(result, {{"C2", Verdict::holds}, {"C5", Verdict::holds}, {"C11", Verdict::holds}});
    EXPECT_TRUE(result.sound());
    // Above it there is none.
    rules.plan.delta = smallest * 1.0001;
    EXPECT_EQ(play_noisily(rules).live().summary.noise->endless, 0U);
}

TEST(NoiseVerdict, ConditionsOfTheCountsAreNamed) {
    NoisyPlan rules = plan(Noise::sphere);
    rules.level = 0.9 * 0.7 * rules.plan.delta / 3;  // sigma = 0.9 c delta
    EXPECT_TRUE(kept(play_noisily(rules).live().at("C6").verdict));
    rules.level = 1.05 * 0.7 * rules.plan.delta / 3;
    const Certificate noisy = play_noisily(rules).live();
    EXPECT_EQ(noisy.at("C6").verdict, Verdict::not_promised);
    EXPECT_TRUE(says(noisy.at("C6").explanation, "delta above 0.315")) << noisy.at("C6").explanation;
    expect_verdicts(noisy, {{"C4", Verdict::holds}, {"C7a", Verdict::holds}, {"C3c", Verdict::holds}});
    rules.level = 0.7 * 0.7 * rules.plan.delta / 3;  // below c delta, above c delta/sqrt(3)
    rules.confirm = 3;
    const Certificate confirmed = play_noisily(rules).live();
    EXPECT_EQ(confirmed.at("C12").verdict, Verdict::not_promised);
    EXPECT_TRUE(says(confirmed.at("C12").explanation, "delta above 0.363731")) << to_text(confirmed);
    EXPECT_TRUE(kept(confirmed.at("C6").verdict));
    rules.confirm = 1;
    rules.level = 0.75 * rules.plan.delta / 3;  // (C-ii), which asks how rounds end
    rules.plan.max_steps = 1;
    EXPECT_TRUE(says(play_noisily(rules).live().at("C12").explanation, "ended on their budget"));
}

TEST(NoiseVerdict, ABoundClaimedTooSmallIsDetected) {
    NoisyPlan rules = plan(Noise::sphere);
    rules.plan.n = 1;
    rules.plan.w = 1;
    rules.fill = 0.5;
    const Certificate result = play_noisily(rules).live();
    EXPECT_EQ(result.at("C10").verdict, Verdict::violated);
    EXPECT_TRUE(says(result.at("C10").explanation, "claimed too small: at least 0.03 (0.015 was claimed)"))
        << result.at("C10").explanation;
    EXPECT_FALSE(result.sound());
    EXPECT_TRUE(says(conclusion(result), "C10 is broken"));
    rules.fill = 1 - 1e-9;
    EXPECT_EQ(play_noisily(rules).live().at("C10").verdict, Verdict::violated);
    rules.fill = 1 + 1e-9;
    EXPECT_TRUE(kept(play_noisily(rules).live().at("C10").verdict));
    // In the mean square it is missed, which proves nothing.
    rules.noise = Noise::gaussian;
    rules.fill = 0.1;
    const Certificate likely = play_noisily(rules).live();
    EXPECT_EQ(likely.at("C13").verdict, Verdict::missed) << to_text(likely);
    EXPECT_TRUE(says(likely.at("C13").explanation, "claimed 0.003"));
    EXPECT_TRUE(says(likely.at("C13").explanation, "very likely claimed too small"));
    EXPECT_EQ(likely.at("C11").verdict, Verdict::not_promised) << to_text(likely);
    EXPECT_TRUE(likely.sound());
    // Half as much again as claimed is far below Markov's bound, and still more than chance explains.
    rules.fill = 1 / 1.5;
    rules.plan.rounds = 200;
    const Certificate strayed = play_noisily(rules).live();
    EXPECT_LT(strayed.at("C13").ratio(), 0.5);
    EXPECT_EQ(strayed.at("C13").verdict, Verdict::missed) << to_text(strayed);
    EXPECT_TRUE(says(strayed.at("C13").explanation, "approximate"));
    EXPECT_TRUE(says(conclusion(likely), "missed")) << conclusion(likely);
}

TEST(NoiseVerdict, RecursiveDifferencesPromiseTheirFirstBatch) {
    Played run = play_noisily(plan(Noise::sphere));
    run.header.noise->estimator = "spider";
    const Certificate result = run.live();
    for (const char* id : {"C3c", "C4", "C6", "C12"})
        EXPECT_TRUE(says(result.at(id).explanation, "recursive differences")) << id;
    expect_verdicts(result, {{"C3c", Verdict::not_promised},
                             {"C6", Verdict::not_promised},
                             {"C10", Verdict::holds},
                             {"C11", Verdict::holds},
                             {"C13", Verdict::holds}});
    run.reports[7].kept_noise = 1;  // of many samples: not covered by the claim
    EXPECT_TRUE(kept(run.live().at("C10").verdict));
}

TEST(NoiseVerdict, TamperedFiguresAreFound) {
    NoisyPlan rules = plan(Noise::sphere);
    rules.confirm = 2;
    const Played honest = play_noisily(rules);
    const auto worked = std::find_if(honest.reports.begin() + 4, honest.reports.end(),
                                     [](const RoundReport& report) { return report.steps > 1; });
    ASSERT_NE(worked, honest.reports.end());
    const auto row = static_cast<std::size_t>(worked - honest.reports.begin());
    const auto altered = [&](const std::function<void(RoundReport&)>& alter, bool refereed = true) {
        Played run = honest;
        alter(run.reports[row]);
        if (!refereed) run = naive::without_referee(run);
        return run.live();
    };
    EXPECT_TRUE(altered([](RoundReport&) {}).sound());
    struct Case {
        const char* id;
        std::function<void(RoundReport&)> alter;
    };
    for (const Case& each : std::vector<Case>{
             {"C1", [](RoundReport& r) { r.tested_gap = 1.001 * r.target_gap; }},
             {"C1", [](RoundReport& r) { r.confirmations = r.failed_confirmations; }},
             {"C1", [](RoundReport& r) { r.confirmations = r.failed_confirmations = r.steps + 1; }},
             {"C2", [](RoundReport& r) { r.entry_gap += 1; }},
             {"C4", [](RoundReport& r) { r.squared_gaps += 10; }},
             {"C5", [](RoundReport& r) { r.value_change += 1e-6; }},
             {"C7a", [](RoundReport& r) { r.path = 0.5 * r.movement; }},
             {"C10", [](RoundReport& r) { r.first_gap = 0; }},
             {"C10", [](RoundReport& r) { r.first_noise = 1.001 * r.noise_level; }},
             {"C10", [](RoundReport& r) { r.kept_noise = 1.001 * r.noise_level; }},
             {"C10", [](RoundReport& r) { r.noise_level = 0; }},
             {"C10", [](RoundReport& r) { r.noise_level *= 1.001; }},
             {"C11", [](RoundReport& r) { r.noise_level *= 1.001; }},
         }) {
        const Certificate result = altered(each.alter);
        EXPECT_EQ(result.at(each.id).verdict, Verdict::violated) << each.id << '\n' << to_text(result);
    }
    // What needs no exact figures is found without a referee too.
    EXPECT_EQ(altered([](RoundReport& r) { r.tested_gap *= 2; }, false).at("C1").verdict, Verdict::violated);
    EXPECT_EQ(altered([](RoundReport& r) { r.noise_level *= 2; }, false).at("C11").verdict,
              Verdict::violated);
}

Played varied_run(Noise noise, const char* variant, bool refereed) {
    NoisyPlan rules = plan(noise);
    rules.variant = variant;
    rules.confirm = refereed ? 1 : 3;
    rules.plan.refused = {5};
    rules.plan.also = {1, 7};
    rules.plan.max_steps = 30;
    if (noise == Noise::gaussian) rules.level *= refereed ? 8 : 1;
    Played run = play_noisily(rules);
    if (!refereed) run = naive::without_referee(run);
    run.header.noise->origin = "estimated on the first 50 rounds, with a confidence of 0.95";
    return run;
}

void expect_same_from_ledger(Played run, const std::string& path) {
    LedgerWriter writer(path, run.header);
    for (Index i = 0; i < run.reports.size(); ++i) writer.write(run.reports[i], run.extras(i));
    writer.finish(run.footer);
    const Certificate live = run.live(), stored = certify(path);
    EXPECT_TRUE(live == stored);
    EXPECT_EQ(to_json(live), to_json(stored));
    EXPECT_TRUE(nlohmann::json::accept(to_json(live)));
    std::istringstream lines(to_text(live));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100U) << line;
    EXPECT_TRUE(
        says(to_text(live), "base samples     " + std::to_string(live.summary.totals.cost.base_samples)));
}

TEST(NoiseVerdict, LedgersGiveTheSameCertificateAndTextFits) {
    TemporaryFile file;
    for (const Noise noise : {Noise::sphere, Noise::gaussian}) {
        for (const char* variant : {"fresh", "paper"}) {
            for (const bool refereed : {true, false})
                expect_same_from_ledger(varied_run(noise, variant, refereed), file.name());
        }
    }
}

TEST(NoiseVerdict, ShowsThePapersClaims) {
    NoisyPlan rules = plan(Noise::sphere);
    rules.plan.eta = 0.2;
    const Certificate result = play_noisily(rules).live();
    ASSERT_EQ(result.paper_claims.size(), 3U);
    const PaperClaim &regret = result.paper_claims[0], &ending = result.paper_claims[1],
                     &count = result.paper_claims[2];
    EXPECT_EQ(regret.id, "Theorem 2");
    EXPECT_NEAR(regret.right, 2 * 40.0 / 9 * (0.09 + 7 * 0.0081) + 6 * result.summary.variation / 9, 1e-10);
    EXPECT_EQ(ending.id, "Theorem 4");
    EXPECT_NEAR(ending.left, 2 * 0.0081 / (0.2 * 0.7), 1e-12);
    EXPECT_NEAR(ending.right, 0.09, 1e-12);
    EXPECT_FALSE(ending.satisfied);
    EXPECT_TRUE(says(ending.reason, "0.0081 against 0.0765")) << ending.reason;
    EXPECT_EQ(count.id, "Theorem 5");
    EXPECT_TRUE(count.applicable);
    const Real unit = 0.2 * 0.5 * 0.09 - 0.0081;
    EXPECT_NEAR(count.right,
                2 * 9 * (result.header.initial_objective + 2 * result.summary.largest_loss) / unit,
                1e-6 * count.right);
    for (const PaperClaim& claim : result.paper_claims) EXPECT_FALSE(claim.reason.empty());
}

TEST(NoiseVerdict, EnsemblesTakeTheNoiseOfTheActiveMember) {
    const auto ensemble = [](const std::vector<Played>& runs) {
        naive::EnsemblePlan rules;
        naive::PlayedEnsemble played = naive::play_ensemble(rules, runs);
        played.header.noise.reset();
        return played.live();
    };
    NoisyPlan wide = plan(Noise::sphere);
    wide.plan.w = 8;
    wide.seed = 2;
    const Certificate sure = ensemble({play_noisily(plan(Noise::sphere)), play_noisily(wide)});
    expect_verdicts(sure, {{"C1", Verdict::holds}, {"C2", Verdict::holds}, {"C3c", Verdict::holds}});
    for (const Certificate& member : sure.members) EXPECT_TRUE(kept(member.at("C10").verdict));
    EXPECT_GT(sure.summary.totals.cost.base_samples, 0U);

    wide.noise = Noise::gaussian;
    const Certificate mixed = ensemble({naive::play(wide.plan), play_noisily(wide)});
    expect_verdicts(mixed, {{"C1", Verdict::holds}, {"C3a", Verdict::holds}, {"C3c", Verdict::not_promised}});
    EXPECT_TRUE(says(mixed.at("C3c").explanation, "in the mean only"));
    EXPECT_TRUE(mixed.sound()) << to_text(mixed);

    const Certificate blind =
        ensemble({naive::without_referee(play_noisily(wide)), naive::without_referee(play_noisily(wide))});
    expect_verdicts(
        blind, {{"C1", Verdict::holds}, {"C2", Verdict::not_applicable}, {"C3a", Verdict::not_applicable}});
    EXPECT_FALSE(blind.summary.measured);
    EXPECT_EQ(blind.members[0].at("C11").verdict, Verdict::stated);
    EXPECT_TRUE(says(conclusion(blind), "the referee was off"));
}

}  // namespace
}  // namespace proxstream
