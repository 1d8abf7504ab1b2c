/// From numbers to pixels and to the ticks a person expects.
#pragma once

#include "study/svg_chart.hpp"

#include <optional>
#include <string>
#include <vector>

namespace proxstream {

/// The extent of the data on an axis. On logarithmic axes only positive numbers have a place.
struct AxisRange {
    Scale scale = Scale::linear;
    Real low = kInfinity;
    Real high = -kInfinity;

    bool has_place(Real value) const;
    void include(Real value);
    bool empty() const { return low > high; }
};

struct Tick {
    Real at = 0;
    std::string label;                           // empty: a minor tick
    std::optional<int> exponent = std::nullopt;  // the label is 10 to this power
};

/// The ticks in [low, high], about `wanted` of them labelled.
std::vector<Tick> axis_ticks(Scale scale, Real low, Real high, int wanted);

class AxisMap {
  public:
    /// Puts the range, with a margin around it, on the pixels from `first` to `last`.
    AxisMap(const AxisRange& range, Real first, Real last);

    Real operator()(Real value) const;
    bool has_place(Real value) const { return range_.has_place(value); }
    /// What the axis shows: the data and the margin.
    const AxisRange& range() const noexcept { return range_; }
    std::vector<Tick> ticks(int wanted) const {
        return axis_ticks(range_.scale, range_.low, range_.high, wanted);
    }

  private:
    Real stretched(Real value) const;

    AxisRange range_;
    Real first_;
    Real last_;
};

}  // namespace proxstream
