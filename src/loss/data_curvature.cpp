#include "loss/data_curvature.hpp"

#include "proxstream/core/draw.hpp"
#include "proxstream/core/linalg.hpp"
#include "proxstream/core/parallel.hpp"

#include "core/eigenvalues.hpp"
#include "loss/row_kernels.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <span>
#include <vector>

namespace proxstream {
namespace {

/// Up to this many columns, the exact eigenvalues cost less than Lanczos' iteration.
constexpr Index kExactColumns = 128;
/// Least work of a piece of the rows, which costs a thread and a result of its own.
constexpr Index kLeastCurvatureWork = Index{1} << 17;
constexpr Index kLeastWorkAColumn = 32;
constexpr Index kMostPieces = 32;
/// If the worst row exceeds the mean by at most this factor, the second matrix is not computed: it is below
/// `largest` times the first.
constexpr Real kAlike = 1.5;
/// Covers the rounding of sums over very many rows.
constexpr Real kRounding = 1 + 1e-9;
constexpr std::uint64_t kSeed = 20260;

/// The rows with their weights in both matrices. Cut by their number alone, and added in their order.
class WeightedRows {
  public:
    /// The matrices of `mean` and `mean_square`.
    static constexpr Index kMatrices = 2;
    using Pair = std::array<Real, kMatrices>;

    WeightedRows(const RowBlock& rows, Index features, bool intercept, ConstView scales)
        : rows_(rows), features_(features), intercept_(intercept), weights_(rows.rows()) {
        const Real share = 1 / static_cast<Real>(rows.rows());
        for (Index i = 0; i < rows.rows(); ++i) {
            const Real square = squared_norm(rows.values(i)) + (intercept ? 1 : 0);
            const Real curvature = scales[i] * square;
            largest_ = std::max(largest_, curvature);
            weights_[i] = {share * scales[i], share * scales[i] * curvature};
            for (Index m = 0; m < kMatrices; ++m) traces_[m] += weights_[i][m] * square;
        }
        const Index stored = rows.stored(0, rows.rows());
        const Index most =
            std::min(stored / std::max(kLeastCurvatureWork, kLeastWorkAColumn * columns()), kMostPieces);
        piece_rows_ = (rows.rows() + std::max<Index>(most, 1) - 1) / std::max<Index>(most, 1);
    }

    Index columns() const { return features_ + (intercept_ ? 1 : 0); }
    Index pieces() const { return (rows_.rows() + piece_rows_ - 1) / piece_rows_; }
    /// Number of matrices to compute.
    Index matrices() const { return largest_ * traces_[0] <= kAlike * traces_[1] ? 1 : kMatrices; }
    Real largest() const { return largest_; }
    const Pair& traces() const { return traces_; }

    template <class Use>
    void each(Index piece, const Use& use) const {
        const Index end = std::min(rows_.rows(), (piece + 1) * piece_rows_);
        for (Index i = piece * piece_rows_; i < end; ++i) use(i, weights_[i]);
    }

    Real product(Index row, ConstView v) const {
        const Real features = rows_.sparse() ? kernels::dot_sparse(rows_.indices(row), rows_.values(row), v)
                                             : dot(rows_.values(row), v.first(features_));
        return features + (intercept_ ? v.back() : 0);
    }
    /// out += scale b
    void add(Index row, Real scale, View out) const {
        if (rows_.sparse()) {
            kernels::add_sparse(scale, rows_.indices(row), rows_.values(row), out);
        } else {
            axpy(scale, rows_.values(row), out.first(features_));
        }
        if (intercept_) out.back() += scale;
    }
    /// The row with its zeros and the intercept's 1.
    void write(Index row, View out) const {
        fill(out, 0);
        add(row, 1, out);
    }

  private:
    const RowBlock& rows_;
    Index features_;
    bool intercept_;
    std::vector<Pair> weights_;
    Pair traces_{};
    Real largest_ = 0;
    Index piece_rows_ = 1;
};

using Pair = WeightedRows::Pair;

/// The sum over pieces of what add(piece, out) adds to rows.matrices() results of `size` numbers each.
template <class Add>
void sum_pieces(const WeightedRows& rows, Index size, std::vector<Real>& sums, const Add& add) {
    const Index length = size * rows.matrices();
    sums.assign(rows.pieces() * length, 0);
    parallel_for(rows.pieces(), [&](Index piece) { add(piece, View(sums).subspan(piece * length, length)); });
    for (Index piece = 1; piece < rows.pieces(); ++piece) {
        axpy(1, ConstView(sums).subspan(piece * length, length), View(sums).first(length));
    }
}

Pair exact_eigenvalues(const WeightedRows& rows) {
    const Index n = rows.columns();
    std::vector<Real> sums;
    sum_pieces(rows, n * n, sums, [&](Index piece, View out) {
        std::vector<Real> b(n);
        rows.each(piece, [&](Index row, const Pair& weights) {
            rows.write(row, b);
            for (Index i = 0; i < n; ++i) {
                if (b[i] == 0) continue;
                // The lower triangle, in row i.
                for (Index m = 0; m < rows.matrices(); ++m) {
                    axpy(weights[m] * b[i], ConstView(b).first(i + 1), out.subspan((m * n + i) * n, i + 1));
                }
            }
        });
    });
    Pair found{kInfinity, kInfinity};
    for (Index m = 0; m < rows.matrices(); ++m) {
        const std::vector<Real> values = symmetric_eigenvalues(ConstView(sums).subspan(m * n * n, n * n), n);
        if (!values.empty()) found[m] = kRounding * values.back();
    }
    return found;
}

/// Lanczos' iteration on one matrix. Its vectors are p_k(A) v / (beta_1 ... beta_k), where p_k is the
/// polynomial whose roots are the Ritz values, and v the random start. If v has the part c along the
/// eigenvector of lambda, then |c p_k(lambda)| <= beta_1 ... beta_k. The bound can fail only if v has less
/// than `least_part` along one direction. So it holds after every step or never, and may be tested until it
/// is good.
class Lanczos {
  public:
    Lanczos(Index columns, Index matrix, Real least_part)
        : vector_(columns), previous_(columns, 0), log_part_(std::log(least_part)) {
        for (Index i = 0; i < columns; ++i) {
            vector_[i] = normal({.seed = kSeed, .round = matrix, .record = 0, .step = 0, .sample = i});
        }
        scaled(1 / norm(vector_), vector_, vector_);
    }

    ConstView vector() const { return vector_; }
    /// The bound is good enough.
    bool finished() const { return finished_; }
    Real bound() const { return bound_; }

    /// `product`: the matrix times vector().
    void step(View product) {
        const Real along = dot(product, vector_);
        diagonal_.push_back(along);
        axpy(-along, vector_, product);
        if (!beside_.empty()) axpy(-beside_.back(), previous_, product);
        const Real rest = norm(product);
        const std::vector<Real> values = tridiagonal_eigenvalues(diagonal_, beside_);  // Ritz values
        const Real largest = values.back();
        constexpr Real kInvariant = 1e-13;  // the matrix maps the span of the vectors so far into itself
        if (!(rest > kInvariant * largest)) {
            bound_ = largest;
            finished_ = true;
            return;
        }
        beside_.push_back(rest);
        log_beside_ += std::log(rest);
        previous_.swap(vector_);
        scaled(1 / rest, product, vector_);
        find_bound(values, largest);
    }

  private:
    /// The smallest ratio lambda / largest, up to 1e-4, that the inequality excludes. It is used only if it
    /// is below kOverstated.
    void find_bound(std::span<const Real> values, Real largest) {
        const auto left_out = [&](Real ratio) {
            Real log_distances = 0;
            for (const Real value : values) log_distances += std::log(ratio * largest - value);
            return log_distances > log_beside_ - log_part_;
        };
        if (!left_out(kOverstated)) return;
        Real low = 1;
        Real high = kOverstated;
        while (high - low > 1e-4) {
            const Real middle = (low + high) / 2;
            (left_out(middle) ? high : low) = middle;
        }
        bound_ = high * largest;
        finished_ = true;
    }

    std::vector<Real> vector_;
    std::vector<Real> previous_;
    std::vector<Real> diagonal_;
    std::vector<Real> beside_;
    Real log_part_;
    Real log_beside_ = 0;
    Real bound_ = kInfinity;
    bool finished_ = false;
};

/// More steps than any matrix takes: Kuczynski and Wozniakowski's count for these probabilities is below 60.
constexpr Index kMostSteps = 100;

Pair likely_bounds(const WeightedRows& rows) {
    const Index n = rows.columns();
    // A uniformly random unit vector has a part below d along a direction with probability at most
    // d sqrt(2 n / pi); half of that d is left to rounding.
    const Real root = std::sqrt(2 * static_cast<Real>(n) / std::numbers::pi);
    const Real least_part = kFailure / WeightedRows::kMatrices / root / 2;
    std::vector<Lanczos> iterations;
    for (Index m = 0; m < rows.matrices(); ++m) iterations.emplace_back(n, m, least_part);
    std::vector<Real> sums;
    for (Index k = 0; k < kMostSteps; ++k) {
        std::vector<Index> going;
        for (Index m = 0; m < iterations.size(); ++m) {
            if (!iterations[m].finished()) going.push_back(m);
        }
        if (going.empty()) break;
        // Reads the rows once for all matrices.
        sum_pieces(rows, n, sums, [&](Index piece, View out) {
            rows.each(piece, [&](Index row, const Pair& weights) {
                for (const Index m : going) {
                    const Real product = rows.product(row, iterations[m].vector());
                    rows.add(row, weights[m] * product, out.subspan(m * n, n));
                }
            });
        });
        for (const Index m : going) iterations[m].step(View(sums).subspan(m * n, n));
    }
    Pair bounds{kInfinity, kInfinity};
    for (Index m = 0; m < iterations.size(); ++m) bounds[m] = kRounding * iterations[m].bound();
    return bounds;
}

/// Beyond this many rows their Gram matrix costs more than the tighter bound is worth.
constexpr Index kMostGramRows = 128;

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
    if (rows == 1 || rows > kMostGramRows) return bound;
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
    constexpr Real kGramRounding = 1 + 1e-12;
    return values.empty() ? bound : std::min(bound, kGramRounding * values.back());
}

DataCurvature data_curvature(const RowBlock& rows, Index features, bool intercept, ConstView scales) {
    const WeightedRows weighted(rows, features, intercept, scales);
    DataCurvature found;
    found.largest = weighted.largest();
    const Pair& traces = weighted.traces();
    if (!std::isfinite(traces[0]) || !std::isfinite(traces[1])) {
        found.mean = found.mean_square = kInfinity;
        return found;
    }
    found.exact = weighted.columns() <= kExactColumns;
    const Pair bounds = found.exact ? exact_eigenvalues(weighted) : likely_bounds(weighted);
    found.mean = std::min(bounds[0], traces[0]);
    found.mean_square = std::min({bounds[1], traces[1], found.largest * found.mean});
    return found;
}

}  // namespace proxstream
