/// Losses that are a mean over parts (the rows of a record), which can be estimated from a few of them.
#pragma once

#include "proxstream/core/linalg.hpp"
#include "proxstream/loss/loss_family.hpp"

#include <cassert>
#include <concepts>
#include <span>

namespace proxstream {

/// One part of a record, and its weight in a sum of gradients. Minibatch oracles choose parts at random and
/// pass them to parts_gradient.
///
/// \code
/// const std::vector<WeightedPart> chosen{{.age = 0, .part = 3, .weight = 0.5}, {.age = 1, .weight = 0.5}};
/// const Real value = parts_gradient(batch, chosen, x, gradient, scratch);
/// \endcode
struct WeightedPart {
    Index age = 0;    ///< age of the record; 0 is the newest
    Index part = 0;   ///< which part of the record, counted from 0
    Real weight = 0;  ///< weight in the sum
};

/// A RecordBatch whose losses are means over parts, each of which can be evaluated alone. parts_gradient
/// overwrites `gradient` with the weighted sum of the gradients of the parts given, added in that order. It
/// returns the same sum of their values. Stores of data rows are of this kind; others count as one part for
/// each record.
///
/// \code
/// const Index rows = part_count(batch, 0);  // 1 unless the batch is a PartedBatch
/// \endcode
template <class B>
concept PartedBatch = RecordBatch<B> &&
    requires(const B& batch, Index age, std::span<const WeightedPart> parts, ConstView x, View gradient,
             Scratch& scratch) {
    { batch.parts(age) } -> std::same_as<Index>;
    { batch.parts_gradient(parts, x, gradient, scratch) } -> std::same_as<Real>;
};

/// Number of parts of the record of that age; 1 if records cannot be split.
template <RecordBatch B>
Index part_count(const B& batch, Index age) {
    if constexpr (PartedBatch<B>) {
        return batch.parts(age);
    } else {
        return 1;
    }
}

/// Overwrites `gradient` with the weighted sum of the gradients of `parts`, and returns the same sum of their
/// values. Works for every batch: a record that cannot be split is its own only part.
template <RecordBatch B>
Real parts_gradient(const B& batch, std::span<const WeightedPart> parts, ConstView x, View gradient,
                    Scratch& scratch) {
    if constexpr (PartedBatch<B>) {
        return batch.parts_gradient(parts, x, gradient, scratch);
    } else {
        Scratch::Frame frame(scratch);
        const View single = frame.take(gradient.size());
        fill(gradient, 0);
        Real total = 0;
        for (const WeightedPart& each : parts) {
            assert(each.part == 0);
            total += each.weight * batch.value_and_gradient(each.age, x, single, scratch);
            axpy(each.weight, single, gradient);
        }
        return total;
    }
}

}  // namespace proxstream
