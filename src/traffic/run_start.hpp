/// The start of a run: splits before the first demand is known, then the scale of losses and the reference
/// step.
#pragma once

#include "traffic/routing.hpp"

#include <memory>
#include <vector>

namespace proxstream {

/// Whether any pair has demand.
bool has_demand(ConstView demand);

/// A guess of the demand from capacities alone, by pair. It is proportional to the capacity that leaves the
/// origin times the capacity that enters the destination. It is scaled so that even splits load the busiest
/// link to half of its capacity. 0 for pairs without a path; all 0 if no path has a link.
std::vector<Real> gravity_demand(const Network& network, const Routing& routing);

/// The best splits for one demand over the given paths, to a relative gap of 1e-4. Even splits for the
/// unweighted objective, which has no assignment, and if the demand is 0.
std::vector<Real> best_splits(const Network& network, Routing& routing, ConstView demand);

/// The best splits for gravity_demand().
std::vector<Real> first_splits(const Network& network, Routing& routing);

/// Sets the unit of losses to the cost of this demand at x, so that they are of the order of 1.
void set_unit(Routing& routing, ConstView demand, ConstView x, Scratch& scratch);

/// 1/L, where L is the largest curvature of a demand's loss at x within the simplices, by power iteration.
/// The demand is scaled up if its busiest link is below 9/10 of capacity, because later demands may be
/// larger. It is not a bound of the curvature elsewhere.
Real reference_step(const std::shared_ptr<const Routing>& routing, ConstView demand, ConstView x);

}  // namespace proxstream
