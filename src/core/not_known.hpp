/// The figure that a table, a file or a report leaves empty.
#pragma once

#include "proxstream/core/types.hpp"

#include <limits>

namespace proxstream {

inline constexpr Real kNotKnown = std::numeric_limits<Real>::quiet_NaN();

}  // namespace proxstream
