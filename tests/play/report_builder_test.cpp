// What a page says of a game that did not come to its end.
#include "play/report_builder.hpp"

#include "game/game_table.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

struct Built {
    PlayReport report;
    std::string findings;
};

/// A report of `played` rounds of `asked`, the gap of a round being its number.
Built build(Round asked, Round played, GameCertificate certificate) {
    PlaySettings settings;
    settings.game = "pennies";
    settings.rounds = asked;
    const GameDefinition game = parse_game(settings.game);
    ReportBuilder builder(settings, plan_play(settings, game), game);
    const std::vector<Real> joint{0.5, 0.5, 0.5, 0.5};
    for (Round t = 1; t <= played; ++t) {
        RoundFigures figures;
        figures.round = t;
        figures.seats.resize(2);
        figures.gap = figures.instant_gap = static_cast<Real>(t);
        builder.add(figures, joint);
    }
    certificate.rounds = played;
    Inequality every_round;
    every_round.id = "G1";
    every_round.left = 1;
    every_round.right = 2;
    every_round.verdict = Verdict::holds;
    certificate.inequalities = {every_round};
    Built built{builder.finish(certificate, joint), ""};
    for (const std::string& each : built.report.findings) built.findings += each + "\n";
    return built;
}

TEST(ReportBuilder, TheEndIsTheLastRoundPlayed) {
    const Built whole = build(30000, 30000, {});
    EXPECT_EQ(whole.report.rounds.back(), 30000U);
    EXPECT_LT(whole.report.rounds.size(), 2000U);
    EXPECT_EQ(whole.findings.find("ended"), std::string::npos);
    const Built stopped = build(30000, 30, {});
    EXPECT_EQ(stopped.report.rounds.back(), 30U);
    EXPECT_EQ(stopped.report.gap.back(), 30);
    EXPECT_EQ(stopped.report.paths.front().points.size(), stopped.report.rounds.size());
    EXPECT_NE(stopped.report.subtitle.find("30 rounds"), std::string::npos);
    EXPECT_NE(stopped.findings.find("ended after 30 of 30000 rounds"), std::string::npos);
    EXPECT_FALSE(to_json(stopped.report).empty());
}

TEST(ReportBuilder, ReportsRefusalsAndMissingPromises) {
    GameCertificate certificate;
    certificate.refused = 1;
    certificate.unpromised = 4;
    const Built built = build(50, 9, certificate);
    EXPECT_NE(built.findings.find("ended in round 10 of 50"), std::string::npos);
    EXPECT_NE(built.findings.find("4 rounds had none"), std::string::npos);
    EXPECT_EQ(build(9, 9, {}).findings.find("had none"), std::string::npos);
}

}  // namespace
}  // namespace proxstream
