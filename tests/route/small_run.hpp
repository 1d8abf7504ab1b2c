/// A run on a few links with every kind of event: closures, a path that comes, demand not served, a pair
/// without a path, a period that cannot be used, alarms; and the folder it leaves.
#pragma once

#include "proxstream/core/draw.hpp"

#include "route/alarms.hpp"
#include "route/route_files.hpp"
#include "run/temporary_folder.hpp"
#include "traffic/split_set.hpp"

#include <string>
#include <vector>

namespace proxstream::testing {

inline Network small_network() {
    Network network;
    const NodeIndex a = network.node("A");
    const NodeIndex b = network.node("B, north");
    const NodeIndex c = network.node("C \"old\"");
    const NodeIndex d = network.node("D");
    network.node("island");
    const auto link = [&](NodeIndex from, NodeIndex to, Real capacity, const char* name = "") {
        network.add_link({.from = from,
                          .to = to,
                          .name = name,
                          .capacity = capacity,
                          .free_time = 1.5,
                          .b = 0.15,
                          .power = 4});
    };
    link(a, b, 10);                // 0
    link(a, b, 6, "A,B \"new\"");  // 1, beside it
    link(a, c, 8);                 // 2
    link(b, d, 9);                 // 3
    link(c, d, 7);                 // 4
    link(b, c, 5);                 // 5
    network.set_place(a, {0, 0});
    network.set_place(b, {1, 1});
    network.set_place(c, {1, -1});
    return network;
}

class SmallRun {
  public:
    static constexpr Index kPeriods = 8;
    static constexpr Index kHeld = 7;

    explicit SmallRun(const char* cost = "bpr", const char* objective = "system")
        : network_(small_network()),
          objective_(objective),
          routing_{.paths = PathSet(network_, {{0, 3}, {0, 4}, {1, 3}}, std::vector<Index>{4, 1, 2}),
                   .costs = LinkCosts(network_, cost, Objective::parse(objective), {}),
                   .slack_price = 3},
          queue_({.alarm_utilisation = 0.7, .clear_utilisation = 0.6, .sustain = 2, .anomaly_periods = 12},
                 network_, {{0, 3}, {0, 4}, {1, 3}}),
          sums_(network_.links()) {
        // Slot 3 has room for a path that comes later.
        const std::vector<PathChange> first{
            {0, true, {0, 3}}, {1, true, {2, 4}}, {2, true, {}}, {5, true, {3}}, {6, true, {5, 4}}};
        routing_.paths.change(first);
        routing_.share_prices.assign(routing_.dimension(), 0.125);
    }

    /// Plays all periods into `folder`; `stop` ends it after so many, without an end.
    void play(const std::string& folder, RouteDetail detail, Index stop = kPeriods + 1) {
        RouteFiles files(
            folder, detail,
            {.version = "0", .settings = {{"window", "4"}}, .cost = "bpr", .objective = objective_}, network_,
            routing_);
        files.open(routing_);
        for (Index period = 1; period <= kPeriods && period <= stop; ++period) play_period(files, period);
        if (stop <= kPeriods) return;
        MethodRow primary = sums_.row();
        primary.name = "primary, \"w=4\"";
        primary.primary = true;
        primary.ratio = 1.25;
        MethodRow lower_bound{.name = "clairvoyant", .total_cost = primary.total_cost / 1.25, .ratio = 1};
        lower_bound.lower_bound = true;
        files.finish(std::vector<MethodRow>{primary, lower_bound});
    }

    const Network& network() const { return network_; }
    const Routing& routing() const { return routing_; }
    const std::vector<Real>& splits() const { return splits_; }

  private:
    std::vector<NetworkEvent> events_of(Index period) {
        using Kind = NetworkEvent::Kind;
        if (period == 3) return {{Kind::capacity, 3, 0.5, "works, \"lane 2\""}};
        if (period == 4) return {{Kind::close, 2, 1, ""}, {Kind::capacity, 0, 0.75, ""}};
        if (period == 6) return {{Kind::open, 2, 1, ""}};
        return {};
    }

    void change_network(Index period, const std::vector<NetworkEvent>& events) {
        routing_.closed.resize(network_.links());
        for (const NetworkEvent& event : events) {
            if (event.kind == NetworkEvent::Kind::capacity) {
                routing_.costs.scale_capacity(event.link, event.factor);
            } else {
                routing_.closed[event.link] = event.kind == NetworkEvent::Kind::close ? 1 : 0;
            }
        }
        std::vector<PathChange> changes;
        if (period == 4) changes = {{1, false, {}}};
        if (period == 5) changes = {{3, true, {1, 5, 4}}};
        if (period == 6) changes = {{1, true, {2, 4}}};
        if (changes.empty()) return;
        routing_.paths.change(changes);
        if (!before_.empty()) repair_splits(routing_.paths, before_);
        ++epoch_;
    }

    void choose(Index period) {
        splits_.assign(routing_.dimension(), 0);
        for (SlotIndex slot = 0; slot < splits_.size(); ++slot) {
            const bool small = slot == 2;  // slack
            if (!routing_.paths.live(slot) || (small && period % 3 == 0)) continue;
            splits_[slot] =
                (small ? 0.05 : 1) * (0.1 + uniform({.seed = 5, .round = period, .sample = slot}));
        }
        for (Index pair = 0; pair < routing_.paths.pairs(); ++pair) {
            Real sum = 0;
            for (SlotIndex s = routing_.paths.first_slot(pair); s < routing_.paths.end_slot(pair); ++s)
                sum += splits_[s];
            for (SlotIndex s = routing_.paths.first_slot(pair); sum > 0 && s < routing_.paths.end_slot(pair);
                 ++s)
                splits_[s] /= sum;
        }
    }

    void play_period(RouteFiles& files, Index period) {
        const std::vector<NetworkEvent> events = events_of(period);
        change_network(period, events);
        choose(period);
        const Real rush = period == 5 || period == 6 ? 1.8 : 1;
        std::vector<Real> demand{rush * 9.5, period == 2 ? 0.5 : 0, rush * (2.0 + static_cast<Real>(period))};
        if (period == kHeld) demand.clear();
        PeriodRow row{
            .number = period, .label = "day 1, 0" + std::to_string(period) + ":00", .status = "solved"};
        row.measured = !demand.empty();
        row.epoch = epoch_;
        row.seconds = 0.001 * static_cast<Real>(period);
        row.entry_gap = 0.5 / static_cast<Real>(period);
        AlarmInput input{.period = period, .problem = row.measured ? "" : "period 7: not a number"};
        const Index unroutable = 1;
        if (row.measured) {
            row.figures = measure_period(routing_, demand, splits_, before_, links_, scratch_);
            before_ = splits_;
            sums_.add(row.figures, row.seconds, 4);
            input.utilisation = links_.utilisation;
            input.demand = demand;
            if (demand[1] > 0) input.unroutable = {&unroutable, 1};
        } else {
            sums_.add_held(row.seconds, 4);
        }
        queue_.observe(input);
        row.alarms_open = queue_.open().size();
        files.write(row, {routing_, demand, splits_, links_, events}, queue_);
    }

    Network network_;
    std::string objective_;
    Routing routing_;
    AlarmMonitor queue_;
    MethodSums sums_;
    std::vector<Real> splits_, before_;
    LinkFigures links_;
    Scratch scratch_;
    Index epoch_ = 0;
};

}  // namespace proxstream::testing
