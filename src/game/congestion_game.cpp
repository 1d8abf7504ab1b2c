#include "game/congestion_game.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/core/linalg.hpp"

#include "game_arguments.hpp"
#include "reach.hpp"
#include "traffic/split_set.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace proxstream {
namespace {

/// The most a link can carry: the whole demand of every pair that has a path along it.
std::vector<Real> largest_loads(const CongestionGround& ground) {
    const PathSet& paths = ground.routing->paths;
    std::vector<Real> loads(ground.network.links(), 0);
    std::vector<Index> counted(loads.size(), 0);  // by which pair, from 1
    for (Index pair = 0; pair < paths.pairs(); ++pair) {
        for (SlotIndex slot = paths.first_slot(pair); slot < paths.end_slot(pair); ++slot) {
            if (!paths.live(slot)) continue;
            paths.for_each_link(slot, [&](LinkIndex link) {
                if (std::exchange(counted[link], pair + 1) != pair + 1) loads[link] += ground.demand[pair];
            });
        }
    }
    return loads;
}

/// Bounds on a link's time for totals in [0, most], of which up to `own` are one carrier's.
struct TimeReach {
    Interval time;
    Real moved = 0;  // by rivals at one own load
    Real slope = 0;  // of the time, at most
    Real bend = 0;   // own load times the second derivative, at most in size
};

/// Times increase with the load. Those of `s-shape` have slopes of at most 1/4 and second derivatives of at
/// most 1/(6 sqrt(3)), in units of their own; others are convex with an increasing second derivative z -> t''
/// except BPR of power p below 2, of which z t''(z) increases, and below 1, of which the slope is infinite at
/// 0.
TimeReach time_reach(const CongestionGround& ground, const Spec& cost, LinkIndex link, Real own, Real most) {
    const LinkCosts& costs = ground.routing->costs;
    const LinkTime empty = costs.time(link, 0);
    const LinkTime full = costs.time(link, most);
    TimeReach reach{{empty.time, full.time}, full.time - empty.time, full.slope, own * full.bend};
    if (cost.name() == "s-shape") {
        const Real height = ground.network.link(link).free_time * cost.number_or(0, "b", 1);
        const Real stretch = costs.capacity(link) * cost.number_or(2, "width", 0.1);
        reach.slope = height / stretch / 4;
        reach.bend = own * height / (stretch * stretch) / (6 * std::sqrt(3.0));
        return reach;
    }
    const Link& file = ground.network.link(link);
    const bool bpr = cost.name() == "bpr";
    const Real power = bpr ? cost.number_or(Spec::kByNameOnly, "power", file.power) : 2;
    const Real b = bpr ? cost.number_or(Spec::kByNameOnly, "b", file.b) : 1;
    if (bpr && b > 0 && power > 0 && power < 1) {
        reach.slope = reach.bend = kInfinity;
    } else {
        // At one own load y <= own rivals move a convex time by at most t(own + rest) - t(own).
        reach.moved = full.time - costs.time(link, own).time;
        if (power < 2) reach.bend = most * std::abs(full.bend);
    }
    return reach;
}

/// The largest eigenvalue of sum_e h_e q_e q_e', q_e being the demand by slot along link e: its entries are
/// not negative, so max_k (M v)_k / v_k is at least that for every positive v (Collatz and Wielandt), and
/// steps of the power method bring it down.
Real largest_curvature(const PathSet& paths, ConstView demand, ConstView bends) {
    constexpr int kSteps = 50;
    const DemandColumn column{demand};
    Scratch scratch;
    std::vector<Real> v(paths.slots());
    for (SlotIndex slot = 0; slot < v.size(); ++slot) v[slot] = paths.live(slot) ? 1 : 0;
    std::vector<Real> loads(bends.size()), next(v.size());
    Real bound = kInfinity;
    for (int step = 0; step < kSteps; ++step) {
        find_loads(paths, {&column, 1}, v, loads, scratch);
        for (Index link = 0; link < loads.size(); ++link) loads[link] *= bends[link];
        price_paths(paths, {&column, 1}, loads, next, scratch);
        Real ratio = 0;
        for (Index slot = 0; slot < v.size(); ++slot)
            if (v[slot] > 0) ratio = std::max(ratio, next[slot] / v[slot]);
        bound = std::min(bound, ratio);
        const Real largest = max_abs(next);
        if (largest == 0 || !std::isfinite(largest)) break;
        constexpr Real kKeep = 1e-3;  // of the old v, so that it stays positive
        for (Index slot = 0; slot < v.size(); ++slot) v[slot] = kKeep * v[slot] + next[slot] / largest;
        scaled(1 / max_abs(v), v, v);
    }
    return bound;
}

/// Adds up over the links of each path what all paths of its pair do not share: that is a constant there, and
/// variations do not see it.
template <class Body>
void for_each_unshared(const PathSet& paths, Index links, Body body) {
    std::vector<Index> users(links, 0);
    for (Index pair = 0; pair < paths.pairs(); ++pair) {
        Index live = 0;
        for (SlotIndex slot = paths.first_slot(pair); slot < paths.end_slot(pair); ++slot) {
            if (!paths.live(slot)) continue;
            ++live;
            paths.for_each_link(slot, [&](LinkIndex link) { ++users[link]; });
        }
        for (SlotIndex slot = paths.first_slot(pair); slot < paths.end_slot(pair); ++slot) {
            if (!paths.live(slot)) continue;
            paths.for_each_link(slot, [&](LinkIndex link) {
                if (users[link] < live) body(pair, slot, link);
            });
        }
        for (SlotIndex slot = paths.first_slot(pair); slot < paths.end_slot(pair); ++slot) {
            if (paths.live(slot)) paths.for_each_link(slot, [&](LinkIndex link) { users[link] = 0; });
        }
    }
}

}  // namespace

CongestionCost::CongestionCost(std::shared_ptr<const CongestionGround> ground, Index carrier)
    : ground_(std::move(ground)), carrier_(carrier) {
    if (carrier_ >= ground_->shares.size())
        throw ConfigError(fmt::format("there is no carrier {} of {}", carrier_, ground_->shares.size()));
    find_constants();
}

void CongestionCost::find_constants() {
    const Routing& routing = *ground_->routing;
    const Real share = ground_->shares[carrier_];
    const Spec cost = Spec::parse(ground_->cost);
    const std::vector<Real> most = largest_loads(*ground_);
    std::vector<TimeReach> reaches;
    std::vector<Real> bends;
    for (LinkIndex link = 0; link < most.size(); ++link) {
        reaches.push_back(time_reach(*ground_, cost, link, share * most[link], most[link]));
        bends.push_back(most[link] > 0 ? 2 * reaches.back().slope + reaches.back().bend : 0);
    }
    const Real scale = share * share / routing.unit;
    const Real smoothness = scale * largest_curvature(routing.paths, ground_->demand, bends);
    if (std::isfinite(smoothness)) smoothness_ = smoothness;

    std::vector<Interval> gradient(dimension());
    std::vector<Real> moved(dimension(), 0);
    for_each_unshared(routing.paths, most.size(), [&](Index pair, SlotIndex slot, LinkIndex link) {
        const Real weight = share * ground_->demand[pair] / routing.unit;
        const Real own = share * most[link] * reaches[link].slope;  // y t'
        gradient[slot] = gradient[slot] + weight * (reaches[link].time + Interval{0, own});
        moved[slot] += weight * (reaches[link].moved + own);
    });
    variation_ = variation_bound(AnyRegulariser(SplitSet(ground_->routing)), gradient, moved);
}

void CongestionCost::condense(ConstView joint, View record, Scratch& scratch) const {
    // Loads are linear in splits: those of all rivals together are the loads of their mean splits.
    Scratch::Frame frame(scratch);
    const View splits = frame.take(dimension());
    fill(splits, 0);
    for (Index j = 0; j < ground_->shares.size(); ++j) {
        if (j != carrier_) axpy(ground_->shares[j], joint.subspan(j * splits.size(), splits.size()), splits);
    }
    const DemandColumn column{ground_->demand};
    find_loads(ground_->routing->paths, {&column, 1}, splits, record, scratch);
}

Real CongestionCost::weighted(const PlayRecords& records, std::span<const Real> weights, ConstView own,
                              View gradient, Scratch& scratch) const {
    const Routing& routing = *ground_->routing;
    const Real share = ground_->shares[carrier_];
    const DemandColumn column{ground_->demand};
    Scratch::Frame frame(scratch);
    const View loads = frame.take(record_size());
    const View prices = frame.take(record_size());
    find_loads(routing.paths, {&column, 1}, own, loads, scratch);
    scaled(share, loads, loads);
    fill(prices, 0);
    Real total = 0;
    for (Index age = weights.size(); age-- > 0;) {
        if (weights[age] == 0) continue;
        const ConstView rivals = records[age];
        Real spent = 0;
        for (LinkIndex link = 0; link < loads.size(); ++link) {
            const LinkTime at = routing.costs.time(link, loads[link] + rivals[link]);
            spent += loads[link] * at.time;
            prices[link] += weights[age] * (at.time + loads[link] * at.slope);
        }
        total += weights[age] * spent;
    }
    if (!gradient.empty()) {
        price_paths(routing.paths, {&column, 1}, prices, gradient, scratch);
        scaled(share / routing.unit, gradient, gradient);
    }
    return total / routing.unit;
}

GameDefinition make_congestion_game(std::string name, const CongestionOptions& options) {
    const auto ground = std::make_shared<const CongestionGround>(make_congestion_ground(options));
    GameDefinition game{.name = std::move(name), .players = {}};
    const AnyRegulariser set{SplitSet(ground->routing)};
    for (Index i = 0; i < ground->shares.size(); ++i) {
        game.players.push_back({fmt::format("carrier {}", i + 1), std::make_shared<CongestionCost>(ground, i),
                                set, fmt::format("splits of {} pairs", ground->demand.size()),
                                even_splits(ground->routing->paths)});
    }
    check(game);
    return game;
}

GameDefinition make_congestion(const Spec& spec) {
    CongestionOptions options;
    if (spec.positional_count() > 0 || spec.has("network")) options.network = spec.word(0, "network");
    options.trips = without_shield(spec.word_or("trips", ""));
    options.shares = spec.numbers("shares");
    options.carriers = spec.count_or("carriers", options.shares.empty() ? 3 : options.shares.size());
    options.paths = spec.count_or("paths", options.paths);
    options.cost = without_shield(spec.word_or("cost", options.cost));
    options.scale = number_within(spec, "scale", options.scale, 1e-6, 1e6);
    return make_congestion_game(spec.text(), options);
}

}  // namespace proxstream
