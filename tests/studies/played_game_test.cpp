#include "studies/played_game.hpp"

#include "core/find_row.hpp"
#include "studies/study.hpp"

#include <atomic>
#include <filesystem>

#include <gtest/gtest.h>
#include <unistd.h>

namespace proxstream {
namespace {

namespace fs = std::filesystem;

PlaySettings pennies(const std::string& learner, Index rounds) {
    PlaySettings settings;
    settings.game = "pennies";
    settings.learner = learner;
    settings.rounds = rounds;
    return settings;
}

TEST(PlayedGame, FiguresMatchTheCertificate) {
    constexpr Index kRounds = 120;
    Cell cell;
    const PlayedGame played = play_game(pennies("time-smoothed:window=10", kRounds), "pennies", cell);
    const GameCertificate& certificate = played.outcome.certificate;
    EXPECT_TRUE(certificate.sound());
    EXPECT_TRUE(cell.notes.empty());
    EXPECT_EQ(certificate.rounds, kRounds);
    EXPECT_EQ(played.worst_ratio, certificate.at("G1").left / certificate.at("G1").right);
    EXPECT_GT(played.worst_ratio, 0);
    EXPECT_LE(played.worst_ratio, 1 + 1e-9);
    EXPECT_EQ(played.last.gap, certificate.last_gap);
    EXPECT_EQ(played.base_samples, 0);
}

TEST(PlayedGame, CyclesAndRestDiffer) {
    Cell cell;
    const PlayedGame window = play_game(pennies("time-smoothed:window=10", 300), "window", cell);
    const PlayedGame optimistic = play_game(pennies("optimistic:0.1,window=1", 1500), "optimistic", cell);
    EXPECT_GT(window.instant_median, 1);
    EXPECT_GT(window.outcome.certificate.measures->gain_last, 1);
    EXPECT_LT(window.gain_mean, 0.1) << "the mean of a cycle is close to the equilibrium";
    EXPECT_LT(optimistic.instant_median, 1e-6);
    EXPECT_LT(optimistic.outcome.certificate.measures->gain_last, 1e-6);
    EXPECT_EQ(optimistic.worst_ratio, 0) << "it has no exit test, so nothing is promised";
    EXPECT_EQ(optimistic.gradients, 2);
}

TEST(PlayedGame, StopsOnRequest) {
    const std::atomic<bool> stop = true;
    Cell cell;
    cell.stop = &stop;
    play_game(pennies("time-smoothed:window=10", 20), "pennies", cell);
    EXPECT_TRUE(cell.interrupted);
    EXPECT_TRUE(cell.notes.empty());
}

class StudyOfGames : public testing::TestWithParam<const char*> {
  protected:
    void SetUp() override { fs::remove_all(folder_); }
    void TearDown() override { fs::remove_all(folder_); }

    fs::path folder_ = fs::temp_directory_path() / ("proxstream-games-study-" + std::to_string(getpid()));
};

TEST_P(StudyOfGames, QuickPresetIsSound) {
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
