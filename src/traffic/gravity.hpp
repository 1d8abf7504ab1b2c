/// Trips between zones in proportion to what attracts them, less the farther it is.
#pragma once

#include "proxstream/core/types.hpp"

#include <vector>

namespace proxstream {

/// T[i * n + j] = a_i b_j exp(-deterrence cost[i * n + j]), a and b such that the sum over j is from[i] and
/// the sum over i is to[j], scaled to a total of 1 (Furness' iteration, to about 1e-12). All > 0.
std::vector<Real> gravity(ConstView from, ConstView to, ConstView cost, Real deterrence);

}  // namespace proxstream
