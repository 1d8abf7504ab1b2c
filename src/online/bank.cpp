#include "online/bank.hpp"

#include "proxstream/core/checkpoint.hpp"
#include "proxstream/core/error.hpp"
#include "proxstream/core/linalg.hpp"
#include "proxstream/prox/residual.hpp"

#include "core/stopwatch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace proxstream {
namespace {

constexpr Real kClearly = 0.5;  // of its own loss a member has to be behind to start from another's point
constexpr Real kRecently = 0.95;
constexpr Real kSane = 1e100;

bool usable(Real loss) {
    return std::abs(loss) <= kAbsurd;
}

/// A member with a larger loss is about to overflow. Where a mean is played, it is restarted before it takes
/// the mean with it.
bool sane(Real loss) {
    return std::abs(loss) <= kSane;
}

/// Empty: the learner keeps losses that cannot be saved.
std::string saved(AnyLearner& learner) {
    try {
        Checkpoint checkpoint;
        checkpoint.part("learner", learner);
        return checkpoint.seal();
    } catch (const Error&) {
        return {};
    }
}

}  // namespace

Bank::Bank(AnyRegulariser g, std::shared_ptr<Store> store, BankMembers members, BankOptions options)
    : g_(std::move(g)),
      store_(std::move(store)),
      points_(std::move(members.points)),
      names_(std::move(members.names)),
      options_(std::move(options)) {
    for (Index k = 0; k < members.windows.size(); ++k)
        windows_.push_back({.learner = std::move(members.windows[k]), .judge = members.judges[k]});
    reports_.resize(windows_.size());
    losses_.resize(size());
    recent_.resize(size());
    recent_before_.resize(size());
    const LearnerFacts first = windows_.front().learner->facts();
    const Index n = first.dimension;
    step_ = first.step;
    point_losses_.resize(points_.size());
    gradients_.assign(points_.size(), std::vector<Real>(n));
    point_.resize(n);
    played_.resize(n);
    if (options_.selection.mean) {
        mixture_.emplace(*options_.selection.mean, size());
        mixture_before_ = mixture_;
        mixed_.assign(mixture_->mixers(), std::vector<Real>(n));
        mixer_losses_.resize(mixture_->mixers());
        if (mixture_->gradients()) slopes_.resize(size());
        gradient_.resize(n);
    } else {
        selector_.emplace(options_.selection.member, size(), options_.seed);
    }
    choose_point();
}

ConstView Bank::member_point(Index k) const {
    return k < points_.size() ? points_[k]->point() : windows_[k - points_.size()].learner->decide();
}

void Bank::expect(const RecordRef& forecast) {
    for (Window& window : windows_) window.learner->expect(forecast);
}

/// The losses at points are looked at before anything moves, so that a refused round leaves nothing to roll
/// back but the store and the windows.
bool Bank::enter(const RecordRef& record, RoundReport& report) {
    store_->push(record);
    record_ = record;
    own_cost_ = own_referee_cost_ = {};
    advanced_ = false;
    for (RoundReport& each : reports_) each = RoundReport{};
    for (Window& window : windows_) {
        window.entered = false;
        window.restart.reset();
    }
    // The active member first: where it refuses the record, no other one has to be restarted.
    bool accepted = look_at_mean() && (!selector_ || enter_window(selector_->active()));
    if (accepted) look_at_points();
    for (Index k = 0; accepted && k < windows_.size(); ++k) {
        if (!selector_ || k != selector_->active()) accepted = enter_window(k);
    }
    // Where not one window can go on, not even from the point that was played, the record is at fault.
    accepted = accepted && std::any_of(windows_.begin(), windows_.end(), [](const Window& window) {
                   return window.entered || !window.restart;
               });
    if (!accepted) {
        roll_back();
        refuse(report);
        return false;
    }
    ++entered_;
    return true;
}

/// False: the round has to be refused.
bool Bank::enter_window(Index k) {
    Window& window = windows_[k];
    window.entered = !window.out && window.learner->enter(record_, reports_[k]);
    if (window.entered && mixture_ && !sane(reports_[k].loss)) {
        own_cost_ += reports_[k].cost;
        own_referee_cost_ += reports_[k].referee_cost;
        reports_[k] = RoundReport{};
        window.learner->take_back();
        window.entered = false;
    }
    return window.entered || restart(k);
}

/// f_t at what is played and at the mixers' points. False: not finite at the played mean.
bool Bank::look_at_mean() {
    if (!mixture_) return true;
    const Stopwatch watch(seconds_);
    mean_loss_ = store_->value(0, point_, scratch_);
    mean_regulariser_ = g_.value(point_, scratch_);
    ++own_cost_.record_values;
    if (!usable(mean_loss_) || !usable(mean_regulariser_)) return false;
    lead_ = leading();
    offset_ = distance(point_, member_point(lead_));
    for (Index j = 0; j < mixed_.size(); ++j) {
        const bool slopes = mixture_->gradients() && j == Mixture::kGradients;
        mixer_losses_[j] = slopes ? store_->value_and_gradient(0, mixed_[j], gradient_, scratch_)
                                  : store_->value(0, mixed_[j], scratch_);
        ++(slopes ? own_cost_.record_gradients : own_cost_.record_values);
        mixer_losses_[j] += g_.value(mixed_[j], scratch_);
        if (slopes) find_slopes(mixed_[j]);
    }
    return true;
}

/// <grad f_t(z), z - x_k> at the gradient mixer's point z.
void Bank::find_slopes(ConstView mean) {
    const bool fine = usable(norm(gradient_));
    const Real here = dot(gradient_, mean);
    for (Index k = 0; k < size(); ++k) slopes_[k] = fine ? here - dot(gradient_, member_point(k)) : 0;
}

/// f_t and its gradient at the members that are points.
void Bank::look_at_points() {
    const Stopwatch watch(seconds_);
    for (Index k = 0; k < points_.size(); ++k) {
        const Real loss = store_->value_and_gradient(0, points_[k]->point(), gradients_[k], scratch_);
        ++own_cost_.record_gradients;
        const bool fine = sane(loss) && usable(norm(gradients_[k])) && usable(points_[k]->regulariser());
        point_losses_[k] = fine ? loss : std::numeric_limits<Real>::quiet_NaN();
    }
}

/// Window k refused the record, which leaves it as it was before, or is out. It begins anew at the point that
/// was played, where the loss is finite. False: the round has to be refused.
bool Bank::restart(Index k) {
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
void Bank::roll_back() {
    for (Window& window : windows_) {
        if (window.entered && !window.restart) window.learner->take_back();
        window.entered = false;
    }
    store_->drop_newest();
    for (Window& window : windows_) {
        if (!window.restart) continue;
        Checkpoint checkpoint(window.restart->state, "member");
        checkpoint.part("learner", *window.learner);
        window.out = window.restart->out;
        window.restarted = window.restart->restarted;
        if (!window.restarted) window.closing = {};
        window.restart.reset();
    }
}

void Bank::refuse(RoundReport& report) {
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

void Bank::advance(RoundReport& report, ConstView /*start*/) {
    for (Index k = 0; k < windows_.size(); ++k) {
        if (windows_[k].out) continue;
        windows_[k].learner->advance(reports_[k], start_for(points_.size() + k));
        if (reports_[k].status != RoundStatus::refused) continue;
        windows_[k].entered = false;
        if (restart(k)) continue;
        roll_back();
        --entered_;
        refuse(report);
        return;
    }
    find_losses();
    write_round(report);
    if (mixture_) measure_mean(report);  // for the certificate alone: not on the clock
    const Stopwatch watch(seconds_);
    if (mixture_) {
        mixture_before_ = mixture_;
        mixture_->update({losses_, slopes_, mixer_losses_});
    } else {
        selector_->update(losses_);
        round_.rate = selector_->rate();
        round_.share = selector_->share();
    }
    late_cost_ = {};
    learn_points();
    advanced_ = true;
    copy(point_, played_);
    choose_point();
    report.cost += late_cost_;
    note_movement(played_, point_, report);
}

/// l_t of every member. Where it is not finite the largest finite one stands for it: less than the truth, so
/// what is proved against it stays true.
void Bank::find_losses() {
    Real largest = -kInfinity;
    for (Index k = 0; k < size(); ++k) {
        Real& loss = losses_[k];
        if (k < points_.size()) {
            loss = point_losses_[k] + points_[k]->regulariser();
        } else {
            const RoundReport& report = reports_[k - points_.size()];
            const std::optional<Restart>& restart = windows_[k - points_.size()].restart;
            loss = restart ? restart->loss + restart->regulariser : report.loss + report.regulariser;
        }
        if (usable(loss)) largest = std::max(largest, loss);
    }
    if (mixture_ && largest == -kInfinity) largest = mean_loss_ + mean_regulariser_;
    for (Real& loss : losses_) {
        if (!usable(loss)) loss = largest;
    }
    for (Real& loss : mixer_losses_) {
        if (!usable(loss)) loss = std::max(largest, mean_loss_ + mean_regulariser_);
    }
    for (Index k = 0; k < size(); ++k) {
        recent_before_[k] = recent_[k];
        recent_[k] += (1 - kRecently) * (losses_[k] - recent_[k]);
    }
}

void Bank::learn_points() {
    for (Index k = 0; k < points_.size(); ++k) {
        PointLearner& member = *points_[k];
        const bool fine = std::isfinite(point_losses_[k]);
        if (fine) late_cost_.prox += member.learn(record_, gradients_[k], scratch_);
        if (!fine || !can_go_on(member)) member.restart(point_, fine);
    }
}

/// A point that overflows even the loss it has just learned from would take the next mean with it.
bool Bank::can_go_on(const PointLearner& member) {
    if (!all_finite(member.point()) || !usable(member.regulariser())) return false;
    ++late_cost_.record_values;
    return sane(store_->value(0, member.point(), scratch_));
}

Index Bank::leading() const {
    if (selector_) return selector_->active();
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

void Bank::write_round(RoundReport& report) {
    const Index lead = selector_ ? selector_->active() : lead_;
    const std::optional<Restart>& restart = windows_[lead - points_.size()].restart;
    const RoundReport played = reports_[lead - points_.size()];
    // What is not one run any more is told by its losses alone.
    for (Index k = 0; k < windows_.size(); ++k) {
        if (windows_[k].restarted) {
            RoundReport told;
            told.status = RoundStatus::refused;
            told.cost = reports_[k].cost;
            told.referee_cost = reports_[k].referee_cost;
            reports_[k] = told;
        }
        reports_[k].round = entered_;
    }
    report = reports_[lead - points_.size()];
    if (report.status == RoundStatus::refused) {
        report.status = RoundStatus::moved;
        report.loss = restart ? restart->loss : played.loss;
        report.regulariser = restart ? restart->regulariser : played.regulariser;
    }
    add_up(report);
    weights_.assign(weights().begin(), weights().end());
    round_ = {};
    round_.in_charge = lead;
    round_.weights = weights_;
    round_.losses = losses_;
    round_.members = reports_;
    if (!mixture_) return;
    round_.mixer_losses = mixer_losses_;
    round_.slopes = slopes_;
    round_.offset = offset_;
    report.loss = mean_loss_;
    report.regulariser = mean_regulariser_;
}

/// How stationary the mean is, for the window of the leading member: one pass every w rounds, so about one
/// gradient a round.
void Bank::measure_mean(RoundReport& report) {
    const Window& lead = windows_[round_.in_charge - points_.size()];
    if (lead.restarted || entered_ % lead.judge.length() != 0) return;
    lead.judge.at(entered_ + revised_, judge_weights_);
    judge_weights_.resize(std::min<Index>(judge_weights_.size(), store_->size()));
    Scratch::Frame frame(scratch_);
    const View gradient = frame.take(point_.size());
    const View forward = frame.take(point_.size());
    const View gap = frame.take(point_.size());
    store_->weighted_value_and_gradient(judge_weights_, point_, gradient, scratch_);
    const Real measured = prox_residual(g_, point_, gradient, step_, forward, gap, scratch_).norm;
    report.referee_cost.record_gradients += judge_weights_.size();
    ++report.referee_cost.prox;
    if (usable(measured)) round_.mean_gap = measured;
}

/// What all members did, charged to the ensemble.
void Bank::add_up(RoundReport& report) const {
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
ConstView Bank::start_for(Index k) const {
    if (!options_.cross_start || k == 0) return {};
    const auto best = static_cast<Index>(
        std::min_element(recent_.begin(), recent_.begin() + static_cast<std::ptrdiff_t>(k)) -
        recent_.begin());
    return recent_[k] - recent_[best] > kClearly * std::abs(recent_[k]) ? member_point(best) : ConstView{};
}

void Bank::mix(ConstView weights, View out) {
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

void Bank::choose_point() {
    if (selector_) {
        copy(member_point(selector_->active()), point_);
        return;
    }
    for (Index j = 0; j < mixed_.size(); ++j) mix(mixture_->mixer(j), mixed_[j]);
    mix(mixture_->weights(), point_);
}

void Bank::take_back() {
    roll_back();
    --entered_;
    if (!std::exchange(advanced_, false)) return;
    for (const auto& member : points_) member->take_back();
    if (mixture_) {
        mixture_ = mixture_before_;
    } else {
        selector_->take_back();
    }
    recent_ = recent_before_;
    choose_point();
}

RoundReport Bank::revise(const std::function<void(View)>& repair) {
    RoundReport report;
    for (Index k = 0; k < windows_.size(); ++k) {
        reports_[k] = windows_[k].learner->revise(repair);
        if (reports_[k].status == RoundStatus::refused) report.status = RoundStatus::refused;
        windows_[k].out = windows_[k].restarted = windows_[k].entered = false;
        windows_[k].restart.reset();
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
    if (mixture_) mixture_before_ = mixture_ = mixture_->begun_anew();
    choose_point();
    return report;
}

LearnerFacts Bank::facts() const {
    LearnerFacts facts;
    facts.name = "bank";
    facts.dimension = point_.size();
    facts.play = options_.selection.text;
    facts.counts_steps = false;
    for (Index k = 0; k < points_.size(); ++k) {
        LearnerFacts point;
        point.name = names_[k];
        point.dimension = point_.size();
        point.measured = false;
        facts.members.push_back(std::move(point));
    }
    for (Index k = 0; k < windows_.size(); ++k) {
        facts.members.push_back(windows_[k].learner->facts());
        facts.members.back().name = names_[points_.size() + k];
        facts.window = std::max(facts.window, facts.members.back().window);
        facts.promises_exit = facts.promises_exit && facts.members.back().promises_exit;
    }
    const LearnerFacts& longest = facts.members.back();
    facts.window_text = "auto";
    facts.effective_length = longest.effective_length;
    facts.model = longest.model;
    facts.step = longest.step;
    facts.hysteresis = longest.hysteresis;
    facts.switching = longest.switching;
    facts.initial_residual = facts.members[leading()].initial_residual;
    facts.initial_records = longest.initial_records;
    facts.initial_objective = longest.initial_objective;
    facts.infimum_regulariser = longest.infimum_regulariser;
    facts.prox_scale = longest.prox_scale;
    for (LearnerFacts& member : facts.members) {
        if (!member.measured) member.step = longest.step;
    }
    return facts;
}

Closing Bank::close() {
    Closing closing;
    for (Window& window : windows_)
        closing.members.push_back(window.restarted ? window.closing : window.learner->close());
    closing.regulariser = g_.value(point_, scratch_);
    return closing;
}

double Bank::seconds() const {
    double total = seconds_;
    for (const Window& window : windows_) total += window.learner->seconds();
    return total;
}

void Bank::Restart::exchange(Checkpoint& checkpoint) {
    checkpoint.exchange("loss", loss);
    checkpoint.exchange("regulariser", regulariser);
    checkpoint.exchange("state", state);
    checkpoint.exchange("out", out);
    checkpoint.exchange("restarted", restarted);
}

void Bank::exchange(Checkpoint& checkpoint) {
    checkpoint.agree("points", points_.size());
    checkpoint.agree("windows", windows_.size());
    checkpoint.part("store", *store_);
    for (const auto& member : points_) checkpoint.part("point", *member);
    for (Window& window : windows_) {
        checkpoint.part("window", *window.learner);
        checkpoint.exchange("out", window.out);
        checkpoint.exchange("restarted", window.restarted);
        checkpoint.exchange("last regulariser", window.closing.regulariser);
        checkpoint.list("last losses", window.closing.losses);
        checkpoint.list("last weights", window.closing.weights);
        checkpoint.exchange("entered", window.entered);
        checkpoint.part("restart", window.restart);
    }
    checkpoint.exchange("advanced", advanced_);
    if (mixture_) {
        checkpoint.part("mixture", *mixture_);
        checkpoint.part("mixture before", *mixture_before_);
    } else {
        checkpoint.part("selector", *selector_);
    }
    checkpoint.exchange("entered", entered_);
    checkpoint.exchange("revised", revised_);
    checkpoint.fixed("recent", recent_);
    checkpoint.fixed("recent before", recent_before_);
    checkpoint.exchange("seconds", seconds_);
    if (checkpoint.reading()) choose_point();
}

}  // namespace proxstream
