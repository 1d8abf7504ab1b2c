/// Games: windows of opponents evaluated together against one at a time, and what a round costs.
#include "proxstream/core/draw.hpp"
#include "proxstream/core/linalg.hpp"

#include "game/game_table.hpp"
#include "game/play_batch.hpp"
#include "play/play_settings.hpp"
#include "sections.hpp"

#include <fmt/format.h>

namespace proxstream::bench {
namespace {

constexpr const char* kCity = "congestion:(builtin:ring:rings=3,spokes=6,zones=8)";

/// A player's window, filled with what it remembers of random joint plays.
struct Filled {
    GameDefinition game;
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
        std::vector<Real> joint(layout.dimension()), condensed(cost.record_size());
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

void window_gradient(Bench& bench, const char* name, const char* text) {
    const Index window = bench.size(100, 4);
    Filled filled(text, 0, window);
    const std::vector<Real> weights(window, 1 / static_cast<Real>(window));
    const Effort effort = bench.effort();
    const auto one_by_one = [&] {
        Real total = 0;
        fill(filled.sum, 0);
        for (Index age = 0; age < window; ++age) {
            total += weights[age] *
                     filled.batch.value_and_gradient(age, filled.own(), filled.gradient, filled.scratch);
            axpy(weights[age], filled.gradient, filled.sum);
        }
        keep(total);
    };
    const auto batched = [&] {
        keep(filled.batch.weighted_value_and_gradient(weights, filled.own(), filled.sum, filled.scratch));
    };
    const Timings timings = comparison({looped(batched, effort), looped(one_by_one, effort)}, effort);
    bench.add({.name = fmt::format("game.{}-window", name),
               .measured = fmt::format("{}, gradient of a window of {} joint plays", name, window),
               .against = "a gradient a play, added up",
               .ratio = timings.ratio(1, 0),
               .figure = Figure{1e6 * timings.seconds(0).median, "us"}});
}

/// 64 samples of a GAN's cost, spread over 20 opponents.
void sampled_gradient(Bench& bench, const char* name, Index player) {
    constexpr Index kSamples = 64, kOpponents = 20;
    Filled filled("gan:ring8", player, kOpponents);
    std::vector<WeightedPart> parts;
    for (Index i = 0; i < kSamples; ++i) {
        parts.push_back({i * kOpponents / kSamples,
                         uniform_below({.seed = 1, .sample = i}, filled.batch.parts(0)), 1.0 / kSamples});
    }
    const auto gradient_of = [&](std::span<const WeightedPart> some) {
        return filled.batch.parts_gradient(some, filled.own(), filled.gradient, filled.scratch);
    };
    const Effort effort = bench.effort();
    const auto one_by_one = [&] {
        fill(filled.sum, 0);
        for (const WeightedPart& part : parts) {
            keep(gradient_of({&part, 1}));
            axpy(1, filled.gradient, filled.sum);
        }
    };
    const Timings timings =
        comparison({looped([&] { keep(gradient_of(parts)); }, effort), looped(one_by_one, effort)}, effort);
    bench.add({.name = fmt::format("game.{}-samples", name),
               .measured = fmt::format("gan:ring8, the {}'s gradient of 64 samples", name),
               .against = "a sample at a time",
               .ratio = timings.ratio(1, 0),
               .figure = Figure{1e6 * timings.seconds(0).median, "us"}});
}

/// Rounds of all players, referees left out.
void rounds(Bench& bench, const char* name, const char* text) {
    constexpr Index kWindow = 10;
    PlaySettings settings;
    settings.game = text;
    settings.window = std::to_string(kWindow);
    const GameDefinition game = parse_game(text);
    const PlayPlan plan = plan_play(settings, game);
    GamePlay play(game, make_players(settings, game, plan), plan.turns);
    for (Index t = 0; t < 2 * kWindow; ++t) play.play();  // windows are full
    const Effort effort = bench.effort();
    const Timings timings = comparison({looped([&] { keep(play.play().reports.size()); }, effort)}, effort);
    bench.add({.name = fmt::format("game.{}-round", name),
               .measured = fmt::format("{}, a round of all players, w = 10", name),
               .against = {},
               .figure = Figure{1e6 * timings.seconds(0).median, "us"}});
}

}  // namespace

void game_rows(Bench& bench) {
    bench.group("game.window", [&] {
        window_gradient(bench, "quadratic", "quadratic:n=50,players=2");
        window_gradient(bench, "trio", "trio");
        window_gradient(bench, "city", kCity);
    });
    bench.group("game.samples", [&] {
        sampled_gradient(bench, "discriminator", 0);
        sampled_gradient(bench, "generator", 1);
    });
    bench.group("game.round", [&] {
        rounds(bench, "rps", "rps");
        rounds(bench, "bilinear", "bilinear:n=50");
        rounds(bench, "city", kCity);
    });
}

}  // namespace proxstream::bench
