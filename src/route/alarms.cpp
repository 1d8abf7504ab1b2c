#include "route/alarms.hpp"

#include "proxstream/core/spec.hpp"

#include "core/serialise_each.hpp"
#include "io/field_text.hpp"
#include "route/robust_range.hpp"
#include "traffic/pair_index.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace proxstream {
namespace {

constexpr std::array<std::string_view, 5> kNames{"utilisation", "stale feed", "unroutable", "demand",
                                                 "stationarity gap"};
constexpr Index kLeastHistory = 12;  // periods before demand can be an anomaly

}  // namespace

std::string_view name(AlarmKind kind) {
    return kNames[static_cast<Index>(kind)];
}

AlarmMonitor::AlarmMonitor(AlarmOptions options, const Network& network, std::vector<Pair> pairs)
    : options_(options), network_(network), pairs_(std::move(pairs)), links_(network.links()) {
    for (const Pair& pair : pairs_) {
        if (origins_.empty() || origins_.back() != pair.origin) origins_.push_back(pair.origin);
    }
    demand_.resize(origins_.size() + 1);
    sums_.resize(demand_.size());
}

void AlarmMonitor::observe(const AlarmInput& input) {
    period_ = input.period;
    raised_ = 0;
    cleared_.clear();
    watch_feed(input);
    watch_links(input.utilisation);
    if (!input.demand.empty()) {
        watch_pairs(input);
        watch_demand(input.demand);
    }
    watch_gap(input.entry_gap);
    forget();
}

Alarm* AlarmMonitor::see(Watch& watch, AlarmKind kind, Sight sight, Index sustain) {
    watch.wrong = sight.wrong ? watch.wrong + 1 : 0;
    watch.right = sight.right ? watch.right + 1 : 0;
    if (watch.alarm == 0) {
        if (watch.wrong < sustain) return nullptr;
        watch.alarm = ++total_;
        ++raised_;
        open_.push_back({.number = total_, .kind = kind, .period = period_, .value = sight.value});
        return &open_.back();
    }
    const auto alarm = std::lower_bound(open_.begin(), open_.end(), watch.alarm,
                                        [](const Alarm& a, Index number) { return a.number < number; });
    alarm->value = std::max(alarm->value, sight.value);
    if (watch.right < options_.sustain) return nullptr;
    alarm->cleared = period_;
    cleared_.push_back(*alarm);
    past_.push_back(std::move(*alarm));
    open_.erase(alarm);
    watch = {};
    return nullptr;
}

void AlarmMonitor::watch_feed(const AlarmInput& input) {
    const bool late = options_.stale_seconds > 0 && input.waited > options_.stale_seconds;
    const bool wrong = late || !input.problem.empty();
    if (Alarm* raised = see(feed_, AlarmKind::stale_feed, {wrong, !wrong, input.waited}, 1)) {
        raised->subject = "feed";
        raised->text = input.problem.empty() ? fmt::format("no period for {:.4g} s, longer than {} s",
                                                           input.waited, format_short(options_.stale_seconds))
                                             : "the period could not be used: " + std::string(input.problem);
    }
}

void AlarmMonitor::watch_links(ConstView utilisation) {
    for (LinkIndex link = 0; link < utilisation.size(); ++link) {
        const Real value = utilisation[link];
        const Sight sight{value > options_.alarm_utilisation, value < options_.clear_utilisation, value};
        if (Alarm* raised = see(links_[link], AlarmKind::utilisation, sight, options_.sustain)) {
            raised->subject = network_.link_name(link);
            raised->text =
                fmt::format("utilisation {:.3f}, above {} for {}", value,
                            format_short(options_.alarm_utilisation), count_of(options_.sustain, "period"));
        }
    }
}

void AlarmMonitor::watch_pairs(const AlarmInput& input) {
    const auto see_pair = [&](Index pair, Watch& watch, bool wrong) {
        const Real demand = wrong ? input.demand[pair] : 0;
        if (Alarm* raised = see(watch, AlarmKind::unroutable, {wrong, !wrong, demand}, 1)) {
            raised->subject = pair_name(network_, pairs_[pair]);
            raised->text = fmt::format("demand {:.4g} and no path", demand);
        }
    };
    for (auto entry = without_path_.begin(); entry != without_path_.end();) {
        auto& [pair, watch] = *entry;
        if (!std::binary_search(input.unroutable.begin(), input.unroutable.end(), pair)) {
            see_pair(pair, watch, false);
        }
        entry = watch.alarm == 0 ? without_path_.erase(entry) : std::next(entry);
    }
    for (const Index pair : input.unroutable) see_pair(pair, without_path_[pair], true);
}

void AlarmMonitor::watch_demand(ConstView demand) {
    if (options_.anomaly == 0) return;
    std::fill(sums_.begin(), sums_.end(), 0);
    Index origin = 0;
    for (Index pair = 0; pair < demand.size(); ++pair) {
        if (pairs_[pair].origin != origins_[origin]) ++origin;
        sums_[origin] += demand[pair];
        sums_.back() += demand[pair];
    }
    for (Index i = 0; i < demand_.size(); ++i) watch_history(i);
}

void AlarmMonitor::watch_history(Index which) {
    History& history = demand_[which];
    const Real value = sums_[which];
    if (history.values.size() >= kLeastHistory) {
        const RobustRange range = robust_range(history.values, sorted_);
        const Real deviations = range.deviations(value);
        const Sight sight{deviations > options_.anomaly, deviations < options_.anomaly / 2, deviations};
        if (Alarm* raised = see(history.watch, AlarmKind::demand, sight, 1)) {
            raised->subject =
                which < origins_.size() ? "from " + network_.node_name(origins_[which]) : "total";
            raised->text = fmt::format("demand {:.4g} where the last {} periods had {:.4g} +- {:.2g}", value,
                                       history.values.size(), range.median, range.spread);
        }
    }
    if (history.values.size() < options_.anomaly_periods) {
        history.values.push_back(value);
    } else {
        history.values[history.next] = value;
        history.next = (history.next + 1) % options_.anomaly_periods;
    }
}

void AlarmMonitor::watch_gap(Real gap) {
    if (options_.gap_factor == 0 || !std::isfinite(gap)) return;
    ++gap_.count;
    // Plain means until there are enough values, then exponential averages.
    const auto follow = [&](Real& average, Index periods) {
        average += (gap - average) / static_cast<Real>(std::min(gap_.count, periods));
    };
    follow(gap_.fast, options_.gap_fast);
    follow(gap_.slow, options_.gap_slow);
    if (gap_.count < 2 * options_.gap_fast || !(gap_.slow > 0)) return;
    const Real ratio = gap_.fast / gap_.slow;
    const Sight sight{ratio > options_.gap_factor, ratio < (1 + options_.gap_factor) / 2, ratio};
    if (Alarm* raised = see(gap_.watch, AlarmKind::gap, sight, options_.sustain)) {
        raised->subject = "splits";
        raised->text = fmt::format("entry gaps are {:.2f} times their usual size", ratio);
    }
}

void AlarmMonitor::forget() {
    while (!past_.empty() && past_.size() + open_.size() > options_.alarms_kept) {
        past_.pop_front();
        ++dropped_;
    }
}

std::vector<Alarm> AlarmMonitor::all() const {
    std::vector<Alarm> alarms(past_.begin(), past_.end());
    alarms.insert(alarms.end(), open_.begin(), open_.end());
    std::sort(alarms.begin(), alarms.end(),
              [](const Alarm& a, const Alarm& b) { return a.number < b.number; });
    return alarms;
}

void Alarm::serialise(StateArchive& archive) {
    archive.field("number", number);
    serialise_enum(archive, "kind", kind, AlarmKind::gap);
    archive.fields(Field{"subject", subject}, Field{"period", period});
    Index end = cleared.value_or(0);
    archive.field("cleared", end);
    cleared = end > 0 ? std::optional(end) : std::nullopt;
    archive.fields(Field{"value", value}, Field{"text", text});
}

void AlarmMonitor::Watch::serialise(StateArchive& archive) {
    archive.fields(Field{"wrong", wrong}, Field{"right", right}, Field{"alarm", alarm});
}

template <class Visit>
void AlarmMonitor::for_each_watch(const Visit& visit) {
    visit(feed_);
    for (Watch& watch : links_) visit(watch);
    for (auto& [pair, watch] : without_path_) visit(watch);
    for (History& history : demand_) visit(history.watch);
    visit(gap_.watch);
}

void AlarmMonitor::serialise(StateArchive& archive) {
    archive.fields(Field{"period", period_}, Field{"total", total_}, Field{"dropped", dropped_});
    const auto alarm = [&](Alarm& each) { archive.section("alarm", each); };
    serialise_each(archive, "open", open_, alarm);
    serialise_each(archive, "past", past_, alarm);
    raised_ = 0;
    cleared_.clear();
    std::vector<std::uint64_t> lost;
    for (const auto& [pair, watch] : without_path_) lost.push_back(pair);
    archive.list("without a path", lost);
    if (archive.reading()) without_path_.clear();
    for (const std::uint64_t pair : lost) {
        archive.require(pair < pairs_.size(), "pairs of this run");
        without_path_[pair];
    }
    archive.agree("links", links_.size());
    archive.agree("demands", demand_.size());
    for (History& history : demand_) {
        archive.fields(Field{"values", history.values}, Field{"next", history.next});
        archive.require(
            history.values.size() <= options_.anomaly_periods && history.next < options_.anomaly_periods,
            "as many values as are kept");
    }
    archive.fields(Field{"fast", gap_.fast}, Field{"slow", gap_.slow}, Field{"gaps", gap_.count});
    for_each_watch([&](Watch& watch) {
        archive.section("watch", watch);
        const auto open = [&](const Alarm& each) { return each.number == watch.alarm; };
        // An open alarm of a watch must exist.
        archive.require(watch.alarm == 0 || std::any_of(open_.begin(), open_.end(), open),
                        "alarms that are open");
    });
}

}  // namespace proxstream
