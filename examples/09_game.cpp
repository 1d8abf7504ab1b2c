// A game of one's own: two ice-cream sellers on a beach of length 1, each choosing a place and a price. What
// they pay is code; everything else (windows, certificate, referee) is the library's.
//
// A customer at s buys from whoever is nearer and cheaper, by a smooth rule; a seller's cost is minus its
// revenue, which is not convex in its place and price.
#include "proxstream/prox/regulariser_table.hpp"

#include "front/header_of.hpp"
#include "game/function_cost.hpp"
#include "game/game_play.hpp"
#include "game/game_referee.hpp"
#include "regret/game_tally.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

namespace {

using namespace proxstream;

constexpr Index kPlace = 0;
constexpr Index kPrice = 1;
constexpr Index kCustomers = 20;

/// Minus the revenue of `seller` at a joint play (place, price, place, price), and its gradient in the
/// seller's own two.
Real cost(Index seller, ConstView joint, View gradient) {
    const ConstView own = joint.subspan(2 * seller, 2);
    const ConstView other = joint.subspan(2 * (1 - seller), 2);
    Real sold = 0;
    Real by_place = 0;  // the derivatives of `sold`
    Real by_price = 0;
    for (Index k = 0; k < kCustomers; ++k) {
        const Real s = (static_cast<Real>(k) + 0.5) / kCustomers;
        const auto effort = [s](ConstView at) {
            return at[kPrice] + 4 * (s - at[kPlace]) * (s - at[kPlace]);
        };
        const Real share = 1 / (1 + std::exp(4 * (effort(own) - effort(other))));
        const Real slope = -4 * share * (1 - share) / kCustomers;
        sold += share / kCustomers;
        by_place += slope * -8 * (s - own[kPlace]);
        by_price += slope;
    }
    if (!gradient.empty()) {
        gradient[kPlace] = -own[kPrice] * by_place;
        gradient[kPrice] = -own[kPrice] * by_price - sold;
    }
    return -own[kPrice] * sold;
}

}  // namespace

int main() {
    constexpr std::array<Index, 2> kDimensions{2, 2};
    const JointLayout layout(kDimensions);
    Game game{.name = "beach", .players = {}};
    for (Index seller = 0; seller < 2; ++seller) {
        game.players.push_back(
            {.name = seller == 0 ? "left" : "right",
             .cost = std::make_shared<FunctionCost>(
                 layout, seller,
                 [seller](ConstView joint, View gradient) { return cost(seller, joint, gradient); }),
             .g = parse_regulariser("box:0,1"),
             .set = "box:0,1",
             .start = {seller == 0 ? 0.1 : 0.7, 0.5}});
    }

    // A player is an online learner against what the other has played lately.
    constexpr Real kStep = 0.1;
    std::vector<std::unique_ptr<AnyLearner>> learners;
    for (const GamePlayer& player : game.players) {
        LearnerParts parts = player_parts(player);
        parts.window = "20";
        parts.step = kStep;
        parts.tolerance = Tolerance::fixed(0.02);
        learners.push_back(make_learner("time-smoothed", std::move(parts)));
    }
    GamePlay play(game, std::move(learners), Turns::simultaneous);

    const std::vector<Real> steps(2, kStep);
    const std::vector<WindowWeights> windows(2, WindowWeights(20));
    GameReferee referee(game, steps, windows);
    GameTally tally({.game = game.name, .epsilon = {}, .variations = {}},
                    {header_of(play.learner(0).facts(), 2), header_of(play.learner(1).facts(), 2)});
    std::vector<Real> alone(2);
    for (Round t = 1; t <= 400; ++t) {
        const GameRound round = play.play();
        tally.add(round.reports);
        if (t % 100 != 0) continue;
        // Beside the residuals against the window: those of this play alone.
        referee.instant_residuals(round.joint, alone);
        std::printf(
            "round %3d: left at %.3f for %.3f, right at %.3f for %.3f; residuals %.4f %.4f, of the "
            "play alone %.4f %.4f\n",
            static_cast<int>(t), round.joint[0], round.joint[1], round.joint[2], round.joint[3],
            round.reports[0].entry_residual, round.reports[1].entry_residual, alone[0], alone[1]);
    }
    std::vector<RunFooter> footers;
    for (Index i = 0; i < 2; ++i)
        footers.push_back(tally.player(i).footer(play.learner(i).close(), RunEnding::finished, 0));
    const GameCertificate certificate = tally.certificate(footers);
    const Inequality& every_round = certificate.at("G1");
    std::printf("every round kept its bound: %s, the tightest came to %.3f of it\n",
                every_round.verdict == Verdict::holds ? "yes" : "no", every_round.ratio());
    return certificate.sound() ? EXIT_SUCCESS : EXIT_FAILURE;
}
