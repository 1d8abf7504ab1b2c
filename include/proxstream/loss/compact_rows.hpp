/// Some columns of weighted rows: where most coordinates are 0 and are to stay there, a pass over this copy
/// costs a fraction of one over the rows and says the same, or nearly so: copies that no cache would hold are
/// in single precision.
#pragma once

#include "proxstream/core/cache_aligned.hpp"
#include "proxstream/loss/pass_family.hpp"

#include <memory>
#include <span>
#include <vector>

namespace proxstream {

class CompactRows {
  public:
    /// Copies the columns of these coordinates, ascending, of every row of the list; those that belong to no
    /// feature (an intercept) are always kept. False, and nothing is held: the family is none that can do
    /// with fewer features, or the copy would cost more than the rows do, or very much memory.
    bool assign(const PassFamily& family, std::span<const RecordRows> records,
                std::span<const Index> coordinates);
    void clear();
    /// Whether it holds all of these coordinates, and not far more.
    bool serves(std::span<const Index> coordinates) const;

    /// The weighted sum of losses at the point that has x's coordinates where the copy has columns, and 0
    /// elsewhere. Overwrites the gradient, which is 0 elsewhere too.
    Real value_and_gradient(ConstView x, View gradient, Scratch& scratch) const;

    /// Multiply-adds of a pass over it, in those of a pass over the rows.
    Real share() const noexcept { return share_; }

  private:
    std::unique_ptr<PassFamily> family_;  // of rows as they are in the copy; none: nothing is held
    Index features_ = 0;                  // of the rows themselves
    std::vector<Index> columns_;
    CacheAlignedVector<Real> values_;
    CacheAlignedVector<float> singles_;  // instead of them
    std::vector<Real> targets_;
    std::vector<RecordRows> records_;  // of these
    std::vector<Index> places_;        // in the copy, by feature; for sparse rows
    Real share_ = 1;
};

}  // namespace proxstream
