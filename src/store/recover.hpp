/// Makes a new store of what is whole in a damaged one (docs/store.md).
///
/// The new store has the newest saved state that is whole and the turns around it without a gap. The next
/// resume makes anew what it lacks: later turns from the data, and the sums of ledgers from the state.
#pragma once

#include "store/stored_rows.hpp"

#include <string>
#include <vector>

namespace proxstream {

struct RecoverOptions {
    bool replay = false;       // keep no state: resume plays all turns again, and no earlier turn is given up
    std::string version = {};  // of this program
};

struct Recovery {
    std::string damage = {};             // the first one; empty: the store is whole, and no file was made
    std::vector<std::string> kept = {};  // a sentence for each table
    std::vector<std::string> gone = {};
    bool given_up = false;  // some of it comes back with RecoverOptions::replay
};

/// Writes the new store `target`. The damaged one is only read. Throws ConfigError if the target exists or
/// another process writes to the store, IoError, and DataError if nothing can be recovered.
Recovery recover_store(const std::string& path, const std::string& target, const RecoverOptions& options);

}  // namespace proxstream
