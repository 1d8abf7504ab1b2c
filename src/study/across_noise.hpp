/// f = L/2 |x|^2 in a disc, with gradients whose noise has length 1 and a fair sign across the true one: each
/// step keeps the point from the minimum, however often it is taken. Window 1, which is every window but for
/// units: sigma = 1 is the noise, delta the tolerance.
#pragma once

#include "study/function_learner.hpp"

namespace proxstream {

struct AcrossNoise {
    Real step = 1;        // eta
    Real smoothness = 1;  // L
    Real radius = 1;      // of the disc

    Real value(Real distance) const { return smoothness / 2 * distance * distance; }
    /// Steps neither leave nor approach the circle of this radius.
    Real circle() const;
    std::unique_ptr<FunctionLearner> learner(Real start, Real delta, std::uint64_t most_steps,
                                             std::uint64_t seed) const;
    /// The next round, of the same loss.
    RoundReport round(FunctionLearner& learner) const;
};

}  // namespace proxstream
