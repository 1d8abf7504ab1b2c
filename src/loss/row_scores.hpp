/// Weighted rows known by their scores a.x + b. Where a row's loss is one of its score alone, the losses on a
/// whole line, or in a plane, follow from the scores at two of its points, or three: rows are read to score a
/// point, and to turn slopes into a gradient, and for nothing in between.
#pragma once

#include "loss/pass_family.hpp"
#include "loss/scalar_loss.hpp"

#include <optional>
#include <span>
#include <vector>

namespace proxstream {

class RowScores {
  public:
    /// Is about these rows from now on, which have to stay where they are. False: their losses are not those
    /// of scores, and there is nothing to ask.
    bool assign(const PassFamily& family, std::span<const RecordRows> records);

    Index rows() const noexcept { return targets_.size(); }

    /// Overwrites `scores` with those at x, a number a row. Reads every row.
    void score(ConstView x, View scores, Scratch& scratch) const;
    /// The weighted sum of the losses. Overwrites `slopes` with what it changes by along each score.
    Real evaluate(ConstView scores, View slopes, Scratch& scratch) const;
    /// Overwrites `gradient` with that of the sum along x, given what it changes by along each score. Reads
    /// every row.
    void gradient(ConstView slopes, View gradient, Scratch& scratch) const;

  private:
    struct SparseRow {
        const RowBlock* block = nullptr;
        Index row = 0;
    };
    struct Some {  // rows
        std::span<const Real* const> dense;
        std::span<const float* const> singles;
        std::span<const SparseRow> sparse;
    };

    Index chunks() const;
    Some some(Index first, Index last) const;
    void score_some(Index first, Index last, ConstView x, View scores) const;
    void add_some(Index first, Index last, ConstView slopes, View gradient) const;

    ScalarLoss loss_;
    Index features_ = 0;
    Index numbers_ = 0;  // in all rows
    Index stride_ = 0;   // from one dense row to the next, mostly
    // Dense rows come first, then those in single precision, then sparse ones; targets and weights likewise.
    std::vector<const Real*> dense_;
    std::vector<const float*> singles_;
    std::vector<SparseRow> sparse_;
    std::vector<Real> targets_;
    std::vector<Real> weights_;
};

}  // namespace proxstream
