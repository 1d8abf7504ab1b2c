#include "route/alarms.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/core/spec.hpp"

#include "route/robust_range.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace proxstream {
namespace {

constexpr std::array<std::string_view, 5> kNames{"utilisation", "stale feed", "unroutable", "demand",
                                                 "residual"};
constexpr Index kLeastHistory = 12;  // periods before anything is called unusual

}  // namespace

std::string_view name(AlarmKind kind) {
    return kNames[static_cast<Index>(kind)];
}

void validate(const AlarmOptions& options) {
    std::vector<std::string> violations;
    const auto check = [&](std::string_view option, Real value, bool allowed, std::string_view rule) {
        if (!allowed)
            violations.push_back(fmt::format("{} = {}: must {}", option, format_short(value), rule));
    };
    const auto check_count = [&](std::string_view option, Index value, Index low, Index high) {
        check(option, static_cast<Real>(value), value >= low && value <= high,
              fmt::format("lie in [{}, {}]", low, high));
    };
    constexpr Index kLong = 1'000'000;
    check("alarm-utilisation", options.raise, options.raise > 0 && options.raise < kAbsurd,
          "be finite and above 0");
    check("clear-utilisation", options.clear, options.clear >= 0 && options.clear <= options.raise,
          "lie in [0, alarm-utilisation]");
    check_count("sustain", options.sustain, 1, kLong);
    check("stale-seconds", options.stale_seconds, options.stale_seconds >= 0, "be 0 (never) or more");
    check("anomaly", options.anomaly, options.anomaly >= 0, "be 0 (never) or more");
    check_count("anomaly-periods", options.anomaly_periods, kLeastHistory, kLong);
    check("residual-factor", options.residual_factor,
          options.residual_factor == 0 || options.residual_factor > 1, "be 0 (never) or above 1");
    check_count("residual-fast", options.residual_fast, 1, kLong);
    check_count("residual-slow", options.residual_slow, options.residual_fast + 1, kLong);
    check_count("alarms kept", options.keep, 1, 100 * kLong);
    if (!violations.empty()) throw ConfigError(std::move(violations));
}

AlarmDesk::AlarmDesk(AlarmOptions options, const Network& network, std::vector<Pair> pairs)
    : options_(options), network_(network), pairs_(std::move(pairs)), links_(network.links()) {
    validate(options_);
    for (const Pair& pair : pairs_) {
        if (origins_.empty() || origins_.back() != pair.origin) origins_.push_back(pair.origin);
    }
    demand_.resize(origins_.size() + 1);
    sums_.resize(demand_.size());
}

void AlarmDesk::observe(const AlarmInput& input) {
    period_ = input.period;
    raised_.clear();
    cleared_.clear();
    watch_feed(input);
    watch_links(input.utilisation);
    if (!input.demand.empty()) {
        watch_pairs(input);
        watch_demand(input.demand);
    }
    watch_residual(input.entry_residual);
    forget();
}

template <class Subject, class Text>
void AlarmDesk::see(Watch& watch, AlarmKind kind, Sight sight, Index sustain, const Subject& subject,
                    const Text& text) {
    watch.wrong = sight.wrong ? watch.wrong + 1 : 0;
    watch.right = sight.right ? watch.right + 1 : 0;
    if (watch.alarm == 0) {
        if (watch.wrong < sustain) return;
        watch.alarm = ++total_;
        open_.push_back({total_, kind, subject(), period_, std::nullopt, sight.value, text()});
        raised_.push_back(open_.back());
        return;
    }
    const auto alarm = std::lower_bound(open_.begin(), open_.end(), watch.alarm,
                                        [](const Alarm& a, Index number) { return a.number < number; });
    alarm->value = std::max(alarm->value, sight.value);
    if (watch.right < options_.sustain) return;
    alarm->cleared = period_;
    cleared_.push_back(*alarm);
    past_.push_back(std::move(*alarm));
    open_.erase(alarm);
    watch = {};
}

void AlarmDesk::watch_feed(const AlarmInput& input) {
    const bool late = options_.stale_seconds > 0 && input.waited > options_.stale_seconds;
    const bool wrong = late || !input.problem.empty();
    see(
        feed_, AlarmKind::stale_feed, {wrong, !wrong, input.waited}, 1, [] { return std::string("feed"); },
        [&] {
            if (!input.problem.empty()) return "the period could not be used: " + std::string(input.problem);
            return fmt::format("no period for {:.4g} s, longer than {} s", input.waited,
                               format_short(options_.stale_seconds));
        });
}

void AlarmDesk::watch_links(ConstView utilisation) {
    for (LinkIndex link = 0; link < utilisation.size(); ++link) {
        const Real value = utilisation[link];
        see(
            links_[link], AlarmKind::utilisation, {value > options_.raise, value < options_.clear, value},
            options_.sustain, [&] { return network_.link_name(link); },
            [&] {
                return fmt::format("utilisation {:.3f}, above {} for {} period{}", value,
                                   format_short(options_.raise), options_.sustain,
                                   options_.sustain == 1 ? "" : "s");
            });
    }
}

void AlarmDesk::watch_pairs(const AlarmInput& input) {
    const auto see_pair = [&](Index pair, Watch& watch, bool wrong) {
        const Real demand = wrong ? input.demand[pair] : 0;
        see(
            watch, AlarmKind::unroutable, {wrong, !wrong, demand}, 1,
            [&] {
                return network_.node_name(pairs_[pair].origin) + "->" +
                       network_.node_name(pairs_[pair].destination);
            },
            [&] { return fmt::format("demand {:.4g} and no path", demand); });
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

void AlarmDesk::watch_demand(ConstView demand) {
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

void AlarmDesk::watch_history(Index which) {
    History& history = demand_[which];
    const Real value = sums_[which];
    if (history.values.size() >= kLeastHistory) {
        const RobustRange range = robust_range(history.values, sorted_);
        const Real deviations = range.deviations(value);
        see(
            history.watch, AlarmKind::demand,
            {deviations > options_.anomaly, deviations < options_.anomaly / 2, deviations}, 1,
            [&] {
                return which < origins_.size() ? "from " + network_.node_name(origins_[which])
                                               : std::string("total");
            },
            [&] {
                return fmt::format("demand {:.4g} where the last {} periods had {:.4g} +- {:.2g}", value,
                                   history.values.size(), range.median, range.spread);
            });
    }
    if (history.values.size() < options_.anomaly_periods) {
        history.values.push_back(value);
    } else {
        history.values[history.next] = value;
        history.next = (history.next + 1) % options_.anomaly_periods;
    }
}

void AlarmDesk::watch_residual(Real residual) {
    if (options_.residual_factor == 0 || !std::isfinite(residual)) return;
    ++residuals_;
    // Plain means until there are enough values, averages that forget from then on.
    const auto follow = [&](Real& average, Index periods) {
        average += (residual - average) / static_cast<Real>(std::min(residuals_, periods));
    };
    follow(fast_, options_.residual_fast);
    follow(slow_, options_.residual_slow);
    if (residuals_ < 2 * options_.residual_fast || !(slow_ > 0)) return;
    const Real ratio = fast_ / slow_;
    see(
        residual_, AlarmKind::residual,
        {ratio > options_.residual_factor, ratio < (1 + options_.residual_factor) / 2, ratio},
        options_.sustain, [] { return std::string("splits"); },
        [&] { return fmt::format("entry residuals are {:.2f} times what they usually are", ratio); });
}

void AlarmDesk::forget() {
    while (!past_.empty() && past_.size() + open_.size() > options_.keep) {
        past_.pop_front();
        ++dropped_;
    }
}

std::vector<Alarm> AlarmDesk::all() const {
    std::vector<Alarm> alarms(past_.begin(), past_.end());
    alarms.insert(alarms.end(), open_.begin(), open_.end());
    std::sort(alarms.begin(), alarms.end(),
              [](const Alarm& a, const Alarm& b) { return a.number < b.number; });
    return alarms;
}

}  // namespace proxstream
