/// Activations of whole layers, with their derivatives.
#pragma once

#include "loss/perceptron.hpp"

namespace proxstream {

/// values <- activation(values); `derivatives` gets the derivatives there, unless it is null. Off by a few
/// 1e-16, absolutely; the same bits for a value wherever it stands.
void activate(Activation activation, Real* values, Real* derivatives, Index count);

}  // namespace proxstream
