/// How much is on the road at which hour.
#pragma once

#include "proxstream/core/types.hpp"

#include <cmath>

namespace proxstream {

/// Shares of the three kinds of trips; the morning peak of trips to work is 1.
struct DayShape {
    Real to_work = 0;
    Real home = 0;
    Real other = 0;
};

/// `hour` from 0 to 24.
inline DayShape day_shape(bool weekend, Real hour) {
    const auto hump = [&](Real middle, Real width) {
        const Real away = (hour - middle) / width;
        return std::exp(-away * away / 2);
    };
    const auto between = [&](Real begin, Real end, Real slope) {
        return 1 / (1 + std::exp((begin - hour) / slope)) - 1 / (1 + std::exp((end - hour) / slope));
    };
    if (weekend) return {0.1 * hump(9.5, 1.5), 0.1 * hump(18, 2), 0.03 + 0.55 * between(10, 21, 0.9)};
    return {hump(8, 1.1), 0.95 * hump(17.25, 1.4), 0.03 + 0.4 * between(6.5, 21, 0.7)};
}

}  // namespace proxstream
