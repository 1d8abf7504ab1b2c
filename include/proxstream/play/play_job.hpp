/// One run of `play`: a game, its players, a referee, and at the end, whatever ended it, a certificate.
#pragma once

#include "proxstream/core/stop_flag.hpp"
#include "proxstream/game/game_referee.hpp"
#include "proxstream/play/play_plan.hpp"
#include "proxstream/play/round_figures.hpp"
#include "proxstream/regret/game_tally.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace proxstream {

/// What made a report: its masthead says so.
struct ReportOrigin {
    std::string version;
    std::string command;
};

struct PlayOutcome {
    GameCertificate certificate;
    RunEnding ending = RunEnding::finished;
    std::string refusal;                // why the last round was refused; empty: none was
    std::vector<std::string> problems;  // outputs that could not be written, a sentence each
    std::vector<Real> joint;            // where everybody stands at the end
    double seconds = 0;                 // the whole loop
    double player_seconds = 0;          // of it, the players' own
};

class PlayJob {
  public:
    using OnRound = std::function<void(const RoundFigures&)>;

    /// Plans the game and opens outputs. Throws ConfigError, DataError or IoError before anything is played.
    PlayJob(const PlaySettings& settings, const Game& game, StopFlag stop = nullptr,
            const ReportOrigin& origin = {});
    ~PlayJob();

    const Game& game() const noexcept { return play_.game(); }
    const PlayPlan& plan() const noexcept { return plan_; }

    /// Plays to the last round, to a stop request, to a round that was refused, or until an output fails.
    PlayOutcome run(const OnRound& on_round = {});

  private:
    struct Outputs;

    void measure(const GameRound& round, RoundFigures& figures);
    void measure_instants(ConstView joint);
    void measure_gains(ConstView joint);
    bool due(Index every, Round round) const;
    GameRules rules() const;
    std::vector<RunHeader> headers() const;
    void finish(PlayOutcome& outcome);

    PlaySettings settings_;
    StopFlag stop_;
    PlayPlan plan_;
    GamePlay play_;
    GameReferee referee_;
    GameTally tally_;
    std::unique_ptr<Outputs> outputs_;
    std::vector<char> refereed_;  // players whose residuals are exact and in their reports
    std::vector<Real> instants_, gains_;
    std::vector<Real> instant_gaps_;  // those measured, for their median
    GameMeasures measures_;
    struct LastPlay {
        std::vector<Real> joint;
        bool measured = false;   // alone
        bool responded = false;  // best responses to it were worked out
    };
    LastPlay last_;
};

}  // namespace proxstream
