/// A small non-convex family for the tests of windows; a record is the number a.
#pragma once

#include "proxstream/core/scratch.hpp"
#include "proxstream/core/types.hpp"

#include <cmath>

namespace proxstream {

/// f(x) = -cos(x_0 - a) + a x_0 x_1 + x_1^2 / 2.
struct Mixed {
    using Record = Real;
    Index dimension() const { return 2; }
    Real value(const Real& a, ConstView x, Scratch& /*scratch*/) const {
        return -std::cos(x[0] - a) + a * x[0] * x[1] + x[1] * x[1] / 2;
    }
    Real value_and_gradient(const Real& a, ConstView x, View gradient, Scratch& scratch) const {
        gradient[0] = std::sin(x[0] - a) + a * x[1];
        gradient[1] = a * x[0] + x[1];
        return value(a, x, scratch);
    }
};

}  // namespace proxstream
