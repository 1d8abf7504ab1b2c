/// A reduced model of weighted rows around one point, the anchor, at a fraction of the cost of the rows. For
/// quadratic losses of few coordinates it is their matrix. For other losses of a linear model it is a copy of
/// the rows in single precision. Columns of coordinates that do not move are left out. The copy knows the
/// scores at the anchor exactly and adds differences. The error of single precision is small beside the
/// difference, however short the move.
#pragma once

#include "core/cache_aligned.hpp"
#include "loss/pass_family.hpp"
#include "loss/scalar_loss.hpp"

#include <optional>
#include <span>
#include <vector>

namespace proxstream {

class ReducedRows {
  public:
    /// Reduces the rows around the anchor x; only these coordinates, ascending, may move. False: a pass over
    /// the rows is cheaper, the copy would be too large, or a number is beyond single precision. A matrix, or
    /// a copy of all columns, is used again for another anchor until forget().
    bool assign(ConstView x, const PassFamily& family, std::span<const RecordRows> records,
                std::span<const Index> coordinates);

    /// To be called when the rows or their weights have changed.
    void forget() noexcept { kept_ = false; }

    /// By how much the weighted sum of losses at anchor + move lies above its tangent at the anchor.
    /// Overwrites `change` with the change of the gradient. Coordinates outside the model are taken not to
    /// move, and their gradient not to change.
    Real bend(ConstView move, View change, Scratch& scratch) const;
    /// Whether bend() reads rows; a matrix has none.
    bool has_rows() const noexcept { return matrix_.empty(); }

    /// Whether a window or a sum of such rows can be worth reducing, whichever coordinates move.
    static bool worthwhile(const PassFamily& family, std::span<const RecordRows> records);

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
    bool make_matrix(const PassFamily& family, std::span<const RecordRows> records);
    bool takes_all_columns(std::span<const RecordRows> records, std::span<const Index> moving) const;
    bool choose_columns(std::span<const RecordRows> records, std::span<const Index> moving);
    void copy_rows(std::span<const RecordRows> records);
    void know_anchor(ConstView x, std::span<const RecordRows> records);
    void add(Index first, Index last, std::span<const float> move, Real intercept, Sums& sums) const;

    bool kept_ = false;         // the present model is of the same rows and weights
    std::vector<Real> matrix_;  // row by row; empty: a copy of the rows
    std::optional<ScalarLoss> loss_;
    Index features_ = 0;  // of the rows themselves
    std::vector<Index> columns_;
    Known known_;
    CacheAlignedVector<float> values_;  // rows of width(), as many as are known
};

}  // namespace proxstream
