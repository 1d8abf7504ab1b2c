#include "game/function_cost.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/core/linalg.hpp"
#include "proxstream/core/spec.hpp"

#include "core/violations.hpp"

#include <cmath>
#include <string>
#include <utility>

namespace proxstream {

FunctionCost::FunctionCost(const JointLayout& layout, Index player, Function function,
                           const CostClaims& claims)
    : PlayerCost(player < layout.players() ? layout.dimension(player) : 0,
                 player < layout.players() ? layout.dimension() - layout.dimension(player) : 0),
      layout_(layout),
      player_(player),
      function_(std::move(function)) {
    claims_ = claims;
    Violations violations;
    violations.require(static_cast<bool>(function_), "a cost needs a function");
    violations.require(player_ < layout_.players(),
                       "there is no player {}: the layout has {}, counted from 0", player_,
                       layout_.players());
    for (Index i = 0; i < layout_.players(); ++i) {
        violations.require(layout_.dimension(i) > 0,
                           "player {} has an empty block: give it at least one coordinate", i);
    }
    const auto check_claim = [&](const char* name, const std::optional<Real>& claim) {
        violations.require(!claim || (*claim >= 0 && std::isfinite(*claim)),
                           "{} = {} is not allowed; claim a finite number of at least 0, or nothing", name,
                           format_short(claim.value_or(0)));
    };
    check_claim("smoothness", claims_.smoothness);
    check_claim("variation", claims_.variation);
    violations.conclude();
}

void FunctionCost::condense(ConstView joint, View record, Scratch& /*scratch*/) const {
    const Index begin = layout_.begin(player_);
    copy(joint.first(begin), record.first(begin));
    copy(joint.subspan(begin + dimension()), record.subspan(begin));
}

Real FunctionCost::weighted(const PlayRecords& records, std::span<const Real> weights, ConstView own,
                            View gradient, Scratch& scratch) const {
    Scratch::Frame frame(scratch);
    const View joint = frame.take(layout_.dimension());
    const View single = frame.take(gradient.size());
    const Index begin = layout_.begin(player_);
    copy(own, joint.subspan(begin, own.size()));
    fill(gradient, 0);
    Real total = 0;
    for (Index age = weights.size(); age-- > 0;) {
        if (weights[age] == 0) continue;
        const ConstView rivals = records[age];
        copy(rivals.first(begin), joint.first(begin));
        copy(rivals.subspan(begin), joint.subspan(begin + own.size()));
        total += weights[age] * function_(joint, single);
        axpy(weights[age], single, gradient);
    }
    return total;
}

}  // namespace proxstream
