/// Dense vector kernels. Sums run in eight fixed lanes, so a result depends on the operands alone. It depends
/// neither on the instruction set of the processor nor on the number of threads. All operands of a call must
/// have the same length; only assertions check it, because inner loops are made of these calls.
#pragma once

#include "proxstream/core/types.hpp"

namespace proxstream {

Real dot(ConstView a, ConstView b);                      ///< sum a_i b_i
Real squared_norm(ConstView a);                          ///< sum a_i^2
Real norm(ConstView a);                                  ///< Euclidean norm
Real distance(ConstView a, ConstView b);                 ///< |a - b|
Real norm_of_sum(ConstView a, Real scale, ConstView b);  ///< |a + scale b|
Real sum(ConstView a);                                   ///< sum a_i
Real max_abs(ConstView a);                               ///< max |a_i|; 0 for an empty view

void axpy(Real scale, ConstView a, View y);                       ///< y += scale a
void scaled(Real scale, ConstView a, View out);                   ///< out = scale a
void step_along(ConstView x, Real scale, ConstView d, View out);  ///< out = x + scale d
void subtract(ConstView a, ConstView b, View out);                ///< out = a - b
/// Squared length and slope of a move from one point to another. move_between() returns it. Together they
/// give the first-order change of a function along the move.
///
/// \code
/// const MoveSums sums = move_between(from, to, gradient, d);
/// const Real predicted_change = sums.slope;
/// \endcode
struct MoveSums {
    Real length_squared = 0;  ///< |d|^2
    Real slope = 0;           ///< inner product of gradient and d
};
/// Writes d = to - from and returns its squared length and its slope.
MoveSums move_between(ConstView from, ConstView to, ConstView gradient, View d);
/// Writes out = scale (a - b) and returns |out|.
Real scaled_difference(Real scale, ConstView a, ConstView b, View out);
/// Copies the values of `from` to `to`.
void copy(ConstView from, View to);
/// Sets every entry to `value`.
void fill(View out, Real value);

/// Whether no entry is NaN or infinite.
bool all_finite(ConstView a);

}  // namespace proxstream
