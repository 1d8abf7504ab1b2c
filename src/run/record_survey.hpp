/// Looks at some records from one point after the other: their losses, how their gradients differ, and how
/// those of single rows differ from their record's.
#pragma once

#include "proxstream/loss/row_family.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace proxstream {

class RecordSurvey {
  public:
    RecordSurvey(std::vector<const RowBlock*> records, const RowFamily& family, std::uint64_t seed);

    /// Leaves out records whose loss or gradient at x is not finite.
    void keep_finite(ConstView x);
    std::span<const RowBlock* const> records() const { return records_; }

    /// Losses and mean gradient at x; returns the mean of |grad f_i - grad f_j|^2 over pairs. Two records or
    /// more.
    Real evaluate(ConstView x);
    std::span<const Real> losses() const { return losses_; }
    ConstView mean_gradient() const { return mean_; }

    /// Of every record the mean square distance of its rows' gradients at x from its own. Of very large
    /// records some rows are drawn.
    std::span<const Real> variances(ConstView x);

    /// The steepest change of gradient that a power iteration on some records finds near x: a lower bound on
    /// L. `place` tells the draws of different points apart.
    Real curvature(ConstView x, std::uint64_t place);

    /// The largest of the records' own L; 0 where the family knows none.
    Real record_smoothness() const;
    /// The largest of the records' Lb, in the mean square over their rows; 0 where the family knows none.
    Real row_smoothness() const;

  private:
    Index looked_at(Index record) const;
    Index row_of(Index record, Index k) const;
    Real climb(const RowBlock& record, ConstView x);

    const RowFamily& family_;
    std::uint64_t seed_;
    std::vector<const RowBlock*> records_;
    RowBlock single_;
    std::vector<Real> gradient_;  // of a record
    std::vector<Real> other_;     // of a row, or of a record elsewhere
    std::vector<Real> moved_;
    std::vector<Real> direction_;
    std::vector<Real> mean_;
    std::vector<Real> losses_;
    std::vector<Real> variances_;
    Scratch scratch_;
};

}  // namespace proxstream
