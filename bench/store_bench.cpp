// What it costs a round to be kept: the learner alone, with a journal that commits when it likes, every 100
// turns, every turn. One learner, one stream; read the ratios.
#include "proxstream/run/learn_run.hpp"

#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>

#include <benchmark/benchmark.h>

namespace proxstream {
namespace {

constexpr Round kRounds = 4000;

LearnSettings settings(const std::string& window) {
    LearnSettings settings;
    settings.data = {"builtin:drift"};
    settings.loss = "cauchy";
    settings.window = window;
    settings.rounds = kRounds;
    return settings;
}

std::string store_path() {
    return (std::filesystem::current_path() / "store_bench.run").string();
}

void remove_store() {
    for (const char* suffix : {"", "-wal", "-shm"}) std::remove((store_path() + suffix).c_str());
}

/// Nothing of `durable`: the learner alone, its certificate included.
void rounds(benchmark::State& state, const std::string& window, const char* durable) {
    for (auto each : state) {
        state.PauseTiming();
        remove_store();
        LearnSettings chosen = settings(window);
        LearnRun run(chosen, nullptr);
        std::optional<Journal> journal;
        if (durable != nullptr) {
            chosen.durable = durable;
            journal.emplace(Journal::create(store_path(), learn_identity(chosen, "bench"),
                                            journal_options(chosen, false, "")));
            run.attach(*journal);
        }
        state.ResumeTiming();
        const LearnOutcome outcome = run.run([](const LearnProgress&) {});
        benchmark::DoNotOptimize(outcome.seconds);
    }
    remove_store();
    state.counters["a round"] =
        benchmark::Counter(static_cast<double>(kRounds),
                           benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

BENCHMARK_CAPTURE(rounds, w16_alone, "16", nullptr)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(rounds, w16_off, "16", "off")->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(rounds, w16_100, "16", "100")->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(rounds, w16_round, "16", "round")->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(rounds, bank_alone, "auto", nullptr)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(rounds, bank_off, "auto", "off")->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(rounds, bank_100, "auto", "100")->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(rounds, bank_round, "auto", "round")->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace proxstream
