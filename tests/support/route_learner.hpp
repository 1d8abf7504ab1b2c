/// Learners on the splits of a routing, made the way `route` makes them, and streams of demand for them.
#pragma once

#include "online/learner_table.hpp"
#include "support/routing_twin.hpp"
#include "traffic/demand_batch.hpp"
#include "traffic/split_set.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace proxstream::test {

inline LearnerConfig route_parts(const std::shared_ptr<Routing>& routing, Real mu = 0) {
    const std::shared_ptr<const Routing> seen = routing;
    return {.g = AnyRegulariser(SplitSet(seen, mu)),
            .make_batch = [seen](Index capacity) { return AnyBatch(DemandBatch(seen, capacity)); },
            .start = even_splits(routing->paths),
            .window = "5",
            .step = 0.3,
            .smoothness = 1 / 0.3,
            .tolerance = Tolerance::fixed(0.05),
            .budget = {.max_steps = 400},
            .inner = "blocks",
            .seed = 5};
}

/// A unit that makes losses of the order of 1: what even splits cost for this demand.
inline void set_unit(Routing& routing, const std::vector<Real>& demand) {
    routing.unit = 1;
    routing.unit = naive_loss(routing, demand, even_splits(routing.paths)).value;
}

/// Demand that drifts, jumps, repeats itself or comes as multiples of one matrix.
inline std::vector<std::vector<Real>> demand_stream(Index pairs, Index rounds, Chance& chance) {
    const Index kind = chance.below(4);
    std::vector<Real> base = random_demand(pairs, chance);
    const std::vector<Real> other = random_demand(pairs, chance);
    std::vector<std::vector<Real>> stream;
    for (Index t = 0; t < rounds; ++t) {
        std::vector<Real> demand = base;
        const Real time = static_cast<Real>(t);
        for (Index i = 0; i < pairs; ++i) {
            if (kind == 0) demand[i] = random_demand(1, chance)[0];
            if (kind == 1) demand[i] = base[i] + (other[i] - base[i]) * (0.5 + 0.5 * std::sin(0.3 * time));
            if (kind == 2) demand[i] *= 1 + 0.5 * std::sin(0.4 * time);
            if (kind == 3) demand[i] = t / 5 % 2 == 0 ? base[i] : other[i];
        }
        stream.push_back(std::move(demand));
    }
    return stream;
}

}  // namespace proxstream::test
