/// Softmax of several scores and its cross-entropy: the loss of linear models and networks of several
/// classes.
#pragma once

#include "proxstream/core/types.hpp"

namespace proxstream {

/// Scores become probabilities. NaN if a score is.
void softmax(View scores);

/// Cross-entropy of softmax(scores) against a class; scores become share times the gradient. NaN if the
/// target is no class.
Real softmax_loss(View scores, Real target, Real share);

/// The class with the largest score; NaN if a score is.
Real most_likely(ConstView scores);

}  // namespace proxstream
