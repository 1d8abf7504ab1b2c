/// The formulas of scalar_loss.hpp as inlinable types, and the one switch that picks among them. Callers that
/// use only the value get only the value: the slope is dead code to the compiler.
#pragma once

#include "loss/scalar_loss.hpp"

#include <cmath>
#include <numbers>

namespace proxstream::formulas {

// Comparisons are arranged so that a NaN falls through to the arithmetic instead of into a constant branch.

struct Squared {
    static Real curvature() { return 1; }
    static LossPoint at(Real r, Real /*scale*/) { return {r * r / 2, r}; }
};

struct Huber {
    static Real curvature() { return 1; }
    static LossPoint at(Real r, Real c) {
        const Real size = std::abs(r);
        const bool far = size > c;
        return {far ? c * (size - c / 2) : r * r / 2, far ? std::copysign(c, r) : r};
    }
};

// The redescending losses are written in u = r/c while |u| <= 1 and in its inverse beyond, where squares of u
// could overflow.

struct Cauchy {
    static Real curvature() { return 1; }  // phi'' = (1 - u^2) / (1 + u^2)^2, largest at 0
    static LossPoint at(Real r, Real c) {
        const Real size = std::abs(r);
        if (size > c) {
            const Real inverse = c / r;
            const Real logarithm = 2 * (std::log(size) - std::log(c)) + std::log1p(inverse * inverse);
            return {c * c / 2 * logarithm, c * inverse / (1 + inverse * inverse)};
        }
        const Real square = (r / c) * (r / c);
        return {c * c / 2 * std::log1p(square), r / (1 + square)};
    }
};

struct GemanMcclure {
    static Real curvature() { return 1; }  // phi'' = (1 - 3 u^2) / (1 + u^2)^3, largest at 0
    static LossPoint at(Real r, Real c) {
        // Without a branch: outliers cannot be predicted, and this way many rows are evaluated at once.
        const Real size = std::abs(r);
        const bool far = size > c;
        const Real u = (far ? c : size) / (far ? size : c);
        const Real square = u * u;
        const Real inverse = 1 / (1 + square);
        const Real slope = (far ? c * u * square : size) * inverse * inverse;
        return {c * c / 2 * ((far ? 1 : square) * inverse), std::copysign(slope, r)};
    }
};

struct Welsch {
    static Real curvature() { return 1; }  // phi'' = (1 - 2 u^2) exp(-u^2), largest at 0
    static LossPoint at(Real r, Real c) {
        const Real square = (r / c) * (r / c);
        return {-c * c / 2 * std::expm1(-square), r * std::exp(-square)};
    }
};

struct Tukey {
    static Real curvature() { return 1; }  // phi'' = (1 - u^2)(1 - 5 u^2) inside, largest at 0
    static LossPoint at(Real r, Real c) {
        const Real square = (r / c) * (r / c);
        if (square >= 1) return {c * c / 6, 0};
        const Real inside = 1 - square;
        // 1 - (1 - s)^3 = s (3 - 3 s + s^2): no cancellation near 0.
        return {c * c / 6 * (square * (3 - 3 * square + square * square)), r * inside * inside};
    }
};

/// s = 1 / (1 + exp(m)) and its complement, both to full relative accuracy.
struct Sigmoids {
    explicit Sigmoids(Real m) : power(std::exp(-std::abs(m))) {
        const Real large = 1 / (1 + power);
        const Real small = power / (1 + power);
        s = m < 0 ? large : small;
        complement = m < 0 ? small : large;
    }
    Real power;  // exp(-|m|)
    Real s;
    Real complement;
};

struct Logistic {
    static Real curvature() { return 0.25; }
    static LossPoint at(Real m) {
        const Sigmoids sigmoids(m);
        return {std::log1p(sigmoids.power) + (m < 0 ? -m : 0), -sigmoids.s};
    }
};

struct Sigmoid {
    static Real curvature() { return 1 / (6 * std::numbers::sqrt3); }  // s(1-s)(1-2s) at s = 1/2 - 1/sqrt(12)
    static LossPoint at(Real m) {
        const Sigmoids sigmoids(m);
        return {sigmoids.s, -sigmoids.s * sigmoids.complement};
    }
};

struct SquaredSigmoid {
    static Real curvature() {  // phi'' = 2 s^2 (1 - s)(2 - 3 s), stationary where 12 s^2 - 15 s + 4 = 0
        const Real s = (15 - std::sqrt(33.0)) / 24;
        return 2 * s * s * (1 - s) * (2 - 3 * s);
    }
    static LossPoint at(Real m) {
        const Sigmoids sigmoids(m);
        const Real square = sigmoids.s * sigmoids.s;
        return {square, -2 * square * sigmoids.complement};
    }
};

struct LogDifference {
    /// With t = m + 1/2 and k = cosh(1/2): |phi''| = sinh(1/2) |sinh t| / (cosh t + k)^2, stationary where
    /// cosh^2 t - k cosh t - 2 = 0.
    static Real curvature() {
        const Real k = std::cosh(0.5);
        const Real c = (k + std::sqrt(k * k + 8)) / 2;
        return std::sinh(0.5) * std::sqrt(c * c - 1) / ((c + k) * (c + k));
    }
    static LossPoint at(Real m) {
        // Both branches avoid the difference of two numbers as large as |m|.
        constexpr Real kE = std::numbers::e;
        const Real power = std::exp(-std::abs(m));
        if (m < 0) {
            return {1 + std::log1p(power) - std::log1p(kE * power),
                    -(kE - 1) * power / ((1 + kE * power) * (1 + power))};
        }
        return {std::log1p(power) - std::log1p(power / kE), -(kE - 1) * power / ((power + kE) * (power + 1))};
    }
};

struct Tanh {
    static Real curvature() { return 4 / (3 * std::numbers::sqrt3); }  // 2 tanh (1 - tanh^2) at tanh^2 = 1/3
    static LossPoint at(Real m) {
        const Sigmoids sigmoids(2 * m);  // 1 - tanh(m) = 2 / (1 + exp(2 m))
        return {2 * sigmoids.s, -4 * sigmoids.s * sigmoids.complement};
    }
};

struct SmoothedHinge {
    static Real curvature() { return 1; }
    static LossPoint at(Real m) {
        if (m >= 1) return {0, 0};
        if (m <= 0) return {0.5 - m, -1};
        return {(1 - m) * (1 - m) / 2, m - 1};
    }
};

template <class Formula>
struct OfResidual {
    static constexpr TargetKind kTarget = TargetKind::number;
    static Real infimum() { return 0; }
    static Real curvature() { return Formula::curvature(); }
    LossPoint operator()(Real score, Real target) const { return Formula::at(score - target, scale); }
    Real scale;  // c
};

// Losses with a kink, averaged over [r - width, r + width]: convex, smooth, and exact beyond the width.

struct Absolute {
    static constexpr TargetKind kTarget = TargetKind::number;
    Real infimum() const { return width / 2; }
    Real curvature() const { return 1 / width; }
    LossPoint operator()(Real score, Real target) const {
        const Real r = score - target;
        const Real size = std::abs(r);
        const bool far = size > width;
        return {far ? size : (size / width * size + width) / 2, far ? std::copysign(1.0, r) : r / width};
    }
    Real width;
};

struct Quantile {
    static constexpr TargetKind kTarget = TargetKind::number;
    Real infimum() const { return width * level * (1 - level); }
    Real curvature() const { return 1 / (2 * width); }
    LossPoint operator()(Real score, Real target) const {
        const Real r = score - target;
        const Real far_slope = r < 0 ? -level : 1 - level;
        const bool far = std::abs(r) > width;
        const Real tilt = 0.5 - level;
        const Real near_slope = r / width / 2 + tilt;
        return {far ? far_slope * r : (r / width * r + width) / 4 + tilt * r, far ? far_slope : near_slope};
    }
    Real width;
    Real level;
};

template <class Formula>
struct OfMargin {
    static constexpr TargetKind kTarget = TargetKind::sign;
    static Real infimum() { return 0; }
    static Real curvature() { return Formula::curvature(); }
    LossPoint operator()(Real score, Real target) const {
        const LossPoint point = Formula::at(target * score);
        return {point.value, target * point.slope};
    }
};

struct NegativeSquare {
    static constexpr TargetKind kTarget = TargetKind::none;
    static Real infimum() { return -kInfinity; }
    static Real curvature() { return 1; }
    LossPoint operator()(Real score, Real /*target*/) const { return {-score * score / 2, -score}; }
};

/// use(formula) with the type that belongs to `loss`: one switch a pass instead of one a row. Inlined, so
/// that it is compiled for the caller's instruction set.
template <class Use>
[[gnu::always_inline]] inline auto visit(const ScalarLoss& loss, Use&& use) {
    switch (loss.formula) {
        case ScalarFormula::huber:
            return use(OfResidual<Huber>{loss.scale});
        case ScalarFormula::cauchy:
            return use(OfResidual<Cauchy>{loss.scale});
        case ScalarFormula::geman_mcclure:
            return use(OfResidual<GemanMcclure>{loss.scale});
        case ScalarFormula::welsch:
            return use(OfResidual<Welsch>{loss.scale});
        case ScalarFormula::tukey:
            return use(OfResidual<Tukey>{loss.scale});
        case ScalarFormula::absolute:
            return use(Absolute{loss.scale});
        case ScalarFormula::quantile:
            return use(Quantile{loss.scale, loss.level});
        case ScalarFormula::logistic:
            return use(OfMargin<Logistic>{});
        case ScalarFormula::sigmoid:
            return use(OfMargin<Sigmoid>{});
        case ScalarFormula::squared_sigmoid:
            return use(OfMargin<SquaredSigmoid>{});
        case ScalarFormula::log_difference:
            return use(OfMargin<LogDifference>{});
        case ScalarFormula::tanh:
            return use(OfMargin<Tanh>{});
        case ScalarFormula::smoothed_hinge:
            return use(OfMargin<SmoothedHinge>{});
        case ScalarFormula::negative_square:
            return use(NegativeSquare{});
        case ScalarFormula::squared:
            break;
    }
    return use(OfResidual<Squared>{loss.scale});
}

}  // namespace proxstream::formulas
