/// Reads a store: during its run, after it, or of a fork. Every row is checked against its seal.
#pragma once

#include "proxstream/regret/certificate.hpp"

#include "store/run_identity.hpp"
#include "store/stored_rows.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace proxstream {

struct StoreState {
    Turn last = 0;                  // the last turn stored
    Turn saved = 0;                 // the last saved state; 0: none
    Turn folded = 0;                // turns up to this one are kept as sums only
    std::uint64_t folded_rows = 0;  // rows of all ledgers that are kept as sums only
    std::uint64_t bytes = 0;
    std::uint64_t accounts = 0;
    bool finished = false;
    bool running = false;  // a process writes to it
    std::int64_t first_time = 0, last_time = 0;
};

/// A process that wrote to the store.
struct StoreSession {
    std::string version;
    std::int64_t begun = 0;  // milliseconds of the wall clock
    Turn turn = 0;           // the last turn stored before it
};

struct LedgerExtent {
    std::uint64_t stored = 0;
    std::uint64_t folded = 0;
};

/// Whether the first bytes of the file are those of a store.
bool looks_like_store(const std::string& path);
/// False if the file is missing or empty, or was left by a program that ended before its first commit.
bool has_run(const std::string& path);

class RunStore {
  public:
    /// Throws IoError, or DataError if the file is not a store, damaged, or of an unknown version.
    explicit RunStore(const std::string& path);

    const std::string& path() const noexcept { return database_.path(); }
    const RunIdentity& identity() const noexcept { return identity_; }
    /// The settings of the run as it was continued last.
    SettingList settings() const;
    StoreState state() const;
    std::vector<StoreSession> sessions() const;

    std::optional<StoredTurn> turn(Turn turn) const { return read_turn(database_, turn); }
    std::optional<Turn> find_key(const std::string& key) const;
    /// The stored turns from `first` to `last`, in order. `take` returns false to stop.
    void turns(Turn first, Turn last, const std::function<bool(const StoredTurn&)>& take) const {
        read_turns(database_, first, last, take);
    }
    std::vector<AlarmOfTurn> alarms() const { return read_alarms(database_); }
    /// Reads the newest undamaged state into a run; returns its turn, or nothing if there is none.
    std::optional<Turn> restore(const SerialiseRun& state) const;
    /// Copies the store under another identity. Throws ConfigError if the target exists.
    void copy_to(const std::string& path, const RunIdentity& identity) const;
    /// Every turn of the run, in a bounded number of buckets.
    Series series() const;
    /// The last certificate and the last report data that were saved (JSON); empty: none.
    std::string certificate() const { return read_fact(database_, "certificate").value_or(""); }
    std::string report() const { return read_fact(database_, "report").value_or(""); }
    /// Whether the run has ended and all files that it wrote are still there.
    bool complete() const;

    /// The ledger of an account: header, the rows that are not folded, and its footer if it has one.
    void ledger(std::uint64_t account, const std::function<bool(std::string_view line)>& take) const;
    /// How many rows of an account are stored, and how many are kept as sums only.
    LedgerExtent extent(std::uint64_t account) const;
    /// The header, as of turn 0, and the stored rows of turns first to last, found without a scan.
    void ledger_rows(std::uint64_t account, Turn first, Turn last,
                     const std::function<bool(Turn turn, std::string_view line)>& take) const;
    /// Certificates recomputed from the ledgers alone, each up to the account's last footer. A run that is
    /// not finished has the footers of its last saved state.
    std::vector<Certificate> certify() const;
    /// Reads everything and checks every seal. Returns one sentence per problem.
    std::vector<std::string> verify() const;

  private:
    StoredAccount account(std::uint64_t number) const;
    /// Returns the first line of an account that belongs to turn `first` or a later one.
    std::uint64_t find_line(const StoredAccount& account, Turn first) const;
    void read_rows(const StoredAccount& account, Turn first, Turn last,
                   const std::function<bool(Turn turn, std::string_view line)>& take) const;

    mutable Database database_;
    RunIdentity identity_;
};

}  // namespace proxstream
