#include "proxstream/prox/affine.hpp"

#include "proxstream/core/linalg.hpp"

#include "core/violations.hpp"
#include "not_finite.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>

namespace proxstream {
namespace {

/// Corrections along the normals are made twice: the first leaves a residue of the rounding of |v|, which the
/// second brings down to that of |out|.
constexpr int kCorrections = 2;

bool near(Real residual, Real offset, ConstView x) {
    return residual <= kFeasibility * (std::abs(offset) + max_abs(x));
}

Real refuse_unless_finite(View out) {
    return all_finite(out) ? 0 : refuse_not_finite(out);
}

void require_finite(Violations& violations, const std::vector<Real>& values, const char* what) {
    for (Index i = 0; i < values.size(); ++i) {
        violations.require(std::isfinite(values[i]), "{}[{}] = {} must be finite", what, i, values[i]);
    }
}

void check_normal_fits(Index dimension, Index n) {
    require(dimension == n, "the equations have {} unknowns, but there are {} coordinates", dimension, n);
}

}  // namespace

AffineSet::AffineSet(const std::vector<Real>& a, const std::vector<Real>& b) {
    Violations violations;
    violations.require(!b.empty(), "b: the list is empty");
    violations.require(!a.empty(), "a: the list is empty");
    violations.require(b.empty() || a.size() % b.size() == 0, "{} entries of a cannot be cut into {} rows",
                       a.size(), b.size());
    require_finite(violations, a, "a");
    require_finite(violations, b, "b");
    violations.conclude();

    // The columns of A' are scaled to length 1 first, so that the rank is judged by directions, not by units.
    const Index rows = b.size();
    dimension_ = a.size() / rows;
    Eigen::MatrixXd normals(static_cast<Eigen::Index>(dimension_), static_cast<Eigen::Index>(rows));
    Eigen::VectorXd offsets(static_cast<Eigen::Index>(rows));
    for (Index r = 0; r < rows; ++r) {
        const ConstView row = ConstView(a).subspan(r * dimension_, dimension_);
        const Real length = norm(row);
        violations.require(length > 0, "row {} of a is zero", r);
        for (Index i = 0; i < dimension_; ++i) {
            normals(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(r)) = row[i] / length;
        }
        offsets(static_cast<Eigen::Index>(r)) = b[r] / length;
    }
    violations.conclude();

    const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(normals);
    const Eigen::Index rank = qr.rank();
    const Eigen::MatrixXd basis =
        qr.householderQ() * Eigen::MatrixXd::Identity(static_cast<Eigen::Index>(dimension_), rank);
    // A' P = Q R, so the leading equations read R11' (Q' x) = (P' b) up to the rank.
    const Eigen::VectorXd ordered = qr.colsPermutation().transpose() * offsets;
    const Eigen::VectorXd c = qr.matrixQR()
                                  .topLeftCorner(rank, rank)
                                  .triangularView<Eigen::Upper>()
                                  .transpose()
                                  .solve(ordered.head(rank));
    const Eigen::VectorXd missed = normals.transpose() * (basis * c) - offsets;
    const Real scale = std::max(c.size() > 0 ? c.cwiseAbs().maxCoeff() : 0, offsets.cwiseAbs().maxCoeff());
    for (Index r = 0; r < rows; ++r) {
        const Real miss = std::abs(missed(static_cast<Eigen::Index>(r)));
        violations.require(miss <= kFeasibility * scale, "row {} of A x = b contradicts the others", r);
    }
    violations.conclude();
    basis_.assign(basis.data(), basis.data() + basis.size());
    offsets_.assign(c.data(), c.data() + c.size());
}

Real AffineSet::value(ConstView x, Scratch&) const {
    if (!all_finite(x)) return std::numeric_limits<Real>::quiet_NaN();
    for (Index k = 0; k < offsets_.size(); ++k) {
        if (!near(std::abs(dot(normal(k), x) - offsets_[k]), offsets_[k], x)) return kInfinity;
    }
    return 0;
}

Real AffineSet::prox(ConstView v, Real, View out, Scratch&) const {
    if (out.data() != v.data()) copy(v, out);
    for (int correction = 0; correction < kCorrections; ++correction) {
        for (Index k = 0; k < offsets_.size(); ++k) axpy(offsets_[k] - dot(normal(k), out), normal(k), out);
    }
    return refuse_unless_finite(out);
}

void AffineSet::check_dimension(Index n) const {
    check_normal_fits(dimension_, n);
}

void AffineSet::project_direction(View d) const {
    for (Index k = 0; k < offsets_.size(); ++k) axpy(-dot(normal(k), d), normal(k), d);
}

SumTraits AffineSet::sum_traits() const {
    return {.homogeneous = std::all_of(offsets_.begin(), offsets_.end(), [](Real c) { return c == 0; })};
}

HalfSpace::HalfSpace(std::vector<Real> a, Real b) : normal_(std::move(a)), offset_(b) {
    Violations violations;
    require_finite(violations, normal_, "a");
    violations.require(std::isfinite(b), "b = {} must be finite", b);
    violations.require(norm(normal_) > 0, "a must have an entry that is not 0");
    violations.conclude();
    const Real length = norm(normal_);
    for (Real& entry : normal_) entry /= length;
    offset_ /= length;
}

Real HalfSpace::value(ConstView x, Scratch&) const {
    const Real excess = dot(normal_, x) - offset_;
    if (!all_finite(x)) return std::numeric_limits<Real>::quiet_NaN();
    return near(excess, offset_, x) ? 0 : kInfinity;
}

Real HalfSpace::prox(ConstView v, Real, View out, Scratch&) const {
    if (out.data() != v.data()) copy(v, out);
    for (int correction = 0; correction < kCorrections; ++correction) {
        const Real excess = dot(normal_, out) - offset_;
        if (excess > 0) axpy(-excess, normal_, out);
    }
    return refuse_unless_finite(out);
}

void HalfSpace::check_dimension(Index n) const {
    check_normal_fits(normal_.size(), n);
}

SumTraits HalfSpace::sum_traits() const {
    return {.homogeneous = offset_ == 0};
}

}  // namespace proxstream
