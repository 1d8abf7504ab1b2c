// A run of `play` in code: what the plan decides, what the certificate says, and that what is written can be
// certified again.
#include "play/play_job.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/core/parallel.hpp"
#include "proxstream/prox/regulariser_table.hpp"
#include "proxstream/regret/certify.hpp"

#include "game/function_cost.hpp"
#include "io/output_file.hpp"
#include "play/open_game.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace proxstream {
namespace {

PlaySettings settings_of(const std::string& game, Round rounds) {
    PlaySettings settings;
    settings.game = game;
    settings.rounds = rounds;
    return settings;
}

PlayOutcome play_out(const PlaySettings& settings) {
    validate(settings);
    PlayJob job(settings, open_game(settings));
    return drive(job);
}

class PlayFolder : public ::testing::Test {
  protected:
    void SetUp() override {
        folder_ = std::filesystem::temp_directory_path() /
                  ("proxstream-play-" +
                   std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
        std::filesystem::remove_all(folder_);
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }
    std::filesystem::path folder_;
};

TEST(PlayPlan, LinearCostsHaveAnyStepAndOthersTheirL) {
    PlaySettings settings = settings_of("rps", 10);
    const PlayPlan linear = plan_play(settings, open_game(settings));
    EXPECT_EQ(linear.seats[0].step, 1);
    EXPECT_EQ(linear.turns, Turns::simultaneous);
    settings.game = "quadratic";
    const GameDefinition game = open_game(settings);
    const PlayPlan curved = plan_play(settings, game);
    EXPECT_NEAR(curved.seats[0].step, 1 / *game.players[0].cost->smoothness(), 1e-9);
    settings.oracle = "sphere:0.01";
    EXPECT_NEAR(plan_play(settings, game).seats[0].step, 0.5 / *game.players[0].cost->smoothness(), 1e-9);
    settings.step = "0.125";
    EXPECT_EQ(plan_play(settings, game).seats[0].step, 0.125);
}

TEST(PlayPlan, FixedStepsRestOnTheProvedL) {
    // The proved L of this game is far above what a trial meets; a step of 1/(trial's L) would be too long.
    PlaySettings settings = settings_of("features", 80);
    const GameDefinition game = open_game(settings);
    EXPECT_GT(plan_play(settings, game).seats[0].step, 2 / *game.players[0].cost->smoothness());
    settings.inner = "prox-grad";
    EXPECT_NEAR(plan_play(settings, game).seats[0].step, 1 / *game.players[0].cost->smoothness(), 1e-12);
    settings.inner = "auto";
    settings.learner = "time-smoothed:inner=prox-grad";
    EXPECT_NEAR(plan_play(settings, game).seats[0].step, 1 / *game.players[0].cost->smoothness(), 1e-12);
    settings.max_steps = 100'000;
    settings.tolerance = "5";
    EXPECT_TRUE(play_out(settings).certificate.sound());
}

TEST(PlayPlan, AWantedEpsilonChoosesWindowAndTolerance) {
    PlaySettings settings = settings_of("rps", 10);
    settings.epsilon = 0.01;
    const GameDefinition game = open_game(settings);
    const Real bound = *game.players[0].cost->variation();
    const PlayPlan plan = plan_play(settings, game);
    ASSERT_TRUE(plan.advice.has_value());
    EXPECT_EQ(plan.advice->every_round, static_cast<Index>(std::ceil(1.5 * bound / 0.1)));
    EXPECT_EQ(plan.seats[0].window, std::to_string(plan.advice->every_round));
    EXPECT_NEAR(parse_real(plan.seats[0].tolerance, "tolerance"), bound / 2, 1e-9);
    settings.variation = "1";
    EXPECT_EQ(plan_play(settings, game).advice->every_round, 15U);
    settings.window = "7";  // a given one stays
    EXPECT_EQ(plan_play(settings, game).seats[0].window, "7");
    settings.window = "auto";
    settings.oracle = "sphere:0.01";
    EXPECT_THROW(plan_play(settings, game), ConfigError);
}

TEST(PlayPlan, ConstantsOfGamesAreAboutWeightsByAge) {
    PlaySettings settings = settings_of("pennies", 40);
    settings.window = "mean:9";  // a running mean: its first losses weigh as much as the whole window
    const GameDefinition game = open_game(settings);
    EXPECT_FALSE(plan_play(settings, game).seats[0].variation.has_value());
    EXPECT_TRUE(play_out(settings).certificate.sound());
    settings.variation = "proved";
    EXPECT_THROW(plan_play(settings, game), ConfigError);
    settings.window = "exp:6";
    EXPECT_TRUE(plan_play(settings, game).seats[0].variation->proved);
}

TEST(PlayPlan, AnExplicitWindowIsKept) {
    PlaySettings settings = settings_of("rps", 10);
    settings.epsilon = 0.01;
    settings.learners = "time-smoothed:window=8; time-smoothed";
    const PlayPlan plan = plan_play(settings, open_game(settings));
    EXPECT_EQ(plan.seats[0].window, "8");
    EXPECT_EQ(plan.seats[1].window, std::to_string(plan.advice->every_round));
}

TEST(PlayPlan, OpponentsApartAreAWindow) {
    PlaySettings settings = settings_of("rps", 10);
    settings.opponents = 4;
    EXPECT_EQ(plan_play(settings, open_game(settings)).seats[0].window, "4");
    settings.stride = 20;
    EXPECT_EQ(plan_play(settings, open_game(settings)).seats[0].window, "season:20,4");
}

TEST(PlayPlan, NamesThePlayerThatCannotPlay) {
    PlaySettings settings = settings_of("rps", 10);
    settings.learners = "time-smoothed; adamm";
    const GameDefinition game = open_game(settings);
    try {
        make_players(settings, game, plan_play(settings, game));
        FAIL();
    } catch (const ConfigError& error) {
        EXPECT_NE(std::string(error.what()).find("player 'column'"), std::string::npos) << error.what();
        EXPECT_NE(std::string(error.what()).find("did you mean 'adam'"), std::string::npos) << error.what();
    }
    settings.learners = "adam";
    EXPECT_THROW(plan_play(settings, game), ConfigError);
}

TEST(PlayJob, ATrioWithNoiseAndConfirmationIsCertified) {
    PlaySettings settings = settings_of("trio", 120);
    settings.window = "16";
    settings.oracle = "sphere:0.05";
    settings.confirm = 3;
    const PlayOutcome outcome = play_out(settings);
    EXPECT_EQ(outcome.ending, RunEnding::finished);
    EXPECT_TRUE(outcome.certificate.sound()) << to_text(outcome.certificate);
    EXPECT_TRUE(kept(outcome.certificate.at("G1").verdict));
    EXPECT_TRUE(kept(outcome.certificate.at("G2").verdict));
    for (const Certificate& player : outcome.certificate.players)
        EXPECT_GT(player.summary.totals.cost.base_samples, 120U);
    EXPECT_NE(to_text(outcome.certificate).find("base samples"), std::string::npos);
}

TEST_F(PlayFolder, WrittenLedgersCanBeCertified) {
    PlaySettings settings = settings_of("forsaken", 90);
    settings.ledger = (folder_ / "l").string();
    settings.trace = (folder_ / "trace.csv").string();
    settings.save = (folder_ / "s.json").string();
    settings.epsilon = 1;
    settings.variation = "pilot";
    std::filesystem::create_directories(folder_);
    const PlayOutcome outcome = play_out(settings);
    ASSERT_TRUE(outcome.problems.empty());
    const GameCertificate stored =
        certify_game({(folder_ / "l-1-x.jsonl").string(), (folder_ / "l-2-y.jsonl").string()});
    EXPECT_EQ(stored.inequalities, outcome.certificate.inequalities);
    EXPECT_EQ(stored.rules, outcome.certificate.rules);
    const std::string trace = read_whole_file(settings.trace);
    EXPECT_EQ(std::count(trace.begin(), trace.end(), '\n'), 91);
    // The strategies are where the next run begins.
    PlaySettings next = settings_of("forsaken", 1);
    next.start = settings.save;
    const GameDefinition game = open_game(next);
    EXPECT_EQ(game.players[0].start[0], outcome.joint[0]);
    EXPECT_EQ(game.players[1].start[0], outcome.joint[1]);
}

TEST_F(PlayFolder, ALedgerWhoseReaderIsGoneEndsTheRunAndEverythingElseIsWritten) {
    std::filesystem::create_directories(folder_);
    const std::string broken = (folder_ / "l-1-row.jsonl").string();
    ASSERT_EQ(mkfifo(broken.c_str(), 0600), 0);
    const auto handler = std::signal(SIGPIPE, SIG_IGN);
    const int reader = open(broken.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    ASSERT_GE(reader, 0);
    PlaySettings settings = settings_of("rps", 2000);
    settings.ledger = (folder_ / "l").string();
    settings.save = (folder_ / "s.json").string();
    settings.trace = (folder_ / "trace.csv").string();
    settings.certificate_json = (folder_ / "c.json").string();
    PlayJob job(settings, open_game(settings));
    RunDriver driver(job);
    driver.begin();
    close(reader);
    driver.drive();
    const PlayOutcome& outcome = job.outcome();
    std::signal(SIGPIPE, handler);
    EXPECT_EQ(outcome.ending, RunEnding::interrupted);
    EXPECT_TRUE(outcome.reader_gone);
    EXPECT_EQ(outcome.problems.size(), 0U);
    const Round played = outcome.certificate.rounds;
    EXPECT_LT(played, settings.rounds);
    const Certificate other = certify((folder_ / "l-2-column.jsonl").string());
    EXPECT_EQ(other.summary.totals.rounds, played);
    EXPECT_EQ(other.summary.ending, RunEnding::interrupted);
    const std::string trace = read_whole_file(settings.trace);
    EXPECT_EQ(static_cast<Round>(std::count(trace.begin(), trace.end(), '\n')), played + 1);
    EXPECT_TRUE(std::filesystem::exists(settings.save));
    EXPECT_TRUE(std::filesystem::exists(settings.certificate_json));
}

TEST(PlayJob, AThrowingCostEndsTheGameWithACertificate) {
    const std::vector<Index> dimensions{1, 1};
    const JointLayout layout(dimensions);
    GameDefinition game{.name = "breaks", .players = {}};
    for (Index i = 0; i < 2; ++i) {
        const auto cost = [i](ConstView joint, View gradient) -> Real {
            if (!gradient.empty()) gradient[0] = -1;
            // The first walks to the right; the second's cost is not defined there.
            return i == 1 && joint[0] > 0.5 ? std::nan("") : -joint[i];
        };
        game.players.push_back(
            {.name = i == 0 ? "walker" : "victim",
             .cost = std::make_shared<FunctionCost>(layout, i, cost, CostClaims{.smoothness = 1}),
             .g = parse_regulariser("box:0,1"),
             .set = "box:0,1",
             .start = {0}});
    }
    PlaySettings settings = settings_of("breaks", 50);
    settings.learner = "prox-gradient:0.2";
    PlayJob job(settings, game);
    const PlayOutcome outcome = drive(job);
    EXPECT_EQ(outcome.ending, RunEnding::refused);
    ASSERT_EQ(outcome.problems.size(), 1U);
    EXPECT_NE(outcome.problems[0].find("'victim'"), std::string::npos);
    EXPECT_EQ(outcome.certificate.rounds, 3U);
    EXPECT_EQ(outcome.certificate.refused, 1U);
    EXPECT_NEAR(outcome.joint[0], 0.6, 1e-12);
}

TEST(PlayJob, FinalFiguresDescribeTheLastRound) {
    PlaySettings settings = settings_of("rps", 30);
    const GameMeasures whole = *play_out(settings).certificate.measures;
    settings.rounds = 100000;  // responses are due in round 1 and every 1000 rounds
    settings.measure_every = 1000;
    std::atomic<bool> stop{false};
    PlayJob job(settings, open_game(settings));
    const PlayOutcome outcome = drive(job, &stop, [&] { stop = job.figures().round == 30; });
    EXPECT_EQ(outcome.ending, RunEnding::interrupted);
    EXPECT_EQ(outcome.certificate.measures->gain_last, whole.gain_last);
    EXPECT_EQ(outcome.certificate.measures->instant_last, whole.instant_last);
}

TEST(PlayJob, ARunIsAFunctionOfItsSeed) {
    PlaySettings settings = settings_of("trio", 60);
    settings.oracle = "gaussian:0.05";
    const auto ends = [&] { return play_out(settings).joint; };
    const std::vector<Real> first = ends();
    EXPECT_EQ(first, ends());
    set_threads(2);
    EXPECT_EQ(first, ends());
    set_threads(1);
    settings.seed = 2;
    EXPECT_NE(first, ends());
}

TEST(PlayJob, ASmallGanIsPlayedAndMeasured) {
    PlaySettings settings = settings_of("gan:ring8,hidden=8,samples=4096", 40);
    settings.samples = 8;
    settings.opponents = 3;
    settings.stride = 4;
    settings.measure_every = 10;
    settings.measure_samples = 32;
    std::vector<Real> gaps;
    validate(settings);
    PlayJob job(settings, open_game(settings));
    EXPECT_EQ(job.plan().turns, Turns::alternating);
    const PlayOutcome outcome = drive(job, nullptr, [&] {
        const RoundFigures& figures = job.figures();
        if (!std::isnan(figures.gap)) gaps.push_back(figures.gap);
    });
    EXPECT_EQ(gaps.size(), 5U);  // rounds 1, 10, 20, 30, 40
    for (const Real gap : gaps) EXPECT_GT(gap, 0);
    EXPECT_TRUE(outcome.certificate.sound());
    EXPECT_EQ(outcome.certificate.at("G1").verdict, Verdict::not_applicable);
    for (const Certificate& player : outcome.certificate.players)
        EXPECT_EQ(player.summary.totals.cost.base_samples, 40U * 8U);
}

}  // namespace
}  // namespace proxstream
