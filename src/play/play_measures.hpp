/// Measures the figures of a play that need a referee: gaps of the play alone, and best responses. Players
/// whose learners cannot measure their gaps get them here too.
#pragma once

#include "core/quantile_sketch.hpp"
#include "front/play_plan.hpp"
#include "game/game_play.hpp"
#include "game/game_referee.hpp"
#include "play/play_settings.hpp"
#include "play/round_figures.hpp"
#include "regret/game_tally.hpp"

#include <vector>

namespace proxstream {

class PlayMeasures {
  public:
    PlayMeasures(const PlaySettings& settings, const PlayPlan& plan, const GamePlay& play);

    /// Measures what is due after a round that was not refused, and fills in its figures.
    void measure(const GamePlay& play, const GameTally& tally, const GameRound& round, RoundFigures& figures);
    /// The figures of the whole play, including its last round. If that round was not measured, it is
    /// measured now; later rounds are not affected.
    GameMeasures all();
    /// The last joint play.
    ConstView joint() const noexcept { return last_.joint; }
    void serialise(StateArchive& archive);

  private:
    struct LastPlay {
        std::vector<Real> joint = {};
        bool measured = false;   // alone
        bool responded = false;  // best responses to it were searched for
    };
    bool due(Index every, Round round) const { return round == 1 || round == rounds_ || round % every == 0; }
    void measure_instants(ConstView joint);
    void measure_gains(ConstView joint);

    GameReferee referee_;
    Round rounds_;  // of the whole play
    Index measure_every_, responses_every_;
    bool sampled_;
    std::vector<char> refereed_;  // players whose gaps are exact and in their reports
    std::vector<Real> instants_, gains_;
    QuantileSketch instant_gaps_;  // those measured, for their median
    GameMeasures measures_;
    LastPlay last_;
};

}  // namespace proxstream
