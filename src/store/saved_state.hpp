/// A run's state as a store keeps it: where its ledgers stand, then what the run itself names.
#pragma once

#include "proxstream/core/checkpoint.hpp"
#include "proxstream/regret/ledger_mark.hpp"

#include "store/journal.hpp"

#include <string>
#include <utility>
#include <vector>

namespace proxstream {

class SavedState {
  public:
    using Marks = std::vector<std::pair<std::uint64_t, LedgerMark>>;  // by account

    static std::string bytes(Marks marks, const Journal::Exchange& run);

    /// Throws DataError if the bytes are not whole.
    SavedState(std::string_view bytes, const std::string& source);
    const Marks& marks() const noexcept { return marks_; }
    /// All of it: throws DataError if something is left, or does not fit.
    void read(const Journal::Exchange& run);

  private:
    Checkpoint checkpoint_;
    Marks marks_;
};

}  // namespace proxstream
