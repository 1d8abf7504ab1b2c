/// What a bank of windows costs against its longest member alone, in record gradients and in time, on
/// built-in streams; and what sharing passes could save: one reading of the records for several points (a
/// fused pass, written out here for the squared loss) against a pass for each.
#include "proxstream/core/draw.hpp"
#include "proxstream/core/linalg.hpp"
#include "proxstream/loss/linear_family.hpp"
#include "proxstream/run/compare_run.hpp"

#include <chrono>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

namespace {

using namespace proxstream;
using Clock = std::chrono::steady_clock;

Contestant play(const std::string& stream, const std::string& learner) {
    LearnSettings settings;
    settings.data = {"builtin:" + stream + ",rows=4000,features=20"};
    settings.loss = "cauchy";
    settings.reg = "l1:0.02";
    settings.max_steps = 4;
    CompareRun run(settings, {learner}, nullptr);
    return run.run([](Round) {}).contestants.front();
}

/// gradients: of the bank over those of the longest window; seconds: the same in the learners' own time.
void bank_against_longest(benchmark::State& state, const std::string& stream, const std::string& arguments) {
    double gradients = 0;
    double seconds = 0;
    double a_round = 0;
    for (auto _ : state) {
        const Contestant bank = play(stream, "bank:" + arguments);
        const Contestant longest = play(stream, "time-smoothed:window=1024");
        gradients =
            static_cast<double>(bank.record_gradients) / static_cast<double>(longest.record_gradients);
        seconds = bank.seconds / longest.seconds;
        a_round = static_cast<double>(bank.record_gradients) / static_cast<double>(bank.rounds);
    }
    state.counters["gradients"] = gradients;
    state.counters["seconds"] = seconds;
    state.counters["per_round"] = a_round;
}
BENCHMARK_CAPTURE(bank_against_longest, drift, "drift", "also=none")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(bank_against_longest, switch, "switch", "also=none")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(bank_against_longest, season, "season", "also=none")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(bank_against_longest, iid, "iid", "also=none")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(bank_against_longest, drift_no_limit, "drift", "also=none,effort=inf")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(bank_against_longest, switch_no_limit, "switch", "also=none,effort=inf")
    ->Unit(benchmark::kMillisecond);

/// The gradient of a window at several points, each row read once for all of them.
void fused_pass(const std::vector<std::vector<Real>>& rows, const std::vector<Real>& targets,
                const std::vector<std::vector<Real>>& points, std::vector<std::vector<Real>>& gradients) {
    const Real share = 1 / static_cast<Real>(rows.size());
    for (auto& gradient : gradients) fill(gradient, 0);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        for (std::size_t k = 0; k < points.size(); ++k) {
            axpy(share * (dot(rows[i], points[k]) - targets[i]), rows[i], gradients[k]);
        }
    }
}
void single_pass(const std::vector<std::vector<Real>>& rows, const std::vector<Real>& targets,
                 const std::vector<Real>& x, std::vector<Real>& gradient) {
    const Real share = 1 / static_cast<Real>(rows.size());
    fill(gradient, 0);
    for (std::size_t i = 0; i < rows.size(); ++i)
        axpy(share * (dot(rows[i], x) - targets[i]), rows[i], gradient);
}

/// saved: time of a pass for each of four points over the time of one fused pass.
void sharing(benchmark::State& state) {
    const auto features = static_cast<Index>(state.range(0));
    constexpr Index kRows = 1024;
    constexpr Index kPoints = 4;
    std::vector<std::vector<Real>> rows(kRows, std::vector<Real>(features));
    std::vector<Real> targets(kRows, 1);
    for (Index i = 0; i < kRows; ++i) {
        for (Index j = 0; j < features; ++j) rows[i][j] = normal({.seed = 1, .round = i, .sample = j});
    }
    std::vector<std::vector<Real>> points(kPoints, std::vector<Real>(features, 0.1));
    std::vector<std::vector<Real>> gradients = points;
    double apart = 0;
    double together = 0;
    for (auto _ : state) {
        const auto start = Clock::now();
        for (Index k = 0; k < kPoints; ++k) single_pass(rows, targets, points[k], gradients[k]);
        const auto middle = Clock::now();
        fused_pass(rows, targets, points, gradients);
        benchmark::DoNotOptimize(gradients.data());
        apart += std::chrono::duration<double>(middle - start).count();
        together += std::chrono::duration<double>(Clock::now() - middle).count();
    }
    state.counters["saved"] = apart / together;
}
BENCHMARK(sharing)->Arg(8)->Arg(50)->Arg(512)->Arg(4096);

}  // namespace
