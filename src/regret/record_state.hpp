/// What a run states before its first round and after its last, as parts of a saved state: in the words of
/// the ledger, which read back as the same bits.
#pragma once

#include "proxstream/core/checkpoint.hpp"
#include "proxstream/regret/run_record.hpp"

#include <string_view>

namespace proxstream {

void exchange(Checkpoint& checkpoint, std::string_view name, RunHeader& header);
void exchange(Checkpoint& checkpoint, std::string_view name, RunFooter& footer);

}  // namespace proxstream
