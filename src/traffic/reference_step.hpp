/// The scale of losses and the reference step of splits, where none are given: both follow from the first
/// demand.
#pragma once

#include "traffic/routing.hpp"

#include <memory>

namespace proxstream {

/// Losses are divided by the cost of this demand at x from now on, so that they are of the order of 1.
void set_unit(Routing& routing, ConstView demand, ConstView x, Scratch& scratch);

/// 1/L, L the largest curvature of a demand's loss at x within the simplices, by power iteration. The demand
/// is taken larger where its busiest link is below 9/10 of capacity: what is to come is not known yet. A
/// reference, not a claim: nothing bounds the curvature elsewhere.
Real reference_step(const std::shared_ptr<const Routing>& routing, ConstView demand, ConstView x);

}  // namespace proxstream
