/// The optimum of a weighted sum of demands over the paths there are, found slowly and without the routines
/// under test. It is accelerated projected gradient on losses that are summed path by path.
#pragma once

#include "proxstream/core/linalg.hpp"

#include "support/routing_twin.hpp"
#include "traffic/split_set.hpp"

#include <vector>

namespace proxstream::test {

/// What is left to gain, at most, over the paths there are, if the sum is convex: the linear model's fall.
inline Real linear_fall(const PathSet& paths, ConstView x, ConstView gradient) {
    Real fall = 0;
    for (Index pair = 0; pair < paths.pairs(); ++pair) {
        Real cheapest = kInfinity;
        for (SlotIndex slot = paths.first_slot(pair); slot < paths.end_slot(pair); ++slot) {
            if (!paths.live(slot)) continue;
            fall += x[slot] * gradient[slot];
            cheapest = std::min(cheapest, gradient[slot]);
        }
        if (cheapest < kInfinity) fall -= cheapest;
    }
    return fall;
}

struct Optimum {
    std::vector<Real> x;
    Real value = 0;
    Real left = 0;  // the value is above the optimum by at most this much
};

inline Optimum slow_optimum(const std::shared_ptr<const Routing>& routing,
                            const std::vector<std::vector<Real>>& demands, ConstView weights,
                            int iterations) {
    const SplitSet splits(routing);
    Scratch scratch;
    Optimum best;
    best.x = even_splits(routing->paths);
    std::vector<Real> y = best.x;
    std::vector<Real> next(y.size()), move(y.size());
    const auto at = [&](const std::vector<Real>& point) {
        return naive_window(*routing, demands, weights, point);
    };
    NaiveLoss here = at(best.x);
    best.value = here.value;
    best.left = linear_fall(routing->paths, best.x, here.gradient);
    Real step = 1;
    Real momentum = 1;
    for (int i = 0; i < iterations && best.left > 1e-13 * std::abs(best.value); ++i) {
        const NaiveLoss model = at(y);
        for (;; step /= 2) {
            step_along(y, -step, model.gradient, next);
            splits.prox(next, step, next, scratch);
            subtract(next, y, move);
            here = at(next);
            const Real bound = model.value + dot(model.gradient, move) + squared_norm(move) / (2 * step);
            if (here.value <= bound + 1e-15 * std::abs(bound) || step < 1e-12) break;
        }
        const bool rose = here.value > best.value;
        const Real later = rose ? 1 : (1 + std::sqrt(1 + 4 * momentum * momentum)) / 2;
        const Real push = rose ? 0 : (momentum - 1) / later;
        for (Index j = 0; j < y.size(); ++j) y[j] = next[j] + push * (next[j] - best.x[j]);
        momentum = later;
        // Restarted where it rose (O'Donoghue and Candes): the point it rose to is not kept.
        if (rose) y = best.x;
        // Off the simplices nothing is known of the losses.
        splits.prox(y, 1, y, scratch);
        if (rose) continue;
        best.x = next;
        best.value = here.value;
        best.left = linear_fall(routing->paths, best.x, here.gradient);
        step *= 1.1;
    }
    return best;
}

}  // namespace proxstream::test
