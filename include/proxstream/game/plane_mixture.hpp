/// Distributions of the plane that a generator has to learn: equal Gaussians around a few modes.
#pragma once

#include "proxstream/core/draw.hpp"
#include "proxstream/core/types.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace proxstream {

struct PlanePoint {
    Real x = 0;
    Real y = 0;
};

struct PlaneMixture {
    std::string name;
    std::vector<PlanePoint> modes;
    Real spread = 0;  // the standard deviation around a mode, in either direction

    /// `ring8`: 8 modes on the circle of radius 1. `grid25`: 5 by 5 modes from -1 to 1: the grid of the
    /// literature, which is 2 apart with spread .05, a quarter as large. `spread` <= 0: the usual one, .02
    /// for the ring, .0125 for the grid. Throws ConfigError for other names.
    static PlaneMixture named(std::string_view name, Real spread = 0);

    /// The sample of that name.
    PlanePoint at(const Draw& draw) const;
    /// The number of the mode nearest to a point; the first of several.
    Index nearest(PlanePoint point) const;
};

}  // namespace proxstream
