#include "studies/played_game.hpp"

#include "proxstream/core/linalg.hpp"

#include "play/open_game.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace proxstream {
namespace {

Real median(std::vector<Real> values) {
    if (values.empty()) return 0;
    const auto half = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), half, values.end());
    return *half;
}

void note_game(const PlayOutcome& outcome, const std::string& name, Cell& cell) {
    cell.interrupted = outcome.ending == RunEnding::interrupted;
    for (const std::string& problem : outcome.problems) cell.notes.push_back(name + ": " + problem);
    for (const Inequality& each : outcome.certificate.inequalities) {
        if (each.verdict == Verdict::violated)
            cell.notes.push_back(fmt::format("{}: {} is violated: {}", name, each.id, each.explanation));
    }
    for (const Certificate& player : outcome.certificate.players)
        if (!player.sound()) cell.notes.push_back(name + ": " + conclusion(player));
}

}  // namespace

PlayedGame play_game(const PlaySettings& settings, const std::string& name, Cell& cell) {
    PlayJob job(settings, open_game(settings));
    PlayedGame game;
    std::vector<Real> mean(job.game().layout().dimension());
    std::vector<Real> instants;
    game.outcome = drive(job, cell.stop, [&] {
        if (job.outcome().refused > 0) return;
        const RoundFigures& figures = job.figures();
        game.last = figures;
        const ConstView joint = job.played();
        for (Index k = 0; k < mean.size(); ++k)
            mean[k] += (joint[k] - mean[k]) / static_cast<Real>(figures.round);
        if (2 * figures.round > settings.rounds && figures.instant_gap >= 0)
            instants.push_back(figures.instant_gap);
        cell.share(static_cast<Real>(figures.round), static_cast<Real>(settings.rounds));
    });
    note_game(game.outcome, name, cell);
    if (cell.interrupted) return game;
    const GameCertificate& certificate = game.outcome.certificate;
    for (const Inequality& each : certificate.inequalities)
        if (each.id == "G1" && each.right > 0) game.worst_ratio = each.left / each.right;
    game.instant_median = median(std::move(instants));
    const auto rounds = static_cast<Real>(std::max<Round>(certificate.rounds, 1));
    for (const Certificate& player : certificate.players) {
        const Cost& cost = player.summary.totals.cost;
        game.gradients += static_cast<Real>(cost.record_gradients) / rounds;
        game.base_samples += static_cast<Real>(cost.base_samples) / rounds;
    }
    const Index players = job.game().players.size();
    GameReferee referee(job.game(), reference_steps(job.plan()), std::vector<WindowWeights>(players, 1));
    std::vector<Real> gains(players);
    referee.gains(mean, gains);
    game.gain_mean = sum(gains);
    return game;
}

}  // namespace proxstream
