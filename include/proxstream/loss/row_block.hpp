/// The record of every loss of data rows: one or more rows, dense or sparse, each with a target.
#pragma once

#include "proxstream/core/types.hpp"

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace proxstream {

class StateArchive;
/// A checksum of data; internal to the library.
class Checksum;

/// Position of a feature in a sparse row, counted from 0.
using FeatureIndex = std::uint32_t;

/// One or more data rows, dense or sparse, each with a target and a weight. OnlineLearner observes one if its
/// losses are those of data rows. clear() keeps the memory, so the same block can be filled again without
/// allocating.
///
/// \code
/// RowBlock rows;
/// rows.add_dense(std::vector<Real>{1, 0, 2}, 0.5);  // three features, then the target
/// learner.observe(rows);
/// \endcode
/// Example: examples/02_robust_regression.cpp
class RowBlock {
  public:
    /// An empty block, for sparse rows or dense ones.
    explicit RowBlock(bool sparse = false) : sparse_(sparse) { offsets_.push_back(0); }

    /// Removes all rows and keeps the memory.
    void clear();
    /// Appends a dense row. All rows of a block have the same length. Like add_sparse it throws ConfigError
    /// if the row does not fit.
    void add_dense(ConstView features, Real target);
    /// Appends a sparse row; indices must ascend strictly.
    void add_sparse(std::span<const FeatureIndex> indices, ConstView values, Real target);

    /// Whether rows are sparse.
    bool sparse() const noexcept { return sparse_; }
    /// Number of rows.
    Index rows() const noexcept { return targets_.size(); }
    /// The target of a row.
    Real target(Index row) const { return targets_[row]; }
    /// Replaces the target of a row.
    void set_target(Index row, Real target) { targets_[row] = target; }
    /// What multiplies the loss of a row; 1 unless set.
    Real weight(Index row) const { return weights_.empty() ? 1 : weights_[row]; }
    /// Appends a row of another block, with its weight.
    void add_row(const RowBlock& from, Index row);
    /// Removes the last row.
    void remove_last();
    /// Sets the weight of a row. Throws ConfigError unless it is finite and at least 0.
    void set_weight(Index row, Real weight);
    /// The weights in row order; empty if all are 1.
    ConstView weights() const noexcept { return weights_; }
    /// Rounds every feature to single precision.
    void round_to_single();
    /// The targets in row order.
    ConstView targets() const noexcept { return targets_; }
    /// The stored values of a row: every feature if dense, those at indices(row) if sparse.
    ConstView values(Index row) const {
        return ConstView(values_).subspan(offsets_[row], offsets_[row + 1] - offsets_[row]);
    }
    /// The stored values of a row, to be changed.
    View change_values(Index row) {
        return View(values_).subspan(offsets_[row], offsets_[row + 1] - offsets_[row]);
    }
    /// The positions of a sparse row's values.
    std::span<const FeatureIndex> indices(Index row) const {
        return std::span(indices_).subspan(offsets_[row], offsets_[row + 1] - offsets_[row]);
    }
    /// All indices in row order; empty if dense.
    std::span<const FeatureIndex> all_indices() const noexcept { return indices_; }
    /// Number of values stored for `count` rows from `first` on.
    Index stored(Index first, Index count) const { return offsets_[first + count] - offsets_[first]; }
    /// All values in row order; for dense blocks a row-major matrix.
    ConstView all_values() const noexcept { return values_; }

    /// Exchanges all rows without copying or freeing anything.
    friend void swap(RowBlock& a, RowBlock& b) noexcept {
        std::swap(a.sparse_, b.sparse_);
        a.values_.swap(b.values_);
        a.indices_.swap(b.indices_);
        a.offsets_.swap(b.offsets_);
        a.targets_.swap(b.targets_);
        a.weights_.swap(b.weights_);
    }
    /// Adds every value, index, target and weight to a checksum.
    void add_to(Checksum& checksum) const;
    /// Saves or restores the rows.
    void serialise(StateArchive& archive);

  private:
    bool sparse_;
    std::vector<Real> values_;
    std::vector<FeatureIndex> indices_;  // empty when dense
    std::vector<Index> offsets_;         // rows() + 1 of them
    std::vector<Real> targets_;
    std::vector<Real> weights_;  // empty if all are 1
};

}  // namespace proxstream
