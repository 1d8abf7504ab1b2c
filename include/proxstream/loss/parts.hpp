/// Records taken apart: a loss that is a mean over parts (the rows of a record) can be estimated from a few
/// of them.
#pragma once

#include "proxstream/core/linalg.hpp"
#include "proxstream/loss/loss_family.hpp"

#include <cassert>
#include <concepts>
#include <span>

namespace proxstream {

/// A part of the record that is `age` pushes old, and its weight in a sum.
struct WeightedPart {
    Index age = 0;
    Index part = 0;
    Real weight = 0;
};

/// f of a record is the mean of its parts. parts_gradient overwrites `gradient` with the weighted sum of the
/// gradients of the parts named, added in the order given, and returns the same sum of their values.
template <class B>
concept PartedBatch = RecordBatch<B> &&
    requires(const B& batch, Index age, std::span<const WeightedPart> parts, ConstView x, View gradient,
             Scratch& scratch) {
    { batch.parts(age) } -> std::same_as<Index>;
    { batch.parts_gradient(parts, x, gradient, scratch) } -> std::same_as<Real>;
};

/// A record that cannot be taken apart is its own only part.
template <RecordBatch B>
Index part_count(const B& batch, Index age) {
    if constexpr (PartedBatch<B>) {
        return batch.parts(age);
    } else {
        return 1;
    }
}

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
