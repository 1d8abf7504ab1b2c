/// The median of the last numbers of a stream, at a cost a number that hardly depends on how many are
/// remembered: only those around the median are kept in order, of the others it is enough to know on which
/// side they lie. When the median leaves the ordered part, that is chosen anew around it. Numbers of one law
/// move it by about the root of their count, so a part a few times wider is left rarely.
#pragma once

#include "proxstream/core/types.hpp"

#include <vector>

namespace proxstream {

class RecentMedian {
  public:
    /// Of at most `memory` numbers.
    explicit RecentMedian(Index memory);

    bool empty() const noexcept { return numbers_.empty(); }
    bool full() const noexcept { return numbers_.size() == memory_; }
    /// The number of rank size / 2, from 0; of a memory that is not empty.
    Real median() const { return ordered_[numbers_.size() / 2 - below_]; }

    /// Adds a number, no NaN; the oldest makes room when the memory is full and is returned, else -infinity.
    Real add(Real number);
    /// Undoes the last add(), which returned `replaced`. Once.
    void rollback(Real replaced);

    // What a checkpoint needs: the numbers in a ring whose oldest is at `oldest`.
    const std::vector<Real>& numbers() const noexcept { return numbers_; }
    Index oldest() const noexcept { return oldest_; }
    void assign(std::vector<Real> numbers, Index oldest);

  private:
    void enter(Real number);
    void leave(Real number);
    void settle();

    Index memory_;
    std::vector<Real> numbers_;  // a ring once it is full
    Index oldest_ = 0;
    std::vector<Real> ordered_;  // ascending: all numbers from low_ to high_
    Real low_ = kInfinity;
    Real high_ = -kInfinity;
    Index below_ = 0;  // numbers below low_
    std::vector<Real> all_;
};

}  // namespace proxstream
