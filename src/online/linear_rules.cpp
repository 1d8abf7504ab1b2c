#include "online/linear_rules.hpp"

#include "proxstream/core/linalg.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

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

class RecursiveLeastSquares final : public CopiedRule<RecursiveLeastSquares> {
  public:
    RecursiveLeastSquares(const LinearModel& model, Real memory);

    void move(Move& move) override {
        const Real prox_step = mean_step();
        move.jump_to(learn(move.newest_record().as<RowBlock>(), move.point()), prox_step);
    }
    void serialise(StateArchive& archive) override { archive.fixed("covariance", covariance_); }

  private:
    ConstView learn(const RowBlock& record, ConstView point);
    void learn_row(Real target, Real share, Real kept);
    /// Where the implicit step ends: s' = s - reach phi'(s').
    Real implicit_score(Real score, Real target, Real reach) const;
    Real mean_step() const;
    void forget_everything();

    LinearModel model_;
    Index n_;
    Real kept_;                     // lambda: what is kept of past records in a round
    std::vector<Real> covariance_;  // P, row by row
    std::vector<Real> row_, gain_, point_;
};

RecursiveLeastSquares::RecursiveLeastSquares(const LinearModel& model, Real memory)
    : model_(model),
      n_(model.dimension()),
      kept_(1 - 1 / memory),
      covariance_(n_ * n_),
      row_(n_),
      gain_(n_),
      point_(n_) {
    forget_everything();
}

void RecursiveLeastSquares::forget_everything() {
    fill(covariance_, 0);
    for (Index i = 0; i < n_; ++i) covariance_[i * n_ + i] = kFirstVariance;
}

Real RecursiveLeastSquares::mean_step() const {
    Real trace = 0;
    for (Index i = 0; i < n_; ++i) trace += covariance_[i * n_ + i];
    return trace / static_cast<Real>(n_);
}

ConstView RecursiveLeastSquares::learn(const RowBlock& record, ConstView point) {
    copy(point, point_);
    const Real share = 1 / static_cast<Real>(record.rows());
    for (Index row = 0; row < record.rows(); ++row) {
        model_.write_row(record, row, row_);
        learn_row(record.target(row), share * record.weight(row), row == 0 ? kept_ : 1);
    }
    return point_;
}

void RecursiveLeastSquares::learn_row(Real target, Real share, Real kept) {
    for (Index i = 0; i < n_; ++i) gain_[i] = dot(ConstView(covariance_).subspan(i * n_, n_), row_);
    const Real spread = dot(row_, gain_);  // a'Pa
    if (!(spread > 0 && spread < kInfinity)) {
        if (!(spread == 0)) forget_everything();
        return;
    }
    const Real score = dot(row_, point_);
    Real curvature = 0;
    if (target_kind(model_.loss.formula) == TargetKind::number) {
        const Real slope = slope_of(model_.loss, score, target);
        // Of the parabola with its minimum where phi has it.
        const Real miss = score - target - best_residual(model_.loss);
        const Real bound = curvature_bound(model_.loss);
        curvature = share * (miss != 0 ? std::clamp<Real>(slope / miss, 0, bound) : bound);
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
        const View line = View(covariance_).subspan(i * n_, n_);
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

constexpr Real kFirstWealth = 4;
constexpr Real kLeastSlope = 1;
constexpr Real kLeastNorm = 1e-6;
constexpr Real kLeastProxStep = 1e-12;  // before the first gradient every bet is 0

class CoinBetting final : public CopiedRule<CoinBetting> {
  public:
    explicit CoinBetting(const LinearModel& model);

    void move(Move& move) override {
        const ConstView target = learn(move.newest_record().as<RowBlock>(), move.point());
        move.jump_to(target, prox_step_);
    }
    void serialise(StateArchive& archive) override;

  private:
    ConstView learn(const RowBlock& record, ConstView point);
    Real bet(Index i) const;  // what a unit of theta is worth

    LinearModel model_;
    std::vector<Real> wealth_, theta_, gradients_, largest_value_, largest_slope_;
    Real norms_ = 0;  // sum over rows of sum (a_i / largest |a_i|)^2
    Real rows_ = 0;
    std::vector<Real> row_, point_;
    Real prox_step_ = 0;
};

CoinBetting::CoinBetting(const LinearModel& model) : model_(model) {
    const Index n = model.dimension();
    const std::vector<Real> zeros(n);
    wealth_ = theta_ = gradients_ = largest_value_ = largest_slope_ = zeros;
    row_ = point_ = zeros;
}

Real CoinBetting::bet(Index i) const {
    const Real unit = largest_value_[i] * largest_slope_[i];
    return unit > 0 ? (kFirstWealth + wealth_[i]) / (unit * (unit + gradients_[i])) : 0;
}

ConstView CoinBetting::learn(const RowBlock& record, ConstView point) {
    const Real share = 1 / static_cast<Real>(record.rows());
    for (Index row = 0; row < record.rows(); ++row) {
        model_.write_row(record, row, row_);
        const Real slope =
            share * record.weight(row) * slope_of(model_.loss, dot(row_, point), record.target(row));
        for (Index i = 0; i < row_.size(); ++i) {
            const Real value = std::abs(row_[i]);
            if (value == 0) continue;
            largest_value_[i] = std::max(largest_value_[i], value);
            if (std::abs(slope) > largest_slope_[i])
                largest_slope_[i] = std::max(std::abs(slope), kLeastSlope);
            const Real relative = value / largest_value_[i];
            norms_ += relative * relative;
            const Real gradient = slope * row_[i];
            wealth_[i] -= gradient * bet(i) * theta_[i];
            theta_[i] -= gradient;
            gradients_[i] += std::abs(gradient);
        }
        ++rows_;
    }
    const Real norm = std::max(norms_ / rows_, kLeastNorm);
    Real steps = 0;
    for (Index i = 0; i < point_.size(); ++i) {
        const Real step = bet(i) / norm;
        point_[i] = step * theta_[i];
        steps += step;
    }
    // theta is a sum of gradients: beside it g counts once a record.
    prox_step_ = std::max(share * rows_ * steps / static_cast<Real>(point_.size()), kLeastProxStep);
    return point_;
}

void CoinBetting::serialise(StateArchive& archive) {
    archive.fixed("wealth", wealth_);
    archive.fixed("theta", theta_);
    archive.fixed("gradients", gradients_);
    archive.fixed("largest value", largest_value_);
    archive.fixed("largest slope", largest_slope_);
    archive.fields(Field{"norms", norms_}, Field{"rows", rows_});
}

class FixedPoint final : public CopiedRule<FixedPoint> {
  public:
    void move(Move& /*move*/) override {}
    void serialise(StateArchive& /*archive*/) override {}
    bool fixed() const override { return true; }
};

}  // namespace

RulePointer recursive_least_squares(const LinearModel& model, Real memory) {
    return std::make_unique<RecursiveLeastSquares>(model, memory);
}

bool squares_fit(const LinearModel& model) {
    const TargetKind kind = target_kind(model.loss.formula);
    return kind == TargetKind::number || kind == TargetKind::sign;
}

RulePointer coin_betting(const LinearModel& model) {
    return std::make_unique<CoinBetting>(model);
}

RulePointer fixed_point() {
    return std::make_unique<FixedPoint>();
}

}  // namespace proxstream
