/// What a round costs: quiet rounds of long windows against short ones, and `learn` against its parser alone.
#include "proxstream/core/draw.hpp"
#include "proxstream/loss/linear_family.hpp"
#include "proxstream/online/time_smoothed.hpp"
#include "proxstream/prox/regulariser_table.hpp"
#include "proxstream/run/learn_run.hpp"
#include "proxstream/solve/prox_grad.hpp"

#include "bench_data.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <vector>

#include <benchmark/benchmark.h>

namespace {

using namespace proxstream;
using Clock = std::chrono::steady_clock;

/// Rounds in which the tolerance is never exceeded, over a cycle of ready-made records.
class QuietRounds {
  public:
    QuietRounds(Index features, Index window)
        : learner_(parse_regulariser("l1:0.01"), make_batch(features, window),
                   std::vector<Real>(features + 1),
                   {.window = window, .step = 0.1, .tolerance = Tolerance::fixed(1e9), .budget = {}},
                   ProxGrad(1)) {
        std::vector<Real> row(features);
        for (std::uint64_t t = 0; t < kCycle; ++t) {
            for (Index i = 0; i < features; ++i) row[i] = normal({.seed = 1, .round = t, .sample = i});
            records_.emplace_back();
            records_.back().add_dense(row, normal({.seed = 2, .round = t}));
        }
        for (Index t = 0; t < 2 * window; ++t) round();
    }

    void round() {
        const RoundReport report = learner_.observe(records_[next_++ % kCycle]);
        if (report.status != RoundStatus::quiet) std::abort();
    }

    double seconds_a_round() {
        constexpr int kRounds = 8192;  // whole periods of re-anchoring for every window measured
        double best = 1e9;
        for (int repetition = 0; repetition < 7; ++repetition) {
            const auto begin = Clock::now();
            for (int i = 0; i < kRounds; ++i) round();
            best = std::min(best, std::chrono::duration<double>(Clock::now() - begin).count() / kRounds);
        }
        return best;
    }

  private:
    static constexpr std::uint64_t kCycle = 7;  // few enough to be as warm as a record that was just read
    static AnyBatch<RowBlock> make_batch(Index features, Index window) {
        return LinearFamily({.formula = ScalarFormula::squared}, features, true).make_batch(window + 1);
    }
    TimeSmoothed<AnyRegulariser, AnyBatch<RowBlock>, ProxGrad> learner_;
    std::vector<RowBlock> records_;
    std::uint64_t next_ = 0;
};

/// `ratio`: a quiet round at w = 1024 over one at w = 16.
void quiet_round(benchmark::State& state) {
    const auto features = static_cast<Index>(state.range(0));
    QuietRounds short_window(features, 16);
    QuietRounds long_window(features, 1024);
    const double brief = short_window.seconds_a_round();
    const double lengthy = long_window.seconds_a_round();
    for (auto _ : state) long_window.round();
    state.counters["w16_ns"] = brief * 1e9;
    state.counters["w1024_ns"] = lengthy * 1e9;
    state.counters["ratio"] = lengthy / brief;
}
BENCHMARK(quiet_round)->ArgName("n")->Arg(16)->Arg(128)->Arg(512);

/// `ratio`: seconds of `learn` over seconds of reading the same rows and throwing them away.
void learn_electricity(benchmark::State& state, const char* learner) {
    const std::string path = data_file("streams/electricity.csv", state);
    if (path.empty()) return;
    LearnSettings settings;
    settings.data = {path};
    settings.label = "class";
    settings.loss = "logistic";
    settings.window = "1";
    settings.learner = learner;
    double parsing = 1e9;
    for (int repetition = 0; repetition < 5; ++repetition) {
        const auto begin = Clock::now();
        Problem problem(settings);
        RowBlock record = problem.stream().make_record();
        while (problem.stream().next(record)) benchmark::DoNotOptimize(record.all_values().data());
        parsing = std::min(parsing, std::chrono::duration<double>(Clock::now() - begin).count());
    }
    double learning = 1e9;
    std::uint64_t rows = 0;
    for (auto _ : state) {
        const auto begin = Clock::now();
        LearnRun run(settings, nullptr);
        rows = run.run([](const LearnProgress&) {}).totals.rows;
        learning = std::min(learning, std::chrono::duration<double>(Clock::now() - begin).count());
    }
    state.counters["rows/s"] = static_cast<double>(rows) / learning;
    state.counters["parser_rows/s"] = static_cast<double>(rows) / parsing;
    state.counters["ratio"] = learning / parsing;
}
BENCHMARK_CAPTURE(learn_electricity, time_smoothed, "time-smoothed")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(learn_electricity, prox_gradient, "prox-gradient")->Unit(benchmark::kMillisecond);

}  // namespace
