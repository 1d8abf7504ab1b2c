/// Student's t distribution, for limits of means of few values.
#pragma once

#include "proxstream/core/types.hpp"

namespace proxstream {

/// The t with P(T <= t) = probability, for a probability from 1/2 to below 1.
Real student_quantile(Real probability, Index degrees);

}  // namespace proxstream
