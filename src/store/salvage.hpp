/// Reads a damaged store: every row whose seal or checksum is right, and no other one, is copied.
#pragma once

#include "store/run_identity.hpp"
#include "store/stored_rows.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace proxstream {

/// A set of keys, as ranges without gaps. settle() completes it.
class KeyRanges {
  public:
    struct Range {
        std::uint64_t first = 0, last = 0;
    };
    void add(std::uint64_t key);
    void settle();
    std::optional<Range> around(std::uint64_t key) const;
    bool holds(std::uint64_t first, std::uint64_t last) const;
    const std::vector<Range>& ranges() const noexcept { return ranges_; }

  private:
    std::vector<Range> ranges_;
};

/// A saved state whose checksum is right.
struct SalvagedState {
    Turn turn = 0;
    StateMarks marks = {};
    // The checksum does not cover the number of the turn: other rows confirm it, or speak against it.
    bool confirmed = false;
    bool refuted = false;
};

struct Salvage {
    RunIdentity identity;
    std::map<std::uint64_t, StoredAccount> accounts;
    std::vector<SalvagedState> states;  // the oldest first
    KeyRanges turns;
    KeyRanges lines;                           // of ledgers, by ledger_place()
    KeyRanges texts;                           // those of them that are not seals alone
    std::map<std::uint64_t, Turn> last_lines;  // of an account: the turn of its last line
    Turn folded = 0;                           // as the store says; 0 if that cannot be read
    Turn last = 0;                             // the last turn that any row names
    Turn charted = 0;     // the series cover the turns up to this one; 0: they are damaged
    bool served = false;  // turns are posts to a service, and only the store has their inputs
    // Rows that are damaged; of alarms and states also those of a page that cannot be read.
    std::uint64_t damaged_states = 0, damaged_accounts = 0;
    bool alarms_whole = true, lines_whole = true;
};

/// Copies turns, ledger lines, alarms, states and series to `store`, as they are. Throws DataError if the
/// identity of the run cannot be read.
Salvage salvage(Database& database, Database& store);

}  // namespace proxstream
