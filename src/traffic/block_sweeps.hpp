/// Fast progress on a weighted sum of demands, pair by pair: Newton's model of the links' terms, a few sweeps
/// over the pairs that move share from each path to the pair's cheapest one, and a search along the whole of
/// the move, which needs the links' loads only. No proof comes with it: whoever uses it confirms with an
/// exact pass (T4).
#pragma once

#include "traffic/demand_batch.hpp"

namespace proxstream {

struct SweepOptions {
    Index models = 2;  // Newton models in a row
    Index sweeps = 3;  // over the pairs, for each model

    /// What they cost at most, in gradients: one is a walk for loads and one for prices, a sweep a walk for
    /// prices and about as much for its moves.
    Index passes() const noexcept { return 1 + models * sweeps; }
};

/// Moves x within its simplices. Not for the unweighted objective. Returns by how much the sum fell, as far
/// as the searches saw.
Real sweep_blocks(const Routing& routing, const DemandMix& mix, View x, const SweepOptions& options,
                  Scratch& scratch);

}  // namespace proxstream
