/// Evaluates some records at given points: their losses, how their gradients differ from each other, and how
/// gradients of single rows differ from their record's.
#pragma once

#include "proxstream/loss/row_family.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace proxstream {

class RecordSurvey {
  public:
    RecordSurvey(std::vector<const RowBlock*> records, const RowFamily& family, std::uint64_t seed);

    /// Drops records whose loss or gradient at x is not finite.
    void keep_finite(ConstView x);
    std::span<const RowBlock* const> records() const { return records_; }

    /// Losses and mean gradient at x. Returns the mean of |grad f_i - grad f_j|^2 over pairs; needs two
    /// records.
    Real evaluate(ConstView x);
    std::span<const Real> losses() const { return losses_; }
    ConstView mean_gradient() const { return mean_; }

    /// For each record, the mean square distance of its rows' gradients at x from its own gradient. Very
    /// large records are sampled.
    std::span<const Real> variances(ConstView x);

    /// The steepest change of gradient near x that power iterations on some records find: a lower bound of L.
    /// `place` numbers the point, for its draws.
    Real curvature(ConstView x, std::uint64_t place);

    /// The largest L of a record; 0: the family has none.
    Real record_smoothness() const;
    /// The largest mean square Lb of a record's rows; 0: the family has none.
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
