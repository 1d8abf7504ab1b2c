/// Problems that several sections measure on.
#pragma once

#include "proxstream/loss/any_batch.hpp"
#include "proxstream/loss/row_block.hpp"
#include "proxstream/loss/row_family.hpp"

#include <memory>
#include <string>
#include <vector>

namespace proxstream::bench {

/// A full window of single-row records, and the same rows as one matrix.
struct FullWindow {
    std::unique_ptr<RowFamily> family;
    AnyBatch batch;
    std::vector<Real> weights;
    std::vector<Real> x;
    std::vector<Real> gradient;
    std::vector<Real> values;  // row by row; empty where sparse
    std::vector<Real> targets;
    Scratch scratch = {};

    Real pass() { return batch.weighted_value_and_gradient(weights, x, gradient, scratch); }
};

struct WindowShape {
    std::string loss = "squared";
    Index features = 512;
    Index window = 32;
    Index rows = 1;       // a record
    Index nonzeros = 0;   // of a row, sparse; 0: dense
    bool single = false;  // numbers that single precision holds
};
FullWindow full_window(const WindowShape& shape);

/// Robust regression for which figures of peers are known: normal rows, 25 weights that matter, noise 0.1,
/// one target in ten far off.
struct RobustData {
    Index features = 500;
    std::vector<Real> values;  // row by row
    std::vector<Real> targets;
    Index rows() const { return targets.size(); }
    /// `count` rows from `first` on.
    RowBlock block(Index first, Index count) const;
};
RobustData robust_regression(Index rows, std::uint64_t seed);

/// The largest eigenvalue of a'a / divisor over rows [first, first + count), by power iteration.
Real largest_eigenvalue(const RobustData& data, Index first, Index count, Real divisor);

/// Normal numbers, cheap ones: for contents that do not matter beyond their law.
std::vector<Real> normal_numbers(Index count, std::uint64_t seed);

}  // namespace proxstream::bench
