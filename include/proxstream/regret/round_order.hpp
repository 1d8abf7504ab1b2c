/// Checks the numbering of rounds.
#pragma once

#include "proxstream/core/round_report.hpp"
#include "proxstream/core/state_archive.hpp"

#include <cstdint>
#include <string_view>

namespace proxstream {

/// Checks that rounds are numbered 1, 2, 3, ... The round after a refused one may repeat its number, because
/// a refused round changes nothing. Readers and writers of ledgers use it.
///
/// \code
/// RoundOrder order;
/// order.check(report, "run.jsonl", 2);  // throws DataError if report.round is not 1
/// \endcode
class RoundOrder {
  public:
    /// Throws DataError, naming source and line, if this round does not follow the one before.
    void check(const RoundReport& report, std::string_view source, std::uint64_t line);
    /// The number of the last round checked; 0 before the first.
    Round last() const noexcept { return last_; }
    /// Saves or restores the state.
    void serialise(StateArchive& archive);

  private:
    Round last_ = 0;
    bool refused_ = false;
};

}  // namespace proxstream
