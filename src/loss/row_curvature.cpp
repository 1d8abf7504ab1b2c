#include "loss/row_curvature.hpp"

#include "proxstream/core/linalg.hpp"

#include "core/eigenvalues.hpp"

#include <algorithm>
#include <vector>

namespace proxstream {
namespace {

/// Beyond this many rows their Gram matrix costs more than the tighter bound is worth.
constexpr Index kMostRows = 128;

Real sparse_product(const RowBlock& record, Index a, Index b) {
    const auto first = record.indices(a);
    const auto second = record.indices(b);
    Real sum = 0;
    for (Index i = 0, j = 0; i < first.size() && j < second.size();) {
        if (first[i] == second[j]) {
            sum += record.values(a)[i++] * record.values(b)[j++];
        } else {
            ++(first[i] < second[j] ? i : j);
        }
    }
    return sum;
}

}  // namespace

Real largest_curvature(const RowBlock& record, bool intercept, std::span<const Real> scales) {
    const Index rows = record.rows();
    const Real constant = intercept ? 1 : 0;
    Real squares = 0;
    for (Index i = 0; i < rows; ++i) {
        squares += scales[i] * scales[i] * (squared_norm(record.values(i)) + constant);
    }
    const Real bound = squares / static_cast<Real>(rows);
    if (rows == 1 || rows > kMostRows) return bound;
    // B B'/R and B'B/R have the same largest eigenvalue, and the first is small.
    std::vector<Real> gram(rows * rows);
    for (Index i = 0; i < rows; ++i) {
        for (Index j = 0; j <= i; ++j) {
            const Real product =
                record.sparse() ? sparse_product(record, i, j) : dot(record.values(i), record.values(j));
            gram[i * rows + j] = scales[i] * scales[j] * (product + constant) / static_cast<Real>(rows);
        }
    }
    if (!all_finite(gram)) return bound;
    const std::vector<Real> values = symmetric_eigenvalues(gram, rows);
    constexpr Real kRounding = 1 + 1e-12;
    return values.empty() ? bound : std::min(bound, kRounding * values.back());
}

}  // namespace proxstream
