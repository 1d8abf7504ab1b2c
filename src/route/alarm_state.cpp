/// What the alarm desk remembers between two periods.
#include "route/alarms.hpp"

namespace proxstream {
namespace {

constexpr std::uint64_t kMany = std::uint64_t{1} << 32U;

template <class Alarms>
void exchange_alarms(Checkpoint& checkpoint, std::string_view name, Alarms& alarms) {
    Index count = alarms.size();
    checkpoint.exchange(name, count, kMany);
    if (checkpoint.reading()) alarms.assign(count, {});
    for (Alarm& alarm : alarms) checkpoint.part("alarm", alarm);
}

}  // namespace

void Alarm::exchange(Checkpoint& checkpoint) {
    checkpoint.exchange("number", number);
    auto which = static_cast<std::uint64_t>(kind);
    checkpoint.exchange("kind", which, static_cast<std::uint64_t>(AlarmKind::residual));
    kind = static_cast<AlarmKind>(which);
    checkpoint.exchange("subject", subject);
    checkpoint.exchange("period", period);
    Index end = cleared.value_or(0);
    checkpoint.exchange("cleared", end);
    cleared = end > 0 ? std::optional(end) : std::nullopt;
    checkpoint.exchange("value", value);
    checkpoint.exchange("text", text);
}

void AlarmDesk::Watch::exchange(Checkpoint& checkpoint) {
    checkpoint.exchange("wrong", wrong);
    checkpoint.exchange("right", right);
    checkpoint.exchange("alarm", alarm);
}

void AlarmDesk::exchange(Checkpoint& checkpoint) {
    checkpoint.exchange("period", period_);
    checkpoint.exchange("total", total_);
    checkpoint.exchange("dropped", dropped_);
    exchange_alarms(checkpoint, "open", open_);
    exchange_alarms(checkpoint, "past", past_);
    checkpoint.part("feed", feed_);
    checkpoint.agree("links", links_.size());
    for (Watch& watch : links_) checkpoint.part("link", watch);
    std::vector<std::uint64_t> lost;
    for (const auto& [pair, watch] : without_path_) lost.push_back(pair);
    checkpoint.list("without a path", lost);
    if (checkpoint.reading()) {
        without_path_.clear();
        for (const std::uint64_t pair : lost) without_path_[pair] = {};
    }
    for (auto& [pair, watch] : without_path_) {
        checkpoint.require(pair < pairs_.size(), "pairs of this run");
        checkpoint.part("pair", watch);
    }
    checkpoint.agree("demands", demand_.size());
    for (History& history : demand_) {
        checkpoint.list("values", history.values);
        checkpoint.exchange("next", history.next);
        checkpoint.require(
            history.values.size() <= options_.anomaly_periods && history.next < options_.anomaly_periods,
            "as many values as are kept");
        checkpoint.part("watch", history.watch);
    }
    checkpoint.exchange("fast", fast_);
    checkpoint.exchange("slow", slow_);
    checkpoint.exchange("residuals", residuals_);
    checkpoint.part("residual", residual_);
    raised_.clear();
    cleared_.clear();
    // A watch looks its alarm up among the open ones.
    const auto is_open = [&](Index number) {
        for (const Alarm& alarm : open_)
            if (alarm.number == number) return true;
        return number == 0;
    };
    bool all_open = is_open(feed_.alarm) && is_open(residual_.alarm);
    for (const Watch& watch : links_) all_open = all_open && is_open(watch.alarm);
    for (const auto& [pair, watch] : without_path_) all_open = all_open && is_open(watch.alarm);
    for (const History& history : demand_) all_open = all_open && is_open(history.watch.alarm);
    checkpoint.require(all_open, "alarms that are open");
}

}  // namespace proxstream
