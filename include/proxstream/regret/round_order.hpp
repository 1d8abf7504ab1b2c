/// Rounds come as 1, 2, 3, ...; the round after a refused one may repeat its number, since nothing happened
/// in it.
#pragma once

#include "proxstream/core/checkpoint.hpp"
#include "proxstream/core/round_report.hpp"

#include <cstdint>
#include <string_view>

namespace proxstream {

class RoundOrder {
  public:
    /// Throws DataError, naming source and line, if this round does not follow the one before.
    void check(const RoundReport& report, std::string_view source, std::uint64_t line);
    Round last() const noexcept { return last_; }
    void exchange(Checkpoint& checkpoint);

  private:
    Round last_ = 0;
    bool refused_ = false;
};

}  // namespace proxstream
