/// Lays out a graph. Pivot multidimensional scaling (Brandes and Pich 2006) gives the overall shape. It
/// projects hop counts from a few distant nodes on the two directions in which they vary most. Springs then
/// place neighbours.
#include "route/report_layout.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace proxstream {
namespace {

constexpr Index kPivots = 40;

using Neighbours = std::vector<std::vector<Index>>;

/// Parallel links, and both directions of a road, count as one neighbour.
Neighbours neighbours_of(Index nodes, std::span<const Link> links) {
    Neighbours found(nodes);
    for (const Link& link : links) {
        if (link.from == link.to) continue;
        found[link.from].push_back(link.to);
        found[link.to].push_back(link.from);
    }
    for (std::vector<Index>& list : found) {
        std::sort(list.begin(), list.end());
        list.erase(std::unique(list.begin(), list.end()), list.end());
    }
    return found;
}

/// Calls visit(a, b) for every pair of neighbours, once.
template <class Visit>
void for_each_edge(const Neighbours& neighbours, const Visit& visit) {
    for (Index node = 0; node < neighbours.size(); ++node) {
        for (const Index next : neighbours[node]) {
            if (next > node) visit(node, next);
        }
    }
}

/// Hops from `source`. Unreachable nodes get two hops more than the farthest node.
std::vector<Real> hops_from(Index source, const Neighbours& neighbours) {
    std::vector<Real> hops(neighbours.size(), -1);
    std::vector<Index> queue{source};
    hops[source] = 0;
    for (Index i = 0; i < queue.size(); ++i) {
        for (const Index next : neighbours[queue[i]]) {
            if (hops[next] >= 0) continue;
            hops[next] = hops[queue[i]] + 1;
            queue.push_back(next);
        }
    }
    std::replace(hops.begin(), hops.end(), Real{-1}, hops[queue.back()] + 2);
    return hops;
}

/// The squared hops from pivots, doubly centred and projected on their two leading directions. Each pivot is
/// as far as possible from the earlier ones.
std::vector<Place> scale_down(const Neighbours& neighbours) {
    const auto nodes = static_cast<Eigen::Index>(neighbours.size());
    Eigen::MatrixXd squares(nodes, std::min<Eigen::Index>(kPivots, nodes));
    std::vector<Real> nearest(neighbours.size(), kInfinity);
    Index pivot = 0;
    for (auto column : squares.colwise()) {
        const std::vector<Real> hops = hops_from(pivot, neighbours);
        column = Eigen::Map<const Eigen::VectorXd>(hops.data(), nodes).cwiseAbs2();
        for (Index i = 0; i < nearest.size(); ++i) nearest[i] = std::min(nearest[i], hops[i]);
        pivot = static_cast<Index>(std::max_element(nearest.begin(), nearest.end()) - nearest.begin());
    }
    squares.rowwise() -= squares.colwise().mean().eval();
    squares.colwise() -= squares.rowwise().mean().eval();
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(squares.transpose() * squares);
    const Eigen::MatrixXd flat = squares * solver.eigenvectors().rightCols(std::min<Eigen::Index>(2, nodes));
    std::vector<Place> places(neighbours.size());
    for (Eigen::Index i = 0; i < nodes; ++i)
        places[static_cast<Index>(i)] = {flat(i, flat.cols() - 1), flat.cols() > 1 ? flat(i, 0) : 0};
    return places;
}

/// Scales links to the mean length 1, and separates nodes at the same place a little.
void normalise(std::vector<Place>& places, const Neighbours& neighbours) {
    Real total = 0;
    Real edges = 0;
    for_each_edge(neighbours, [&](Index a, Index b) {
        total += std::hypot(places[a].x - places[b].x, places[a].y - places[b].y);
        ++edges;
    });
    const Real scale = total > 1e-9 * edges ? edges / total : 1;
    constexpr Real kGoldenAngle = std::numbers::pi * (3 - 2.23606797749979);
    for (Index i = 0; i < places.size(); ++i) {
        const Real angle = kGoldenAngle * static_cast<Real>(i);
        places[i].x = places[i].x * scale + 0.1 * std::cos(angle);
        places[i].y = places[i].y * scale + 0.1 * std::sin(angle);
    }
}

/// The springs of Fruchterman and Reingold. Nodes closer than kReach repel each other.
void relax(std::vector<Place>& places, const Neighbours& neighbours) {
    constexpr int kSteps = 80;
    constexpr Real kReach = 2;
    std::vector<Place> moves;
    const auto act = [&](Index i, Index j, auto force) {
        const Real dx = places[j].x - places[i].x;
        const Real dy = places[j].y - places[i].y;
        const Real distance = std::max(std::hypot(dx, dy), 1e-3);
        const Real pull = force(distance) / distance;
        moves[i].x += pull * dx, moves[i].y += pull * dy;
        moves[j].x -= pull * dx, moves[j].y -= pull * dy;
    };
    std::vector<Index> by_x(places.size());
    std::iota(by_x.begin(), by_x.end(), Index{0});
    for (int step = 0; step < kSteps; ++step) {
        moves.assign(places.size(), {});
        std::sort(by_x.begin(), by_x.end(),
                  [&](Index a, Index b) { return std::pair(places[a].x, a) < std::pair(places[b].x, b); });
        for (auto i = by_x.begin(); i != by_x.end(); ++i) {
            for (auto j = i + 1; j != by_x.end() && places[*j].x - places[*i].x < kReach; ++j) {
                if (std::abs(places[*j].y - places[*i].y) < kReach)
                    act(*i, *j, [](Real d) { return d < kReach ? -(1 / d - 1 / kReach) : 0; });
            }
        }
        for_each_edge(neighbours, [&](Index a, Index b) { act(a, b, [](Real d) { return d * d / 2; }); });
        const Real farthest = 0.3 * (1 - static_cast<Real>(step) / kSteps) + 0.005;
        for (Index i = 0; i < places.size(); ++i) {
            const Real length = std::hypot(moves[i].x, moves[i].y);
            const Real scale = length > farthest ? farthest / length : 1;
            places[i].x += scale * moves[i].x;
            places[i].y += scale * moves[i].y;
        }
    }
}

/// Places nodes without coordinates between their neighbours that have some, ring after ring. Nodes that are
/// connected to no placed node go to the centre.
void fill_places(Network& network) {
    Place middle;
    Real known = 0;
    for (NodeIndex node = 0; node < network.nodes(); ++node) {
        const std::optional<Place> place = network.place(node);
        if (place) middle.x += place->x, middle.y += place->y, ++known;
    }
    for (bool changed = true; changed;) {
        std::vector<Place> sums(network.nodes());
        std::vector<Real> counts(network.nodes());
        const auto tell = [&](NodeIndex from, NodeIndex to) {
            const std::optional<Place> place = network.place(from);
            if (place && !network.place(to)) sums[to].x += place->x, sums[to].y += place->y, ++counts[to];
        };
        for (const Link& link : network.all_links()) tell(link.from, link.to), tell(link.to, link.from);
        changed = false;
        for (NodeIndex node = 0; node < network.nodes(); ++node) {
            if (counts[node] == 0) continue;
            network.set_place(node, {sums[node].x / counts[node], sums[node].y / counts[node]});
            changed = true;
        }
    }
    for (NodeIndex node = 0; node < network.nodes(); ++node) {
        if (!network.place(node)) network.set_place(node, {middle.x / known, middle.y / known});
    }
}

}  // namespace

std::vector<Place> lay_out(Index nodes, std::span<const Link> links) {
    if (nodes == 0) return {};
    const Neighbours neighbours = neighbours_of(nodes, links);
    std::vector<Place> places = scale_down(neighbours);
    normalise(places, neighbours);
    relax(places, neighbours);
    return places;
}

Network drawn_network(Network network) {
    if (network.has_places()) {
        fill_places(network);
        return network;
    }
    const std::vector<Place> places = lay_out(network.nodes(), network.all_links());
    for (NodeIndex node = 0; node < network.nodes(); ++node) network.set_place(node, places[node]);
    return network;
}

}  // namespace proxstream
