/// Small networks to route on, drawn at random, and their losses from walking every path link by link, record
/// by record.
#pragma once

#include "proxstream/core/draw.hpp"
#include "proxstream/loss/row_block.hpp"

#include "traffic/k_shortest.hpp"
#include "traffic/routing.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

namespace proxstream::test {

/// Reproducible choices, one after the other.
class Chance {
  public:
    explicit Chance(std::uint64_t seed) : seed_(seed) {}
    Real real(Real low, Real high) { return low + (high - low) * uniform({seed_, 1, 0, 0, next_++}); }
    Index below(Index bound) { return static_cast<Index>(uniform_below({seed_, 2, 0, 0, next_++}, bound)); }
    Real gauss() { return normal({seed_, 3, 0, 0, next_++}); }
    bool one_in(Index n) { return below(n) == 0; }

  private:
    std::uint64_t seed_;
    std::uint64_t next_ = 0;
};

struct RandomRouting {
    Index nodes = 7;
    Index chords = 14;  // links beside a ring in both directions; some are parallel
    Index pairs = 9;
    Index k = 3;
    Index spare = 1;
    bool holes = false;  // some slots are emptied, some pairs have no path at all
    bool slack = false;
    Real slack_price = 0;
    Real path_price = 0;
    std::string form = "bpr";
    std::string objective = "system";
};

struct Routed {
    std::shared_ptr<const Network> network;
    std::shared_ptr<Routing> routing;
};

inline Network random_roads(const RandomRouting& wanted, Chance& chance) {
    Network network;
    for (Index i = 0; i < wanted.nodes; ++i) network.node("n" + std::to_string(i));
    constexpr Real kPowers[] = {4, 4, 1, 1.7, 0, 6};
    const auto add = [&](Index from, Index to) {
        const bool connector = chance.one_in(10);
        network.add_link({.from = static_cast<NodeIndex>(from),
                          .to = static_cast<NodeIndex>(to),
                          .capacity = chance.real(1, 5),
                          .length = chance.real(0, 2),
                          .free_time = connector ? 0 : chance.real(0.2, 2),
                          .b = chance.real(0.1, 1),
                          .power = kPowers[chance.below(6)],
                          .toll = chance.real(0, 1)});
    };
    for (Index i = 0; i < wanted.nodes; ++i) {
        add(i, (i + 1) % wanted.nodes);
        add((i + 1) % wanted.nodes, i);
    }
    for (Index i = 0; i < wanted.chords; ++i) {
        const Index from = chance.below(wanted.nodes);
        add(from, (from + 1 + chance.below(wanted.nodes - 1)) % wanted.nodes);
    }
    return network;
}

inline std::vector<Pair> random_pairs(const RandomRouting& wanted, Chance& chance) {
    std::vector<Pair> all;
    for (NodeIndex a = 0; a < wanted.nodes; ++a) {
        for (NodeIndex b = 0; b < wanted.nodes; ++b)
            if (a != b) all.push_back({a, b});
    }
    while (all.size() > wanted.pairs)
        all.erase(all.begin() + static_cast<std::ptrdiff_t>(chance.below(all.size())));
    return all;
}

inline Routed random_routing(const RandomRouting& wanted, Chance& chance) {
    Routed made;
    const auto network = std::make_shared<Network>(random_roads(wanted, chance));
    made.network = network;
    LinkCosts costs(*network, wanted.form, Objective::parse(wanted.objective),
                    {chance.real(0, 0.1), chance.real(0, 0.1)});
    std::vector<Real> times;
    for (LinkIndex link = 0; link < network->links(); ++link) times.push_back(costs.time(link, 0).time);
    PathSet paths = make_paths(*network, random_pairs(wanted, chance),
                               {.k = wanted.k, .spare = wanted.spare, .slack = wanted.slack}, times)
                        .paths;
    if (wanted.holes) {
        std::vector<PathChange> gone;
        for (Index pair = 0; pair < paths.pairs(); ++pair) {
            const bool whole = chance.one_in(6);
            for (SlotIndex slot = paths.first_slot(pair); slot < paths.end_slot(pair); ++slot)
                if (whole || chance.one_in(5)) gone.push_back({slot, false, {}});
        }
        paths.change(gone);
    }
    made.routing = std::make_shared<Routing>(Routing{std::move(paths), std::move(costs)});
    made.routing->slack_price = wanted.slack_price;
    made.routing->path_price = wanted.path_price;
    if (wanted.path_price > 0) {
        const PathSet& all = made.routing->paths;
        made.routing->share_prices.assign(all.slots(), 0);
        for (SlotIndex slot = 0; slot < all.slots(); ++slot) {
            if (!all.live(slot)) continue;
            for (const LinkIndex link : all.links(slot))
                made.routing->share_prices[slot] += wanted.path_price * network->link(link).free_time;
        }
    }
    return made;
}

inline std::vector<Real> random_demand(Index pairs, Chance& chance, Real most = 1.5) {
    std::vector<Real> demand(pairs);
    for (Real& each : demand) each = chance.one_in(8) ? 0 : chance.real(0.1, most);
    return demand;
}

/// A point of the splits; some shares are 0 unless `inside`.
inline std::vector<Real> random_splits(const PathSet& paths, Chance& chance, bool inside = false) {
    std::vector<Real> x(paths.slots(), 0);
    for (Index pair = 0; pair < paths.pairs(); ++pair) {
        Real total = 0;
        SlotIndex last = paths.end_slot(pair);
        for (SlotIndex slot = paths.first_slot(pair); slot < paths.end_slot(pair); ++slot) {
            if (!paths.live(slot)) continue;
            last = slot;
            x[slot] = !inside && chance.one_in(3) ? 0 : chance.real(0.05, 1);
            total += x[slot];
        }
        if (last == paths.end_slot(pair)) continue;
        if (total == 0) total = x[last] = 1;
        for (SlotIndex slot = paths.first_slot(pair); slot < paths.end_slot(pair); ++slot) x[slot] /= total;
    }
    return x;
}

inline RowBlock record_of(const std::vector<Real>& demand) {
    RowBlock record;
    record.add_dense(demand, 0);
    return record;
}

struct NaiveLoss {
    Real value = 0;
    std::vector<Real> gradient;  // by slot
    std::vector<Real> loads;     // by link
};

/// What a link adds to the objective. The unweighted one is a sum over paths.
inline Real naive_link_value(const LinkCosts& costs, LinkIndex link, Real load) {
    const Objective& objective = costs.objective();
    switch (objective.kind) {
        case ObjectiveKind::system:
            return load * costs.time(link, load).time;
        case ObjectiveKind::user:
            return costs.time(link, load).integral;
        case ObjectiveKind::utilisation:
            return std::pow(load / costs.capacity(link), objective.power);
        case ObjectiveKind::unweighted:
            break;
    }
    return 0;
}

/// What a link with that load and sum of shares adds to the slope of a path of demand `size`.
inline Real naive_link_slope(const LinkCosts& costs, LinkIndex link, Real load, Real share, Real size) {
    const Objective& objective = costs.objective();
    const LinkTime at = costs.time(link, load);
    switch (objective.kind) {
        case ObjectiveKind::system:
            return size * (at.time + load * at.slope);
        case ObjectiveKind::user:
            return size * at.time;
        case ObjectiveKind::utilisation:
            return size * objective.power * std::pow(load / costs.capacity(link), objective.power - 1) /
                   costs.capacity(link);
        case ObjectiveKind::unweighted:
            return at.time + size * share * at.slope;
    }
    return 0;
}

/// One demand, path by path.
inline NaiveLoss naive_loss(const Routing& routing, ConstView demand, ConstView x) {
    const PathSet& paths = routing.paths;
    const LinkCosts& costs = routing.costs;
    NaiveLoss loss;
    loss.gradient.assign(paths.slots(), 0);
    loss.loads.assign(costs.links(), 0);
    std::vector<Real> shares(costs.links(), 0);  // z: loads with 1 for every demand
    for (SlotIndex slot = 0; slot < paths.slots(); ++slot) {
        if (!paths.live(slot)) continue;
        for (const LinkIndex link : paths.links(slot)) {
            loss.loads[link] += demand[paths.pair_of(slot)] * x[slot];
            shares[link] += x[slot];
        }
    }
    for (LinkIndex link = 0; link < costs.links(); ++link)
        loss.value += naive_link_value(costs, link, loss.loads[link]);
    for (SlotIndex slot = 0; slot < paths.slots(); ++slot) {
        if (!paths.live(slot)) continue;
        const Real size = demand[paths.pair_of(slot)];
        const std::vector<LinkIndex> links = paths.links(slot);
        Real& slope = loss.gradient[slot];
        for (const LinkIndex link : links) {
            const Real load = loss.loads[link];
            slope += naive_link_slope(costs, link, load, shares[link], size);
            if (costs.objective().kind == ObjectiveKind::unweighted)
                loss.value += x[slot] * costs.time(link, load).time;
        }
        if (!routing.share_prices.empty()) {
            loss.value += routing.share_prices[slot] * x[slot];
            slope += routing.share_prices[slot];
        }
        if (links.empty()) {
            loss.value += routing.slack_price * size * x[slot];
            slope += routing.slack_price * size;
        }
    }
    loss.value /= routing.unit;
    for (Real& slope : loss.gradient) slope /= routing.unit;
    return loss;
}

/// A weighted sum of demands; weights by age, `demands` oldest first.
inline NaiveLoss naive_window(const Routing& routing, const std::vector<std::vector<Real>>& demands,
                              ConstView weights, ConstView x) {
    NaiveLoss sum;
    sum.gradient.assign(x.size(), 0);
    for (Index age = 0; age < weights.size(); ++age) {
        const NaiveLoss each = naive_loss(routing, demands[demands.size() - 1 - age], x);
        sum.value += weights[age] * each.value;
        for (Index i = 0; i < x.size(); ++i) sum.gradient[i] += weights[age] * each.gradient[i];
    }
    return sum;
}

inline Real largest(ConstView values) {
    Real most = 0;
    for (const Real value : values) most = std::max(most, std::abs(value));
    return most;
}

/// The largest difference between two vectors, relative to the largest entry of the second.
inline Real relative_error(ConstView found, ConstView wanted) {
    Real worst = 0;
    for (Index i = 0; i < wanted.size(); ++i) worst = std::max(worst, std::abs(found[i] - wanted[i]));
    const Real most = largest(wanted);
    return most > 0 ? worst / most : worst;
}

}  // namespace proxstream::test
