/// The typical range of values, robust to outliers.
#pragma once

#include "proxstream/core/types.hpp"

#include <vector>

namespace proxstream {

struct RobustRange {
    Real median = 0;
    Real spread = 0;  // comparable with a standard deviation

    /// Distance from the middle in spreads; at most 1e6.
    Real deviations(Real value) const;
};

/// Median and median absolute deviation. The spread is at least the mean deviation and 2 % of the median. The
/// median deviation alone is 0 if more than half of the values are equal.
RobustRange robust_range(const std::vector<Real>& values, std::vector<Real>& scratch);

}  // namespace proxstream
