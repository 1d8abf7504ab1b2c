/// Dense vector kernels. Sums run in eight fixed lanes, so a result depends on the operands alone: not on
/// the instruction set the processor offers, nor on the number of threads around the call. Operands of a call
/// have one length: inner loops consist of these, so it is checked by assertions alone.
#pragma once

#include "proxstream/core/types.hpp"

namespace proxstream {

Real dot(ConstView a, ConstView b);
Real squared_norm(ConstView a);
Real norm(ConstView a);
Real distance(ConstView a, ConstView b);                 // |a - b|
Real norm_of_sum(ConstView a, Real scale, ConstView b);  // |a + scale b|
Real sum(ConstView a);
Real max_abs(ConstView a);  // 0 for an empty view

void axpy(Real scale, ConstView a, View y);                       // y += scale a
void scaled(Real scale, ConstView a, View out);                   // out = scale a
void step_along(ConstView x, Real scale, ConstView d, View out);  // out = x + scale d
void subtract(ConstView a, ConstView b, View out);                // out = a - b
/// What a move does to first order.
struct MoveSums {
    Real length_squared = 0;  // |d|^2
    Real slope = 0;           // <gradient, d>
};
/// d = to - from, with its sums.
MoveSums move_between(ConstView from, ConstView to, ConstView gradient, View d);
/// out = scale (a - b); returns |out|.
Real scaled_difference(Real scale, ConstView a, ConstView b, View out);
void copy(ConstView from, View to);
void fill(View out, Real value);

bool all_finite(ConstView a);

}  // namespace proxstream
