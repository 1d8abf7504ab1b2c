/// How well generated points cover a mixture, as the literature measures it (VEEGAN; PacGAN, Lin et al.
/// 2018).
#pragma once

#include "game/gan.hpp"
#include "game/plane_mixture.hpp"

#include <span>
#include <vector>

namespace proxstream {

struct GanQuality {
    Index points = 0;
    Index modes = 0;               // nearest to at least one high-quality point
    Real high_quality = 0;         // share of points within 3 standard deviations of the nearest mode
    Real reverse_kl = 0;           // KL(generated || uniform) over modes, every point counted for its nearest
    std::vector<Index> histogram;  // points by their nearest mode
};

/// Points that are not finite are of no quality and counted for no mode.
GanQuality measure_quality(const PlaneMixture& data, std::span<const PlanePoint> points);

inline constexpr Index kQualityPoints = 2500;  // as in the literature

/// Of a generator with these weights, from codes it was not trained with.
GanQuality measure_quality(const Gan& gan, ConstView generator, std::uint64_t seed, Scratch& scratch,
                           Index points = kQualityPoints);

}  // namespace proxstream
