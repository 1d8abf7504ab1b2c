/// How much of a demand a network carries.
#pragma once

#include "proxstream/traffic/network.hpp"

#include <span>

namespace proxstream {

/// The factor by which to multiply `demand` so that its busiest link is used to `wanted` (below 1) of its
/// capacity, with splits near the user equilibrium of times t_0 (1 + J u / (1 - u)), u the utilisation and J
/// `queueing`: the mean of some shortest path assignments, each at the times of the mean before it. Every
/// pair is reachable; pairs ascend.
Real scale_to_utilisation(const Network& network, std::span<const Pair> pairs, ConstView demand, Real wanted,
                          Real queueing);

}  // namespace proxstream
