/// A few coordinates and one direction of a gradient, for the first rounds of a run.
#pragma once

#include "proxstream/gradient_check.hpp"

namespace proxstream {

/// Throws GradientMismatch where the loss contradicts itself at x. `place` tells rounds apart: each looks at
/// other coordinates. The directions are the same in every run.
void probe_gradient(const LossFunction& loss, ConstView x, Round place);

}  // namespace proxstream
