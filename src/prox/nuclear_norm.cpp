#include "proxstream/prox/nuclear_norm.hpp"

#include "proxstream/core/linalg.hpp"
#include "proxstream/prox/coefficients.hpp"

#include "core/violations.hpp"
#include "not_finite.hpp"

#include <Eigen/SVD>
#include <limits>

namespace proxstream {
namespace {

using Matrix = Eigen::MatrixXd;

/// x is stored row after row, Eigen's matrices column after column: this is the transpose, which has the same
/// singular values. One storage order instead of two halves what the compiler has to do here.
Eigen::Map<const Matrix> as_transpose(ConstView x, Index rows, Index cols) {
    return {x.data(), static_cast<Eigen::Index>(cols), static_cast<Eigen::Index>(rows)};
}

}  // namespace

NuclearNorm::NuclearNorm(Real weight, Index rows, Index cols)
    : weight_(checked_weights(weight, "weight")[0]), rows_(rows), cols_(cols) {
    Violations violations;
    violations.require(rows > 0, "rows = 0 must be at least 1");
    violations.require(cols > 0, "cols = 0 must be at least 1");
    violations.conclude();
}

Real NuclearNorm::value(ConstView x, Scratch&) const {
    if (!all_finite(x)) return std::numeric_limits<Real>::quiet_NaN();
    return weight_ * Eigen::BDCSVD<Matrix>(as_transpose(x, rows_, cols_)).singularValues().sum();
}

Real NuclearNorm::prox(ConstView v, Real step, View out, Scratch&) const {
    if (!all_finite(v)) return refuse_not_finite(out);
    const Eigen::BDCSVD<Matrix> svd(as_transpose(v, rows_, cols_), Eigen::ComputeThinU | Eigen::ComputeThinV);
    const Eigen::VectorXd kept = (svd.singularValues().array() - step * weight_).max(0);
    const Eigen::Index rank = (kept.array() > 0).count();
    Eigen::Map<Matrix> result(out.data(), static_cast<Eigen::Index>(cols_), static_cast<Eigen::Index>(rows_));
    result.noalias() = svd.matrixU().leftCols(rank) * kept.head(rank).asDiagonal() *
                       svd.matrixV().leftCols(rank).transpose();
    return weight_ * kept.sum();
}

void NuclearNorm::check_dimension(Index n) const {
    require(n % rows_ == 0 && n / rows_ == cols_, "a {} x {} matrix does not have {} entries", rows_, cols_,
            n);
}

SumTraits NuclearNorm::sum_traits() const {
    return {.homogeneous = true};
}

}  // namespace proxstream
