/// Pivot multidimensional scaling for the whole (Brandes and Pich 2006): hop counts from a few nodes that lie
/// far apart, and the two directions in which they vary most. Then springs for what is near.
#include "route/report_layout.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

namespace proxstream {
namespace {

constexpr Index kPivots = 40;
constexpr int kPowerSteps = 100;
constexpr int kSpringSteps = 80;
constexpr Real kReach = 2;  // how far nodes push each other away, in lengths of a link

using Edges = std::vector<std::pair<Index, Index>>;

/// Neighbours of every node in one array; both directions of a road are one edge.
class Neighbours {
  public:
    Neighbours(Index nodes, const Edges& edges) : starts_(nodes + 1) {
        for (const auto& [a, b] : edges) ++starts_[a + 1], ++starts_[b + 1];
        std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
        list_.resize(2 * edges.size());
        std::vector<Index> next(starts_.begin(), starts_.end() - 1);
        for (const auto& [a, b] : edges) list_[next[a]++] = b, list_[next[b]++] = a;
    }
    std::span<const Index> of(Index node) const {
        return std::span(list_).subspan(starts_[node], starts_[node + 1] - starts_[node]);
    }

  private:
    std::vector<Index> starts_;
    std::vector<Index> list_;
};

Edges edges_of(std::span<const ReportLink> links) {
    Edges edges;
    for (const ReportLink& link : links) {
        if (link.from != link.to) edges.emplace_back(std::minmax(link.from, link.to));
    }
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    return edges;
}

/// Hops from `source`; what cannot be reached lies a little beyond what can.
std::vector<Real> hops_from(Index source, Index nodes, const Neighbours& neighbours) {
    std::vector<Real> hops(nodes, -1);
    std::vector<Index> queue{source};
    hops[source] = 0;
    for (Index i = 0; i < queue.size(); ++i) {
        for (const Index next : neighbours.of(queue[i])) {
            if (hops[next] < 0) hops[next] = hops[queue[i]] + 1, queue.push_back(next);
        }
    }
    const Real beyond = hops[queue.back()] + 2;
    for (Real& hop : hops) {
        if (hop < 0) hop = beyond;
    }
    return hops;
}

/// A column a pivot, each pivot as far as can be from those before; squared and centred both ways.
std::vector<std::vector<Real>> centred_columns(Index nodes, const Neighbours& neighbours) {
    std::vector<std::vector<Real>> columns;
    std::vector<Real> nearest(nodes, kInfinity);
    for (Index pivot = 0; columns.size() < std::min(kPivots, nodes);) {
        columns.push_back(hops_from(pivot, nodes, neighbours));
        for (Index i = 0; i < nodes; ++i) nearest[i] = std::min(nearest[i], columns.back()[i]);
        pivot = static_cast<Index>(std::max_element(nearest.begin(), nearest.end()) - nearest.begin());
    }
    std::vector<Real> row_means(nodes);
    for (auto& column : columns) {
        Real mean = 0;
        for (Real& value : column) mean += value *= value;
        mean /= static_cast<Real>(nodes);
        for (Index i = 0; i < nodes; ++i)
            row_means[i] += (column[i] -= mean) / static_cast<Real>(columns.size());
    }
    for (auto& column : columns) {
        for (Index i = 0; i < nodes; ++i) column[i] -= row_means[i];
    }
    return columns;
}

Real sum_of_products(const std::vector<Real>& a, const std::vector<Real>& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), Real{0});
}

/// The projections of the rows on the two leading directions of C^T C, by power steps.
std::vector<Place> scale_down(Index nodes, const std::vector<std::vector<Real>>& columns) {
    const Index pivots = columns.size();
    std::vector<std::vector<Real>> products(pivots, std::vector<Real>(pivots));
    for (Index i = 0; i < pivots; ++i) {
        for (Index j = 0; j <= i; ++j)
            products[i][j] = products[j][i] = sum_of_products(columns[i], columns[j]);
    }
    std::vector<Place> places(nodes);
    std::vector<Real> first;
    for (Real Place::*coordinate : {&Place::x, &Place::y}) {
        std::vector<Real> direction(pivots), next(pivots);
        for (Index i = 0; i < pivots; ++i) direction[i] = std::cos(1.0 + static_cast<Real>(i));
        for (int step = 0; step < kPowerSteps; ++step) {
            for (Index i = 0; i < pivots; ++i) next[i] = sum_of_products(products[i], direction);
            if (!first.empty()) {
                const Real along = sum_of_products(first, next);
                for (Index i = 0; i < pivots; ++i) next[i] -= along * first[i];
            }
            const Real norm = std::sqrt(sum_of_products(next, next));
            if (!(norm > 0)) break;
            for (Index i = 0; i < pivots; ++i) direction[i] = next[i] / norm;
        }
        for (Index j = 0; j < pivots; ++j) {
            for (Index i = 0; i < nodes; ++i) places[i].*coordinate += columns[j][i] * direction[j];
        }
        first = direction;
    }
    return places;
}

/// Links get the mean length 1, and nodes that fell together are moved apart a little.
void normalise(std::vector<Place>& places, const Edges& edges) {
    Real total = 0;
    for (const auto& [a, b] : edges)
        total += std::hypot(places[a].x - places[b].x, places[a].y - places[b].y);
    const Real scale = total > 0 ? static_cast<Real>(edges.size()) / total : 1;
    constexpr Real kGoldenAngle = std::numbers::pi * (3 - 2.23606797749979);
    for (Index i = 0; i < places.size(); ++i) {
        const Real angle = kGoldenAngle * static_cast<Real>(i);
        places[i].x = places[i].x * scale + 0.1 * std::cos(angle);
        places[i].y = places[i].y * scale + 0.1 * std::sin(angle);
    }
}

/// Calls `visit(i, j)` for all pairs in the same or in neighbouring cells of a grid, each once.
class Grid {
  public:
    explicit Grid(const std::vector<Place>& places) : cells_(places.size()), order_(places.size()) {
        const auto [left, right] = std::minmax_element(
            places.begin(), places.end(), [](const Place& a, const Place& b) { return a.x < b.x; });
        const auto [low, high] = std::minmax_element(
            places.begin(), places.end(), [](const Place& a, const Place& b) { return a.y < b.y; });
        const Real size = std::max({kReach, (right->x - left->x) / 500, (high->y - low->y) / 500});
        const auto cell = [&](Real value, Real from) {
            return 1 + static_cast<Index>((value - from) / size);
        };
        width_ = cell(right->x, left->x) + 2;
        starts_.resize(width_ * (cell(high->y, low->y) + 2) + 1);
        for (Index i = 0; i < places.size(); ++i) {
            cells_[i] = cell(places[i].y, low->y) * width_ + cell(places[i].x, left->x);
            ++starts_[cells_[i] + 1];
        }
        std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
        std::vector<Index> next(starts_.begin(), starts_.end() - 1);
        for (Index i = 0; i < places.size(); ++i) order_[next[cells_[i]]++] = i;
    }
    template <class Visit>
    void pairs(const Visit& visit) const {
        for (Index k = 0; k < order_.size(); ++k) {
            const Index i = order_[k];
            const auto with = [&](Index from, Index to) {
                for (Index other = from; other < to; ++other) visit(i, order_[other]);
            };
            with(k + 1, starts_[cells_[i] + 2]);  // the rest of this cell, and the next one in its row
            const Index below = cells_[i] + width_;
            with(starts_[below - 1], starts_[below + 2]);
        }
    }

  private:
    Index width_ = 0;
    std::vector<Index> cells_;
    std::vector<Index> order_;
    std::vector<Index> starts_;
};

/// Fruchterman and Reingold's springs, with pushes that end at kReach.
void relax(std::vector<Place>& places, const Edges& edges) {
    std::vector<Place> moves(places.size());
    const auto act = [&](Index i, Index j, auto force) {
        const Real dx = places[j].x - places[i].x;
        const Real dy = places[j].y - places[i].y;
        const Real distance = std::max(std::hypot(dx, dy), 1e-3);
        const Real pull = force(distance) / distance;
        moves[i].x += pull * dx, moves[i].y += pull * dy;
        moves[j].x -= pull * dx, moves[j].y -= pull * dy;
    };
    for (int step = 0; step < kSpringSteps; ++step) {
        std::fill(moves.begin(), moves.end(), Place{});
        Grid(places).pairs([&](Index i, Index j) {
            act(i, j, [](Real d) { return d < kReach ? -(1 / d - 1 / kReach) : 0; });
        });
        for (const auto& [a, b] : edges) act(a, b, [](Real d) { return d * d / 2; });
        const Real farthest = 0.3 * (1 - static_cast<Real>(step) / kSpringSteps) + 0.005;
        for (Index i = 0; i < places.size(); ++i) {
            const Real length = std::hypot(moves[i].x, moves[i].y);
            const Real scale = length > farthest ? farthest / length : 1;
            places[i].x += scale * moves[i].x;
            places[i].y += scale * moves[i].y;
        }
    }
}

}  // namespace

std::vector<Place> lay_out(Index nodes, std::span<const ReportLink> links) {
    if (nodes == 0) return {};
    const Edges edges = edges_of(links);
    std::vector<Place> places = scale_down(nodes, centred_columns(nodes, Neighbours(nodes, edges)));
    normalise(places, edges);
    relax(places, edges);
    return places;
}

}  // namespace proxstream
