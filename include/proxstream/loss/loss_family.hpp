/// The requirements on losses f_t that share one formula and differ in a record of data.
#pragma once

#include "proxstream/core/scratch.hpp"
#include "proxstream/core/types.hpp"

#include <concepts>
#include <span>

namespace proxstream {

/// Losses that share one formula and differ in a record: what a type of yours must offer to be used with
/// OnlineLearner. It needs a type `Record`, dimension(), value() and value_and_gradient(); nothing is derived
/// from or registered.
///
/// value_and_gradient overwrites `gradient` with grad f(x) and returns f(x). A loss that is undefined at x
/// returns NaN or infinity: the learner then refuses the round and keeps its state. Example:
/// examples/04_own_loss.cpp
template <class F>
concept LossFamily = requires(const F& family, const typename F::Record& record, ConstView x, View gradient,
                              Scratch& scratch) {
    { family.dimension() } -> std::same_as<Index>;
    { family.value(record, x, scratch) } -> std::same_as<Real>;
    { family.value_and_gradient(record, x, gradient, scratch) } -> std::same_as<Real>;
};

/// A bounded store of the newest records of a family, on which windows are evaluated. push() adds the newest
/// record and overwrites the oldest once the store is full. drop_newest() rolls back the last push, but a
/// record that it overwrote does not return. Records are addressed by age, 0 being the newest. `weights` has
/// one entry for each age, at most size() of them, and
///
///     weighted(...) = sum over ages a < weights.size() of weights[a] * f_{t-a}(x).
///
/// A record of weight 0 is not evaluated. Sums run from the oldest to the newest record, so results do not
/// depend on the position in the ring. A store of your own is only needed for speed: RecordRing works for
/// every family.
///
/// \code
/// static_assert(RecordBatch<RecordRing<FunctionFamily>>);
/// static_assert(RecordBatch<AnyBatch>);
/// \endcode
template <class B>
concept RecordBatch = requires(B& batch, const B& view, const typename B::Record& record, Index age,
                               std::span<const Real> weights, ConstView x, View gradient, Scratch& scratch) {
    batch.push(record);   // the newest; the oldest is overwritten once size() == capacity()
    batch.drop_newest();  // rolls back the last push (a record it overwrote does not return)
    { view.size() } -> std::same_as<Index>;
    { view.capacity() } -> std::same_as<Index>;
    { view.value(age, x, scratch) } -> std::same_as<Real>;
    { view.value_and_gradient(age, x, gradient, scratch) } -> std::same_as<Real>;
    { view.weighted_value(weights, x, scratch) } -> std::same_as<Real>;
    { view.weighted_value_and_gradient(weights, x, gradient, scratch) } -> std::same_as<Real>;
};

/// Moves x towards a minimum of the weighted sum by the batch's own method, if it has one. Returns the cost
/// in passes; 0: it did nothing. x stays in the domain of the family. Nothing is proved by it: the solver
/// tests the result (T4).
template <RecordBatch B>
Index improve(const B& batch, std::span<const Real> weights, View x, Scratch& scratch) {
    if constexpr (requires { batch.improve(weights, x, scratch); }) {
        return batch.improve(weights, x, scratch);
    } else {
        return 0;
    }
}

/// A reduced model of weighted rows; internal to the library.
class ReducedRows;

/// Prepares a reduced model of the rows that have a weight, for cheap evaluations near x at which only these
/// coordinates, ascending, differ from x. Returns false if a pass over the records is cheaper.
template <RecordBatch B>
bool reduce(const B& batch, std::span<const Real> weights, std::span<const Index> coordinates, ConstView x,
            ReducedRows& rows, Scratch& scratch) {
    if constexpr (requires { batch.reduce(weights, coordinates, x, rows, scratch); }) {
        return batch.reduce(weights, coordinates, x, rows, scratch);
    } else {
        return false;
    }
}

/// A family that brings its own store: `using Batch = ...`, constructed from (family, capacity). Such a batch
/// can keep records contiguous and read each of them once. make_batch uses it; other families are kept in a
/// RecordRing.
///
/// \code
/// static_assert(BatchedFamily<BatchedLoss<Real>>);
/// static_assert(!BatchedFamily<FunctionFamily>);
/// \endcode
template <class F>
concept BatchedFamily =
    LossFamily<F> && RecordBatch<typename F::Batch> && std::constructible_from<typename F::Batch, F, Index>;

}  // namespace proxstream
