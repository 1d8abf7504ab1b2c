/// What a prox returns when its input is not finite.
#pragma once

#include "proxstream/core/linalg.hpp"

#include <limits>

namespace proxstream {

/// Fills `out` with NaN and returns NaN, so that the result cannot be mistaken for a number.
inline Real refuse_not_finite(View out) {
    fill(out, std::numeric_limits<Real>::quiet_NaN());
    return std::numeric_limits<Real>::quiet_NaN();
}

}  // namespace proxstream
