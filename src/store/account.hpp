/// An account of a store: its ledger's lines, from the header over what was folded to the last row.
#pragma once

#include "proxstream/regret/ledger_mark.hpp"
#include "proxstream/regret/run_record.hpp"

#include "regret/tally.hpp"
#include "store/database.hpp"
#include "store/journal.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace proxstream {

/// Rows of an account stand together, in their order.
inline constexpr unsigned kLineBits = 40;
inline std::uint64_t ledger_place(std::uint64_t account, std::uint64_t line) {
    return (account << kLineBits) | line;
}

struct StoredAccount {
    std::uint64_t account = 0;
    Turn turn = 0;  // in which it was opened
    std::string header = {};
    std::string footer = {};  // empty: none
    Turn footer_turn = 0;     // after which it was made
    std::string folded = {};  // empty: nothing was
};

/// What was added up and is no longer there row by row.
struct FoldedRows {
    LedgerMark mark;
    Tally tally;
};

/// Throws DataError if a seal does not fit.
std::vector<StoredAccount> read_accounts(Database& database);
void write_account(Database& database, const StoredAccount& account);

RunHeader header_of(const StoredAccount& account, const std::string& source);
/// The header's tally and mark if nothing was folded.
FoldedRows folded_rows(const StoredAccount& account, const std::string& source);
std::string folded_bytes(FoldedRows& rows);

/// Lines with their newlines, from line `first` on, of turns up to `last`; `take` returns false to stop.
/// Throws DataError if one is missing or changed.
void read_lines(Database& database, std::uint64_t account, std::uint64_t first, Turn last,
                const std::function<bool(Turn turn, std::string_view line)>& take);

/// Adds rows of turns up to `last` to what was folded.
void add_rows(Database& database, const StoredAccount& account, Turn last, FoldedRows& rows);

/// Of the rounds up to its footer; nothing if it has none.
std::optional<Certificate> certify_account(Database& database, const StoredAccount& account);

/// Adds up and drops all turns up to `turn`, in one transaction.
void fold_turns(Database& database, Turn turn);

}  // namespace proxstream
