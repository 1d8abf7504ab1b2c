#include "core/find_row.hpp"
#include "study/played_game.hpp"
#include "study/study.hpp"

#include <atomic>
#include <filesystem>

#include <gtest/gtest.h>
#include <unistd.h>

namespace proxstream {
namespace {

namespace fs = std::filesystem;

GameTrial pennies(const std::string& learner, const std::string& window, Index rounds) {
    GameTrial trial;
    trial.settings.game = "pennies";
    trial.settings.learner = learner;
    trial.settings.window = window;
    trial.settings.rounds = rounds;
    trial.common_window = 10;
    trial.responses = true;
    trial.marks = {1, 7, rounds};
    return trial;
}

TEST(PlayedGame, FiguresAreThoseOfTheCertificate) {
    constexpr Index kRounds = 120;
    const PlayedGame played = play_game(pennies("time-smoothed", "10", kRounds), nullptr);
    const Inequality& every_round = played.certificate.at("G1");
    EXPECT_TRUE(played.certificate.sound());
    EXPECT_EQ(played.certificate.rounds, kRounds);
    EXPECT_EQ(played.promised, 2 * (kRounds - 1)) << "nothing is promised of the first round";
    EXPECT_EQ(played.within, played.promised);
    EXPECT_NEAR(played.worst_ratio, every_round.left / every_round.right, 1e-9);
    // The referee's window is the players' own here.
    EXPECT_NEAR(played.common_largest, played.certificate.largest_gap, 1e-12);
    EXPECT_NEAR(played.common_last, played.certificate.last_gap, 1e-12);
}

TEST(PlayedGame, StretchesCoverAllRounds) {
    const GameTrial trial = pennies("time-smoothed", "10", 120);
    const PlayedGame played = play_game(trial, nullptr);
    ASSERT_EQ(played.stretches.size(), 3U);
    Real gap = 0;
    Real instant = 0;
    for (Index i = 0; i < 3; ++i) {
        const GameStretch& stretch = played.stretches[i];
        EXPECT_EQ(stretch.until, trial.marks[i]);
        if (i > 0) gap = std::max(gap, stretch.gap);
        instant = std::max(instant, stretch.instant);
    }
    EXPECT_EQ(gap, played.certificate.largest_gap) << "the first stretch is the first round, which has none";
    EXPECT_GE(instant, played.instant_last);
    EXPECT_EQ(played.stretches[0].bound, 0) << "nothing was promised of it";
    EXPECT_GT(played.stretches[1].bound, played.stretches[1].gap);
}

TEST(PlayedGame, TellsACycleFromRest) {
    const PlayedGame window = play_game(pennies("time-smoothed", "10", 300), nullptr);
    const PlayedGame optimistic = play_game(pennies("optimistic:0.1", "1", 1500), nullptr);
    EXPECT_GT(window.instant_median, 1);
    EXPECT_GT(window.gain_last, 1);
    EXPECT_LT(window.gain_mean, 0.1) << "the mean of a cycle is close to the equilibrium";
    EXPECT_LT(optimistic.instant_median, 1e-6);
    EXPECT_LT(optimistic.gain_last, 1e-6);
    EXPECT_EQ(optimistic.promised, 0U) << "it has no exit test";
    EXPECT_EQ(optimistic.gradients, 2);
}

TEST(PlayedGame, StopsWhenAsked) {
    const std::atomic<bool> stop = true;
    CellResult cell;
    note_game(play_game(pennies("time-smoothed", "10", 20), &stop), "pennies", cell);
    EXPECT_TRUE(cell.interrupted);
    EXPECT_TRUE(cell.notes.empty());
}

class StudyOfGames : public testing::TestWithParam<const char*> {
  protected:
    void SetUp() override { fs::remove_all(folder_); }
    void TearDown() override { fs::remove_all(folder_); }

    fs::path folder_ = fs::temp_directory_path() / ("proxstream-games-study-" + std::to_string(getpid()));
};

TEST_P(StudyOfGames, FindsWhatItSays) {
    StudyOptions options;
    options.preset = StudyPreset::quick;
    options.seeds = 1;
    options.folder = folder_.string();
    const StudyRow& row = find_row(studies(), "study", GetParam());
    const StudyOutcome outcome = run_study(row, options, nullptr, [](const StudyProgress&) {});
    EXPECT_TRUE(outcome.sound()) << outcome.report;
    EXPECT_FALSE(outcome.findings.empty());
    EXPECT_EQ(outcome.report.find("nan"), std::string::npos) << outcome.report;
    for (const std::string& file : outcome.files) EXPECT_GT(fs::file_size(file), 0U) << file;
}

INSTANTIATE_TEST_SUITE_P(Quick, StudyOfGames, testing::Values("games", "gans"));

}  // namespace
}  // namespace proxstream
