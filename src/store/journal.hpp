/// The journal of a run: each turn is in the store completely or not at all (docs/store.md).
///
/// What a turn writes is gathered in memory. Turns go into the file in one transaction with the others that
/// are committed with them.
///
/// A resumed run starts from its last saved state. The turns after that state are played again, and what they
/// write is compared with what is stored. So a run either continues exactly or reports where it differs.
#pragma once

#include "proxstream/core/round_report.hpp"
#include "proxstream/regret/run_record.hpp"

#include "io/output_file.hpp"
#include "regret/ledger_lines.hpp"
#include "regret/tally.hpp"
#include "store/run_identity.hpp"
#include "store/store_settings.hpp"
#include "store/stored_rows.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace proxstream {

struct JournalOptions {
    Durability durable = {};
    Retention keep = {};
    /// The turns depend on the clock and cannot be played again: every commit saves the state.
    bool save_every_commit = false;
    std::string version = {};  // of this program
    /// The wall clock in milliseconds; empty: the system's.
    std::function<std::int64_t()> now = {};
};

/// `clocked`: turns depend on the clock.
JournalOptions journal_options(const StoreSettings& settings, bool clocked, const std::string& version);

/// Complete turns that are not in the file yet.
struct TurnBatch {
    std::vector<StoredTurn> turns = {};
    std::vector<StoredLine> lines = {};
    std::vector<AlarmOfTurn> alarms = {};
    std::vector<std::pair<std::string, std::string>> facts = {};
};

class Journal {
  public:
    using Serialise = SerialiseRun;

    /// Creates the file. Throws ConfigError if it holds a run, IoError if it cannot be made. The turns of a
    /// fork continue the numbers of its parent; save a state before its first turn.
    static Journal create(const std::string& path, RunIdentity identity, const JournalOptions& options);
    /// Opens a file to continue its run. Throws ConfigError if another process writes to it, DataError if it
    /// is damaged or of an unknown version. Older versions are migrated.
    static Journal open(const std::string& path, const JournalOptions& options);
    ~Journal();
    Journal(Journal&&) noexcept;
    Journal& operator=(Journal&&) noexcept;

    /// A random id, different for every run.
    static std::string new_id();

    const std::string& path() const noexcept;
    const RunIdentity& identity() const noexcept { return identity_; }

    /// Reads the last saved state into the run and returns its turn; 0: the run starts at the beginning. If
    /// files beside the store have lost what that state needs, it is an older state or the beginning, so that
    /// they are written again. Call it once, before the first turn.
    Turn restore(const Serialise& state);
    /// The file's end as of the restored state; null: the file begins anew.
    const OutputMark* output(const std::string& path) const;
    /// What files beside the store have lost since the last saved state, in sentences.
    const std::vector<std::string>& lost_outputs() const noexcept { return outputs_.lost; }
    /// The last turn in the file.
    Turn last() const noexcept { return at_.stored; }
    /// The turn of the last saved state in the file.
    Turn saved() const noexcept { return at_.saved; }
    /// Turns up to this one are kept as sums only.
    Turn folded() const noexcept { return at_.folded; }
    /// Whether the current turn is in the file already.
    bool replaying() const noexcept { return at_.played < at_.stored; }
    /// Whether the same turns can be played again.
    bool can_replay() const noexcept { return !options_.save_every_commit; }
    /// Whether the run has ended (finish).
    bool finished() const noexcept { return at_.ended; }

    // What a turn writes. It is in the file after end_turn and a commit.

    /// Opens a ledger. Accounts are numbered from 0.
    void open_account(std::uint64_t account, const RunHeader& header);
    void row(std::uint64_t account, const RoundReport& report, const RowExtras& extras = {});
    /// Writes the footer that the account would have here. Later rows make it void. `sums`: over all its
    /// rows, stored in their place if ledger rows are not kept.
    void close_account(std::uint64_t account, const RunFooter& footer, const Tally& sums);
    /// The decision of the turn, as JSON.
    void decision(std::string_view json) { current_.turn.decision = json; }
    /// One number per channel of the identity; NaN: unknown.
    void figures(std::span<const Real> values) { current_.turn.figures.assign(values.begin(), values.end()); }
    void alarm(StoredAlarm alarm) { current_.alarms.push_back(std::move(alarm)); }
    /// The record of a turn that cannot be read again elsewhere; `key`: the sender's name for it, or empty.
    void input(std::string_view body, std::string_view key = {});
    /// Completes the turn. `state` serialises everything that later turns depend on; it is called when a
    /// state is saved. Throws IoError if a commit failed: the gathered turns are kept, and commit() tries
    /// again.
    void end_turn(const Serialise& state);

    /// `prepare` is called whenever a state is saved. It calls close_account for every open account, so that
    /// the run so far can be certified from the file alone, and marks the files beside the store.
    void when_saving(std::function<void(OutputMarks&)> prepare) { prepare_ = std::move(prepare); }

    /// From now on end_turn() only gathers, and the caller commits.
    void commit_by_hand() noexcept { by_hand_ = true; }
    /// Whether the next commit should save a state.
    bool state_due() const noexcept;
    /// Writes all gathered turns to the file and, with `state`, saves a state.
    void commit(const Serialise* state = nullptr);
    /// The number of gathered turns.
    std::uint64_t pending() const noexcept { return batch_.turns.size(); }
    /// The last turn played, stored or not.
    Turn played() const noexcept { return at_.played; }
    /// The figures of all turns so far.
    const Series& series() const noexcept { return series_; }
    /// The input of a stored turn.
    std::string stored_input(Turn turn) const;
    /// Saves the last state with the certificate of the run (JSON) and data of its report page (JSON, may be
    /// empty). `ended`: the run cannot be continued.
    void finish(const Serialise& state, std::string_view certificate, std::string_view report, bool ended);
    /// Stores the settings that say when the run ends, which a resumed run may change.
    void note_limits(const SettingList& limits);
    /// Notes that the files of the ended run are complete. Until then, resume writes them again.
    void note_files(const std::vector<std::string>& paths);

  private:
    using Clock = std::chrono::steady_clock;
    struct File;
    struct Ledger {
        StoredAccount stored;
        std::unique_ptr<LedgerLines> lines;  // null until the account is opened in this process
        bool changed = false;                // since it was written to the file
        std::uint64_t folded_lines = 0;      // when the store was opened
    };
    /// The turn that is being played.
    struct OpenTurn {
        StoredTurn turn = {};
        std::vector<StoredLine> lines = {};
        std::vector<StoredAlarm> alarms = {};
    };
    /// The last turn that was completed, is in the file, has a saved state, is folded.
    struct Position {
        Turn played = 0, stored = 0, saved = 0, folded = 0;
        bool ended = false;
    };
    /// Decides when a state is saved.
    struct SaveSchedule {
        std::size_t written = 0;     // bytes since the last state
        std::size_t state_size = 0;  // of the last state
        Clock::time_point last_state = Clock::now();
        Clock::time_point last_commit = Clock::now();
    };

    /// The files beside the store as of the restored state.
    struct Outputs {
        OutputMarks marks = {};
        std::vector<std::string> lost = {};
    };

    Journal(std::unique_ptr<File> file, const JournalOptions& options, RunIdentity identity);
    void read_position();
    bool accept_outputs(Turn turn, const OutputMarks& marks);
    void write_fact_now(std::string_view name, const std::string& value);
    std::int64_t now() const;
    [[noreturn]] void refuse_replay(const std::string& what) const;
    LedgerLines& lines_of(std::uint64_t account);
    /// Compares a line with what is stored of it.
    void replay_line(StoredLine line, const std::string& seal);
    void replay_turn();
    void fold();

    std::unique_ptr<File> file_;
    JournalOptions options_;
    RunIdentity identity_;
    std::function<void(OutputMarks&)> prepare_;
    std::map<std::uint64_t, Ledger> accounts_;

    OpenTurn current_;
    TurnBatch batch_;
    Series series_;
    Position at_;
    Outputs outputs_;
    bool recovered_ = false;                // of a recovered store, until its next state
    std::vector<std::uint64_t> lost_sums_;  // accounts, as read_recovered()
    SaveSchedule schedule_;
    bool by_hand_ = false;
    std::int64_t last_time_ = 0;
};

/// Opens a file that grows with a run: at its end in the restored state, or as a new file. `journal`: null if
/// the run is not stored.
OutputFile open_output(const Journal* journal, const std::string& path);

}  // namespace proxstream
