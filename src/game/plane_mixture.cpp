#include "game/plane_mixture.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/core/spec.hpp"

#include <cmath>
#include <numbers>

namespace proxstream {
namespace {

PlaneMixture ring(Index modes) {
    PlaneMixture mixture{.name = "ring8", .modes = {}, .spread = 0.02};
    for (Index i = 0; i < modes; ++i) {
        const Real angle = 2 * std::numbers::pi * static_cast<Real>(i) / static_cast<Real>(modes);
        mixture.modes.push_back({std::cos(angle), std::sin(angle)});
    }
    return mixture;
}

PlaneMixture grid(Index side) {
    PlaneMixture mixture{.name = "grid25", .modes = {}, .spread = 0.05};
    const auto place = [side](Index i) { return 2 * static_cast<Real>(i) - static_cast<Real>(side - 1); };
    for (Index i = 0; i < side; ++i) {
        for (Index j = 0; j < side; ++j) mixture.modes.push_back({place(i), place(j)});
    }
    return mixture;
}

}  // namespace

PlaneMixture PlaneMixture::named(std::string_view name, Real spread, Real scale) {
    PlaneMixture mixture;
    if (name == "ring8") {
        mixture = ring(8);
    } else if (name == "grid25") {
        mixture = grid(5);
    } else {
        throw ConfigError(unknown_name("data of a GAN", name, {"ring8", "grid25"}));
    }
    if (spread > 0) mixture.spread = spread;
    mixture.spread *= scale;
    for (PlanePoint& mode : mixture.modes) mode = {scale * mode.x, scale * mode.y};
    return mixture;
}

PlanePoint PlaneMixture::at(const Draw& draw) const {
    const auto step = [&draw](std::uint32_t k) {
        Draw own = draw;
        own.step = draw.step + k;
        return own;
    };
    const PlanePoint mode = modes[uniform_below(step(0), modes.size())];
    return {mode.x + spread * normal(step(1)), mode.y + spread * normal(step(2))};
}

Index PlaneMixture::nearest(PlanePoint point) const {
    Index best = 0;
    Real least = kInfinity;
    for (Index i = 0; i < modes.size(); ++i) {
        const Real across = point.x - modes[i].x;
        const Real up = point.y - modes[i].y;
        const Real square = across * across + up * up;
        if (square < least) {
            least = square;
            best = i;
        }
    }
    return best;
}

}  // namespace proxstream
