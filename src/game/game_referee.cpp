#include "game/game_referee.hpp"

#include "proxstream/core/linalg.hpp"
#include "proxstream/prox/residual.hpp"

#include "game/few_samples.hpp"
#include "game/game_play.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace proxstream {

GameReferee::GameReferee(const GameDefinition& game, std::span<const Real> steps,
                         std::span<const WindowWeights> windows, const RefereeOptions& options)
    : layout_(game.layout()), options_(options) {
    for (Index i = 0; i < game.players.size(); ++i) {
        GamePlayer player = game.players[i];
        const bool sampled = player.cost->parts() > 1;
        if (sampled) player.cost = std::make_shared<FewSamples>(player.cost, options.samples);
        PlayBatch past(player.cost, windows[i].length());
        PlayBatch newest(player.cost, 1);
        seats_.push_back(
            {std::move(player), sampled, steps[i], windows[i], std::move(past), std::move(newest)});
    }
}

void GameReferee::observe(Index player, const RowBlock& record) {
    seats_[player].past.push(record);
    ++seats_[player].rounds;
}

Real GameReferee::residual(const Seat& seat, const PlayBatch& batch, std::span<const Real> weights,
                           ConstView own) {
    Scratch::Frame frame(scratch_);
    const View gradient = frame.take(own.size());
    const View forward = frame.take(own.size());
    const View residual = frame.take(own.size());
    batch.weighted_value_and_gradient(weights, own, gradient, scratch_);
    cost_.record_gradients += weights.size();
    ++cost_.prox;
    return prox_residual(seat.player.g, own, gradient, seat.step, forward, residual, scratch_).norm;
}

const RowBlock& GameReferee::condense(const Seat& seat, ConstView joint) {
    condensed_.resize(seat.player.cost->record_size());
    seat.player.cost->condense(joint, condensed_, scratch_);
    record_.clear();
    record_.add_dense(condensed_, 0);
    return record_;
}

void GameReferee::instant_residuals(ConstView joint, View out) {
    constexpr Real kWhole = 1;
    for (Index i = 0; i < seats_.size(); ++i) {
        Seat& seat = seats_[i];
        seat.newest.push(condense(seat, joint));
        out[i] = residual(seat, seat.newest, {&kWhole, 1}, layout_.block(joint, i));
    }
}

Real GameReferee::smoothed_residual(Index player, ConstView own) {
    Seat& seat = seats_[player];
    seat.window.at(seat.rounds, weights_);
    weights_.resize(std::min(weights_.size(), seat.past.size()));
    return residual(seat, seat.past, weights_, own);
}

void GameReferee::gains(ConstView joint, View out) {
    exact_ = true;
    for (Index i = 0; i < seats_.size(); ++i) {
        Seat& seat = seats_[i];
        if (seat.sampled) {
            out[i] = std::numeric_limits<Real>::quiet_NaN();
            exact_ = false;
            continue;
        }
        condense(seat, joint);
        out[i] = gain(seat, layout_.block(joint, i));
    }
}

void GameReferee::exchange(Checkpoint& checkpoint) {
    checkpoint.agree("players", seats_.size());
    for (Seat& seat : seats_) {
        checkpoint.part("past", seat.past);
        checkpoint.exchange("rounds", seat.rounds);
    }
}

Real GameReferee::gain(Seat& seat, ConstView own) {
    // A best response is a round of the time-smoothed learner with a window of one, to a ten-thousandth of
    // the residual it starts with, or to what rounding leaves of residuals measured by this step.
    constexpr Real kRelative = 1e-4;
    const Real least = 1e-12 * std::max<Real>(1, norm(own)) / std::max<Real>(1, seat.step);
    constexpr Real kWhole = 1;
    seat.newest.push(record_);
    const Real start = residual(seat, seat.newest, {&kWhole, 1}, own);
    LearnerParts parts = player_parts(seat.player);
    parts.start.assign(own.begin(), own.end());
    parts.step = seat.step;
    parts.tolerance = Tolerance::fixed(std::max(least, kRelative * start));
    parts.inner = "panoc";
    parts.budget.max_steps = options_.best_response;
    const auto learner = make_learner("time-smoothed", std::move(parts));
    const RoundReport report = learner->observe(record_);
    cost_ += report.cost;
    exact_ = exact_ && seat.player.cost->convex() && report.status != RoundStatus::budget_exhausted &&
             report.status != RoundStatus::refused;
    return std::max<Real>(0, report.objective_entry - report.objective_exit);
}

}  // namespace proxstream
