/// Reading a store: while its run goes on, after it, or from a fork. Everything handed out has been checked
/// against its seal.
#pragma once

#include "proxstream/core/types.hpp"
#include "proxstream/regret/certificate.hpp"

#include "store/journal.hpp"
#include "store/run_identity.hpp"
#include "store/series.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace proxstream {

struct StoredTurn {
    Turn turn = 0;
    std::int64_t time = 0;  // milliseconds of the wall clock, never going back
    std::string key = {};
    std::string input = {};
    std::string decision = {};
    std::vector<Real> figures = {};
};

struct StoreState {
    Turn last = 0;    // the last turn stored
    Turn saved = 0;   // the last state saved; 0: none
    Turn folded = 0;  // turns up to this one are added up and no longer there one by one
    std::uint64_t bytes = 0;
    std::uint64_t accounts = 0;
    bool finished = false;
    bool running = false;  // a process writes to it
    std::int64_t first_time = 0, last_time = 0;
};

/// When somebody began to write, with which release, behind which turn.
struct StoreSession {
    std::string version;
    std::int64_t begun = 0;  // milliseconds of the wall clock
    Turn turn = 0;
};

/// By its first bytes: is this a file that RunStore could read?
bool looks_like_store(const std::string& path);

class RunStore {
  public:
    /// Throws IoError, or DataError if the file is no store, damaged, or of a version not known here.
    explicit RunStore(const std::string& path);
    ~RunStore();
    RunStore(RunStore&&) noexcept;

    const std::string& path() const noexcept;
    const RunIdentity& identity() const noexcept;
    StoreState state() const;
    std::vector<StoreSession> sessions() const;

    std::optional<StoredTurn> turn(Turn turn) const;
    std::optional<Turn> find_key(const std::string& key) const;
    /// Turns first..last that are there, in order; `take` returns false to stop.
    void turns(Turn first, Turn last, const std::function<bool(const StoredTurn&)>& take) const;
    std::vector<std::pair<Turn, StoredAlarm>> alarms() const;
    /// Reads the last whole saved state, as Journal::restore does, and changes nothing; the turn it was saved
    /// after, or nothing if there is none.
    std::optional<Turn> restore(const Journal::Exchange& state) const;
    /// A copy of the whole store under another name and identity: its own run from here on. Throws
    /// ConfigError if the file is there.
    void copy_to(const std::string& path, const RunIdentity& identity) const;
    /// Every turn of the run in a bounded number of buckets.
    Series series() const;
    /// The last certificate and the last report data that were saved (JSON); empty: none.
    std::string certificate() const;
    std::string report() const;

    /// Sealed ledger lines of an account, header first, a footer last if it has one; the rounds that were
    /// folded are left out.
    void ledger(std::uint64_t account, const std::function<bool(std::string_view line)>& take) const;
    /// The header, as of turn 0, and the rows of turns first..last that are there; the first one is found
    /// without reading those before it.
    void ledger_rows(std::uint64_t account, Turn first, Turn last,
                     const std::function<bool(Turn turn, std::string_view line)>& take) const;
    /// Recomputed from the ledgers alone: folded sums, then rows, each up to where its account was last
    /// closed (a run that goes on, or was killed: when its last state was saved).
    std::vector<Certificate> certify() const;
    /// Reads everything and checks every seal; a sentence a problem.
    std::vector<std::string> verify() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace proxstream
