/// The tightest case of an inequality that is checked in every round.
#pragma once

#include "proxstream/core/state_archive.hpp"
#include "proxstream/core/types.hpp"

#include <string>
#include <string_view>

namespace proxstream {

class WorstRound {
  public:
    /// Checks left <= right in this round; rounding may have moved the two sides by `slack` together.
    void observe(Round round, Real left, Real right, Real slack);
    /// A text with two places: how many rounds violate it, and which is the first.
    std::string in_words(std::string_view form) const;
    void serialise(StateArchive& archive);

    // The worst round: the largest violation, else the largest slack that hides the sign of right - left,
    // else the closest call.
    Round round = 0;  // 0: nothing observed
    Real left = 0;
    Real right = 0;
    Real slack = 0;
    Round checked = 0;
    Round violations = 0;  // left > right beyond the slack
    Round first_violation = 0;
    Round close = 0;         // rounds whose slack hides the sign of right - left
    Round unclear = 0;       // those of them whose slack is not small against their own right side
    Real largest_right = 0;  // over all rounds

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
    /// A text with places for the number of rounds and, if it has a second one, for the first of them.
    std::string in_words(std::string_view form) const;
    void serialise(StateArchive& archive);
};

}  // namespace proxstream
