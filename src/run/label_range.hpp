/// The range of the labels seen so far, to which reported predictions of numbers are clipped: no label was
/// ever outside, and a point that has gone astray then does not ruin a report.
#pragma once

#include "proxstream/core/state_archive.hpp"
#include "proxstream/core/types.hpp"

#include <algorithm>

namespace proxstream {

struct LabelRange {
    Real low = kInfinity;
    Real high = -kInfinity;  // below low: no label was seen

    void include(Real label) {
        low = std::min(low, label);
        high = std::max(high, label);
    }
    /// NaN stays NaN.
    Real clipped(Real prediction) const {
        return low > high ? prediction : std::clamp(prediction, low, high);
    }
    void serialise(StateArchive& archive) {
        archive.field("low", low);
        archive.field("high", high);
    }
};

}  // namespace proxstream
