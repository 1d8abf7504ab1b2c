/// The figures of a period under given splits: loads, times, utilisation and churn.
#pragma once

#include "traffic/routing.hpp"

#include <vector>

namespace proxstream {

struct PeriodFigures {
    Real demand = 0;           // sum over pairs
    Real unserved = 0;         // demand on slack paths, or of pairs without a path
    Real cost = 0;             // the objective at the realised loads, prices included
    Real prices = 0;           // the part of the cost that belongs to no link
    Real time = 0;             // total time: sum of load times time over the links
    Real mean_time = 0;        // of a unit of demand that is served
    Real utilisation_max = 0;  // over open links
    Real utilisation_p95 = 0;  // 95 % of the open links are at or below it
    Real utilisation_median = 0;
    Real utilisation_mean = 0;
    Index overloaded = 0;  // links above capacity
    Real overload = 0;     // load above capacity, summed
    Real churn = 0;  // share of the demand that changes its path since the last period: half the L1 change
    Index paths_used = 0;
    Index paths_changed = 0;  // used now but not before, or the reverse
};

/// Loads and times of every link.
struct LinkFigures {
    std::vector<Real> load;
    std::vector<Real> time;
    std::vector<Real> utilisation;  // load over present capacity; 0 for closed links
};

/// `before`: the splits of the last period; empty: this is the first.
PeriodFigures measure_period(const Routing& routing, ConstView demand, ConstView splits, ConstView before,
                             LinkFigures& links, Scratch& scratch);

}  // namespace proxstream
