#include "online/ensemble.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/core/linalg.hpp"
#include "proxstream/core/state_archive.hpp"
#include "proxstream/prox/prox_gradient_step.hpp"

#include "core/stopwatch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace proxstream {
namespace {

constexpr Real kClearly = 0.5;    // of its own loss a member has to be behind to start from another's point
constexpr Real kRecently = 0.95;  // kept of past losses, in the mean that says which member did better lately
}  // namespace

Ensemble::Ensemble(AnyRegulariser g, std::shared_ptr<AnyBatch> store, EnsembleMembers members,
                   EnsembleOptions options)
    : g_(std::move(g)),
      store_(std::move(store)),
      points_(std::move(members.points)),
      names_(std::move(members.names)),
      options_(std::move(options)) {
    for (Index k = 0; k < members.windows.size(); ++k)
        windows_.push_back({.learner = std::move(members.windows[k]), .judge = members.references[k]});
    reports_.resize(windows_.size());
    losses_.resize(size());
    now_.recent.resize(size());
    const RunHeader first = windows_.front().learner->facts();
    const Index n = first.dimension;
    step_ = first.reference_step;
    point_losses_.resize(points_.size());
    gradients_.assign(points_.size(), std::vector<Real>(n));
    now_.point.resize(n);
    if (options_.selection.mean) {
        now_.mixture.emplace(*options_.selection.mean, size());
        now_.mixed.assign(now_.mixture->mixers(), std::vector<Real>(n));
        mixer_losses_.resize(now_.mixture->mixers());
        if (now_.mixture->gradients()) slopes_.resize(size());
        gradient_.resize(n);
    } else {
        now_.selector.emplace(options_.selection.member, size(), options_.seed);
    }
    choose_point();
    before_ = now_;
}

ConstView Ensemble::member_point(Index k) const {
    return k < points_.size() ? points_[k]->point() : windows_[k - points_.size()].learner->decide();
}

void Ensemble::expect(const RecordRef& forecast) {
    for (Window& window : windows_) window.learner->expect(forecast);
}

/// The loss is evaluated at the played mean and at the members' points before anything moves.
bool Ensemble::enter(const RecordRef& record, RoundReport& report) {
    own_cost_ = own_referee_cost_ = {};
    for (RoundReport& each : reports_) each = RoundReport{};
    for (Window& window : windows_) {
        window.entered = false;
        window.missed.reset();
        if (window.waiting) restart(window);
    }
    store_->push(record);
    record_ = record;
    advanced_ = false;
    // The active member first: where it refuses the record, the round is refused.
    bool accepted = look_at_mean() && (mixing() || enter_window(now_.selector->active()));
    if (accepted) look_at_points();
    for (Index k = 0; accepted && k < windows_.size(); ++k) {
        if (mixing() || k != now_.selector->active()) accepted = enter_window(k);
    }
    accepted = accepted && std::any_of(windows_.begin(), windows_.end(),
                                       [](const Window& window) { return window.entered; });
    if (!accepted) {
        rollback_windows();
        refuse(report);
        return false;
    }
    ++entered_;
    return true;
}

/// f_t at what is played and at the mixers' points. False: it is not finite at the played mean, or its
/// gradient is not at the gradient mixer's point. The round then cannot be accounted for.
bool Ensemble::look_at_mean() {
    if (!mixing()) return true;
    const Stopwatch watch(seconds_);
    mean_loss_ = store_->value(0, now_.point, scratch_);
    mean_regulariser_ = g_.value(now_.point, scratch_);
    ++own_cost_.record_values;
    if (!usable(mean_loss_) || !usable(mean_regulariser_)) return false;
    lead_ = leading();
    offset_ = distance(now_.point, member_point(lead_));
    for (Index j = 0; j < now_.mixed.size(); ++j) {
        const bool slopes = now_.mixture->gradients() && j == Mixture::kGradients;
        mixer_losses_[j] = slopes ? store_->value_and_gradient(0, now_.mixed[j], gradient_, scratch_)
                                  : store_->value(0, now_.mixed[j], scratch_);
        ++(slopes ? own_cost_.record_gradients : own_cost_.record_values);
        mixer_losses_[j] += g_.value(now_.mixed[j], scratch_);
        if (!slopes) continue;
        if (!usable(norm(gradient_))) return false;
        find_slopes(now_.mixed[j]);
    }
    return true;
}

/// <grad f_t(z), z - x_k> at the gradient mixer's point z.
void Ensemble::find_slopes(ConstView mean) {
    const Real here = dot(gradient_, mean);
    for (Index k = 0; k < size(); ++k) slopes_[k] = here - dot(gradient_, member_point(k));
}

/// f_t and its gradient at the members that are points.
void Ensemble::look_at_points() {
    const Stopwatch watch(seconds_);
    for (Index k = 0; k < points_.size(); ++k) {
        const Real loss = store_->value_and_gradient(0, points_[k]->point(), gradients_[k], scratch_);
        ++own_cost_.record_gradients;
        const bool fine = sane(loss) && usable(norm(gradients_[k])) && usable(points_[k]->regulariser());
        point_losses_[k] = fine ? loss : std::numeric_limits<Real>::quiet_NaN();
    }
}

void Ensemble::refuse(RoundReport& report) {
    report = RoundReport{};
    report.round = entered_ + 1;
    report.status = RoundStatus::refused;
    report.cost = own_cost_;
    report.referee_cost = own_referee_cost_;
    for (const RoundReport& each : reports_) {
        report.cost += each.cost;
        report.referee_cost += each.referee_cost;
    }
}

void Ensemble::advance(RoundReport& report, ConstView /*start*/) {
    for (Index k = 0; k < windows_.size(); ++k) {
        if (!windows_[k].entered) continue;
        windows_[k].learner->advance(reports_[k], start_for(points_.size() + k));
        if (reports_[k].status != RoundStatus::refused) continue;
        windows_[k].entered = false;
        if (miss(k)) continue;
        rollback_windows();
        --entered_;
        refuse(report);
        return;
    }
    before_ = now_;
    find_losses();
    write_round(report);
    if (mixing()) measure_mean(report);  // for the certificate alone: not on the clock
    const Stopwatch watch(seconds_);
    if (mixing()) {
        now_.mixture->update({losses_, slopes_, mixer_losses_});
    } else {
        now_.selector->update(losses_);
        round_.rate = now_.selector->rate();
        round_.share = now_.selector->share();
    }
    late_cost_ = {};
    learn_points();
    advanced_ = true;
    choose_point();
    report.cost += late_cost_;
    note_movement(before_.point, now_.point, report);
}

/// l_t of every member. Where it is not finite the largest finite one stands for it: less than the truth, so
/// what is proved against it stays true.
void Ensemble::find_losses() {
    Real largest = -kInfinity;
    for (Index k = 0; k < size(); ++k) {
        Real& loss = losses_[k];
        if (k < points_.size()) {
            loss = point_losses_[k] + points_[k]->regulariser();
        } else {
            const RoundReport& report = reports_[k - points_.size()];
            const std::optional<Missed>& missed = windows_[k - points_.size()].missed;
            loss = missed ? missed->loss + missed->regulariser : report.loss + report.regulariser;
        }
        if (usable(loss)) largest = std::max(largest, loss);
    }
    if (mixing() && largest == -kInfinity) largest = mean_loss_ + mean_regulariser_;
    for (Real& loss : losses_) {
        if (!usable(loss)) loss = largest;
    }
    for (Real& loss : mixer_losses_) {
        if (!usable(loss)) loss = std::max(largest, mean_loss_ + mean_regulariser_);
    }
    for (Index k = 0; k < size(); ++k) now_.recent[k] += (1 - kRecently) * (losses_[k] - now_.recent[k]);
}

Index Ensemble::leading() const {
    if (!mixing()) return now_.selector->active();
    Index found = points_.size();
    Real most = -1;
    for (Index k = 0; k < windows_.size(); ++k) {
        const Real weight = weights()[points_.size() + k];
        if (windows_[k].restarted || weight <= most) continue;
        found = points_.size() + k;
        most = weight;
    }
    return found;
}

void Ensemble::write_round(RoundReport& report) {
    const Index lead = mixing() ? lead_ : now_.selector->active();
    const std::optional<Missed>& missed = windows_[lead - points_.size()].missed;
    const RoundReport played = reports_[lead - points_.size()];
    // The rounds of a restarted member belong to another run: of its report only the costs are kept.
    for (Index k = 0; k < windows_.size(); ++k) {
        if (windows_[k].restarted) {
            RoundReport costs;
            costs.status = RoundStatus::refused;
            costs.cost = reports_[k].cost;
            costs.referee_cost = reports_[k].referee_cost;
            reports_[k] = costs;
        }
        reports_[k].round = entered_;
    }
    report = reports_[lead - points_.size()];
    if (report.status == RoundStatus::refused) {
        report.status = RoundStatus::moved;
        report.loss = missed ? missed->loss : played.loss;
        report.regulariser = missed ? missed->regulariser : played.regulariser;
    }
    add_up(report);
    weights_.assign(weights().begin(), weights().end());
    round_ = {};
    round_.active_member = lead;
    round_.weights = weights_;
    round_.losses = losses_;
    round_.members = reports_;
    if (!mixing()) return;
    round_.mixer_losses = mixer_losses_;
    round_.slopes = slopes_;
    round_.offset = offset_;
    report.loss = mean_loss_;
    report.regulariser = mean_regulariser_;
}

/// How stationary the mean is, for the window of the leading member: one pass every w rounds, so about one
/// gradient a round.
void Ensemble::measure_mean(RoundReport& report) {
    const Window& lead = windows_[round_.active_member - points_.size()];
    if (lead.restarted || entered_ % lead.judge.length() != 0) return;
    lead.judge.at(entered_ + revised_, reference_weights_);
    reference_weights_.resize(std::min<Index>(reference_weights_.size(), store_->size()));
    Scratch::Frame frame(scratch_);
    const View gradient = frame.take(now_.point.size());
    const View forward = frame.take(now_.point.size());
    const View gap = frame.take(now_.point.size());
    store_->weighted_value_and_gradient(reference_weights_, now_.point, gradient, scratch_);
    const Real measured = prox_gradient_step(g_, now_.point, gradient, step_, {forward, gap}, scratch_).norm;
    report.referee_cost.record_gradients += reference_weights_.size();
    ++report.referee_cost.prox;
    if (usable(measured)) round_.mean_gap = measured;
}

/// What all members did, charged to the ensemble.
void Ensemble::add_up(RoundReport& report) const {
    report.cost = own_cost_;
    report.referee_cost = own_referee_cost_;
    report.steps = report.cheap_steps = report.confirmations = report.failed_confirmations = 0;
    for (const RoundReport& member : reports_) {
        report.cost += member.cost;
        report.referee_cost += member.referee_cost;
        report.steps += member.steps;
        report.cheap_steps += member.cheap_steps;
        report.confirmations += member.confirmations;
        report.failed_confirmations += member.failed_confirmations;
    }
}

/// The point of the member before k that did best lately, if it did clearly better than k itself.
ConstView Ensemble::start_for(Index k) const {
    if (!options_.cross_start || k == 0) return {};
    const auto best = static_cast<Index>(
        std::min_element(now_.recent.begin(), now_.recent.begin() + static_cast<std::ptrdiff_t>(k)) -
        now_.recent.begin());
    return now_.recent[k] - now_.recent[best] > kClearly * std::abs(now_.recent[k]) ? member_point(best)
                                                                                    : ConstView{};
}

void Ensemble::mix(ConstView weights, View out) {
    // From the heaviest point on: where all points agree, so does their mean, to the last bit.
    const auto heaviest =
        static_cast<Index>(std::max_element(weights.begin(), weights.end()) - weights.begin());
    const ConstView base = member_point(heaviest);
    Scratch::Frame frame(scratch_);
    const View away = frame.take(out.size());
    copy(base, out);
    for (Index k = 0; k < size(); ++k) {
        if (k == heaviest || !(weights[k] > 0)) continue;
        subtract(member_point(k), base, away);
        axpy(weights[k], away, out);
    }
    // dom g is convex; rounding alone can take a mean of its points out of it.
    if (std::isfinite(g_.value(out, scratch_))) return;
    g_.prox(out, 1, out, scratch_);
    ++late_cost_.prox;
}

void Ensemble::choose_point() {
    if (!mixing()) {
        copy(member_point(now_.selector->active()), now_.point);
        return;
    }
    for (Index j = 0; j < now_.mixed.size(); ++j) mix(now_.mixture->mixer(j), now_.mixed[j]);
    mix(now_.mixture->weights(), now_.point);
}

void Ensemble::rollback() {
    rollback_windows();
    --entered_;
    if (!std::exchange(advanced_, false)) return;
    for (const auto& member : points_) member->rollback();
    std::swap(now_, before_);
}

RoundReport Ensemble::revise(const std::function<void(View)>& repair) {
    own_cost_ = own_referee_cost_ = {};
    RoundReport report;
    for (Index k = 0; k < windows_.size(); ++k) {
        reports_[k] = windows_[k].learner->revise(repair);
        if (reports_[k].status == RoundStatus::refused) report.status = RoundStatus::refused;
        windows_[k].waiting = windows_[k].restarted = windows_[k].entered = false;
        windows_[k].missed.reset();
    }
    for (const auto& member : points_) {
        std::vector<Real> point(member->point().begin(), member->point().end());
        repair(point);
        member->move_to(point);
    }
    if (report.status != RoundStatus::refused) report = reports_[leading() - points_.size()];
    add_up(report);
    revised_ += entered_;
    entered_ = 0;
    advanced_ = false;
    if (mixing()) now_.mixture = now_.mixture->begun_anew();
    choose_point();
    return report;
}

}  // namespace proxstream
