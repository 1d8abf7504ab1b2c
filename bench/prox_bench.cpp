// Simplex projection against the method of sorting, on input that is easy and input that is not.
// `times_sorting` is the ratio of the two; `against_normal` of this input's time to that of normal entries.
#include "proxstream/core/linalg.hpp"
#include "proxstream/prox/simplex.hpp"
#include "proxstream/prox/simplex_projection.hpp"
#include "proxstream/prox/total_variation.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <numeric>
#include <random>
#include <vector>

#include <benchmark/benchmark.h>

namespace {

using namespace proxstream;

constexpr Index kSize = 1000000;

enum Shape : int { plain_normal, ties, zeros, ascending, descending, feasible, uniform };
constexpr const char* kShapeNames[] = {"normal",   "ties",     "many zeros", "sorted",
                                       "reversed", "feasible", "uniform"};

std::vector<Real> make(int shape, Index n) {
    std::mt19937_64 random(11);
    std::normal_distribution<Real> normal;
    std::vector<Real> v(n);
    for (Real& entry : v) entry = normal(random);
    switch (shape) {
        case ties:
            std::fill(v.begin(), v.end(), 0.5);
            break;
        case zeros:
            for (Index i = 0; i < n; ++i) v[i] = i % 3000 == 0 ? std::abs(v[i]) : 0;
            break;
        case ascending:
            std::sort(v.begin(), v.end());
            break;
        case descending:
            std::sort(v.begin(), v.end(), std::greater<>());
            break;
        case feasible:
            for (Real& entry : v) entry = std::abs(entry);
            scaled(1 / sum(v), v, v);
            break;
        case uniform:  // within the radius of the maximum: every entry is a candidate
            for (Real& entry : v) entry = static_cast<Real>(random() >> 11) * 0x1p-53;
            break;
        default:
            break;
    }
    return v;
}

void project_by_sorting(ConstView v, Real radius, View out, std::vector<Real>& sorted) {
    sorted.assign(v.begin(), v.end());
    std::sort(sorted.begin(), sorted.end(), std::greater<>());
    Real total = 0, tau = 0;
    for (Index k = 0; k < sorted.size(); ++k) {
        total += sorted[k];
        const Real candidate = (total - radius) / static_cast<Real>(k + 1);
        if (sorted[k] <= candidate) break;
        tau = candidate;
    }
    for (Index i = 0; i < v.size(); ++i) out[i] = std::max(v[i] - tau, 0.0);
}

/// Seconds of the fastest of `runs` calls.
template <class Call>
double fastest(int runs, Call call) {
    double best = 1e9;
    for (int run = 0; run < runs; ++run) {
        const auto begin = std::chrono::steady_clock::now();
        call();
        best =
            std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
    return best;
}

void simplex_projection(benchmark::State& state) {
    const std::vector<Real> v = make(static_cast<int>(state.range(0)), kSize);
    const std::vector<Real> plain = make(plain_normal, kSize);
    std::vector<Real> out(kSize), sorted;
    Scratch scratch;
    const auto run = [&](const std::vector<Real>& from) {
        project_onto_simplex(from, 1, out, scratch);
        benchmark::DoNotOptimize(out.data());
    };
    for (auto _ : state) run(v);
    const double ours = fastest(20, [&] { run(v); });
    state.counters["times_sorting"] = fastest(3, [&] { project_by_sorting(v, 1, out, sorted); }) / ours;
    state.counters["against_normal"] = ours / fastest(20, [&] { run(plain); });
    state.SetLabel(kShapeNames[state.range(0)]);
}
BENCHMARK(simplex_projection)->DenseRange(plain_normal, uniform)->Unit(benchmark::kMillisecond);

void l1_ball_projection(benchmark::State& state) {
    const std::vector<Real> v = make(static_cast<int>(state.range(0)), kSize);
    std::vector<Real> out(kSize);
    Scratch scratch;
    for (auto _ : state) {
        project_onto_l1_ball(v, 1, out, scratch);
        benchmark::DoNotOptimize(out.data());
    }
    state.SetLabel(kShapeNames[state.range(0)]);
}
BENCHMARK(l1_ball_projection)->DenseRange(plain_normal, descending)->Unit(benchmark::kMillisecond);

/// 100,000 demands with five routes each.
void product_of_simplices(benchmark::State& state) {
    constexpr Index kBlocks = 100000;
    const Index routes = static_cast<Index>(state.range(0));
    const std::vector<Real> v = make(plain_normal, kBlocks * routes);
    std::vector<Real> out(v.size());
    const SimplexProduct product(BlockLayout::of_sizes(std::vector<Index>(kBlocks, routes)), 1);
    Scratch scratch;
    for (auto _ : state) {
        product.prox(v, 1, out, scratch);
        benchmark::DoNotOptimize(out.data());
    }
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kBlocks));
}
BENCHMARK(product_of_simplices)->Arg(5)->Arg(20)->Unit(benchmark::kMillisecond);

void total_variation(benchmark::State& state) {
    std::vector<Real> v = make(plain_normal, kSize);
    if (state.range(0) == 1) std::partial_sum(v.begin(), v.end(), v.begin());
    std::vector<Real> out(kSize);
    const TotalVariation g(2);
    Scratch scratch;
    for (auto _ : state) {
        g.prox(v, 1, out, scratch);
        benchmark::DoNotOptimize(out.data());
    }
    state.SetLabel(state.range(0) == 1 ? "random walk" : "normal");
}
BENCHMARK(total_variation)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

}  // namespace
