/// The rows of a store: what they hold and how they are read. Every reader throws DataError if a row is
/// damaged.
#pragma once

#include "proxstream/core/state_archive.hpp"
#include "proxstream/core/types.hpp"
#include "proxstream/regret/ledger_mark.hpp"

#include "io/output_mark.hpp"
#include "regret/digest_chain.hpp"
#include "store/database.hpp"
#include "store/series.hpp"

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace proxstream {

/// One entry of a journal, counted from 1: a row, a period, a round, or some iterations of a fit. A refused
/// one counts too.
using Turn = std::uint64_t;
inline constexpr Turn kAllTurns = std::numeric_limits<std::int64_t>::max();

struct StoredTurn {
    Turn turn = 0;
    std::int64_t time = 0;  // milliseconds of the wall clock; never decreases
    std::string key = {};
    std::string input = {};
    std::string decision = {};
    std::vector<Real> figures = {};
};

struct StoredAlarm {
    std::uint64_t id = 0;  // a cleared alarm has the id it was raised with
    bool raised = true;
    std::string kind = {};
    std::string subject = {};
    std::string text = {};
};
using AlarmOfTurn = std::pair<Turn, StoredAlarm>;

/// A ledger: `learn` has one, `play` one per player, `route` one per epoch, `fit` none.
struct StoredAccount {
    std::uint64_t account = 0;
    Turn turn = 0;  // in which it was opened
    std::string header = {};
    std::string footer = {};  // empty: none
    Turn footer_turn = 0;     // after which the footer was made
    std::string folded = {};  // sums over the rows that were dropped; empty: no row was
};

/// A line of a ledger, with its newline. Where ledger rows are not kept, it is the seal alone, until no saved
/// state is older.
struct StoredLine {
    std::uint64_t account = 0;
    std::uint64_t line = 0;
    Turn turn = 0;
    std::string text = {};
};

inline bool is_seal(std::string_view text) {
    return text.size() == kRowDigits;
}

/// The primary key of a line: the lines of an account are adjacent and in order.
inline std::uint64_t ledger_place(std::uint64_t account, std::uint64_t line) {
    constexpr unsigned kLineBits = 40;
    return (account << kLineBits) | line;
}

/// `take` returns false to stop.
void read_turns(Database& database, Turn first, Turn last,
                const std::function<bool(const StoredTurn&)>& take);
std::optional<StoredTurn> read_turn(Database& database, Turn turn);
std::vector<AlarmOfTurn> read_alarms(Database& database);
/// The series as saved with the last state, and the turns after it.
Series read_series(Database& database, Index channels);
std::vector<StoredAccount> read_accounts(Database& database);
void write_account(Database& database, const StoredAccount& account);
/// Lines from line `first` on, of turns up to `last`. A missing line is damage too.
void read_lines(Database& database, std::uint64_t account, std::uint64_t first, Turn last,
                const std::function<bool(Turn turn, std::string_view line)>& take);

/// Named values that a store has once.
std::optional<std::string> read_fact(Database& database, std::string_view name);
void write_fact(Database& database, std::string_view name, std::string_view value);

/// A store that `recover` has made lacks parts that the next resume makes anew: ledger rows and alarms of the
/// turns that it plays again, and the sums of these accounts, which the restored state has. Nothing: another
/// store, or one that is complete again.
std::optional<std::vector<std::uint64_t>> read_recovered(Database& database);
void write_recovered(Database& database, const std::optional<std::vector<std::uint64_t>>& accounts);

/// Saves or restores the state of a run.
using SerialiseRun = std::function<void(StateArchive&)>;
/// Where a run was when its state was saved.
struct StateMarks {
    std::vector<std::pair<std::uint64_t, LedgerMark>> ledgers = {};  // by account
    OutputMarks outputs = {};                                        // the files beside the store

    void serialise(StateArchive& archive);
};

std::string state_bytes(StateMarks marks, const SerialiseRun& run);
/// The marks of a saved state, as stored. Throws DataError if the state is damaged.
StateMarks read_marks(std::string_view stored, const std::string& source);
struct RestoredState {
    bool found = false;
    Turn turn = 0;            // after which the state was saved
    std::size_t size = 0;     // bytes
    std::string damage = {};  // what is wrong with the newest damaged state
};
/// Reads the newest undamaged state of turns up to `last`: first its marks, then the run. `accept` returns
/// whether that state will do; if not, an older one is read.
RestoredState restore_state(Database& database, Turn last,
                            const std::function<bool(Turn turn, const StateMarks&)>& accept,
                            const SerialiseRun& run);

}  // namespace proxstream
