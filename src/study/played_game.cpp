#include "study/played_game.hpp"

#include "proxstream/core/linalg.hpp"

#include "front/header_of.hpp"
#include "front/play_plan.hpp"
#include "game/game_play.hpp"
#include "game/game_referee.hpp"
#include "play/open_game.hpp"
#include "regret/game_tally.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace proxstream {
namespace {

constexpr Real kRounding = 1e-9;  // of two sides that may be equal

Real largest_of(ConstView values) {
    return *std::max_element(values.begin(), values.end());
}

Real middle(std::vector<Real> values) {
    if (values.empty()) return 0;
    const auto half = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), half, values.end());
    return *half;
}

GameTally make_tally(const PlaySettings& settings, const PlayPlan& plan, const GamePlay& play) {
    std::vector<RunHeader> headers;
    for (Index i = 0; i < play.players(); ++i)
        headers.push_back(header_of(play.learner(i).facts(), play.layout().dimension(i)));
    return {rules_of(settings, plan, play.game()), headers};
}

/// One game from its first round to its certificate.
class Played {
  public:
    Played(const GameTrial& trial, const GameDefinition& game)
        : trial_(trial),
          plan_(plan_play(trial.settings, game)),
          play_(game, make_players(trial.settings, game, plan_), plan_.turns),
          referee_(play_.game(), reference_steps(plan_),
                   std::vector<WindowWeights>(play_.players(), std::max<Index>(trial.common_window, 1))),
          tally_(make_tally(trial.settings, plan_, play_)),
          figures_(play_.players()),
          mean_(play_.layout().dimension()),
          mark_(trial.marks.begin()) {}

    /// False: a round was refused, and nothing was played.
    bool round() {
        const GameRound round = play_.play();
        tally_.add(round.reports);
        if (round.refused_by) {
            played_.refusal = fmt::format("round {}: the cost of player '{}' is not a finite number",
                                          rounds_ + 1, play_.game().players[*round.refused_by].name);
            return false;
        }
        ++rounds_;
        GameStretch now{.until = rounds_};
        hold_against_bounds(round.reports, now);
        measure(round.joint, now);
        if (mark_ != trial_.marks.end()) add_to_stretch(now);
        for (Index k = 0; k < mean_.size(); ++k)
            mean_[k] += (round.joint[k] - mean_[k]) / static_cast<Real>(rounds_);
        if (rounds_ == trial_.settings.rounds) finish_with(round);
        return true;
    }

    PlayedGame result(bool interrupted) {
        played_.interrupted = interrupted;
        const RunEnding ending = interrupted               ? RunEnding::interrupted
                                 : played_.refusal.empty() ? RunEnding::finished
                                                           : RunEnding::refused;
        std::vector<RunFooter> footers;
        const auto rounds = static_cast<Real>(std::max<Round>(rounds_, 1));
        for (Index i = 0; i < play_.players(); ++i) {
            AnyLearner& learner = play_.learner(i);
            played_.microseconds += 1e6 * learner.seconds() / rounds;
            footers.push_back(tally_.player(i).footer(learner.close(), ending, 0));
        }
        played_.gradients = static_cast<Real>(cost_.record_gradients) / rounds;
        played_.base_samples = static_cast<Real>(cost_.base_samples) / rounds;
        played_.instant_median = middle(std::move(instants_));
        played_.certificate = tally_.certificate(footers);
        return std::move(played_);
    }

  private:
    void hold_against_bounds(std::span<const RoundReport> reports, GameStretch& now) {
        for (Index i = 0; i < reports.size(); ++i) {
            const RoundReport& report = reports[i];
            cost_ += report.cost;
            now.gap = std::max(now.gap, report.entry_residual);
            const Real bound = tally_.bound(i);
            if (!(bound >= 0)) continue;  // nothing was promised
            now.bound = std::max(now.bound, bound);
            ++played_.promised;
            if (report.entry_residual <= (1 + kRounding) * bound + 3 * report.residual_rounding)
                ++played_.within;
            if (bound > 0) played_.worst_ratio = std::max(played_.worst_ratio, report.entry_residual / bound);
        }
    }

    void measure(ConstView joint, GameStretch& now) {
        referee_.instant_residuals(joint, figures_);
        now.instant = largest_of(figures_);
        if (2 * rounds_ > trial_.settings.rounds) instants_.push_back(now.instant);
        played_.instant_last = now.instant;
        if (trial_.common_window == 0) return;
        for (Index i = 0; i < play_.players(); ++i) {
            referee_.observe(i, play_.record(i));
            figures_[i] = referee_.smoothed_residual(i, play_.layout().block(joint, i));
        }
        played_.common_last = largest_of(figures_);
        if (rounds_ > 1) played_.common_largest = std::max(played_.common_largest, played_.common_last);
    }

    void add_to_stretch(const GameStretch& now) {
        stretch_.until = now.until;
        stretch_.gap = std::max(stretch_.gap, now.gap);
        stretch_.bound = std::max(stretch_.bound, now.bound);
        stretch_.instant = std::max(stretch_.instant, now.instant);
        if (now.until != *mark_) return;
        played_.stretches.push_back(std::exchange(stretch_, {}));
        ++mark_;
    }

    void finish_with(const GameRound& round) {
        for (const RoundReport& report : round.reports) played_.cost_last += report.loss + report.regulariser;
        if (!trial_.responses) return;
        referee_.gains(round.joint, figures_);
        played_.gain_last = sum(figures_);
        referee_.gains(mean_, figures_);
        played_.gain_mean = sum(figures_);
    }

    const GameTrial& trial_;
    PlayPlan plan_;
    GamePlay play_;
    GameReferee referee_;
    GameTally tally_;
    Round rounds_ = 0;
    Cost cost_;
    std::vector<Real> figures_;   // of the players
    std::vector<Real> mean_;      // of all joint plays
    std::vector<Real> instants_;  // of the second half
    std::vector<Round>::const_iterator mark_;
    GameStretch stretch_;
    PlayedGame played_;
};

}  // namespace

PlayedGame play_game(const GameTrial& trial, StopFlag stop, const std::function<void(Real)>& on_share) {
    Played game(trial, open_game(trial.settings));
    const Index rounds = trial.settings.rounds;
    const Index often = std::max<Index>(1, rounds / 50);
    for (Round t = 1; t <= rounds; ++t) {
        if (stop != nullptr && *stop) return game.result(true);
        if (!game.round()) break;
        if (on_share && t % often == 0) on_share(static_cast<Real>(t) / static_cast<Real>(rounds));
    }
    return game.result(false);
}

void note_game(const PlayedGame& played, const std::string& name, CellResult& cell) {
    cell.interrupted = cell.interrupted || played.interrupted;
    if (!played.refusal.empty()) cell.notes.push_back(name + ": " + played.refusal);
    if (played.certificate.sound()) return;
    for (const Inequality& each : played.certificate.inequalities) {
        if (each.verdict == Verdict::violated)
            cell.notes.push_back(fmt::format("{}: {} is violated: {}", name, each.id, each.explanation));
    }
    for (const Certificate& player : played.certificate.players) {
        if (!player.sound()) cell.notes.push_back(name + ": " + conclusion(player));
    }
}

}  // namespace proxstream
