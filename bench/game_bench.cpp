/// Games: a round against the length of the window and the number of players, and windows of opponents
/// evaluated together against one at a time. The counter `ratio` is one-by-one time over batched time; rounds
/// are those of time-smoothed players, all of them, referees left out.
#include "proxstream/core/draw.hpp"
#include "proxstream/core/linalg.hpp"
#include "proxstream/game/game_table.hpp"
#include "proxstream/game/play_batch.hpp"
#include "proxstream/play/play_plan.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

namespace {

using namespace proxstream;

void play_rounds(benchmark::State& state, const std::string& text, Index window) {
    PlaySettings settings;
    settings.game = text;
    settings.window = std::to_string(window);
    const Game game = parse_game(text);
    const PlayPlan plan = plan_play(settings, game);
    GamePlay play(game, make_players(settings, game, plan), plan.turns);
    for (Index t = 0; t < 2 * window; ++t) play.play();  // windows are full
    std::uint64_t steps = 0;
    for (auto _ : state) {
        for (const RoundReport& report : play.play().reports) steps += report.steps;
    }
    state.counters["steps_a_round"] = static_cast<double>(steps) / static_cast<double>(state.iterations());
}

void round_by_window(benchmark::State& state, const char* text) {
    play_rounds(state, text, static_cast<Index>(state.range(0)));
}

void round_by_players(benchmark::State& state) {
    play_rounds(state, "bilinear:n=20,players=" + std::to_string(state.range(0)), 10);
}

/// The fastest of several timed repetitions, in seconds a call.
template <class Call>
double seconds_a_call(Call call) {
    using Clock = std::chrono::steady_clock;
    double best = 1e9;
    for (int repetition = 0; repetition < 9; ++repetition) {
        int calls = 0;
        const auto begin = Clock::now();
        double elapsed = 0;
        while (elapsed < 5e-3) {
            benchmark::DoNotOptimize(call());
            ++calls;
            elapsed = std::chrono::duration<double>(Clock::now() - begin).count();
        }
        best = std::min(best, elapsed / calls);
    }
    return best;
}

/// A player's window, filled with what it remembers of random joint plays.
struct Filled {
    Game game;
    Index player;
    PlayBatch batch;
    std::vector<Real> gradient, sum;
    Scratch scratch = {};

    Filled(const std::string& text, Index of_player, Index window)
        : game(parse_game(text)),
          player(of_player),
          batch(game.players[player].cost, window),
          gradient(own().size()),
          sum(own().size()) {
        const PlayerCost& cost = *game.players[player].cost;
        const JointLayout layout = game.layout();
        std::vector<Real> joint(layout.dimension());
        std::vector<Real> condensed(cost.record_size());
        for (Round t = 1; t <= window; ++t) {
            for (Index i = 0; i < layout.players(); ++i) {
                const GamePlayer& other = game.players[i];
                const View block = layout.block(View(joint), i);
                for (Index k = 0; k < block.size(); ++k)
                    block[k] = other.start[k] + 0.1 * normal({.seed = i, .round = t, .sample = k});
                other.g.prox(block, 1, block, scratch);
            }
            cost.condense(joint, condensed, scratch);
            RowBlock record;
            record.add_dense(condensed, 0);
            batch.push(record);
        }
    }
    ConstView own() const { return game.players[player].start; }
};

void window_gradient(benchmark::State& state, const char* text) {
    const auto window = static_cast<Index>(state.range(0));
    Filled filled(text, 0, window);
    const std::vector<Real> weights(window, 1 / static_cast<Real>(window));
    const auto batched = [&] {
        return filled.batch.weighted_value_and_gradient(weights, filled.own(), filled.sum, filled.scratch);
    };
    const auto one_by_one = [&] {
        Real total = 0;
        fill(filled.sum, 0);
        for (Index age = 0; age < window; ++age) {
            total += weights[age] *
                     filled.batch.value_and_gradient(age, filled.own(), filled.gradient, filled.scratch);
            axpy(weights[age], filled.gradient, filled.sum);
        }
        return total;
    };
    const double apart = seconds_a_call(one_by_one);
    const double together = seconds_a_call(batched);
    for (auto _ : state) benchmark::DoNotOptimize(batched());
    state.counters["one_by_one_us"] = 1e6 * apart;
    state.counters["ratio"] = apart / together;
}

/// 64 samples of a GAN's cost, spread over the opponents.
void sampled_gradient(benchmark::State& state, Index player) {
    constexpr Index kSamples = 64;
    const auto opponents = static_cast<Index>(state.range(0));
    Filled filled("gan:ring8", player, opponents);
    std::vector<WeightedPart> parts;
    for (Index i = 0; i < kSamples; ++i) {
        parts.push_back({i * opponents / kSamples,
                         uniform_below({.seed = 1, .sample = i}, filled.batch.parts(0)), 1.0 / kSamples});
    }
    const auto gradient_of = [&](std::span<const WeightedPart> some) {
        return filled.batch.parts_gradient(some, filled.own(), filled.gradient, filled.scratch);
    };
    const double apart = seconds_a_call([&] {
        Real total = 0;
        fill(filled.sum, 0);
        for (const WeightedPart& part : parts) {
            total += gradient_of({&part, 1});
            axpy(1, filled.gradient, filled.sum);
        }
        return total;
    });
    const double together = seconds_a_call([&] { return gradient_of(parts); });
    for (auto _ : state) benchmark::DoNotOptimize(gradient_of(parts));
    state.counters["one_by_one_us"] = 1e6 * apart;
    state.counters["ratio"] = apart / together;
}

constexpr const char* kCity = "congestion:(builtin:ring:rings=3,spokes=6,zones=8)";

void windows(benchmark::internal::Benchmark* bench) {
    bench->ArgName("w")->Unit(benchmark::kMicrosecond);
    for (const int w : {1, 10, 100, 1000}) bench->Arg(w);
}

BENCHMARK_CAPTURE(round_by_window, rps, "rps")->Apply(windows);
BENCHMARK_CAPTURE(round_by_window, bilinear_n50, "bilinear:n=50")->Apply(windows);
BENCHMARK_CAPTURE(round_by_window, quadratic_n50, "quadratic:n=50,players=2")->Apply(windows);
BENCHMARK_CAPTURE(round_by_window, city, kCity)->Apply(windows);
BENCHMARK(round_by_players)
    ->ArgName("players")
    ->RangeMultiplier(2)
    ->Range(2, 32)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(window_gradient, quadratic_n50, "quadratic:n=50,players=2")->Apply(windows);
BENCHMARK_CAPTURE(window_gradient, polynomial_trio, "trio")->Apply(windows);
BENCHMARK_CAPTURE(window_gradient, city, kCity)->Apply(windows);
BENCHMARK_CAPTURE(sampled_gradient, discriminator, 0)
    ->ArgName("opponents")
    ->Arg(1)
    ->Arg(5)
    ->Arg(20)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(sampled_gradient, generator, 1)
    ->ArgName("opponents")
    ->Arg(1)
    ->Arg(5)
    ->Arg(20)
    ->Unit(benchmark::kMicrosecond);

}  // namespace
