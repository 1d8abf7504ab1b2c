/// The range of the labels seen so far. Without lags, reported predictions of numbers are clipped to it,
/// so that a diverged point does not ruin a report. With lags, a series that grows leaves the range.
#pragma once

#include "proxstream/core/state_archive.hpp"
#include "proxstream/core/types.hpp"

#include <algorithm>

namespace proxstream {

struct LabelRange {
    Real low = kInfinity;
    Real high = -kInfinity;  // below `low`: no label yet

    void include(Real label) {
        low = std::min(low, label);
        high = std::max(high, label);
    }
    /// NaN stays NaN.
    Real clipped(Real prediction) const {
        return low > high ? prediction : std::clamp(prediction, low, high);
    }
    void serialise(StateArchive& archive) { archive.fields(Field{"low", low}, Field{"high", high}); }
};

}  // namespace proxstream
