#include "route/robust_range.hpp"

#include <algorithm>
#include <cmath>

namespace proxstream {
namespace {

Real find_median(std::vector<Real>& values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2 == 1) return *middle;
    return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

}  // namespace

Real RobustRange::deviations(Real value) const {
    constexpr Real kMost = 1e6;
    const Real distance = std::abs(value - median);
    if (distance == 0) return 0;
    return distance < kMost * spread ? distance / spread : kMost;
}

RobustRange robust_range(const std::vector<Real>& values, std::vector<Real>& scratch) {
    // Factors that turn a deviation into the standard deviation of a normal law.
    constexpr Real kFromMedian = 1.4826;
    constexpr Real kFromMean = 1.2533;
    constexpr Real kLeast = 0.02;
    if (values.empty()) return {};
    RobustRange range;
    scratch = values;
    range.median = find_median(scratch);
    Real sum = 0;
    for (Real& value : scratch) {
        value = std::abs(value - range.median);
        sum += value;
    }
    range.spread =
        std::max({kFromMedian * find_median(scratch), kFromMean * sum / static_cast<Real>(values.size()),
                  kLeast * std::abs(range.median)});
    return range;
}

}  // namespace proxstream
