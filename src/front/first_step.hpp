/// The reference step of a run, from its first loss.
#pragma once

#include "proxstream/loss/any_batch.hpp"
#include "proxstream/prox/regulariser.hpp"

#include <optional>

namespace proxstream {

/// How much the gradient of the newest loss changes around x, relative to the way, along a few directions
/// that g allows: a lower bound on a Lipschitz constant. 0: it does not change. None: the loss is not finite
/// at x, or so large that it can only be a mistake.
std::optional<Real> local_smoothness(const AnyBatch& batch, const AnyRegulariser& g, ConstView x);

}  // namespace proxstream
