#include "proxstream/loss/scalar_loss.hpp"

#include "proxstream/core/error.hpp"

#include "loss/scalar_formulas.hpp"

#include <cmath>
#include <string>

namespace proxstream {

LossPoint evaluate(const ScalarLoss& loss, Real score, Real target) {
    return formulas::visit(loss, [=](auto formula) { return formula(score, target); });
}

Real curvature_bound(ScalarFormula formula) {
    return formulas::visit({formula}, [](auto phi) { return phi.curvature(); });
}

Real infimum(ScalarFormula formula) {
    return formulas::visit({formula}, [](auto phi) { return phi.kInfimum; });
}

TargetKind target_kind(ScalarFormula formula) {
    return formulas::visit({formula}, [](auto phi) { return phi.kTarget; });
}

void check_scale(const ScalarLoss& loss) {
    if (loss.scale > 0 && std::isfinite(loss.scale)) return;
    throw ConfigError("the scale of a loss is positive and finite, not " + std::to_string(loss.scale));
}

}  // namespace proxstream
