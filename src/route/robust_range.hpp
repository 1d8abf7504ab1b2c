/// Where values usually lie, from the values alone and whatever a few of them do.
#pragma once

#include "proxstream/core/types.hpp"

#include <vector>

namespace proxstream {

struct RobustRange {
    Real median = 0;
    Real spread = 0;  // comparable with a standard deviation

    /// How many spreads away; at most 1e6.
    Real deviations(Real value) const;
};

/// Median and median absolute deviation. The spread is not let below what the mean deviation and 2 % of the
/// median say: more than half the values may be equal without the others being wrong.
RobustRange robust_range(const std::vector<Real>& values, std::vector<Real>& scratch);

}  // namespace proxstream
