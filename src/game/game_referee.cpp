#include "game/game_referee.hpp"

#include "proxstream/core/linalg.hpp"
#include "proxstream/prox/prox_gradient_step.hpp"

#include "game/game_play.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace proxstream {
namespace {

/// Restricts a sampled cost to its first samples, so that a referee can evaluate all of them.
class FewSamples final : public PlayerCost {
  public:
    FewSamples(std::shared_ptr<const PlayerCost> cost, Index count)
        : PlayerCost(cost->dimension(), cost->record_size()),
          cost_(std::move(cost)),
          count_(std::min(count, cost_->parts())) {}

    void condense(ConstView joint, View record, Scratch& scratch) const override {
        cost_->condense(joint, record, scratch);
    }
    Real weighted(const PlayRecords& records, std::span<const Real> weights, ConstView own, View gradient,
                  Scratch& scratch) const override {
        Scratch::Frame frame(scratch);
        const auto parts = frame.take<WeightedPart>(count_ * weights.size());
        const View unused = gradient.empty() ? frame.take(own.size()) : gradient;
        Index used = 0;
        for (Index age = weights.size(); age-- > 0;) {
            if (weights[age] == 0) continue;
            for (Index part = 0; part < count_; ++part)
                parts[used++] = {age, part, weights[age] / static_cast<Real>(count_)};
        }
        return cost_->parts_gradient(records, parts.first(used), own, unused, scratch);
    }

  private:
    std::shared_ptr<const PlayerCost> cost_;
    Index count_;
};

}  // namespace

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

Real GameReferee::gap(const Seat& seat, const PlayBatch& batch, std::span<const Real> weights,
                      ConstView own) {
    Scratch::Frame frame(scratch_);
    const View gradient = frame.take(own.size());
    const View forward = frame.take(own.size());
    const View mapping = frame.take(own.size());
    batch.weighted_value_and_gradient(weights, own, gradient, scratch_);
    cost_.record_gradients += weights.size();
    ++cost_.prox;
    return prox_gradient_step(seat.player.g, own, gradient, seat.step, {forward, mapping}, scratch_).norm;
}

const RowBlock& GameReferee::condense(const Seat& seat, ConstView joint) {
    condensed_.resize(seat.player.cost->record_size());
    seat.player.cost->condense(joint, condensed_, scratch_);
    record_.clear();
    record_.add_dense(condensed_, 0);
    return record_;
}

void GameReferee::instant_gaps(ConstView joint, View out) {
    constexpr Real kWhole = 1;
    for (Index i = 0; i < seats_.size(); ++i) {
        Seat& seat = seats_[i];
        seat.newest.push(condense(seat, joint));
        out[i] = gap(seat, seat.newest, {&kWhole, 1}, layout_.block(joint, i));
    }
}

Real GameReferee::smoothed_gap(Index player, ConstView own) {
    Seat& seat = seats_[player];
    seat.window.at(seat.rounds, weights_);
    weights_.resize(std::min(weights_.size(), seat.past.size()));
    return gap(seat, seat.past, weights_, own);
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

void GameReferee::serialise(StateArchive& archive) {
    archive.agree("players", seats_.size());
    for (Seat& seat : seats_) {
        archive.fields(Field{"past", seat.past}, Field{"rounds", seat.rounds});
    }
}

Real GameReferee::gain(Seat& seat, ConstView own) {
    // A best response is a round of the time-smoothed learner with a window of one. It ends at a
    // ten-thousandth of the first gap, or at the rounding error of gaps at this step.
    constexpr Real kRelative = 1e-4;
    const Real least = 1e-12 * std::max<Real>(1, norm(own)) / std::max<Real>(1, seat.step);
    constexpr Real kWhole = 1;
    seat.newest.push(record_);
    const Real start = gap(seat, seat.newest, {&kWhole, 1}, own);
    LearnerConfig parts = player_parts(seat.player);
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
