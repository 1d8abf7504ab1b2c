/// The newest records of a player, evaluated together: what makes a player's cost the loss family of an
/// online learner. A record is one dense row.
#pragma once

#include "game/player_cost.hpp"

#include <memory>
#include <span>

namespace proxstream {

class Checkpoint;

class PlayBatch {
  public:
    using Record = RowBlock;

    PlayBatch(std::shared_ptr<const PlayerCost> cost, Index capacity);

    void push(const Record& record);
    void drop_newest();
    Index size() const noexcept { return ring_.size(); }
    Index capacity() const noexcept { return ring_.capacity(); }
    Real value(Index age, ConstView x, Scratch& scratch) const;
    Real value_and_gradient(Index age, ConstView x, View gradient, Scratch& scratch) const;
    Real weighted_value(std::span<const Real> weights, ConstView x, Scratch& scratch) const;
    Real weighted_value_and_gradient(std::span<const Real> weights, ConstView x, View gradient,
                                     Scratch& scratch) const;
    Index parts(Index age) const;
    Real parts_gradient(std::span<const WeightedPart> parts, ConstView x, View gradient,
                        Scratch& scratch) const;
    void exchange(Checkpoint& checkpoint);

  private:
    PlayRecords records() const { return {ring_, cost_->record_size()}; }

    std::shared_ptr<const PlayerCost> cost_;
    RowRing ring_;
};

}  // namespace proxstream
