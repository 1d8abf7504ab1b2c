/// Eigenvalues of symmetric matrices, by Eigen, compiled in one place.
#pragma once

#include "proxstream/core/types.hpp"

#include <vector>

namespace proxstream {

/// In ascending order, of the matrix of n x n entries of which the lower triangle is read, row after row;
/// none if the iteration does not end.
std::vector<Real> symmetric_eigenvalues(ConstView matrix, Index n);

/// In ascending order; `beside` has one entry less than the diagonal, or more that are not read.
std::vector<Real> tridiagonal_eigenvalues(ConstView diagonal, ConstView beside);

}  // namespace proxstream
