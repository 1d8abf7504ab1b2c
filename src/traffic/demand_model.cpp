#include "traffic/demand_model.hpp"

#include "traffic/shortest_paths.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace proxstream {
namespace {

/// All demand on the shortest paths at these times.
void load_shortest(ShortestPaths& search, std::span<const Pair> pairs, ConstView demand, ConstView times,
                   View loads) {
    std::fill(loads.begin(), loads.end(), 0);
    std::vector<LinkIndex> path;
    for (Index i = 0; i < pairs.size(); ++i) {
        if (i == 0 || pairs[i].origin != pairs[i - 1].origin) search.run(pairs[i].origin, times);
        search.path(pairs[i].destination, path);
        for (const LinkIndex link : path) loads[link] += demand[i];
    }
}

}  // namespace

SmoothNormal::SmoothNormal(Real memory) {
    Real squares = 0;
    for (Real weight = 1; weight >= 0.05; weight *= memory) {
        weights_.push_back(weight);
        squares += weight * weight;
    }
    for (Real& each : weights_) each /= std::sqrt(squares);
}

Real SmoothNormal::operator()(Draw at) const {
    Real sum = 0;
    at.round += weights_.size();
    for (const Real weight : weights_) {
        sum += weight * normal(at);
        --at.round;
    }
    return sum;
}

DayShape day_shape(bool weekend, Real hour) {
    const auto hump = [&](Real middle, Real width) {
        const Real away = (hour - middle) / width;
        return std::exp(-away * away / 2);
    };
    const auto between = [&](Real begin, Real end, Real slope) {
        return 1 / (1 + std::exp((begin - hour) / slope)) - 1 / (1 + std::exp((end - hour) / slope));
    };
    if (weekend) return {0.1 * hump(9.5, 1.5), 0.1 * hump(18, 2), 0.03 + 0.55 * between(10, 21, 0.9)};
    return {hump(8, 1.1), 0.95 * hump(17.25, 1.4), 0.03 + 0.4 * between(6.5, 21, 0.7)};
}

std::vector<Real> gravity(ConstView from, ConstView to, ConstView cost, Real deterrence) {
    const Index n = from.size();
    const Real all_from = std::accumulate(from.begin(), from.end(), Real{0});
    const Real all_to = std::accumulate(to.begin(), to.end(), Real{0});
    std::vector<Real> trips(n * n);
    for (Index i = 0; i < n * n; ++i) trips[i] = std::exp(-deterrence * cost[i]);
    Real worst = 1;
    for (int sweep = 0; sweep < 1000 && worst > 1e-12; ++sweep) {
        worst = 0;
        for (Index j = 0; j < n; ++j) {
            Real sum = 0;
            for (Index i = 0; i < n; ++i) sum += trips[i * n + j];
            const Real factor = to[j] / all_to / sum;
            for (Index i = 0; i < n; ++i) trips[i * n + j] *= factor;
        }
        for (Index i = 0; i < n; ++i) {
            Real sum = 0;
            for (Index j = 0; j < n; ++j) sum += trips[i * n + j];
            const Real factor = from[i] / all_from / sum;
            worst = std::max(worst, std::abs(factor - 1));
            for (Index j = 0; j < n; ++j) trips[i * n + j] *= factor;
        }
    }
    return trips;
}

Real scale_to_utilisation(const Network& network, std::span<const Pair> pairs, ConstView demand, Real wanted,
                          Real queueing) {
    constexpr int kAssignments = 40;
    const Index links = network.links();
    std::vector<Real> times(links), loads(links), mean(links, 0);
    for (LinkIndex i = 0; i < links; ++i) times[i] = network.link(i).free_time;
    ShortestPaths search(network);
    Real scale = 1;
    for (int k = 1; k <= kAssignments; ++k) {
        load_shortest(search, pairs, demand, times, loads);
        Real busiest = 0;
        for (LinkIndex i = 0; i < links; ++i) {
            mean[i] += (loads[i] - mean[i]) / k;
            busiest = std::max(busiest, mean[i] / network.link(i).capacity);
        }
        scale = wanted / busiest;
        for (LinkIndex i = 0; i < links; ++i) {
            const Real share = scale * mean[i] / network.link(i).capacity;
            times[i] = network.link(i).free_time * (1 + queueing * share / (1 - share));
        }
    }
    return scale;
}

}  // namespace proxstream
