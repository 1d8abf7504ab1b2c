#include "online/linear_rules.hpp"

#include "proxstream/core/linalg.hpp"

#include <algorithm>
#include <cmath>

namespace proxstream {
namespace {

/// Mean variance of a coordinate before the first record, and the most that forgetting restores: never less
/// is known than at the start. With a larger limit, features that were constant for long and then moved made
/// the predictions of short memories explode.
constexpr Real kFirstVariance = 1;
/// The least curvature a row of a margin loss counts with.
constexpr Real kLeastCurvature = 1e-6;

Real slope_of(const ScalarLoss& loss, Real score, Real target) {
    return evaluate(loss, score, target).slope;
}

/// phi'' by a difference of slopes; every formula is smooth on this scale.
Real curvature_of(const ScalarLoss& loss, Real score, Real target) {
    constexpr Real kStep = 1e-4;
    return (slope_of(loss, score + kStep, target) - slope_of(loss, score - kStep, target)) / (2 * kStep);
}

}  // namespace

RecursiveLeastSquares::RecursiveLeastSquares(const LinearModel& model, Real memory)
    : model_(model),
      n_(model.dimension()),
      kept_(1 - 1 / memory),
      now_(n_ * n_),
      before_(n_ * n_),
      row_(n_),
      gain_(n_),
      point_(n_) {
    forget_everything();
    before_ = now_;
}

bool RecursiveLeastSquares::fits(const LinearModel& model) {
    const TargetKind kind = target_kind(model.loss.formula);
    return kind == TargetKind::number || kind == TargetKind::sign;
}

void RecursiveLeastSquares::forget_everything() {
    fill(now_, 0);
    for (Index i = 0; i < n_; ++i) now_[i * n_ + i] = kFirstVariance;
}

Real RecursiveLeastSquares::mean_step() const {
    Real trace = 0;
    for (Index i = 0; i < n_; ++i) trace += now_[i * n_ + i];
    return trace / static_cast<Real>(n_);
}

ConstView RecursiveLeastSquares::learn(const RowBlock& record, ConstView point) {
    copy(now_, before_);
    copy(point, point_);
    const Real share = 1 / static_cast<Real>(record.rows());
    for (Index row = 0; row < record.rows(); ++row) {
        model_.write_row(record, row, row_);
        learn_row(record.target(row), share, row == 0 ? kept_ : 1);
    }
    return point_;
}

void RecursiveLeastSquares::learn_row(Real target, Real share, Real kept) {
    for (Index i = 0; i < n_; ++i) gain_[i] = dot(ConstView(now_).subspan(i * n_, n_), row_);
    const Real spread = dot(row_, gain_);  // a'Pa
    if (!(spread > 0 && spread < kInfinity)) {
        if (!(spread == 0)) forget_everything();
        return;
    }
    const Real score = dot(row_, point_);
    Real curvature = 0;
    if (target_kind(model_.loss.formula) == TargetKind::number) {
        const Real slope = slope_of(model_.loss, score, target);
        const Real miss = score - target;
        curvature = share * (miss != 0 ? slope / miss : 1);
        axpy(-share * slope / (kept + curvature * spread), gain_, point_);
    } else {
        const Real reached = implicit_score(score, target, share * spread / kept);
        curvature = share * std::max(curvature_of(model_.loss, reached, target), kLeastCurvature);
        axpy((reached - score) / spread, gain_, point_);
    }
    // w w' is symmetric to the last bit, so P stays so.
    const Real root = std::sqrt(curvature / (kept + curvature * spread));
    for (Real& each : gain_) each *= root;
    const Real inflation = mean_step() > kFirstVariance ? 1 : 1 / kept;
    for (Index i = 0; i < n_; ++i) {
        const View line = View(now_).subspan(i * n_, n_);
        axpy(-gain_[i], gain_, line);
        if (inflation != 1) scaled(inflation, line, line);
    }
}

/// The root lies between s and s - reach phi'(s) where phi is convex; regula falsi with Illinois' halving.
Real RecursiveLeastSquares::implicit_score(Real score, Real target, Real reach) const {
    constexpr int kMost = 30;
    constexpr Real kClose = 1e-10;
    const auto excess = [&](Real at) { return at - score + reach * slope_of(model_.loss, at, target); };
    Real low = score, at_low = excess(low);
    Real high = score - at_low, at_high = excess(high);
    if (at_low == 0) return low;
    if (at_high * at_low > 0) return high;  // not convex here: a gradient step
    for (int i = 0; i < kMost && std::abs(high - low) > kClose * (1 + std::abs(low)) && at_high != 0; ++i) {
        const Real middle = high - at_high * (high - low) / (at_high - at_low);
        const Real at_middle = excess(middle);
        if (at_middle * at_high < 0) {
            low = high;
            at_low = at_high;
        } else {
            at_low /= 2;
        }
        high = middle;
        at_high = at_middle;
    }
    return high;
}

void RecursiveLeastSquares::serialise(StateArchive& archive) {
    archive.fixed("covariance", now_);
    archive.fixed("covariance before", before_);
}

namespace {

constexpr Real kFirstWealth = 4;
constexpr Real kLeastSlope = 1;
constexpr Real kLeastNorm = 1e-6;
constexpr Real kLeastProxStep = 1e-12;  // before the first gradient every bet is 0

}  // namespace

CoinBetting::CoinBetting(const LinearModel& model) : model_(model) {
    const Index n = model.dimension();
    const std::vector<Real> zeros(n);
    now_ = {zeros, zeros, zeros, zeros, zeros};
    before_ = now_;
    row_ = point_ = zeros;
}

Real CoinBetting::bet(Index i) const {
    const Real unit = now_.largest_value[i] * now_.largest_slope[i];
    return unit > 0 ? (kFirstWealth + now_.wealth[i]) / (unit * (unit + now_.gradients[i])) : 0;
}

ConstView CoinBetting::learn(const RowBlock& record, ConstView point) {
    before_ = now_;
    const Real share = 1 / static_cast<Real>(record.rows());
    for (Index row = 0; row < record.rows(); ++row) {
        model_.write_row(record, row, row_);
        const Real slope = share * slope_of(model_.loss, dot(row_, point), record.target(row));
        for (Index i = 0; i < row_.size(); ++i) {
            const Real value = std::abs(row_[i]);
            if (value == 0) continue;
            now_.largest_value[i] = std::max(now_.largest_value[i], value);
            if (std::abs(slope) > now_.largest_slope[i])
                now_.largest_slope[i] = std::max(std::abs(slope), kLeastSlope);
            const Real relative = value / now_.largest_value[i];
            now_.norms += relative * relative;
            const Real gradient = slope * row_[i];
            now_.wealth[i] -= gradient * bet(i) * now_.theta[i];
            now_.theta[i] -= gradient;
            now_.gradients[i] += std::abs(gradient);
        }
        ++now_.rows;
    }
    const Real norm = std::max(now_.norms / now_.rows, kLeastNorm);
    Real steps = 0;
    for (Index i = 0; i < point_.size(); ++i) {
        const Real step = bet(i) / norm;
        point_[i] = step * now_.theta[i];
        steps += step;
    }
    // theta is a sum of gradients: beside it g counts once a record.
    prox_step_ = std::max(share * now_.rows * steps / static_cast<Real>(point_.size()), kLeastProxStep);
    return point_;
}

void CoinBetting::rollback() {
    std::swap(now_, before_);
}

void CoinBetting::Bets::serialise(StateArchive& archive) {
    archive.fixed("wealth", wealth);
    archive.fixed("theta", theta);
    archive.fixed("gradients", gradients);
    archive.fixed("largest value", largest_value);
    archive.fixed("largest slope", largest_slope);
    archive.field("norms", norms);
    archive.field("rows", rows);
}

void CoinBetting::serialise(StateArchive& archive) {
    archive.section("now", now_);
    archive.section("before", before_);
}

}  // namespace proxstream
