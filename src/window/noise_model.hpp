/// Noise put on exact gradients: for studies of what a stochastic method does under noise whose law is known.
#pragma once

#include "proxstream/core/draw.hpp"
#include "proxstream/core/scratch.hpp"
#include "proxstream/core/types.hpp"

#include <cstdint>
#include <string>

namespace proxstream {

struct NoiseModel {
    enum class Kind : std::uint8_t {
        sphere,    // uniform on the sphere of radius sigma: bounded
        gaussian,  // E|e|^2 = sigma^2
        heavy,     // uniform direction, Pareto length: E|e|^2 = sigma^2, no moment above `tail`
        dropout,   // the gradient is lost with probability sigma, and else scaled up to stay unbiased
    };
    Kind kind = Kind::gaussian;
    Real sigma = 0;   // of one base sample; the probability of dropout
    Real tail = 2.5;  // of heavy: P(|e| > u) falls like u^-tail; above 2

    /// The mean of `samples` base samples of additive noise; not for dropout. `draw` says where they come
    /// from, sample and coordinate apart.
    void mean_noise(const Draw& draw, std::uint64_t samples, View out, Scratch& scratch) const;
    /// The mean of `samples` factors of dropout: 0 or 1/(1 - p) each.
    Real mean_factor(const Draw& draw, std::uint64_t samples) const;

    bool additive() const noexcept { return kind != Kind::dropout; }
    bool bounded() const noexcept { return kind == Kind::sphere; }

    /// Throws ConfigError with everything that cannot be.
    void validate() const;
};

}  // namespace proxstream
