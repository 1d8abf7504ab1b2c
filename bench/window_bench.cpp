/// One batched pass over a window against w separate losses: each record an own block, its gradient added to
/// the sum with axpy. The counter `ratio` of the batched rows is separate time over batched time; `speedup`
/// of the threaded rows is one thread's time over two's.
#include "proxstream/core/draw.hpp"
#include "proxstream/core/linalg.hpp"
#include "proxstream/core/parallel.hpp"
#include "proxstream/loss/loss_table.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <vector>

#include <benchmark/benchmark.h>

namespace {

using namespace proxstream;

struct Setting {
    std::unique_ptr<RowFamily> family;
    std::vector<std::unique_ptr<RowBlock>> records;  // each where the allocator put it
    AnyBatch<RowBlock> batch;
    std::vector<Real> weights;
    std::vector<Real> x;
    std::vector<Real> gradient;
    std::vector<Real> sum;
    Scratch scratch;
};

RowBlock draw_record(Index features, Index rows, bool sparse, std::uint32_t number) {
    RowBlock record(sparse);
    std::vector<Real> values;
    std::vector<FeatureIndex> indices;
    for (Index row = 0; row < rows; ++row) {
        values.clear();
        indices.clear();
        for (Index i = 0; i < features; ++i) {
            const Draw at{.seed = 1, .round = i, .record = number, .step = static_cast<std::uint32_t>(row)};
            if (sparse && uniform_below(at, 50) != 0) continue;
            indices.push_back(static_cast<FeatureIndex>(i));
            values.push_back(normal(at));
        }
        const Real target = row % 2 == 0 ? 1 : -1;
        sparse ? record.add_sparse(indices, values, target) : record.add_dense(values, target);
    }
    return record;
}

Setting make_setting(const char* loss, Index features, Index window, Index rows, bool sparse) {
    auto family = parse_loss(loss, {.features = features});
    auto batch = family->make_batch(window);
    std::vector<std::unique_ptr<RowBlock>> records;
    for (Index i = 0; i < window; ++i) {
        records.push_back(
            std::make_unique<RowBlock>(draw_record(features, rows, sparse, static_cast<std::uint32_t>(i))));
        batch.push(*records.back());
    }
    const Index n = family->dimension();
    std::vector<Real> x(n);
    for (Index i = 0; i < n; ++i) x[i] = normal({.seed = 2, .sample = i}) / static_cast<Real>(n);
    return {std::move(family),    std::move(records),
            std::move(batch),     std::vector<Real>(window, 1 / static_cast<Real>(window)),
            std::move(x),         std::vector<Real>(n),
            std::vector<Real>(n), {}};
}

Real separate(Setting& s) {
    fill(s.sum, 0);
    Real total = 0;
    for (Index i = 0; i < s.records.size(); ++i) {
        const Real weight = s.weights[i];
        total += weight * s.family->value_and_gradient(*s.records[i], s.x, s.gradient, s.scratch);
        axpy(weight, s.gradient, s.sum);
    }
    return total;
}

Real batched(Setting& s) {
    return s.batch.weighted_value_and_gradient(s.weights, s.x, s.gradient, s.scratch);
}

/// The fastest of several timed repetitions, in seconds a call.
template <class Call>
double seconds_a_call(Call call) {
    using Clock = std::chrono::steady_clock;
    double best = 1e9;
    for (int repetition = 0; repetition < 15; ++repetition) {
        int calls = 0;
        const auto begin = Clock::now();
        double elapsed = 0;
        while (elapsed < 2e-3) {
            for (int i = 0; i < 8; ++i) benchmark::DoNotOptimize(call());
            calls += 8;
            elapsed = std::chrono::duration<double>(Clock::now() - begin).count();
        }
        best = std::min(best, elapsed / calls);
    }
    return best;
}

void window_pass(benchmark::State& state, const char* loss, bool sparse) {
    Setting setting =
        make_setting(loss, static_cast<Index>(state.range(0)), static_cast<Index>(state.range(1)),
                     static_cast<Index>(state.range(2)), sparse);
    const double apart = seconds_a_call([&] { return separate(setting); });
    const double together = seconds_a_call([&] { return batched(setting); });
    for (auto _ : state) benchmark::DoNotOptimize(batched(setting));
    state.counters["separate_us"] = apart * 1e6;
    state.counters["ratio"] = apart / together;
}

void threaded_pass(benchmark::State& state, const char* loss) {
    Setting setting =
        make_setting(loss, static_cast<Index>(state.range(0)), static_cast<Index>(state.range(1)), 1, false);
    const double one = seconds_a_call([&] { return batched(setting); });
    set_threads(2);
    const double two = seconds_a_call([&] { return batched(setting); });
    for (auto _ : state) benchmark::DoNotOptimize(batched(setting));
    set_threads(1);
    state.counters["one_us"] = one * 1e6;
    state.counters["speedup"] = one / two;
}

void sizes(benchmark::internal::Benchmark* bench) {
    bench->ArgNames({"n", "w", "rows"});
    for (const auto& [n, w, rows] :
         {std::array{512, 32, 1}, std::array{16, 32, 1}, std::array{64, 32, 1}, std::array{512, 256, 1},
          std::array{4096, 32, 1}, std::array{512, 32, 8}}) {
        bench->Args({n, w, rows});
    }
}

BENCHMARK_CAPTURE(window_pass, squared_dense, "squared", false)->Apply(sizes);
BENCHMARK_CAPTURE(window_pass, cauchy_dense, "cauchy", false)->Args({512, 32, 1});
BENCHMARK_CAPTURE(window_pass, logistic_dense, "logistic", false)->Args({512, 32, 1});
BENCHMARK_CAPTURE(window_pass, mlp_dense, "mlp:hidden=16;16", false)->Args({64, 32, 1})->Args({512, 32, 1});
BENCHMARK_CAPTURE(window_pass, logistic_sparse, "logistic", true)->Args({512, 32, 1})->Args({20000, 32, 1});
BENCHMARK_CAPTURE(threaded_pass, logistic, "logistic")
    ->Args({512, 512})
    ->Args({512, 1024})
    ->Args({512, 4096})
    ->UseRealTime();
BENCHMARK_CAPTURE(threaded_pass, mlp, "mlp:hidden=16;16")->Args({64, 1024})->UseRealTime();

}  // namespace
