/// Eigenvalues of symmetric matrices, by Eigen, compiled in one place.
#pragma once

#include "proxstream/core/types.hpp"

#include <vector>

namespace proxstream {

/// The eigenvalues of an n x n matrix in ascending order; empty if the iteration does not converge. Only the
/// lower triangle is read. `matrix` is stored row by row.
std::vector<Real> symmetric_eigenvalues(ConstView matrix, Index n);

/// The eigenvalues in ascending order. `beside` has at least one entry less than the diagonal; more are
/// ignored.
std::vector<Real> tridiagonal_eigenvalues(ConstView diagonal, ConstView beside);

}  // namespace proxstream
