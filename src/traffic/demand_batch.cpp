#include "traffic/demand_batch.hpp"

#include "proxstream/core/linalg.hpp"
#include "proxstream/core/state_archive.hpp"

#include "traffic/block_sweeps.hpp"
#include "tree_walk.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

namespace proxstream {
namespace {

/// Uses several threads if there are enough links.
template <class Body>
void for_link_ranges(Index links, Index uses, const Body& body) {
    constexpr Index kLeastWork = Index{1} << 12;
    for_ranges(links, links * uses / kLeastWork, body);
}

/// Adds price_link(link, load, price) up over all links. A link has a load and a price, 0 at first, for each
/// column.
template <class PriceLink>
Real price_each_link(Index width, Index uses, ConstView loads, View prices, Scratch& scratch,
                     const PriceLink& price_link) {
    const Index links = loads.size() / width;
    Scratch::Frame frame(scratch);
    const View values = frame.take(links);
    for_link_ranges(links, uses, [&](Index begin, Index end) {
        for (Index link = begin; link < end; ++link) {
            Real* price = &prices[link * width];
            std::fill(price, price + width, 0);
            values[link] = price_link(static_cast<LinkIndex>(link), &loads[link * width], price);
        }
    });
    return sum(values);
}

/// Divides by the unit, so that losses are of the order of 1.
void divide_by_unit(const Routing& routing, View gradient) {
    if (routing.unit == 1) return;
    constexpr Index kLeastWork = Index{1} << 16;
    for_ranges(gradient.size(), gradient.size() / kLeastWork, [&](Index begin, Index end) {
        const View part = gradient.subspan(begin, end - begin);
        scaled(1 / routing.unit, part, part);
    });
}

/// The paper's sum does not depend on loads alone: link e contributes z_e t_e(y_e), where z_e is its load if
/// all demands were 1. The last column holds z.
Real price_unweighted(const Routing& routing, const DemandMix& mix, ConstView loads, View prices,
                      Scratch& scratch) {
    const Index last = mix.columns.size();
    const auto price_link = [&](LinkIndex link, const Real* load, Real* price) {
        const Real z = load[last];
        Real value = 0;
        for (const ColumnUse& use : mix.uses) {
            const LinkTime at = routing.costs.time(link, use.scale * load[use.column]);
            value += use.weight * z * at.time;
            price[use.column] += use.weight * use.scale * z * at.slope;
            price[last] += use.weight * at.time;
        }
        return value;
    };
    return price_each_link(last + 1, mix.uses.size(), loads, prices, scratch, price_link);
}

}  // namespace

Real price_slots(const Routing& routing, const DemandMix& mix, ConstView x, View gradient) {
    const PathSet& paths = routing.paths;
    Real total = 0;
    if (!routing.share_prices.empty()) {
        total += mix.weight * dot(routing.share_prices, x);
        if (!gradient.empty()) axpy(mix.weight, routing.share_prices, gradient);
    }
    if (routing.slack_price == 0) return total;
    for (Index pair = 0; pair < paths.pairs(); ++pair) {
        for (const SlotIndex slot : paths.live_slots(pair)) {
            if (!paths.slack(slot)) continue;
            Real demand = 0;
            for (const ColumnUse& use : mix.uses)
                demand += use.weight * use.scale * mix.columns[use.column].demand[pair];
            const Real price = routing.slack_price * demand;
            total += price * x[slot];
            if (!gradient.empty()) gradient[slot] += price;
        }
    }
    return total;
}

namespace {

/// price_links() through moments: the uses of a column add up to two numbers for each degree.
Real price_by_moments(const Routing& routing, const DemandMix& mix, ConstView loads, View prices,
                      View curvatures, Scratch& scratch) {
    const LinkCosts& costs = routing.costs;
    const Index width = mix.columns.size();
    const Index degrees = costs.degrees().size();
    Scratch::Frame frame(scratch);
    const View first = frame.take(width);           // sum of weight * scale
    const View high = frame.take(width * degrees);  // sum of weight * scale^degree
    fill(first, 0);
    fill(high, 0);
    for (const ColumnUse& use : mix.uses) {
        first[use.column] += use.weight * use.scale;
        for (Index d = 0; d < degrees; ++d)
            high[use.column * degrees + d] += use.weight * raise_to(use.scale, costs.degrees()[d]);
    }
    const View values = frame.take(costs.links());
    for_link_ranges(costs.links(), width, [&](Index begin, Index end) {
        for (Index at = begin; at < end; ++at) {
            const auto link = static_cast<LinkIndex>(at);
            Real value = 0;
            for (Index k = 0; k < width; ++k) {
                const TermParts parts = costs.parts(link, loads[at * width + k]);
                const Real one = first[k];
                const Real more = high[k * degrees + costs.degree_of(link)];
                value += one * parts.linear.value + more * parts.power.value;
                prices[at * width + k] = one * parts.linear.marginal + more * parts.power.marginal;
                if (!curvatures.empty()) curvatures[at * width + k] = more * parts.power.curvature;
            }
            values[at] = value;
        }
    });
    return sum(values);
}

}  // namespace

Real price_links(const Routing& routing, const DemandMix& mix, ConstView loads, View prices, View curvatures,
                 Scratch& scratch) {
    const Index width = mix.columns.size();
    if (mix.uses.size() > width && !routing.costs.degrees().empty())
        return price_by_moments(routing, mix, loads, prices, curvatures, scratch);
    const auto price_link = [&](LinkIndex link, const Real* load, Real* price) {
        Real* curvature = curvatures.empty() ? nullptr : &curvatures[link * width];
        if (curvature != nullptr) std::fill_n(curvature, width, 0);
        Real value = 0;
        for (Index first = 0; first < mix.uses.size(); first += LinkCosts::kTogether) {
            const auto uses =
                mix.uses.subspan(first, std::min(LinkCosts::kTogether, mix.uses.size() - first));
            Real used[LinkCosts::kTogether];
            LinkCosts::Terms terms;
            for (Index k = 0; k < uses.size(); ++k) used[k] = uses[k].scale * load[uses[k].column];
            routing.costs.terms(link, {used, uses.size()}, terms);
            for (Index k = 0; k < uses.size(); ++k) {
                const ColumnUse& use = uses[k];
                value += use.weight * terms.value[k];
                price[use.column] += use.weight * use.scale * terms.marginal[k];
                if (curvature != nullptr)
                    curvature[use.column] += use.weight * use.scale * use.scale * terms.curvature[k];
            }
        }
        return value;
    };
    return price_each_link(width, mix.uses.size(), loads, prices, scratch, price_link);
}

Real evaluate(const Routing& routing, const DemandMix& mix, ConstView x, View gradient, Scratch& scratch) {
    if (mix.uses.empty()) {
        fill(gradient, 0);
        return 0;
    }
    const bool unweighted = routing.costs.objective().kind == ObjectiveKind::unweighted;
    const Index width = mix.columns.size() + (unweighted ? 1 : 0);
    Scratch::Frame frame(scratch);
    std::span<const DemandColumn> columns = mix.columns;
    if (unweighted) {
        const std::span<DemandColumn> longer = frame.take<DemandColumn>(width);
        std::copy(columns.begin(), columns.end(), longer.begin());
        longer.back() = {};
        columns = longer;
    }
    const View loads = frame.take(routing.costs.links() * width);
    const View prices = frame.take(loads.size());
    find_loads(routing.paths, columns, x, loads, scratch);
    Real total = unweighted ? price_unweighted(routing, mix, loads, prices, scratch)
                            : price_links(routing, mix, loads, prices, {}, scratch);
    if (!gradient.empty()) price_paths(routing.paths, columns, prices, gradient, scratch);
    total += price_slots(routing, mix, x, gradient);
    divide_by_unit(routing, gradient);
    return total / routing.unit;
}

DemandBatch::DemandBatch(std::shared_ptr<const Routing> routing, Index capacity)
    : routing_(std::move(routing)), ring_(routing_->paths.pairs(), capacity), shapes_(capacity) {}

ConstView DemandBatch::demand(Index age) const {
    return {ring_.record(age).dense, routing_->paths.pairs()};
}

const DemandBatch::Shape& DemandBatch::shape(Index age) const {
    return shapes_[(newest_ + shapes_.size() - age) % shapes_.size()];
}

void DemandBatch::push(const Record& record) {
    assert(record.rows() == 1 && !record.sparse());
    ring_.push(record);
    note_shape();
}

void DemandBatch::note_shape() {
    newest_ = (newest_ + 1) % shapes_.size();
    Shape& newest = shapes_[newest_];
    const ConstView now = demand(0);
    newest.anchor = static_cast<Index>(std::max_element(now.begin(), now.end()) - now.begin());
    newest.group = 0;
    if (ring_.size() == 1) return;
    const Shape& before = shape(1);
    const ConstView then = demand(1);
    // The ratio of a single entry has one or two rounding errors; a ratio of sums would have more.
    const Real scale = now.empty() ? 0 : now[before.anchor] / then[before.anchor];
    bool multiple = std::isfinite(scale) && scale > 0;
    for (Index i = 0; multiple && i < now.size(); ++i) {
        multiple = std::abs(now[i] - scale * then[i]) <= 16 * kUnitRoundoff * now[i];
    }
    newest.group = before.group + (multiple ? 0 : 1);
}

void DemandBatch::drop_newest() {
    ring_.drop_newest();
    newest_ = (newest_ + shapes_.size() - 1) % shapes_.size();
}

DemandMix DemandBatch::mix(std::span<const Real> weights, Scratch::Frame& frame) const {
    const auto columns = frame.take<DemandColumn>(weights.size());
    const auto uses = frame.take<ColumnUse>(weights.size());
    Index width = 0;
    Index used = 0;
    const Shape* column_shape = nullptr;
    Real column_anchor = 0;  // its largest demand
    Real weight = 0;
    for (Index age = weights.size(); age-- > 0;) {
        if (weights[age] == 0) continue;
        const Shape& each = shape(age);
        if (column_shape == nullptr || column_shape->group != each.group) {
            column_shape = &each;
            columns[width++] = {demand(age)};
            column_anchor = demand(age).empty() ? 0 : demand(age)[each.anchor];
        }
        const Real scale = column_anchor > 0 ? demand(age)[column_shape->anchor] / column_anchor : 1;
        uses[used++] = {width - 1, scale, weights[age]};
        weight += weights[age];
    }
    return {columns.first(width), uses.first(used), weight};
}

Real DemandBatch::value(Index age, ConstView x, Scratch& scratch) const {
    return evaluate(*routing_, SingleDemand(demand(age)), x, {}, scratch);
}

Real DemandBatch::value_and_gradient(Index age, ConstView x, View gradient, Scratch& scratch) const {
    return evaluate(*routing_, SingleDemand(demand(age)), x, gradient, scratch);
}

Real DemandBatch::weighted_value(std::span<const Real> weights, ConstView x, Scratch& scratch) const {
    Scratch::Frame frame(scratch);
    return evaluate(*routing_, mix(weights, frame), x, {}, scratch);
}

Real DemandBatch::weighted_value_and_gradient(std::span<const Real> weights, ConstView x, View gradient,
                                              Scratch& scratch) const {
    Scratch::Frame frame(scratch);
    return evaluate(*routing_, mix(weights, frame), x, gradient, scratch);
}

Index DemandBatch::improve(std::span<const Real> weights, View x, Scratch& scratch) const {
    if (routing_->costs.objective().kind == ObjectiveKind::unweighted) return 0;
    Scratch::Frame frame(scratch);
    const SweepOptions options;
    sweep_blocks(*routing_, mix(weights, frame), x, options, scratch);
    return options.passes();
}

void DemandBatch::serialise(StateArchive& archive) {
    archive.section("demands", ring_);
    if (!archive.reading()) return;
    // Adds all records again, to find their shapes.
    RowRing found(routing_->paths.pairs(), ring_.capacity());
    std::swap(found, ring_);
    RowBlock record;
    for (Index age = found.size(); age-- > 0;) {
        record.clear();
        record.add_dense({found.record(age).dense, routing_->paths.pairs()}, 0);
        push(record);
    }
}

}  // namespace proxstream
