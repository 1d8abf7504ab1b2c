/// The tightest case of an inequality that is checked in every round.
#pragma once

#include "proxstream/core/checkpoint.hpp"
#include "proxstream/core/types.hpp"

namespace proxstream {

class WorstRound {
  public:
    /// left <= right + slack is asked of this round.
    void observe(Round round, Real left, Real right, Real slack);
    void exchange(Checkpoint& checkpoint);

    Round round = 0;  // 0: nothing observed
    Real left = 0;
    Real right = 0;
    Real slack = 0;
    Round checked = 0;
    Round violations = 0;
    Round first_violation = 0;

  private:
    Real severity_ = -kInfinity;
};

/// How often something happened, and when first.
struct Occurrences {
    Round count = 0;
    Round first = 0;

    void note(Round round) {
        if (++count == 1) first = round;
    }
    explicit operator bool() const { return count > 0; }
    void exchange(Checkpoint& checkpoint);
};

}  // namespace proxstream
