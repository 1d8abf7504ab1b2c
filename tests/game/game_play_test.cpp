// The rounds of a game against a twin that keeps every play and works everything out anew. Refused rounds
// leave no trace. The bits are the same after a resume and for any number of threads.
#include "game/game_play.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/core/linalg.hpp"
#include "proxstream/core/parallel.hpp"
#include "proxstream/core/state_archive.hpp"
#include "proxstream/prox/prox_gradient_step.hpp"
#include "proxstream/prox/regulariser_table.hpp"

#include "game/function_cost.hpp"
#include "game/game_table.hpp"

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

constexpr Real kGameStep = 0.2;

std::vector<std::unique_ptr<AnyLearner>> players_of(const GameDefinition& game, const std::string& learner,
                                                    const std::string& window, Real delta) {
    std::vector<std::unique_ptr<AnyLearner>> players;
    for (const GamePlayer& player : game.players) {
        LearnerConfig parts = player_parts(player);
        parts.window = window;
        parts.step = kGameStep;
        parts.smoothness = 1 / kGameStep;
        parts.tolerance = Tolerance::fixed(delta);
        parts.budget = {10'000, kInfinity};
        parts.seed = 7 + players.size();
        players.push_back(make_learner(learner, std::move(parts)));
    }
    return players;
}

/// x_i x_j couplings of three scalars, not convex: cost_i = cos(x_i + sum of the others) + x_i^2 / 4.
GameDefinition cosines(Real broken_above = kInfinity) {
    GameDefinition game{.name = "cosines", .players = {}};
    const std::vector<Index> dimensions{1, 1, 1};
    const JointLayout layout(dimensions);
    for (Index i = 0; i < 3; ++i) {
        const auto cost = [i, broken_above](ConstView joint, View gradient) -> Real {
            const Real total = joint[0] + joint[1] + 0.5 * joint[2];
            const Real own = joint[i];
            const Real factor = i == 2 ? 0.5 : 1;
            if (!gradient.empty()) gradient[0] = -factor * std::sin(total) + own / 2;
            if (i == 1 && joint[0] > broken_above) return std::numeric_limits<Real>::quiet_NaN();
            return std::cos(total) + own * own / 4;
        };
        game.players.push_back({.name = "p" + std::to_string(i + 1),
                                .cost = std::make_shared<FunctionCost>(layout, i, cost),
                                .g = parse_regulariser(i == 2 ? "l1:0.05" : "box:-2,2"),
                                .set = i == 2 ? "l1:0.05" : "box:-2,2",
                                .start = {0.3 * static_cast<Real>(i + 1)}});
    }
    return game;
}

/// Prox-gradient at step kStep on the mean of the last plays the player has seen, as Algorithm 1 says.
class NaivePlayer {
  public:
    NaivePlayer(const GamePlayer& player, Index window, Real delta)
        : player_(player), window_(window), delta_(delta), x_(player.start) {}

    const std::vector<Real>& x() const { return x_; }

    /// The joint plays seen so far, the own block standing for nothing.
    void learn(const std::vector<Real>& joint) {
        seen_.push_back(joint);
        for (;;) {
            const std::vector<Real> gradient = mean_gradient();
            std::vector<Real> forward(x_.size()), gap(x_.size());
            const Real size =
                prox_gradient_step(player_.g, x_, gradient, kGameStep, {forward, gap}, scratch_).norm;
            if (size <= delta_ / static_cast<Real>(window_)) return;
            x_ = forward;
        }
    }
    Real gap() {
        std::vector<Real> forward(x_.size()), gap(x_.size());
        return prox_gradient_step(player_.g, x_, mean_gradient(), kGameStep, {forward, gap}, scratch_).norm;
    }

  private:
    std::vector<Real> mean_gradient() {
        std::vector<Real> total(x_.size()), single(x_.size()), record(player_.cost->record_size());
        const Index first = seen_.size() > window_ ? seen_.size() - window_ : 0;
        for (Index t = first; t < seen_.size(); ++t) {
            player_.cost->condense(seen_[t], record, scratch_);
            RowRing ring(record.size(), 1);
            RowBlock row;
            row.add_dense(record, 0);
            ring.push(row);
            const Real one = 1;
            player_.cost->weighted(PlayRecords(ring, record.size()), {&one, 1}, x_, single, scratch_);
            axpy(1 / static_cast<Real>(window_), single, total);
        }
        return total;
    }

    GamePlayer player_;
    Index window_;
    Real delta_;
    std::vector<Real> x_;
    std::vector<std::vector<Real>> seen_;
    Scratch scratch_;
};

void compare_with_twin(const GameDefinition& game, Turns turns) {
    constexpr Index kWindow = 4;
    constexpr Real kDelta = 0.05;
    GamePlay play(game, players_of(game, "time-smoothed:inner=prox-grad", "4", kDelta), turns);
    std::vector<NaivePlayer> twins;
    for (const GamePlayer& player : game.players) twins.emplace_back(player, kWindow, kDelta);
    const auto gather = [&] {
        std::vector<Real> joint;
        for (const NaivePlayer& twin : twins) joint.insert(joint.end(), twin.x().begin(), twin.x().end());
        return joint;
    };
    for (int t = 0; t < 40; ++t) {
        const std::vector<Real> joint = gather();
        const GameRound round = play.play();
        ASSERT_FALSE(round.refused_by);
        for (Index k = 0; k < joint.size(); ++k) ASSERT_NEAR(round.joint[k], joint[k], 1e-9) << "round " << t;
        for (NaivePlayer& twin : twins) twin.learn(turns == Turns::simultaneous ? joint : gather());
    }
}

TEST(GamePlay, SimultaneousPlayRunsAlgorithm1ForEveryPlayer) {
    compare_with_twin(cosines(), Turns::simultaneous);
    compare_with_twin(parse_game("rps"), Turns::simultaneous);
}

TEST(GamePlay, AlternatingPlayersSeeEarlierMoves) {
    compare_with_twin(cosines(), Turns::alternating);
    compare_with_twin(parse_game("trio"), Turns::alternating);
}

TEST(GamePlay, TurnOrderChangesThePlay) {
    const GameDefinition game = parse_game("rps");
    GamePlay at_once(game, players_of(game, "time-smoothed", "4", 0.05), Turns::simultaneous);
    GamePlay in_turns(game, players_of(game, "time-smoothed", "4", 0.05), Turns::alternating);
    for (int t = 0; t < 5; ++t) {
        at_once.play();
        in_turns.play();
    }
    std::vector<Real> a(6), b(6);
    at_once.positions(a);
    in_turns.positions(b);
    EXPECT_GT(distance(a, b), 1e-3);
}

std::string state_of(GamePlay& play) {
    StateArchive archive;
    play.serialise(archive);
    std::string state = archive.seal();
    return state;
}

/// States contain clocks, so they never agree: later plays are compared.
std::vector<Real> future_of(GamePlay& play, int rounds) {
    for (int t = 0; t < rounds; ++t) play.play();
    std::vector<Real> joint(play.layout().dimension());
    play.positions(joint);
    return joint;
}

TEST(GamePlay, RefusedRoundLeavesEveryPlayerUnchanged) {
    for (const Turns turns : {Turns::simultaneous, Turns::alternating}) {
        for (const std::string learner : {"time-smoothed", "adam:step=0.05", "momentum:step=0.1"}) {
            bool break_now = false;
            GameDefinition game = cosines();
            const JointLayout layout = game.layout();
            // The second player's cost fails on request; the others have entered or moved by then.
            game.players[1].cost = std::make_shared<FunctionCost>(
                layout, 1, [&break_now](ConstView joint, View gradient) -> Real {
                    const Real total = joint[0] + joint[1] + 0.5 * joint[2];
                    if (!gradient.empty()) gradient[0] = -std::sin(total) + joint[1] / 2;
                    return break_now ? std::nan("") : std::cos(total) + joint[1] * joint[1] / 4;
                });
            GamePlay broken(game, players_of(game, learner, "4", 0.05), turns);
            GamePlay whole(game, players_of(game, learner, "4", 0.05), turns);
            for (int t = 0; t < 7; ++t) {
                broken.play();
                whole.play();
            }
            break_now = true;
            for (int t = 0; t < 3; ++t) {
                const GameRound round = broken.play();
                ASSERT_TRUE(round.refused_by.has_value());
                EXPECT_EQ(*round.refused_by, 1U);
                for (const RoundReport& report : round.reports) {
                    EXPECT_EQ(report.status, RoundStatus::refused);
                    EXPECT_EQ(report.round, 8U);
                }
            }
            break_now = false;
            EXPECT_EQ(future_of(broken, 20), future_of(whole, 20)) << learner;
        }
    }
}

TEST(GamePlay, RestoredStateContinuesBitForBit) {
    const GameDefinition game = parse_game("trio");
    for (const std::string learner :
         {"time-smoothed", "time-smoothed:oracle=(sphere:0.02),confirm=2,tolerance=40"}) {
        GamePlay first(game, players_of(game, learner, "8", 0.1), Turns::simultaneous);
        for (int t = 0; t < 25; ++t) first.play();
        const std::string state = state_of(first);
        GamePlay second(game, players_of(game, learner, "8", 0.1), Turns::simultaneous);
        StateArchive saved(state, "saved");
        second.serialise(saved);
        saved.finish();
        EXPECT_EQ(future_of(first, 30), future_of(second, 30)) << learner;
    }
}

TEST(GamePlay, ThreadsDoNotChangeBits) {
    const GameDefinition game = parse_game("bilinear:n=6,players=4,set=simplex");
    std::vector<std::vector<Real>> ends;
    for (const Index count : {1, 2, 4}) {
        set_threads(count);
        GamePlay play(game, players_of(game, "time-smoothed", "16", 0.1), Turns::simultaneous);
        ends.push_back(future_of(play, 60));
    }
    set_threads(1);
    EXPECT_EQ(ends[0], ends[1]);
    EXPECT_EQ(ends[0], ends[2]);
}

TEST(GamePlay, RefusesBadArguments) {
    GameDefinition game = cosines();
    EXPECT_THROW(GamePlay(game, {}, Turns::simultaneous), ConfigError);
    game.players[2].start = {1, 2};
    try {
        check(game);
        FAIL();
    } catch (const ConfigError& error) {
        EXPECT_NE(std::string(error.what()).find("player 'p3': its start has 2 numbers, its play 1"),
                  std::string::npos);
    }
    game = cosines();
    game.players[0].start = {3};
    EXPECT_THROW(check(game), ConfigError);  // outside its box
    game = cosines(0.1);
    try {
        check(game);
        FAIL();
    } catch (const ConfigError& error) {
        EXPECT_NE(std::string(error.what()).find("p2"), std::string::npos);  // not finite at the start
    }
    game = cosines();
    game.players.erase(game.players.begin() + 1, game.players.end());
    EXPECT_THROW(check(game), ConfigError);
    EXPECT_THROW(parse_turns("both"), ConfigError);
}

}  // namespace
}  // namespace proxstream
