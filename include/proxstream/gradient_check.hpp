/// Compares the gradient a loss writes with differences of its values.
#pragma once

#include "proxstream/core/error.hpp"
#include "proxstream/core/types.hpp"

#include <functional>
#include <string>
#include <vector>

namespace proxstream {

/// A loss wrote a gradient that the differences of its own values contradict.
class GradientMismatch : public Error {
  public:
    /// `coordinate` is counted from 0.
    GradientMismatch(Index coordinate, Real given, Real measured);
    Index coordinate() const noexcept { return coordinate_; }
    Real given() const noexcept { return given_; }        // what the loss wrote there
    Real measured() const noexcept { return measured_; }  // the slope of its values

  private:
    Index coordinate_;
    Real given_;
    Real measured_;
};

struct GradientReport {
    struct Entry {
        Index coordinate = 0;
        Real given = 0;
        Real measured = 0;
        bool compared = true;  // false: the loss is not finite on both sides of x
        bool agrees = true;
    };
    std::vector<Entry> entries;  // one a coordinate

    bool agrees() const;
    /// The mismatches, a line each; "" if there are none.
    std::string text() const;
};

using LossFunction = std::function<Real(ConstView x, View gradient)>;

/// Every coordinate at x: four evaluations each. Rounding, curvature and kinks between the points compared
/// are allowed for, so an honest loss agrees; errors below one percent of a derivative are not seen.
GradientReport check_gradient(const LossFunction& loss, ConstView x);

}  // namespace proxstream
