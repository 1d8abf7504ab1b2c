/// The median of the last numbers of a stream.
#pragma once

#include "proxstream/core/types.hpp"

#include <vector>

namespace proxstream {

class RecentMedian {
  public:
    /// Of at most `memory` numbers: a few hundred, because a number moves others in memory.
    explicit RecentMedian(Index memory) : memory_(memory) {}

    bool empty() const noexcept { return numbers_.empty(); }
    bool full() const noexcept { return numbers_.size() == memory_; }
    /// The number of rank size / 2, counted from 0; of a memory that is not empty.
    Real median() const { return ordered_[ordered_.size() / 2]; }

    /// Adds a number, no NaN. If the memory is full the oldest one leaves and is returned, else -infinity.
    Real add(Real number);
    /// Undoes the last add(), which returned `replaced`. Once.
    void rollback(Real replaced);

    // What a saved state needs: the numbers, as a ring whose oldest is at `oldest`.
    const std::vector<Real>& numbers() const noexcept { return numbers_; }
    Index oldest() const noexcept { return oldest_; }
    void assign(std::vector<Real> numbers, Index oldest);

  private:
    /// Exchanges a number in the ordered ones; -infinity stands for none.
    void replace(Real out, Real in);

    Index memory_;
    std::vector<Real> numbers_;  // a ring once it is full
    Index oldest_ = 0;
    std::vector<Real> ordered_;  // the same, ascending
};

}  // namespace proxstream
