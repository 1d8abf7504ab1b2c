#include "window/noise_model.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/core/linalg.hpp"
#include "proxstream/core/spec.hpp"

#include <cmath>
#include <vector>

namespace proxstream {
namespace {

/// A base sample has n coordinates and one number beside: each its own place in the sequence, counted from
/// the draw's.
Draw place(Draw draw, std::uint64_t sample, Index dimension, Index coordinate) {
    draw.sample += sample * (dimension + 1) + coordinate;
    return draw;
}

}  // namespace

void NoiseModel::mean_noise(const Draw& draw, std::uint64_t samples, View out, Scratch& scratch) const {
    const Index n = out.size();
    Scratch::Frame frame(scratch);
    const View one = frame.take(n);
    if (kind == Kind::gaussian) {
        // A mean of normal vectors is a normal vector: drawn at once, however many it stands for.
        const Real length = sigma / std::sqrt(static_cast<Real>(n) * static_cast<Real>(samples));
        for (Index i = 0; i < n; ++i) out[i] = length * normal(place(draw, 0, n, i));
        return;
    }
    fill(out, 0);
    for (std::uint64_t sample = 0; sample < samples; ++sample) {
        for (Index i = 0; i < n; ++i) one[i] = normal(place(draw, sample, n, i));
        const Real size = norm(one);
        // A normal vector of length 0 has probability 0; its direction is then as good as any.
        Real length = size > 0 ? sigma / size : 0;
        if (kind == Kind::heavy) {
            // The least length u_0 with E|e|^2 = tail u_0^2 / (tail - 2) = sigma^2.
            length *= std::sqrt((tail - 2) / tail) * std::pow(uniform(place(draw, sample, n, n)), -1 / tail);
        }
        axpy(length / static_cast<Real>(samples), one, out);
    }
}

Real NoiseModel::mean_factor(const Draw& draw, std::uint64_t samples) const {
    std::uint64_t kept = 0;
    for (std::uint64_t sample = 0; sample < samples; ++sample) {
        kept += uniform(place(draw, sample, 0, 0)) >= sigma ? 1 : 0;
    }
    return static_cast<Real>(kept) / (static_cast<Real>(samples) * (1 - sigma));
}

void NoiseModel::validate() const {
    std::vector<std::string> violations;
    if (kind == Kind::dropout) {
        if (!(sigma >= 0 && sigma < 1)) {
            violations.push_back("dropout: its probability must lie in [0, 1), not " + format_short(sigma));
        }
    } else if (!(sigma >= 0 && sigma < kAbsurd)) {
        violations.push_back("sigma = " + format_short(sigma) + ": must be finite and not negative");
    }
    if (!(tail > 2 && tail < kAbsurd)) {
        violations.push_back("tail = " + format_short(tail) +
                             ": must be above 2, or the noise has no variance");
    }
    if (!violations.empty()) throw ConfigError(violations);
}

}  // namespace proxstream
