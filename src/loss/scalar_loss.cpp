#include "loss/scalar_loss.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/core/spec.hpp"

#include "core/simd.hpp"
#include "loss/scalar_formulas.hpp"

#include <cassert>
#include <cmath>
#include <string>

namespace proxstream {

LossPoint evaluate(const ScalarLoss& loss, Real score, Real target) {
    return formulas::visit(loss, [=](auto formula) { return formula(score, target); });
}

PROXSTREAM_CLONES void evaluate(const ScalarLoss& loss, ConstView scores, ConstView targets, View values,
                                View slopes) {
    const Index n = scores.size();
    assert(targets.size() == n && values.size() == n && slopes.size() == n);
    const Real* __restrict from_scores = scores.data();
    const Real* __restrict from_targets = targets.data();
    Real* __restrict to_values = values.data();
    Real* __restrict to_slopes = slopes.data();
    formulas::visit(
        loss, [=](auto formula) __attribute__((always_inline)) {
            for (Index i = 0; i < n; ++i) {
                const LossPoint point = formula(from_scores[i], from_targets[i]);
                to_values[i] = point.value;
                to_slopes[i] = point.slope;
            }
        });
}

Real curvature_bound(const ScalarLoss& loss) {
    return formulas::visit(loss, [](auto phi) { return phi.curvature(); });
}

Real infimum(const ScalarLoss& loss) {
    return formulas::visit(loss, [](auto phi) { return phi.infimum(); });
}

Real best_residual(const ScalarLoss& loss) {
    return loss.formula == ScalarFormula::quantile ? loss.scale * (2 * loss.level - 1) : 0;
}

TargetKind target_kind(ScalarFormula formula) {
    return formulas::visit({formula}, [](auto phi) { return phi.kTarget; });
}

bool has_probabilities(ScalarFormula formula) {
    return formula == ScalarFormula::logistic;
}

bool sign_probabilities(Real score, View out) {
    assert(out.size() == 2);
    const formulas::Sigmoids sigmoids(score);
    out[0] = sigmoids.s;
    out[1] = sigmoids.complement;
    return true;
}

void check_parameters(const ScalarLoss& loss) {
    const bool widened = loss.formula == ScalarFormula::absolute || loss.formula == ScalarFormula::quantile;
    if (!(loss.scale > 0 && std::isfinite(loss.scale))) {
        throw ConfigError(std::string("the ") + (widened ? "width" : "scale") +
                          " of a loss is positive and finite, not " + format_short(loss.scale));
    }
    if (!(loss.level > 0 && loss.level < 1)) {
        throw ConfigError("the level of a quantile is between 0 and 1, not " + format_short(loss.level) +
                          "; quantile:0.9 predicts what nine of ten labels stay below");
    }
}

}  // namespace proxstream
