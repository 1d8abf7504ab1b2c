/// Adam's direction (Kingma, Ba 2015), and the prox step that goes with directions whose coordinates have
/// steps of their own.
#pragma once

#include "proxstream/core/types.hpp"

namespace proxstream {

/// The mean of 1/(root + floor) over the coordinates that have met a gradient. The Euclidean prox that
/// follows such a direction takes the mean of the coordinates' steps. With the bare step g would weigh more
/// and more as gradients get small, or less.
class MeanScale {
  public:
    void add(Real root, Real floor) {
        if (root <= 0) return;
        total_ += 1 / (root + floor);
        ++count_;
    }
    Real mean() const { return count_ > 0 ? total_ / static_cast<Real>(count_) : 1; }

  private:
    Real total_ = 0;
    Index count_ = 0;
};

struct AdamOptions {
    Real step = 0.01;
    Real first_decay = 0.9;
    Real second_decay = 0.999;
    Real floor = 1e-8;
};

struct AdamMoments {
    View first, second;
};

/// Takes the moments on by the gradient of round `round`, counted from 1, and writes the bias-corrected
/// direction. `before` may be `after`. Returns the mean over the coordinates of what a gradient is multiplied
/// by.
Real adam_direction(const AdamOptions& options, Round round, ConstView gradient, const AdamMoments& before,
                    const AdamMoments& after, View out);

}  // namespace proxstream
