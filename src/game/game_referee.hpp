/// Measures a game without its learners: the stationarity gap of the newest joint play alone, and the gain of
/// best responses to it. It also measures the gap against the window for learners that cannot. It has its own
/// cost account.
///
/// A small smoothed gap does not imply an equilibrium of the game: on matching pennies it tends to 0 while
/// the play cycles. These figures show the difference.
#pragma once

#include "proxstream/core/round_report.hpp"
#include "proxstream/core/state_archive.hpp"

#include "game/game.hpp"
#include "game/play_batch.hpp"
#include "window/window_weights.hpp"

#include <span>
#include <vector>

namespace proxstream {

struct RefereeOptions {
    Index samples = 2048;       // of a cost that is a mean over samples: only the first ones are used
    Index best_response = 500;  // at most this many steps
};

class GameReferee {
  public:
    /// For each player the reference step of its gaps and its window.
    GameReferee(const GameDefinition& game, std::span<const Real> steps,
                std::span<const WindowWeights> windows, const RefereeOptions& options = {});

    /// The record that player i has learned from in a round that was not refused. Call it before that round
    /// is measured.
    void observe(Index player, const RowBlock& record);

    /// |P(x_i; grad c_i(x))| for the joint play alone (w = 1), for every player.
    void instant_gaps(ConstView joint, View out);
    /// |P(x_i; grad S_i(x_i))| of the records observed last.
    Real smoothed_gap(Index player, ConstView own);
    /// What each player would save by a best response to the others. It is found by descent from the player's
    /// play, so it may be a local one. NaN for costs that are means over samples.
    void gains(ConstView joint, View out);
    /// Whether the gains of the last call are exact, not only lower bounds: costs are convex and every
    /// descent converged.
    bool gains_exact() const noexcept { return exact_; }

    const Cost& cost() const noexcept { return cost_; }

    /// The observed records, without the cost account. Call it between two rounds.
    void serialise(StateArchive& archive);

  private:
    struct Seat {
        GamePlayer player;  // its cost restricted to a few samples
        bool sampled;
        Real step;
        WindowWeights window;
        PlayBatch past;    // the records of the window
        PlayBatch newest;  // one joint play
        Round rounds = 0;
    };
    Real gap(const Seat& seat, const PlayBatch& batch, std::span<const Real> weights, ConstView own);
    const RowBlock& condense(const Seat& seat, ConstView joint);
    Real gain(Seat& seat, ConstView own);

    JointLayout layout_;
    RefereeOptions options_;
    std::vector<Seat> seats_;
    std::vector<Real> weights_, condensed_;
    RowBlock record_;
    bool exact_ = true;
    Cost cost_;
    Scratch scratch_;
};

}  // namespace proxstream
