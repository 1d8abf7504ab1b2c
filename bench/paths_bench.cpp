/// Path search on Chicago-Sketch (933 nodes, 2,950 links, 93,135 pairs): all shortest path trees, k shortest
/// and diverse paths of all pairs, and the trees they become; on one thread and on two.
#include "proxstream/core/parallel.hpp"
#include "proxstream/traffic/k_shortest.hpp"
#include "proxstream/traffic/open_network.hpp"
#include "proxstream/traffic/shortest_paths.hpp"

#include "bench_data.hpp"

#include <optional>

namespace {

using namespace proxstream;

struct Case {
    NetworkFile file;
    std::vector<Real> costs;
};

std::optional<Case> chicago(benchmark::State& state) {
    const std::string folder = "tntp/Chicago-Sketch/ChicagoSketch_";
    const std::string net = data_file(folder + "net.tntp", state),
                      trips = data_file(folder + "trips.tntp", state);
    if (net.empty() || trips.empty()) return std::nullopt;
    Case made{open_network(net, {.trips_path = trips}), {}};
    for (const Link& link : made.file.network.all_links())
        made.costs.push_back(link.free_time + 0.02 * link.toll + 0.04 * link.length);
    return made;
}

void all_trees(benchmark::State& state) {
    const auto on = chicago(state);
    if (!on) return;
    const auto count = static_cast<Index>(state.range(0));
    set_threads(count);
    std::vector<ShortestPaths> searches(2 * count, ShortestPaths(on->file.network));
    for (auto _ : state) {
        parallel_for(searches.size(), [&](Index part) {
            for (Index origin = part; origin < on->file.zones; origin += searches.size())
                searches[part].run(static_cast<NodeIndex>(origin), on->costs);
        });
    }
    set_threads(1);
    state.counters["trees"] = static_cast<double>(on->file.zones);
}

void paths_of_all_pairs(benchmark::State& state, bool diverse) {
    const auto on = chicago(state);
    if (!on) return;
    set_threads(static_cast<Index>(state.range(0)));
    const PathOptions options{.k = static_cast<Index>(state.range(1)), .diverse = diverse};
    Index live = 0, nodes = 0;
    for (auto _ : state) {
        const MadePaths made = make_paths(on->file.network, on->file.trips->pairs, options, on->costs);
        live = made.paths.live_slots();
        nodes = made.paths.tree_nodes();
    }
    set_threads(1);
    state.counters["paths"] = static_cast<double>(live);
    state.counters["tree_nodes"] = static_cast<double>(nodes);
}

BENCHMARK(all_trees)->ArgName("threads")->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(paths_of_all_pairs, shortest, false)
    ->ArgNames({"threads", "k"})
    ->ArgsProduct({{1, 2}, {1, 3, 5}})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(paths_of_all_pairs, diverse, true)
    ->ArgNames({"threads", "k"})
    ->ArgsProduct({{1, 2}, {3, 5}})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
