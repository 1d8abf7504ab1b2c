/// The contract of f_t: losses that share one formula and differ in a record.
#pragma once

#include "proxstream/core/scratch.hpp"
#include "proxstream/core/types.hpp"

#include <concepts>
#include <span>

namespace proxstream {

/// value_and_gradient overwrites `gradient` with grad f(x) and returns f(x). A loss that is undefined at x
/// returns NaN or infinity: the learner refuses the round and keeps its state.
template <class F>
concept LossFamily = requires(const F& family, const typename F::Record& record, ConstView x, View gradient,
                              Scratch& scratch) {
    { family.dimension() } -> std::same_as<Index>;
    { family.value(record, x, scratch) } -> std::same_as<Real>;
    { family.value_and_gradient(record, x, gradient, scratch) } -> std::same_as<Real>;
};

/// A bounded store of the newest records of a family: what windows are evaluated on. Records are addressed by
/// age, 0 being the newest. A weight per age selects and weighs: weights.size() <= size(), and
///   weighted(...) = sum over ages a < weights.size() of weights[a] * f_{t-a}(x).
/// A record of weight 0 is not evaluated. Sums run from the oldest to the newest record, so results do not
/// depend on where the ring stands.
template <class B>
concept RecordBatch = requires(B& batch, const B& view, const typename B::Record& record, Index age,
                               std::span<const Real> weights, ConstView x, View gradient, Scratch& scratch) {
    batch.push(record);   // the newest; the oldest is overwritten once size() == capacity()
    batch.drop_newest();  // takes the last push back (a record it overwrote does not return)
    { view.size() } -> std::same_as<Index>;
    { view.capacity() } -> std::same_as<Index>;
    { view.value(age, x, scratch) } -> std::same_as<Real>;
    { view.value_and_gradient(age, x, gradient, scratch) } -> std::same_as<Real>;
    { view.weighted_value(weights, x, scratch) } -> std::same_as<Real>;
    { view.weighted_value_and_gradient(weights, x, gradient, scratch) } -> std::same_as<Real>;
};

/// A batch may know a way of its own towards a minimum of a weighted sum: improve(weights, x) moves x, which
/// stays in the domain its family is made for, and says what that cost, in passes; 0: it did nothing. Nothing
/// is proved by it (T4 confirms).
template <RecordBatch B>
Index improve(const B& batch, std::span<const Real> weights, View x, Scratch& scratch) {
    if constexpr (requires { batch.improve(weights, x, scratch); }) {
        return batch.improve(weights, x, scratch);
    } else {
        return 0;
    }
}

/// A batch whose losses are quadratic may say by which matrix: add_curvature(age, weight, matrix) adds that
/// of a record, row by row. False: they are not.
template <RecordBatch B>
bool add_curvature(const B& batch, Index age, Real weight, View matrix) {
    if constexpr (requires { batch.add_curvature(age, weight, matrix); }) {
        return batch.add_curvature(age, weight, matrix);
    } else {
        return false;
    }
}

class CompactRows;

/// A batch of rows may be able to copy those with a weight, to look around x: compact_rows.hpp. False:
/// it is not, and a pass over the records is the cheapest way to know anything about them.
template <RecordBatch B>
bool compact(const B& batch, std::span<const Real> weights, std::span<const Index> coordinates, ConstView x,
             CompactRows& copy, Scratch& scratch) {
    if constexpr (requires { batch.compact(weights, coordinates, x, copy, scratch); }) {
        return batch.compact(weights, coordinates, x, copy, scratch);
    } else {
        return false;
    }
}

class RowScores;

/// A batch of rows may know the records with a weight by the scores of their rows: row_scores.hpp. False: it
/// does not.
template <RecordBatch B>
bool know_scores(const B& batch, std::span<const Real> weights, RowScores& scores, Scratch& scratch) {
    if constexpr (requires { batch.know_scores(weights, scores, scratch); }) {
        return batch.know_scores(weights, scores, scratch);
    } else {
        return false;
    }
}

/// Families may bring `using Batch = ...` (constructed from (family, capacity)): contiguous records and a
/// kernel that reads each of them once. Others are kept in a plain ring (window/record_ring.hpp).
template <class F>
concept BatchedFamily =
    LossFamily<F> && RecordBatch<typename F::Batch> && std::constructible_from<typename F::Batch, F, Index>;

}  // namespace proxstream
