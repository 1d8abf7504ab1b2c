/// Members of an ensemble whose loss is not finite: they miss the round, and restart at the point that is
/// played before the next one.
#include "proxstream/core/linalg.hpp"

#include "online/ensemble.hpp"

#include <cmath>

namespace proxstream {

/// The member continues from the point that is played, with the losses of the store.
void Ensemble::restart(Window& window) {
    const RoundReport revised = window.learner->revise([this](View x) { copy(now_.point, x); });
    own_cost_ += revised.cost;
    own_referee_cost_ += revised.referee_cost;
    window.waiting = revised.status == RoundStatus::refused;
}

/// False: the round has to be refused.
bool Ensemble::enter_window(Index k) {
    Window& window = windows_[k];
    window.entered = !window.waiting && window.learner->enter(record_, reports_[k]);
    if (window.entered && mixing() && !sane(reports_[k].loss)) {
        RoundReport costs;
        costs.cost = reports_[k].cost;
        costs.referee_cost = reports_[k].referee_cost;
        reports_[k] = costs;
        window.learner->rollback();
        window.entered = false;
    }
    return window.entered || miss(k);
}

/// Window k cannot learn from the record. False: the round has to be refused.
bool Ensemble::miss(Index k) {
    if (!options_.restarts) return false;
    Window& window = windows_[k];
    const ConstView point = window.learner->decide();
    Missed missed{.loss = store_->value(0, point, scratch_),
                  .regulariser = g_.value(point, scratch_),
                  .first = !window.restarted,
                  .waiting = window.waiting};
    ++own_cost_.record_values;
    // The point of the active member is played: its loss must be finite.
    if (!mixing() && now_.selector->active() == k && !(window.waiting && usable(missed.loss))) return false;
    if (missed.first) {
        // Its certificate ends before this round.
        store_->drop_newest();
        window.closing = window.learner->close();
        own_referee_cost_.record_values += window.closing.losses.size();
        store_->push(record_);
    }
    window.waiting = window.restarted = true;
    window.missed = missed;
    return true;
}

/// Every window and the store as they were before the round. A restart before it stays: the round to come
/// would do the same.
void Ensemble::rollback_windows() {
    for (Window& window : windows_) {
        if (window.entered) window.learner->rollback();
        window.entered = false;
        if (!window.missed) continue;
        window.waiting = window.missed->waiting;
        if (window.missed->first) {
            window.restarted = false;
            window.closing = {};
        }
        window.missed.reset();
    }
    store_->drop_newest();
}

void Ensemble::learn_points() {
    for (Index k = 0; k < points_.size(); ++k) {
        PointLearner& member = *points_[k];
        const bool fine = std::isfinite(point_losses_[k]);
        if (fine) late_cost_.prox += member.learn(record_, gradients_[k], scratch_);
        if (!fine || !can_go_on(member)) member.restart(now_.point, fine);
    }
}

/// A point that overflows even the loss it has just learned from would take the next mean with it.
bool Ensemble::can_go_on(const PointLearner& member) {
    if (!all_finite(member.point()) || !usable(member.regulariser())) return false;
    ++late_cost_.record_values;
    return sane(store_->value(0, member.point(), scratch_));
}

}  // namespace proxstream
