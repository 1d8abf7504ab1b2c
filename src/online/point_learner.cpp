#include "online/point_learner.hpp"

#include <cmath>
#include <utility>

namespace proxstream {

PointLearner::PointLearner(AnyRegulariser g, std::vector<Real> start, RulePointer rule)
    : g_(std::move(g)), fresh_(rule->clone()), now_{std::move(start), 0, std::move(rule)} {
    Scratch scratch;
    now_.regulariser = g_.value(now_.point, scratch);
    if (!std::isfinite(now_.regulariser)) now_.regulariser = g_.prox(now_.point, 1, now_.point, scratch);
    before_ = {now_.point, now_.regulariser, fresh_->clone()};
}

void PointLearner::keep() {
    copy(now_.point, before_.point);
    before_.regulariser = now_.regulariser;
    before_.rule->assign(*now_.rule);
}

std::uint64_t PointLearner::learn(const RecordRef& record, ConstView gradient, Scratch& scratch) {
    keep();
    Move move(g_, now_.point, {record, gradient}, scratch);
    now_.rule->move(move);
    if (move.cost.prox > 0) now_.regulariser = move.regulariser;
    return move.cost.prox;
}

void PointLearner::restart(ConstView point, bool learned) {
    if (!learned) keep();
    now_.rule->assign(*fresh_);
    if (!now_.rule->fixed()) move_to(point);
}

void PointLearner::move_to(ConstView point) {
    copy(point, now_.point);
    Scratch scratch;
    now_.regulariser = g_.value(now_.point, scratch);
}

void PointLearner::serialise(StateArchive& archive) {
    archive.fixed("point", now_.point);
    archive.fields(Field{"regulariser", now_.regulariser}, Field{"rule", *now_.rule});
}

}  // namespace proxstream
