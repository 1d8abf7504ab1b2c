/// A position in a ledger, from which a writer can continue.
#pragma once

#include "proxstream/core/state_archive.hpp"
#include "proxstream/regret/round_order.hpp"

#include <cstdint>
#include <string>

namespace proxstream {

/// The position after a round of a ledger: what a writer or a reader needs to continue from there. Saved
/// states contain one, so that a restored run appends to the right place. LedgerReader::mark returns the
/// current one.
///
/// \code
/// LedgerReader ledger("run.jsonl");
/// while (ledger.next()) {
/// }
/// const LedgerMark end = ledger.mark();
/// \endcode
struct LedgerMark {
    std::uint64_t lines = 0;  ///< lines up to here
    std::uint64_t bytes = 0;  ///< bytes up to here
    std::string digest;       ///< all digits of the digest chain over those bytes
    RoundOrder order;         ///< which round may follow

    /// Saves or restores the position.
    void serialise(StateArchive& archive);
};

}  // namespace proxstream
