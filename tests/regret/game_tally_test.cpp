// The account of a game, fed by hand: what it calls broken, what it does not promise, and that stored ledgers
// say the same.
#include "regret/game_tally.hpp"

#include "proxstream/core/error.hpp"

#include "regret/ledger_writer.hpp"

#include <cmath>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

constexpr Index kWindow = 2;
constexpr Real kTolerance = 0.1;

RunHeader header_named(const std::string& name) {
    RunHeader header;
    header.name = name;
    header.dimension = 1;
    header.window = kWindow;
    header.window_text = "2";
    header.effective_length = kWindow;
    header.reference_step = 1;
    header.model = "zero";  // R and the exit can then be set independently
    header.step_rule = StepRule::backtracking;
    header.exit_test = true;
    return header;
}

/// A quiet round: nothing moves, and R, d and the exit are as given.
RoundReport quiet(Round round, Real gap, Real variation) {
    RoundReport report;
    report.round = round;
    report.status = RoundStatus::quiet;
    report.tolerance = report.target_gap = kTolerance;
    report.entry_gap = gap;
    report.forecast_gap = report.tested_gap = report.exit_gap = std::min(gap, kTolerance);
    report.variation = variation;
    report.firm_bound = gap;
    report.forecast_change = 1;
    return report;
}

GameRules rules_with(std::optional<Real> epsilon, std::optional<Real> variation, bool proved = true) {
    GameRules rules{.game = "test", .epsilon = epsilon, .variations = {}};
    for (int i = 0; i < 2; ++i) {
        rules.variations.emplace_back();
        if (variation) rules.variations.back() = {*variation, proved, "by hand"};
    }
    return rules;
}

struct Round2 {
    Real gap[2];
    Real variation[2];
};

GameTally tally_of(const GameRules& rules, const std::vector<Round2>& rounds) {
    GameTally tally(rules, {header_named("a"), header_named("b")});
    Round t = 0;
    for (const Round2& each : rounds) {
        ++t;
        const std::vector<RoundReport> reports{quiet(t, each.gap[0], each.variation[0]),
                                               quiet(t, each.gap[1], each.variation[1])};
        tally.add(reports);
    }
    return tally;
}

GameCertificate certificate_of(const GameTally& tally) {
    std::vector<RunFooter> footers;
    for (Index i = 0; i < tally.players(); ++i) {
        Closing closing;
        closing.losses.assign(std::min<Index>(kWindow, tally.player(i).totals().rounds), 0);
        closing.weights.assign(closing.losses.size(), 0.5);
        footers.push_back(tally.player(i).footer(closing, RunEnding::finished, 0));
    }
    return tally.certificate(footers);
}

TEST(GameTally, BoundsAreThePromiseOfTheLastRoundAndWhatThisOneChanged) {
    const GameTally tally =
        tally_of(rules_with({}, {}), {{{0.05, 0.05}, {0.2, 0.2}}, {{0.15, 0.1}, {0.4, 0.1}}});
    EXPECT_DOUBLE_EQ(tally.bound(0), 0.1 + 0.4 / 2);
    EXPECT_DOUBLE_EQ(tally.bound(1), 0.1 + 0.1 / 2);
    const GameCertificate certificate = certificate_of(tally);
    EXPECT_TRUE(kept(certificate.at("G1").verdict));
    EXPECT_DOUBLE_EQ(certificate.largest_gap, 0.15);
    EXPECT_EQ(certificate.largest_gap_round, 2U);
    EXPECT_EQ(certificate.at("G2").verdict, Verdict::not_promised);
    EXPECT_EQ(certificate.at("G3").verdict, Verdict::not_promised);
    EXPECT_EQ(certificate.at("G4").verdict, Verdict::not_applicable);  // no full window yet
}

TEST(GameTally, OnePlayerAboveItsBoundBreaksTheGame) {
    const GameTally tally =
        tally_of(rules_with({}, {}), {{{0.05, 0.05}, {0.2, 0.2}}, {{0.05, 0.21}, {0.2, 0.2}}});
    const GameCertificate certificate = certificate_of(tally);
    EXPECT_EQ(certificate.at("G1").verdict, Verdict::violated);
    EXPECT_FALSE(certificate.sound());
    EXPECT_NE(to_text(certificate).find("violated"), std::string::npos);
}

TEST(GameTally, TheFirstRoundIsNotCheckedAgainstAPromise) {
    const GameTally tally = tally_of(rules_with({}, {}), {{{9, 9}, {18, 18}}, {{0.1, 0.1}, {0, 0}}});
    EXPECT_TRUE(kept(certificate_of(tally).at("G1").verdict));
}

TEST(GameTally, AProvedVariationMayNotBeExceededAGuessedOneMay) {
    const std::vector<Round2> rounds{{{0.05, 0.05}, {0.2, 0.2}}, {{0.1, 0.1}, {0.2, 0.31}}};
    const GameCertificate proved = certificate_of(tally_of(rules_with({}, 0.3, true), rounds));
    EXPECT_EQ(proved.at("G2").verdict, Verdict::violated);
    EXPECT_FALSE(proved.sound());
    const GameCertificate guessed = certificate_of(tally_of(rules_with({}, 0.3, false), rounds));
    EXPECT_EQ(guessed.at("G2").verdict, Verdict::missed);
    EXPECT_EQ(guessed.at("G3").verdict, Verdict::not_promised);
    EXPECT_TRUE(guessed.sound());
}

TEST(GameTally, AGuessMissedByFarDoesNotHideAProvedBoundThatIsBroken) {
    GameRules rules = rules_with({}, 0.3, true);
    rules.variations[1]->proved = false;
    const GameCertificate certificate =
        certificate_of(tally_of(rules, {{{0.05, 0.05}, {0.2, 0.2}}, {{0.1, 0.1}, {0.31, 3}}}));
    EXPECT_EQ(certificate.at("G2").verdict, Verdict::violated);
    EXPECT_DOUBLE_EQ(certificate.at("G2").left, 0.31);
}

TEST(GameTally, UnmeasuredFiguresAreNaNAndNotZero) {
    RunHeader sampled = header_named("a");
    sampled.exit_test = false;
    sampled.noise.emplace();
    sampled.noise->oracle = "samples:4";
    sampled.noise->refereed = false;
    GameTally tally(rules_with({}, {}), {sampled, header_named("b")});
    for (Round t = 1; t <= 3; ++t) {
        RoundReport moved;
        moved.round = t;
        moved.status = RoundStatus::moved;
        moved.steps = 1;
        tally.add(std::vector<RoundReport>{moved, quiet(t, 0.1, 0.2)});
    }
    const GameCertificate certificate = certificate_of(tally);
    EXPECT_TRUE(std::isnan(certificate.largest_gap));
    EXPECT_TRUE(std::isnan(certificate.last_gap));
    EXPECT_TRUE(std::isnan(certificate.summaries[0].largest_gap));
    EXPECT_DOUBLE_EQ(certificate.summaries[1].largest_gap, 0.1);
    EXPECT_NE(to_json(certificate).find("\"largest_gap\": \"nan\""), std::string::npos);
}

TEST(GameTally, EpsilonIsPromisedOnlyIfProved) {
    const std::vector<Round2> rounds{{{0.05, 0.05}, {0.2, 0.2}}, {{0.1, 0.1}, {0.2, 0.2}}};
    // (.1 + .3 / 2)^2 = .0625
    EXPECT_TRUE(kept(certificate_of(tally_of(rules_with(0.07, 0.3), rounds)).at("G3").verdict));
    EXPECT_EQ(certificate_of(tally_of(rules_with(0.06, 0.3), rounds)).at("G3").verdict,
              Verdict::not_promised);
    EXPECT_NEAR(certificate_of(tally_of(rules_with({}, 0.3), rounds)).at("G3").right, 0.0625, 1e-12);
}

TEST(GameTally, SomeRoundIsAsGoodAsTheMean) {
    std::vector<Round2> rounds(6, {{0.1, 0.1}, {0.2, 0.2}});
    const GameCertificate certificate = certificate_of(tally_of(rules_with({}, {}), rounds));
    const Inequality& some = certificate.at("G4");
    EXPECT_TRUE(kept(some.verdict));
    EXPECT_NEAR(some.left, 0.02, 1e-12);
    EXPECT_NEAR(some.right, 2 * 0.2 * 0.2, 1e-9);  // (.1 + .2/2)^2 each
    rounds.assign(6, {{0.25, 0.25}, {0.2, 0.2}});  // above what was promised, in every round
    EXPECT_EQ(certificate_of(tally_of(rules_with({}, {}), rounds)).at("G4").verdict, Verdict::violated);
}

TEST(GameTally, RoundsOnBudgetGiveNoPromise) {
    GameTally tally(rules_with({}, {}), {header_named("a"), header_named("b")});
    for (Round t = 1; t <= 3; ++t) {
        std::vector<RoundReport> reports{quiet(t, 0.1, 0.2), quiet(t, 5, 0.2)};
        reports[1].status = RoundStatus::budget_exhausted;
        reports[1].exit_gap = reports[1].tested_gap = 5;
        tally.add(reports);
    }
    EXPECT_TRUE(std::isnan(tally.bound(1)));
    const GameCertificate certificate = certificate_of(tally);
    EXPECT_TRUE(kept(certificate.at("G1").verdict));
    EXPECT_NE(certificate.at("G1").explanation.find("not promised"), std::string::npos);
    EXPECT_EQ(certificate.at("G4").verdict, Verdict::not_promised);
    EXPECT_EQ(certificate.unpromised, 2U);
}

TEST(GameTally, ARoundWithoutAnyPromiseIsCountedOnce) {
    GameTally tally(rules_with({}, {}), {header_named("a"), header_named("b")});
    for (Round t = 1; t <= 3; ++t) {
        std::vector<RoundReport> reports{quiet(t, 5, 0.2), quiet(t, 5, 0.2)};
        for (RoundReport& report : reports) {
            report.status = RoundStatus::budget_exhausted;
            report.exit_gap = report.tested_gap = 5;
        }
        tally.add(reports);
    }
    const GameCertificate certificate = certificate_of(tally);
    EXPECT_EQ(certificate.at("G1").verdict, Verdict::not_promised);
    EXPECT_EQ(certificate.unpromised, 2U);
}

TEST(GameTally, TextFitsATerminalForLongNames) {
    const std::string name(60, 'n');
    GameRules rules = rules_with(0.1, 0.3);
    rules.game = std::string(90, 'g');
    GameTally tally(rules, {header_named(name), header_named(name)});
    for (Round t = 1; t <= 30; ++t) {
        std::vector<RoundReport> reports{quiet(t, 0.1, 0.2), quiet(t, 5, 0.2)};
        reports[1].status = RoundStatus::budget_exhausted;
        reports[1].exit_gap = reports[1].tested_gap = 5;
        tally.add(reports);
    }
    std::istringstream lines(to_text(certificate_of(tally)));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100U) << line;
    // The widest verdict there is.
    GameTally nothing(rules_with({}, {}), {header_named("a"), header_named("b")});
    std::istringstream none(to_text(certificate_of(nothing)));
    for (std::string line; std::getline(none, line);) EXPECT_LE(line.size(), 100U) << line;
}

TEST(GameTally, RefusedIsRefusedForAll) {
    GameTally tally(rules_with({}, {}), {header_named("a"), header_named("b")});
    std::vector<RoundReport> reports{quiet(1, 0.1, 0.2), quiet(1, 0.1, 0.2)};
    reports[1] = {};
    reports[1].round = 1;
    reports[1].status = RoundStatus::refused;
    EXPECT_THROW(tally.add(reports), DataError);
    reports[0] = reports[1];
    tally.add(reports);
    EXPECT_EQ(certificate_of(tally).refused, 1U);
    EXPECT_THROW(tally.add(std::span(reports).first(1)), DataError);
}

class GameLedgers : public ::testing::Test {
  protected:
    void SetUp() override {
        folder_ = std::filesystem::temp_directory_path() /
                  ("proxstream-game-" +
                   std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
        std::filesystem::create_directories(folder_);
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    std::vector<std::string> write(const GameRules& rules, const std::vector<Round2>& rounds) const {
        const GameTally tally = tally_of(rules, rounds);
        std::vector<std::string> paths;
        for (Index i = 0; i < 2; ++i) {
            RunHeader header = header_named(i == 0 ? "a" : "b");
            note_rules(rules, i, header);
            paths.push_back((folder_ / (header.name + ".jsonl")).string());
            LedgerWriter ledger(paths.back(), header);
            Round t = 0;
            for (const Round2& each : rounds) ledger.write(quiet(++t, each.gap[i], each.variation[i]));
            Closing closing;
            closing.losses.assign(kWindow, 0);
            closing.weights.assign(kWindow, 0.5);
            ledger.finish(tally.player(i).footer(closing, RunEnding::finished, 0));
        }
        return paths;
    }
    std::filesystem::path folder_;
};

TEST_F(GameLedgers, ReproduceTheCertificateOfTheRun) {
    const GameRules rules = rules_with(0.07, 0.3);
    const std::vector<Round2> rounds(5, {{0.1, 0.12}, {0.2, 0.25}});
    const GameCertificate stored = certify_game(write(rules, rounds));
    const GameCertificate live = certificate_of(tally_of(rules, rounds));
    EXPECT_EQ(stored.inequalities, live.inequalities);
    EXPECT_EQ(stored.rules, live.rules);
    EXPECT_EQ(stored.summaries, live.summaries);
}

TEST_F(GameLedgers, AreRefusedInAnotherOrderOrFromAnotherGame) {
    const std::vector<Round2> rounds(3, {{0.1, 0.1}, {0.2, 0.2}});
    std::vector<std::string> paths = write(rules_with({}, {}), rounds);
    EXPECT_THROW(certify_game({paths[1], paths[0]}), DataError);
    EXPECT_THROW(certify_game({paths[0], paths[0]}), DataError);
    EXPECT_THROW(certify_game({paths[0]}), DataError);  // the other player is missing
    LedgerWriter plain(paths[1], header_named("b"));    // no player's ledger
    plain.flush();
    EXPECT_THROW(certify_game(paths), DataError);
}

}  // namespace
}  // namespace proxstream
