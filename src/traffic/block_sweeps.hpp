/// Fast progress on a weighted sum of demands, pair by pair. It makes Newton's model of the links' terms, and
/// a few sweeps that move share from each path to the pair's cheapest one. A search along the whole move
/// follows, which needs only the loads of links. It proves nothing: callers verify the result with an exact
/// pass (T4).
#pragma once

#include "traffic/demand_batch.hpp"

namespace proxstream {

struct SweepOptions {
    Index models = 2;  // Newton models in a row
    Index sweeps = 3;  // over the pairs, for each model

    /// Their cost in gradients, at most. A gradient is a walk for loads and one for prices, a sweep is a walk
    /// for prices and moves that cost about as much.
    Index passes() const noexcept { return 1 + models * sweeps; }
};

/// Moves x within its simplices. Not for the unweighted objective. Returns the decrease of the sum, as
/// computed by the searches.
Real sweep_blocks(const Routing& routing, const DemandMix& mix, View x, const SweepOptions& options,
                  Scratch& scratch);

}  // namespace proxstream
