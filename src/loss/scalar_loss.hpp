/// The losses of one number, phi(score; target): what a linear model or the output of a network is judged by.
/// Residual losses look at r = score - target through a scale c, margin losses at m = target * score with
/// target = -1 or +1.
#pragma once

#include "proxstream/core/types.hpp"
#include "proxstream/loss/target_kind.hpp"

#include <cstdint>

namespace proxstream {

enum class ScalarFormula : std::uint8_t {
    squared,          // r^2 / 2
    huber,            // r^2 / 2 where |r| <= c, else c |r| - c^2 / 2
    cauchy,           // (c^2 / 2) log(1 + (r/c)^2)
    geman_mcclure,    // (c^2 / 2) (r/c)^2 / (1 + (r/c)^2)
    welsch,           // (c^2 / 2) (1 - exp(-(r/c)^2))
    tukey,            // (c^2 / 6) (1 - max(0, 1 - (r/c)^2)^3)
    absolute,         // the mean of |.| over [r - c, r + c]
    quantile,         // the mean of max(-q ., (1 - q) .) over [r - c, r + c]
    logistic,         // log(1 + exp(-m))
    sigmoid,          // 1 / (1 + exp(m))
    squared_sigmoid,  // 1 / (1 + exp(m))^2
    log_difference,   // log(1 + exp(-m)) - log(1 + exp(-m - 1))
    tanh,             // 1 - tanh(m)
    smoothed_hinge,   // 0 where m >= 1, 1/2 - m where m <= 0, (1 - m)^2 / 2 between
    negative_square,  // -score^2 / 2, whatever the target
};

struct ScalarLoss {
    ScalarFormula formula = ScalarFormula::squared;
    Real scale = 1;    // c; squared, margin losses and negative_square have none
    Real level = 0.5;  // q, of quantile
};

struct LossPoint {
    Real value;  // phi
    Real slope;  // d phi / d score
};

/// NaN in, NaN out. Bounded formulas stay accurate for every finite score, up to the largest double.
LossPoint evaluate(const ScalarLoss& loss, Real score, Real target);
/// The same for many rows, the same bits: value and slope of scores[i] and targets[i], for every i.
void evaluate(const ScalarLoss& loss, ConstView scores, ConstView targets, View values, View slopes);

/// The supremum of |phi''| over all scores (for |target| = 1 where the margin counts).
Real curvature_bound(const ScalarLoss& loss);

/// The infimum of phi over all scores and targets.
Real infimum(const ScalarLoss& loss);

/// Where a residual loss is least: 0, but for quantile.
Real best_residual(const ScalarLoss& loss);

TargetKind target_kind(ScalarFormula formula);

/// Whether the loss is the negative log-likelihood of a model of the probability of each sign.
bool has_probabilities(ScalarFormula formula);
/// Writes the probabilities of -1 and +1 under such a loss. Returns true.
bool sign_probabilities(Real score, View out);

/// Throws ConfigError unless the scale is positive and finite, and the level between 0 and 1.
void check_parameters(const ScalarLoss& loss);

}  // namespace proxstream
