/// The parts of which the demand of built-in networks is made.
#pragma once

#include "proxstream/core/draw.hpp"
#include "proxstream/traffic/network.hpp"

#include <span>
#include <vector>

namespace proxstream {

/// A standard normal number for each period and series, whose correlation at lag k is close to memory^k. It
/// is a moving average of independent draws with weights memory^k, truncated below a twentieth, and a pure
/// function of the period.
class SmoothNormal {
  public:
    /// 0 <= memory <= 0.95.
    explicit SmoothNormal(Real memory);
    /// `at.round` is the period; the other members number the series.
    Real operator()(Draw at) const;

  private:
    std::vector<Real> weights_;
};

/// Shares of the three kinds of trips; the morning peak of trips to work is 1.
struct DayShape {
    Real to_work = 0;
    Real home = 0;
    Real other = 0;
};
/// `hour` from 0 to 24.
DayShape day_shape(bool weekend, Real hour);

/// Trips between zones: T[i * n + j] = a_i b_j exp(-deterrence cost[i * n + j]), scaled to a total of 1. a
/// and b are such that the sum over j is from[i] and the sum over i is to[j] (Furness' iteration, to about
/// 1e-12). All arguments are positive.
std::vector<Real> gravity(ConstView from, ConstView to, ConstView cost, Real deterrence);

/// The factor on `demand` with which its busiest link reaches the utilisation `wanted` (below 1), with splits
/// near the user equilibrium of times t_0 (1 + J u / (1 - u)); u is the utilisation and J `queueing`. The
/// equilibrium is the mean of several shortest path assignments, each at the times of the previous mean.
/// Every pair must be reachable; pairs ascend.
Real scale_to_utilisation(const Network& network, std::span<const Pair> pairs, ConstView demand, Real wanted,
                          Real queueing);

}  // namespace proxstream
