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

    /// `ring8`: 8 modes on the circle of radius 1, spread .02. `grid25`: 5 by 5 modes from -4 to 4, 2 apart,
    /// spread .05 (the grid of the literature). `spread` <= 0: that one. Everything is then multiplied by
    /// `scale`. Throws ConfigError for other names.
    static PlaneMixture named(std::string_view name, Real spread = 0, Real scale = 1);

    /// The sample of that name.
    PlanePoint at(const Draw& draw) const;
    /// The number of the mode nearest to a point; the first of several.
    Index nearest(PlanePoint point) const;
};

}  // namespace proxstream
