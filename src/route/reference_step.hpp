/// The step that residuals of splits are measured with, where none is given.
#pragma once

#include "traffic/routing.hpp"

#include <memory>

namespace proxstream {

/// 1/L, L the largest curvature of a demand's loss at x within the simplices, by power iteration. The demand
/// is taken larger where its busiest link is below 9/10 of capacity: what is to come is not known yet. A
/// reference, not a claim: nothing bounds the curvature elsewhere.
Real reference_step(const std::shared_ptr<const Routing>& routing, ConstView demand, ConstView x);

}  // namespace proxstream
