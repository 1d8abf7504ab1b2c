/// An account of a store: its ledger, from the header over the folded rows to the last row.
#pragma once

#include "proxstream/regret/ledger_mark.hpp"
#include "proxstream/regret/run_record.hpp"

#include "regret/tally.hpp"
#include "store/stored_rows.hpp"

#include <optional>
#include <string>

namespace proxstream {

/// Sums over the first rows of a ledger.
struct FoldedRows {
    LedgerMark mark;
    Tally tally;

    void serialise(StateArchive& archive);
    /// As StoredAccount::folded.
    std::string bytes();
};

RunHeader header_of(const StoredAccount& account, const std::string& source);
/// The rows that were dropped; the empty tally and the mark of the header if none were.
FoldedRows folded_rows(const StoredAccount& account, const std::string& source);

/// The certificate of the rounds up to the account's footer; nothing if it has no footer.
std::optional<Certificate> certify_account(Database& database, const StoredAccount& account);

/// Adds up and drops all turns up to `turn`, in one transaction.
void fold_turns(Database& database, Turn turn);

}  // namespace proxstream
