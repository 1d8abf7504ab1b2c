/// Splits for a period before any demand is known.
#pragma once

#include "traffic/routing.hpp"

#include <vector>

namespace proxstream {

/// Whether a period asks for anything.
bool has_demand(ConstView demand);

/// A guess at the demand from capacities alone, by pair: in proportion to the capacity that leaves the origin
/// times the capacity that enters the destination, scaled so that even splits load the busiest link to half
/// of its capacity. 0 for pairs without a path; all 0 where no path has a link.
std::vector<Real> gravity_demand(const Network& network, const Routing& routing);

/// The best splits for one demand over the paths there are, to a relative gap of 1e-4. Even splits for the
/// unweighted objective, which has no assignment, and where the demand is 0.
std::vector<Real> best_splits(const Network& network, Routing& routing, ConstView demand);

/// The best splits for gravity_demand().
std::vector<Real> first_splits(const Network& network, Routing& routing);

}  // namespace proxstream
