/// Offline methods on robust regression, mean r^2 / (1 + r^2) over 2000 x 500 dense rows with outliers, L1
/// 2e-3 from 0 and the simplex from its centre, to |P| <= 1e-8: milliseconds, and the counters `iterations`,
/// `passes` and `pass_us` (one evaluation of f and its gradient, alone). The loss in use is half of that one,
/// so the weight and the tolerance are halved. `read_us` is a plain sum over the 8 MB of data.
#include "proxstream/core/draw.hpp"
#include "proxstream/core/linalg.hpp"
#include "proxstream/loss/loss_table.hpp"
#include "proxstream/offline/method_table.hpp"
#include "proxstream/offline/row_sum.hpp"
#include "proxstream/prox/regulariser_table.hpp"
#include "proxstream/prox/residual.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

namespace {

using namespace proxstream;

constexpr Index kRows = 2000;
constexpr Index kFeatures = 500;
constexpr Real kEpsilon = 0.5e-8;

std::shared_ptr<const RowSum> robust_regression(std::uint64_t seed) {
    std::vector<Real> truth(kFeatures);
    for (Index i = 0; i < 25; ++i) {
        truth[uniform_below({.seed = seed, .round = 1, .sample = i}, kFeatures)] =
            normal({.seed = seed, .round = 2, .sample = i});
    }
    RowBlock rows;
    std::vector<Real> row(kFeatures);
    for (std::uint32_t i = 0; i < kRows; ++i) {
        for (Index j = 0; j < kFeatures; ++j) {
            row[j] = normal({.seed = seed, .round = 3, .record = i, .sample = j});
        }
        Real target = dot(row, truth) + 0.1 * normal({.seed = seed, .round = 4, .sample = i});
        if (uniform({.seed = seed, .round = 5, .sample = i}) < 0.1) {
            target += 10 * normal({.seed = seed, .round = 6, .sample = i});
        }
        rows.add_dense(row, target);
    }
    return std::make_shared<RowSum>(
        parse_loss("geman-mcclure:1", {.features = kFeatures, .intercept = false}), std::move(rows));
}

/// The fastest of several calls, in microseconds.
template <class Call>
double microseconds(Call call) {
    using Clock = std::chrono::steady_clock;
    double best = 1e9;
    for (int i = 0; i < 30; ++i) {
        const auto begin = Clock::now();
        benchmark::DoNotOptimize(call());
        best = std::min(best, std::chrono::duration<double, std::micro>(Clock::now() - begin).count());
    }
    return best;
}

void offline_fit(benchmark::State& state, const char* method_text, const char* g) {
    const std::shared_ptr<const RowSum> loss = robust_regression(static_cast<std::uint64_t>(state.range(0)));
    const bool simplex = std::string(g) == "simplex";
    const OfflineProblem problem =
        make_offline_problem(loss, parse_regulariser(g),
                             std::vector<Real>(kFeatures, simplex ? 1 / static_cast<Real>(kFeatures) : 0));
    Scratch scratch;
    std::vector<Real> forward(kFeatures), residual(kFeatures), gradient(kFeatures);
    double iterations = 0;
    Cost cost;
    for (auto _ : state) {
        const auto method = make_method(method_text, {.problem = problem});
        cost = {};
        iterations = 0;
        for (Real norm = kInfinity; norm > kEpsilon && iterations < 20'000; ++iterations) {
            if (method->advance(cost) != StepStatus::moved) {
                state.SkipWithError("it did not get there");
                break;
            }
            norm = prox_residual(problem.g, method->point(), method->exact()->gradient,
                                 problem.reference_step, forward, residual, scratch)
                       .norm;
        }
    }
    state.counters["iterations"] = iterations;
    state.counters["passes"] = static_cast<double>(cost.passes);
    state.counters["pass_us"] = microseconds([&] { return loss->f(problem.start, gradient, scratch); });
    state.counters["read_us"] = microseconds([&] { return sum(loss->rows().all_values()); });
}

void three_seeds(benchmark::internal::Benchmark* bench) {
    bench->DenseRange(1, 3)->ArgName("seed")->Unit(benchmark::kMillisecond);
}
void one_seed(benchmark::internal::Benchmark* bench) {
    bench->Arg(1)->ArgName("seed")->Unit(benchmark::kMillisecond);
}

BENCHMARK_CAPTURE(offline_fit, panoc_l1, "panoc", "l1:0.001")->Apply(three_seeds);
BENCHMARK_CAPTURE(offline_fit, panoc_simplex, "panoc", "simplex")->Apply(three_seeds);
BENCHMARK_CAPTURE(offline_fit, accelerated_l1, "accelerated", "l1:0.001")->Apply(three_seeds);
BENCHMARK_CAPTURE(offline_fit, accelerated_simplex, "accelerated", "simplex")->Apply(three_seeds);
BENCHMARK_CAPTURE(offline_fit, backtracking_l1, "backtracking", "l1:0.001")->Apply(three_seeds);
BENCHMARK_CAPTURE(offline_fit, backtracking_simplex, "backtracking", "simplex")->Apply(three_seeds);
BENCHMARK_CAPTURE(offline_fit, prox_grad_l1, "prox-grad", "l1:0.001")->Apply(one_seed);
BENCHMARK_CAPTURE(offline_fit, prox_grad_simplex, "prox-grad", "simplex")->Apply(one_seed);

}  // namespace
