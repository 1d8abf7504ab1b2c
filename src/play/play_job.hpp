/// One run of `play`: a game, its players, a referee, and at the end, whatever ended it, a certificate.
#pragma once

#include "proxstream/core/stop_flag.hpp"

#include "core/quantile_sketch.hpp"
#include "front/play_plan.hpp"
#include "game/game_referee.hpp"
#include "play/play_settings.hpp"
#include "play/round_figures.hpp"
#include "regret/game_tally.hpp"
#include "store/journal.hpp"

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

    /// Plans the game and opens outputs. With settings.store it is kept there; with `journal`, the store of
    /// such a play, it goes on from where that was saved. Throws ConfigError, DataError or IoError before
    /// anything is played.
    PlayJob(const PlaySettings& settings, const GameDefinition& game, StopFlag stop = nullptr,
            const ReportOrigin& origin = {}, std::optional<Journal> journal = std::nullopt);
    ~PlayJob();

    const GameDefinition& game() const noexcept { return play_.game(); }
    const PlayPlan& plan() const noexcept { return plan_; }

    /// Plays to the last round, to a stop request, to a round that was refused, or until an output fails.
    PlayOutcome run(const OnRound& on_round = {});

    /// A round; false: it was refused.
    bool play_round(const OnRound& on_round = {});
    Round rounds() const noexcept { return rounds_; }
    /// The joint play of the last round that was not refused.
    ConstView played() const noexcept { return last_.joint; }
    /// Everything the rounds to come depend on, between two of them.
    void serialise(StateArchive& archive);
    /// Saves a state.
    void save();

  private:
    struct Outputs;

    void open_outputs();
    void open_store(const ReportOrigin& origin);
    void serialise_outputs(StateArchive& archive);
    std::uint64_t game_checksum() const;
    void store_turn(const GameRound& round, const RoundFigures& figures);
    void finish_store(const PlayOutcome& outcome);
    PlaySettings original_settings() const;
    std::vector<RunFooter> footers(RunEnding ending);
    void measure(const GameRound& round, RoundFigures& figures);
    void measure_instants(ConstView joint);
    void measure_gains(ConstView joint);
    bool due(Index every, Round round) const;
    GameRules rules() const;
    std::vector<RunHeader> headers(const PlaySettings& told) const;
    GameMeasures measures();
    void finish(PlayOutcome& outcome);

    PlaySettings settings_;
    StopFlag stop_;
    PlayPlan plan_;
    GamePlay play_;
    GameReferee referee_;
    GameTally tally_;
    std::unique_ptr<Outputs> outputs_;
    std::vector<char> refereed_;  // players whose gaps are exact and in their reports
    std::vector<Real> instants_, gains_;
    QuantileSketch instant_gaps_;  // those measured, for their median
    GameMeasures measures_;
    struct LastPlay {
        std::vector<Real> joint;
        bool measured = false;   // alone
        bool responded = false;  // best responses to it were worked out
    };
    LastPlay last_;
    Round rounds_ = 0;
    RoundFigures figures_;
    std::vector<RowExtras> extras_;
    std::optional<Index> refused_by_;
    RunEnding ending_ = RunEnding::interrupted;  // how it would end if it ended here
    std::optional<Journal> journal_;
};

/// Names of the figures of a turn, in a run store.
std::vector<std::string> play_channels();
/// What a run store says of it before the first turn.
RunIdentity play_identity(const PlaySettings& settings, const GameDefinition& game,
                          const ReportOrigin& origin);
JournalOptions play_journal_options(const PlaySettings& settings, const std::string& version);

}  // namespace proxstream
