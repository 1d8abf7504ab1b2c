/// Small things the theory tests share: gaps of a regulariser at any point, and reproducible points.
#pragma once

#include "proxstream/core/draw.hpp"
#include "proxstream/prox/prox_gradient_step.hpp"
#include "proxstream/prox/regulariser.hpp"

#include <cstdlib>
#include <vector>

namespace proxstream {

/// The full-length versions of experiments that are shortened otherwise.
inline bool long_runs() {
    return std::getenv("PROXSTREAM_LONG") != nullptr;
}

inline Real square(Real value) {
    return value * value;
}

/// P_eta(x; d) at any point.
inline std::vector<Real> gap(const AnyRegulariser& g, ConstView x, ConstView d, Real eta) {
    Scratch scratch;
    std::vector<Real> forward(x.size());
    std::vector<Real> out(x.size());
    prox_gradient_step(g, x, d, eta, {forward, out}, scratch);
    return out;
}

inline std::vector<Real> gaussian(Index n, std::uint64_t seed, std::uint64_t sample, Real scale = 1) {
    std::vector<Real> v(n);
    for (Index i = 0; i < n; ++i) v[i] = scale * normal({seed, sample, static_cast<std::uint32_t>(i), 0, 0});
    return v;
}

}  // namespace proxstream
