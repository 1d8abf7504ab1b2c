/// Members of an ensemble whose loss is not finite: they begin anew at the point that was played. If the
/// round is refused after all, they are restored.
#include "proxstream/core/error.hpp"
#include "proxstream/core/linalg.hpp"
#include "proxstream/core/state_archive.hpp"

#include "online/ensemble.hpp"

#include <utility>

namespace proxstream {
namespace {

/// Empty: the learner keeps losses that cannot be saved.
std::string saved(AnyLearner& learner) {
    try {
        StateArchive archive;
        archive.section("learner", learner);
        return archive.seal();
    } catch (const Error&) {
        return {};
    }
}

}  // namespace

/// False: the round has to be refused.
bool Ensemble::enter_window(Index k) {
    Window& window = windows_[k];
    window.entered = !window.out && window.learner->enter(record_, reports_[k]);
    if (window.entered && mixture_ && !sane(reports_[k].loss)) {
        own_cost_ += reports_[k].cost;
        own_referee_cost_ += reports_[k].referee_cost;
        reports_[k] = RoundReport{};
        window.learner->rollback();
        window.entered = false;
    }
    return window.entered || restart(k);
}

/// Window k refused the record, which leaves it as it was before, or is out. It begins anew at the point that
/// was played, where the loss is finite. False: the round has to be refused.
bool Ensemble::restart(Index k) {
    if (!options_.restarts) return false;
    Window& window = windows_[k];
    if (!window.restart) {
        const ConstView point = window.learner->decide();
        Restart first{.loss = store_->value(0, point, scratch_),
                      .regulariser = g_.value(point, scratch_),
                      .state = {},
                      .out = window.out,
                      .restarted = window.restarted};
        ++own_cost_.record_values;
        // The active member's point was played: it may be out, but its loss must be finite.
        if (selector_ && selector_->active() == k && !(window.out && usable(first.loss))) return false;
        first.state = saved(*window.learner);
        if (first.state.empty()) return false;  // a rollback would be impossible
        window.restart = std::move(first);
    }
    store_->drop_newest();
    // A learner counts from its last entry on: what was spent before is charged to the ensemble.
    own_cost_ += reports_[k].cost;
    own_referee_cost_ += reports_[k].referee_cost;
    if (!std::exchange(window.restarted, true)) {
        window.closing = window.learner->close();
        own_referee_cost_.record_values += window.closing.losses.size();
    }
    const RoundReport revised = window.learner->revise([this](View x) { copy(point_, x); });
    own_cost_ += revised.cost;
    own_referee_cost_ += revised.referee_cost;
    store_->push(record_);
    reports_[k] = RoundReport{};
    window.entered = revised.status != RoundStatus::refused && window.learner->enter(record_, reports_[k]);
    window.out = !window.entered;
    return true;
}

/// Every window and the store as they were before the round.
void Ensemble::rollback_windows() {
    for (Window& window : windows_) {
        if (window.entered && !window.restart) window.learner->rollback();
        window.entered = false;
    }
    store_->drop_newest();
    for (Window& window : windows_) {
        if (!window.restart) continue;
        StateArchive archive(window.restart->state, "member");
        archive.section("learner", *window.learner);
        window.out = window.restart->out;
        window.restarted = window.restart->restarted;
        if (!window.restarted) window.closing = {};
        window.restart.reset();
    }
}

void Ensemble::learn_points() {
    for (Index k = 0; k < points_.size(); ++k) {
        PointLearner& member = *points_[k];
        const bool fine = std::isfinite(point_losses_[k]);
        if (fine) late_cost_.prox += member.learn(record_, gradients_[k], scratch_);
        if (!fine || !can_go_on(member)) member.restart(point_, fine);
    }
}

/// A point that overflows even the loss it has just learned from would take the next mean with it.
bool Ensemble::can_go_on(const PointLearner& member) {
    if (!all_finite(member.point()) || !usable(member.regulariser())) return false;
    ++late_cost_.record_values;
    return sane(store_->value(0, member.point(), scratch_));
}

}  // namespace proxstream
