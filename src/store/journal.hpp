/// A run writing itself down, turn by turn: a turn is wholly in the store or not at all (docs/store.md).
///
/// A turn is one record of the stream, from 1; a refused one counts too. An account is a ledger: `learn` has
/// one, `play` one a player, `route` one an epoch, `fit` none. What a turn writes is gathered in memory and
/// goes into the file in one transaction with the turns committed together with it.
///
/// A run that goes on begins at its last saved state; the turns between it and the last stored one are played
/// again, and what they write is held against what is stored: a run either goes on exactly or says where it
/// came out otherwise.
#pragma once

#include "proxstream/core/checkpoint.hpp"
#include "proxstream/core/round_report.hpp"
#include "proxstream/regret/run_record.hpp"

#include "store/run_identity.hpp"
#include "store/series.hpp"
#include "store/store_settings.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace proxstream {

using Turn = std::uint64_t;

struct JournalOptions {
    Durability durable = {};
    Retention keep = {};
    /// Turns cannot be played again (they depend on the clock): every commit saves the state.
    bool save_every_commit = false;
    std::string version = {};  // of the program that writes now
    /// The wall clock in milliseconds; empty: the system's.
    std::function<std::int64_t()> now = {};
};

/// `clocked`: turns depend on the clock.
JournalOptions journal_options(const StoreSettings& settings, bool clocked, const std::string& version);

/// Something a person should know: raised, and later perhaps cleared.
struct StoredAlarm {
    std::uint64_t id = 0;  // of the run; a cleared alarm has the id it was raised with
    bool raised = true;
    std::string kind = {};
    std::string subject = {};
    std::string text = {};
};

class Journal {
  public:
    using Exchange = std::function<void(Checkpoint&)>;

    /// Makes the file; throws ConfigError if there is one with a run in it, IoError if it cannot be made. A
    /// fork counts its turns on from its parent's: save a state before the first one.
    static Journal create(const std::string& path, RunIdentity identity, const JournalOptions& options);
    /// Goes on with a file. Throws ConfigError if another process writes to it, DataError if it is damaged or
    /// of a version not known here. An older version is brought up to date first.
    static Journal open(const std::string& path, const JournalOptions& options);

    ~Journal();
    Journal(Journal&&) noexcept;
    Journal& operator=(Journal&&) noexcept;

    /// Drawn: no two runs have the same.
    static std::string new_id();

    const std::string& path() const noexcept;
    const RunIdentity& identity() const noexcept;

    /// Reads the last saved state into the run; 0 and nothing read: there is none, the run begins at the
    /// beginning. Call once, before the first turn.
    Turn restore(const Exchange& state);
    /// The last turn that is wholly in the file.
    Turn last() const noexcept;
    /// The last saved state, and the turn up to which turns are added up; as in the file.
    Turn saved() const noexcept;
    Turn folded() const noexcept;
    /// Was the turn that is played now stored before?
    bool replaying() const noexcept;
    /// Has the run come to its end (finish)?
    bool finished() const noexcept;

    // What a turn writes; nothing is in the file before end_turn and a commit.

    /// A ledger begins. Accounts are counted from 0.
    void open_account(std::uint64_t account, const RunHeader& header);
    void row(std::uint64_t account, const RoundReport& report, const RowExtras& extras = {});
    /// How the account would end here; rows that come later make it void.
    void close_account(std::uint64_t account, const RunFooter& footer);
    /// What was decided for the turn, as JSON.
    void decision(std::string_view json);
    /// A number a channel of the identity; NaN: not known.
    void figures(std::span<const Real> values);
    void alarm(StoredAlarm alarm);
    /// What came in, where nobody else could say it again; `key`: its sender's name for it, or empty.
    void input(std::string_view body, std::string_view key = {});
    /// The turn is complete. `state` names all that later turns depend on; it is asked for when a state is to
    /// be saved. Throws IoError if a commit failed: the turns gathered are kept, and commit() tries again.
    void end_turn(const Exchange& state);

    /// `closings` calls close_account for every account that goes on: asked for whenever a state is saved, so
    /// that a certificate of the run so far can be made from the file alone, whatever happens next.
    void when_saving(std::function<void()> closings);

    /// From now on end_turn() gathers only: whoever feeds the run commits, once for all turns that came
    /// together, with a state when one is due, and never loses what a turn answered.
    void commit_by_hand() noexcept;
    /// Is it time to save a state?
    bool state_due() const noexcept;
    /// Everything gathered so far is in the file when this returns; with `state`, a state is saved.
    void commit(const Exchange* state = nullptr);
    /// Turns gathered and not yet in the file.
    std::uint64_t pending() const noexcept;
    /// The last turn that was played here, stored or not.
    Turn played() const noexcept;
    /// Of all turns so far.
    const Series& series() const noexcept;
    /// The input of a turn that is stored and will be played again; for runs that are fed.
    std::string stored_input(Turn turn) const;
    /// The run is over for now: its last state is saved, with the certificate of what was played (JSON) and
    /// what else the report page shows (JSON, may be empty). `ended`: there is nothing to go on with.
    void finish(const Exchange& state, std::string_view certificate, std::string_view report, bool ended);

  private:
    struct State;
    explicit Journal(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace proxstream
