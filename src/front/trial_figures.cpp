#include "front/trial_figures.hpp"

#include "proxstream/core/draw.hpp"
#include "proxstream/core/linalg.hpp"

#include "game/play_batch.hpp"

#include <algorithm>
#include <cmath>

namespace proxstream {

Real trial_smoothness(const GameDefinition& game, Index player, std::uint64_t seed) {
    constexpr std::uint64_t kPairs = 32;
    constexpr Real kNear = 1e-3;  // of the spread of the first points: close, and far above rounding
    const GamePlayer& self = game.players[player];
    std::vector<Real> joint;
    for (const GamePlayer& each : game.players)
        joint.insert(joint.end(), each.start.begin(), each.start.end());
    Scratch scratch;
    std::vector<Real> condensed(self.cost->record_size());
    self.cost->condense(joint, condensed, scratch);
    RowBlock record;
    record.add_dense(condensed, 0);
    PlayBatch batch(self.cost, 1);
    batch.push(record);

    const Index n = self.cost->dimension();
    const Real spread = std::max<Real>(1, norm(self.start)) / std::sqrt(static_cast<Real>(n));
    std::vector<Real> from(n), to(n), before(n), after(n);
    const auto scatter = [&](ConstView centre, Real width, std::uint32_t step, std::uint64_t pair, View out) {
        for (Index i = 0; i < n; ++i)
            out[i] = centre[i] +
                     width * normal({.seed = seed, .round = pair, .record = 0, .step = step, .sample = i});
        self.g.prox(out, kNear, out, scratch);
    };
    Real steepest = 0;
    for (std::uint64_t pair = 0; pair < kPairs; ++pair) {
        scatter(self.start, spread, 1, pair, from);
        scatter(from, kNear * spread, 2, pair, to);
        const Real moved = distance(from, to);
        if (!(moved > 0)) continue;
        batch.value_and_gradient(0, from, before, scratch);
        batch.value_and_gradient(0, to, after, scratch);
        const Real change = distance(before, after) / moved;
        if (std::isfinite(change)) steepest = std::max(steepest, change);
    }
    return steepest;
}

std::vector<Real> trial_variations(const GameDefinition& game,
                                   const std::function<std::vector<std::unique_ptr<AnyLearner>>()>& make,
                                   Turns turns) {
    GamePlay play(game, make(), turns);
    std::vector<Real> largest(play.players());
    for (Round t = 0; t < kTrialRounds; ++t) {
        const GameRound round = play.play();
        if (round.refused_by) break;
        for (Index i = 0; i < largest.size(); ++i)
            largest[i] = std::max(largest[i], round.reports[i].variation);
    }
    return largest;
}

}  // namespace proxstream
