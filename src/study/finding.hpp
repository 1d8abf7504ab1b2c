/// What a study found, in a form it can check itself: a measured value and the range it has to lie in.
#pragma once

#include "study/estimate.hpp"

#include <string>

namespace proxstream {

struct Finding {
    std::string statement;  // what is measured, in words and symbols
    Estimate measured = {};
    Real low = -kInfinity;  // the ends of the range are in it
    Real high = kInfinity;
    std::string paper = {};  // what the paper says of the same quantity, where that differs

    /// What was not measured, or is not a number, does not hold.
    bool holds() const;
};

/// "holds: STATEMENT: -1.98 +- 0.01, expected from -2.2 to -1.8; the paper: -1", or "DOES NOT HOLD: ...".
std::string to_text(const Finding& finding);

}  // namespace proxstream
