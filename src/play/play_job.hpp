/// One run of `play`: a game, its players, a referee, and a certificate however it ends.
#pragma once

#include "play/play_measures.hpp"
#include "play/play_trace.hpp"
#include "play/report_builder.hpp"
#include "regret/ledger_writer.hpp"
#include "run/run_driver.hpp"

#include <optional>
#include <string>
#include <vector>

namespace proxstream {

struct PlayOutcome : RunOutcome {
    GameCertificate certificate;
    std::vector<Real> joint;    // the strategies at the end
    double player_seconds = 0;  // the players' own
};

class PlayJob final : public TurnRun {
  public:
    /// Plans the game. Throws ConfigError, DataError or IoError before anything is played.
    PlayJob(const PlaySettings& settings, const GameDefinition& game, RunOrigin origin = {});

    const GameDefinition& game() const noexcept { return play_.game(); }
    const PlayPlan& plan() const noexcept { return plan_; }
    /// The last round, without measurements if it was refused.
    const RoundFigures& figures() const noexcept { return figures_; }
    /// The joint play of the last round that was not refused.
    ConstView played() const noexcept { return measures_.joint(); }

    RunIdentity identity() const override;
    JournalOptions journal_options() const override;
    PlayOutcome& outcome() override { return outcome_; }
    void begin(bool restored) override;
    void open_accounts() override;
    void close_accounts(RunEnding ending) override;
    bool next() override { return !at_limit(rounds_, settings_.rounds); }
    TurnResult play() override;
    TurnRecord record() const override { return record_; }
    void serialise(StateArchive& archive) override;
    void mark_outputs(OutputMarks& marks) override;
    std::vector<std::string> outputs() const override;
    void certify(RunEnding ending) override;
    RunResult result() const override;
    void finish() override;

  private:
    struct Outputs {
        std::optional<PlayTrace> trace;
        std::vector<std::optional<LedgerWriter>> ledgers;
        std::vector<LedgerMark> marks;  // of the ledgers in the restored state
        std::optional<ReportBuilder> report;
    };

    void serialise_ledgers(StateArchive& archive);
    void note_record(const GameRound& round);
    PlayReport page() const;
    PlaySettings original_settings() const;
    RunFooter footer(Index player, RunEnding ending);
    std::string ledger_path(Index player) const;
    std::vector<RunHeader> headers(const PlaySettings& stated) const;

    PlaySettings settings_;
    PlayPlan plan_;
    GamePlay play_;
    PlayMeasures measures_;
    GameTally tally_;
    Outputs outputs_;
    Round rounds_ = 0;
    RoundFigures figures_;
    std::vector<RowExtras> extras_;
    TurnRecord record_;
    PlayOutcome outcome_;
};

}  // namespace proxstream
