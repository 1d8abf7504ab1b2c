/// The record of every data-row family: one or more rows, dense or sparse, each with a target. Buffers keep
/// their capacity between uses, so a reader can fill the same block again without allocating.
#pragma once

#include "proxstream/core/types.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace proxstream {

class Checkpoint;
class Checksum;

using FeatureIndex = std::uint32_t;

class RowBlock {
  public:
    explicit RowBlock(bool sparse = false) : sparse_(sparse) { offsets_.push_back(0); }

    void clear();
    /// Appends a dense row. All rows of a block have the same length. Throws ConfigError, as the next one, if
    /// the row does not fit.
    void add_dense(ConstView features, Real target);
    /// Appends a sparse row; indices ascend strictly.
    void add_sparse(std::span<const FeatureIndex> indices, ConstView values, Real target);

    bool sparse() const noexcept { return sparse_; }
    Index rows() const noexcept { return targets_.size(); }
    Real target(Index row) const { return targets_[row]; }
    void set_target(Index row, Real target) { targets_[row] = target; }
    /// Features become the nearest numbers of single precision.
    void round_to_single();
    ConstView targets() const noexcept { return targets_; }
    /// The stored values of a row: every feature if dense, those at indices(row) if sparse.
    ConstView values(Index row) const {
        return ConstView(values_).subspan(offsets_[row], offsets_[row + 1] - offsets_[row]);
    }
    std::span<const FeatureIndex> indices(Index row) const {
        return std::span(indices_).subspan(offsets_[row], offsets_[row + 1] - offsets_[row]);
    }
    /// All indices in row order.
    std::span<const FeatureIndex> all_indices() const noexcept { return indices_; }
    /// How many values are stored for `count` rows from `first` on.
    Index stored(Index first, Index count) const { return offsets_[first + count] - offsets_[first]; }
    /// All values in row order; for dense blocks a row-major matrix.
    ConstView all_values() const noexcept { return values_; }

    /// Everything that makes these rows what they are.
    void add_to(Checksum& checksum) const;
    void exchange(Checkpoint& checkpoint);

  private:
    bool sparse_;
    std::vector<Real> values_;
    std::vector<FeatureIndex> indices_;  // empty when dense
    std::vector<Index> offsets_;         // rows() + 1 of them
    std::vector<Real> targets_;
};

}  // namespace proxstream
