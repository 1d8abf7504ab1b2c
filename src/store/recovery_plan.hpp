/// Chooses what a recovered store keeps.
#pragma once

#include "store/salvage.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace proxstream {

/// An account of the new store, and the places of its ledger lines.
struct PlannedAccount {
    StoredAccount account;
    KeyRanges::Range lines = {1, 0};
};

struct RecoveryPlan {
    Turn state = 0;   // of the saved state; 0: none, so that resume starts at the beginning
    Turn folded = 0;  // turns up to this one are not in the new store
    Turn last = 0;    // the last turn in the new store
    std::vector<PlannedAccount> accounts = {};
    std::vector<std::uint64_t> lost_sums = {};  // accounts, as read_recovered()
};

/// `database` has the ledger lines of the salvage, and need not have more. `replay`: without a state. Throws
/// DataError if there is no way to continue the run.
RecoveryPlan plan_recovery(Database& database, const Salvage& salvage, bool replay);

}  // namespace proxstream
