#include "traffic/reference_step.hpp"

#include "proxstream/core/linalg.hpp"

#include "traffic/demand_batch.hpp"
#include "traffic/split_set.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace proxstream {

void set_unit(Routing& routing, ConstView demand, ConstView x, Scratch& scratch) {
    const DemandColumn column{demand};
    const ColumnUse use{};
    const Real cost = evaluate(routing, {{&column, 1}, {&use, 1}, 1}, x, {}, scratch);
    if (cost > 0) routing.unit = cost;
}

Real reference_step(const std::shared_ptr<const Routing>& routing, ConstView demand, ConstView x) {
    const LinkCosts& costs = routing->costs;
    const PathSet& paths = routing->paths;
    const bool unweighted = costs.objective().kind == ObjectiveKind::unweighted;
    constexpr int kIterations = 40;
    constexpr Real kBusy = 0.9;
    const Index links = costs.links();
    Scratch scratch;
    const DemandColumn column{demand};
    std::vector<Real> loads(links);
    find_loads(paths, {&column, 1}, x, loads, scratch);
    Real busiest = 0;
    for (LinkIndex link = 0; link < links; ++link)
        busiest = std::max(busiest, loads[link] / costs.capacity(link));
    const Real scale = busiest > 0 ? std::max<Real>(1, kBusy / busiest) : 1;
    std::vector<Real> curvature(links);
    for (LinkIndex link = 0; link < links; ++link) {
        const Real load = scale * loads[link];
        // The unweighted sum has no such terms; those of the weighted one are of its order.
        const LinkTime time = costs.time(link, load);
        curvature[link] = unweighted ? 2 * time.slope + load * time.bend : costs.term(link, load).curvature;
        curvature[link] = std::abs(curvature[link]) * scale * scale / routing->unit;
    }
    // Power iteration on v -> price(curvature * load(v)), within the simplices.
    const SplitSet splits(routing);
    std::vector<Real> v(x.size());
    for (Index i = 0; i < v.size(); ++i) v[i] = i % 2 == 0 ? 1 : -1;
    std::vector<Real> image(v.size());
    Real largest = 0;
    for (int i = 0; i < kIterations; ++i) {
        splits.project_direction(v);
        const Real length = norm(v);
        if (!(length > 0)) break;
        scaled(1 / length, v, v);
        find_loads(paths, {&column, 1}, v, loads, scratch);
        for (Index link = 0; link < links; ++link) loads[link] *= curvature[link];
        price_paths(paths, {&column, 1}, loads, image, scratch);
        splits.project_direction(image);
        largest = norm(image);
        std::swap(v, image);
    }
    return largest > 0 ? 1 / largest : 1;
}

}  // namespace proxstream
