#include "proxstream/prox/nuclear_norm.hpp"

#include "proxstream/core/linalg.hpp"
#include "proxstream/prox/coefficients.hpp"

#include "not_finite.hpp"
#include "violations.hpp"

#include <Eigen/SVD>
#include <limits>

namespace proxstream {
namespace {

using RowMajor = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Eigen::Map<const RowMajor> as_matrix(ConstView x, Index rows, Index cols) {
    return {x.data(), static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(cols)};
}

}  // namespace

NuclearNorm::NuclearNorm(Real weight, Index rows, Index cols)
    : weight_(checked_weights(weight, "weight")[0]), rows_(rows), cols_(cols) {
    Violations violations;
    violations.require(rows > 0, "rows = 0 must be at least 1");
    violations.require(cols > 0, "cols = 0 must be at least 1");
    violations.raise();
}

Real NuclearNorm::value(ConstView x, Scratch&) const {
    if (!all_finite(x)) return std::numeric_limits<Real>::quiet_NaN();
    return weight_ * Eigen::BDCSVD<RowMajor>(as_matrix(x, rows_, cols_)).singularValues().sum();
}

Real NuclearNorm::prox(ConstView v, Real step, View out, Scratch&) const {
    if (!all_finite(v)) return refuse_not_finite(out);
    const Eigen::BDCSVD<RowMajor> svd(as_matrix(v, rows_, cols_), Eigen::ComputeThinU | Eigen::ComputeThinV);
    const Eigen::VectorXd kept = (svd.singularValues().array() - step * weight_).max(0);
    const Eigen::Index rank = (kept.array() > 0).count();
    Eigen::Map<RowMajor> result(out.data(), static_cast<Eigen::Index>(rows_),
                                static_cast<Eigen::Index>(cols_));
    result.noalias() = svd.matrixU().leftCols(rank) * kept.head(rank).asDiagonal() *
                       svd.matrixV().leftCols(rank).transpose();
    return weight_ * kept.sum();
}

void NuclearNorm::check_dimension(Index n) const {
    if (n % rows_ == 0 && n / rows_ == cols_) return;
    throw ConfigError(fmt::format("a {} x {} matrix does not have {} entries", rows_, cols_, n));
}

SumTraits NuclearNorm::sum_traits() const {
    return {.homogeneous = true};
}

}  // namespace proxstream
