/// A copy of weighted rows for looking around one point, the anchor, at a fraction of what the rows cost: in
/// single precision, and without the columns of coordinates that stay where they are. It knows the scores of
/// the anchor exactly and works out differences from there: what single precision gets wrong is small beside
/// the difference, however short the way.
#pragma once

#include "core/cache_aligned.hpp"
#include "loss/pass_family.hpp"
#include "loss/scalar_loss.hpp"

#include <optional>
#include <span>
#include <vector>

namespace proxstream {

class CompactRows {
  public:
    /// x is the anchor from now on, and these coordinates, ascending, may move. Where the copy does not hold
    /// them, or far more than them, it is made anew: of their columns, or of all if these are not few. Until
    /// clear() the records have to stay the same. False, and nothing is held: the losses are not those of
    /// scores, the copy would cost as much as the rows do, or very much memory, or a number is beyond single
    /// precision.
    bool look_around(ConstView x, const PassFamily& family, std::span<const RecordRows> records,
                     std::span<const Index> coordinates);
    void clear() { loss_.reset(); }

    /// By how much the weighted sum of losses at anchor + move lies above its tangent at the anchor.
    /// Overwrites `gradient` with what the gradient changes by on the way. Coordinates the copy does not hold
    /// are taken not to move, and their gradient not to change.
    Real bend(ConstView move, View gradient, Scratch& scratch) const;

    /// What bend() costs, in passes over the rows.
    Real share() const noexcept { return share_; }

  private:
    /// By row, with zeros to fill up blocks.
    struct Known {
        std::vector<Real> targets;
        std::vector<Real> weights;
        std::vector<Real> scores;  // these three at the anchor
        std::vector<Real> values;
        std::vector<Real> slopes;
    };
    struct Sums {  // of some rows
        Real bend = 0;
        Real slopes = 0;
        std::span<float> gradient = {};  // of the columns
    };

    Index width() const noexcept;
    bool holds(std::span<const Index> coordinates) const;
    bool assign(const PassFamily& family, std::span<const RecordRows> records,
                std::span<const Index> coordinates);
    void add(Index first, Index last, std::span<const float> move, Real intercept, Sums& sums) const;

    std::optional<ScalarLoss> loss_;  // none: nothing is held
    Index features_ = 0;              // of the rows themselves
    std::vector<Index> columns_;
    Known known_;
    CacheAlignedVector<float> values_;  // rows of width(), as many as are known
    Real share_ = 1;
};

}  // namespace proxstream
