/// The newest records of a player, evaluated together: the store of a learner whose losses are the player's
/// cost. A record is one dense row.
#pragma once

#include "game/player_cost.hpp"

#include <memory>
#include <span>

namespace proxstream {

class StateArchive;

class PlayBatch {
  public:
    using Record = RowBlock;

    PlayBatch(std::shared_ptr<const PlayerCost> cost, Index capacity);
    /// A store with the record of one joint play.
    static PlayBatch of_play(std::shared_ptr<const PlayerCost> cost, ConstView joint, Scratch& scratch);

    void push(const Record& record) { ring_.push(record); }
    void drop_newest() { ring_.drop_newest(); }
    Index size() const noexcept { return ring_.size(); }
    Index capacity() const noexcept { return ring_.capacity(); }
    Real value(Index age, ConstView x, Scratch& scratch) const {
        return value_and_gradient(age, x, {}, scratch);
    }
    Real value_and_gradient(Index age, ConstView x, View gradient, Scratch& scratch) const;
    Real weighted_value(std::span<const Real> weights, ConstView x, Scratch& scratch) const {
        return cost_->weighted(records(), weights, x, {}, scratch);
    }
    Real weighted_value_and_gradient(std::span<const Real> weights, ConstView x, View gradient,
                                     Scratch& scratch) const {
        return cost_->weighted(records(), weights, x, gradient, scratch);
    }
    Index parts(Index /*age*/) const { return cost_->parts(); }
    Real parts_gradient(std::span<const WeightedPart> parts, ConstView x, View gradient,
                        Scratch& scratch) const;
    void serialise(StateArchive& archive);

  private:
    PlayRecords records() const { return {ring_, cost_->record_size()}; }

    std::shared_ptr<const PlayerCost> cost_;
    RowRing ring_;
};

}  // namespace proxstream
