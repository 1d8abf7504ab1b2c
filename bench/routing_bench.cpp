/// Routing on real road networks: the gradient of a window of demands in one batched pass against one pass a
/// demand, on one thread and on two; whole assignments to a gap; and what a period costs when demand drifts
/// by 2 %.
#include "proxstream/core/draw.hpp"
#include "proxstream/core/linalg.hpp"
#include "proxstream/core/parallel.hpp"
#include "proxstream/online/learner_table.hpp"
#include "proxstream/traffic/assignment.hpp"
#include "proxstream/traffic/k_shortest.hpp"
#include "proxstream/traffic/open_network.hpp"
#include "proxstream/traffic/split_set.hpp"

#include "bench_data.hpp"

#include <cmath>
#include <memory>
#include <optional>

namespace {

using namespace proxstream;

struct Town {
    NetworkFile file;
    std::shared_ptr<Routing> routing;
};

std::optional<Town> town(benchmark::State& state, bool chicago, Index paths, const char* objective) {
    const std::string folder = chicago ? "tntp/Chicago-Sketch/ChicagoSketch_" : "tntp/Anaheim/Anaheim_";
    const std::string net = data_file(folder + "net.tntp", state);
    const std::string trips = data_file(folder + "trips.tntp", state);
    if (net.empty() || trips.empty()) return std::nullopt;
    Town made{open_network(net, {.trips_path = trips}), nullptr};
    const Network& network = made.file.network;
    LinkCosts costs(network, "bpr", Objective::parse(objective), {chicago ? 0.02 : 0, chicago ? 0.04 : 0});
    std::vector<Real> times;
    for (LinkIndex link = 0; link < network.links(); ++link) times.push_back(costs.time(link, 0).time);
    PathSet set =
        make_paths(network, made.file.trips->pairs, {.k = paths, .spare = paths == 1 ? 7U : 0U}, times).paths;
    made.routing = std::make_shared<Routing>(Routing{std::move(set), std::move(costs)});
    return made;
}

/// The trips of a town with every pair's own error of a few per cent: no two periods are multiples of each
/// other.
RowBlock noisy(const std::vector<Real>& demand, Real deviation, Round period) {
    std::vector<Real> drawn = demand;
    for (Index i = 0; i < drawn.size(); ++i)
        drawn[i] *= std::exp(deviation * normal({.seed = 1, .round = period, .sample = i}));
    RowBlock record;
    record.add_dense(drawn, 0);
    return record;
}

constexpr Index kWindow = 24;

void window_gradient(benchmark::State& state, bool chicago, bool batched) {
    const auto on = town(state, chicago, 3, "system");
    if (!on) return;
    set_threads(static_cast<Index>(state.range(0)));
    DemandBatch batch(on->routing, kWindow);
    for (Round t = 1; t <= kWindow; ++t) batch.push(noisy(on->file.trips->demand, 0.1, t));
    const std::vector<Real> x = even_splits(on->routing->paths);
    const std::vector<Real> weights(kWindow, 1.0 / kWindow);
    std::vector<Real> gradient(x.size());
    std::vector<Real> single(x.size());
    Scratch scratch;
    for (auto _ : state) {
        if (batched) {
            benchmark::DoNotOptimize(batch.weighted_value_and_gradient(weights, x, gradient, scratch));
        } else {
            fill(gradient, 0);
            for (Index age = 0; age < kWindow; ++age) {
                benchmark::DoNotOptimize(batch.value_and_gradient(age, x, single, scratch));
                axpy(weights[age], single, gradient);
            }
        }
        benchmark::DoNotOptimize(gradient.data());
    }
    set_threads(1);
    state.counters["paths"] = static_cast<double>(on->routing->paths.live_slots());
    state.counters["tree_nodes"] = static_cast<double>(on->routing->paths.tree_nodes());
}

void assignment(benchmark::State& state, bool chicago, const char* objective, Real gap) {
    set_threads(static_cast<Index>(state.range(0)));
    Real reached = 0;
    for (auto _ : state) {
        state.PauseTiming();
        const auto on = town(state, chicago, 1, objective);
        if (!on) return;
        std::vector<Real> x = even_splits(on->routing->paths);
        ColumnPricer pricer(on->file.network);
        const DemandColumn column{on->file.trips->demand};
        const ColumnUse use{};
        Scratch scratch;
        state.ResumeTiming();
        reached =
            assign(*on->routing, pricer, {{&column, 1}, {&use, 1}, 1}, x, {.gap = gap}, scratch).last.gap;
    }
    set_threads(1);
    state.counters["gap"] = reached;
}

/// The rival of an online method: demand has grown by 2 %, and the optimum is found again from the one
/// before.
void warm(benchmark::State& state, Real gap) {
    const auto on = town(state, true, 1, "system");
    if (!on) return;
    set_threads(static_cast<Index>(state.range(0)));
    Routing& routing = *on->routing;
    std::vector<Real> solved = even_splits(routing.paths);
    ColumnPricer pricer(on->file.network);
    std::vector<Real> demand = on->file.trips->demand;
    const DemandColumn column{demand};
    const ColumnUse use{};
    const DemandMix mix{{&column, 1}, {&use, 1}, 1};
    Scratch scratch;
    assign(routing, pricer, mix, solved, {.gap = 1e-6}, scratch);
    scaled(1.02, demand, demand);
    Real reached = 0;
    for (auto _ : state) {
        std::vector<Real> x = solved;
        reached = assign(routing, pricer, mix, x, {.gap = gap}, scratch).last.gap;
    }
    set_threads(1);
    state.counters["gap"] = reached;
}

/// A period of a window of 6 on Chicago-Sketch: demand grows by 2 %, for all pairs alike or with every pair's
/// own error on top. `paths`: those an assignment has found, as they would be there after a day of generating
/// them.
void drifting(benchmark::State& state, Real deviation) {
    const auto on = town(state, true, 1, "system");
    if (!on) return;
    set_threads(static_cast<Index>(state.range(0)));
    Routing& routing = *on->routing;
    std::vector<Real> x = even_splits(routing.paths);
    ColumnPricer pricer(on->file.network);
    const DemandColumn column{on->file.trips->demand};
    const ColumnUse use{};
    Scratch scratch;
    assign(routing, pricer, {{&column, 1}, {&use, 1}, 1}, x, {.gap = 1e-6}, scratch);
    routing.unit = evaluate(routing, {{&column, 1}, {&use, 1}, 1}, x, {}, scratch);
    const auto shared = std::shared_ptr<const Routing>(on->routing);
    const auto learner = make_learner(
        "time-smoothed",
        {.g = AnyRegulariser(SplitSet(shared)),
         .make_batch = [&](Index capacity) { return AnyBatch<RowBlock>(DemandBatch(shared, capacity)); },
         .start = x,
         .window = "6",
         .step = 1,
         .smoothness = 1,
         .tolerance = Tolerance::automatic(0),
         .budget = {.max_steps = 20},
         .inner = "blocks"});
    Round period = 0;
    const auto next = [&] {
        ++period;
        std::vector<Real> demand = on->file.trips->demand;
        scaled(std::pow(1.02, static_cast<Real>(period % 12)), demand, demand);
        return deviation > 0 ? noisy(demand, deviation, period) : [&] {
            RowBlock record;
            record.add_dense(demand, 0);
            return record;
        }();
    };
    for (int warm = 0; warm < 6; ++warm) learner->observe(next());
    Real gap = 0;
    Real steps = 0;
    for (auto _ : state) {
        state.PauseTiming();
        const RowBlock record = next();
        state.ResumeTiming();
        steps += static_cast<Real>(learner->observe(record).steps);
        state.PauseTiming();
        // How good the splits are for the demand just seen, over all paths of the network.
        const DemandColumn seen{record.values(0)};
        gap += pricer.price(routing, {{&seen, 1}, {&use, 1}, 1}, learner->decide(), 1e-6, scratch).gap();
        state.ResumeTiming();
    }
    set_threads(1);
    const auto rounds = static_cast<double>(state.iterations());
    state.counters["steps_a_period"] = steps / rounds;
    state.counters["gap_of_last_demand"] = gap / rounds;
    state.counters["tree_MB"] = static_cast<double>(routing.paths.bytes()) / 1e6;
}

BENCHMARK_CAPTURE(window_gradient, anaheim_batched, false, true)
    ->Arg(1)
    ->Arg(2)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(window_gradient, anaheim_one_by_one, false, false)
    ->Arg(1)
    ->Arg(2)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(window_gradient, chicago_batched, true, true)
    ->Arg(1)
    ->Arg(2)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(window_gradient, chicago_one_by_one, true, false)
    ->Arg(1)
    ->Arg(2)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(assignment, chicago_user_1e_4, true, "user", 1e-4)
    ->Arg(1)
    ->Arg(2)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(assignment, chicago_user_1e_6, true, "user", 1e-6)
    ->Arg(1)
    ->Arg(2)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(assignment, chicago_system_1e_4, true, "system", 1e-4)
    ->Arg(1)
    ->Arg(2)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(assignment, chicago_system_1e_6, true, "system", 1e-6)
    ->Arg(1)
    ->Arg(2)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(assignment, anaheim_user_1e_6, false, "user", 1e-6)
    ->Arg(1)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(warm, chicago_system_1e_4, 1e-4)
    ->Arg(1)
    ->Arg(2)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(warm, chicago_system_1e_6, 1e-6)
    ->Arg(1)
    ->Arg(2)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(drifting, chicago_all_alike, 0)
    ->Arg(1)
    ->Arg(2)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(drifting, chicago_each_its_own, 0.02)
    ->Arg(1)
    ->Arg(2)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
