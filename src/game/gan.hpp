/// A generator against a discriminator, both perceptrons, over a distribution of the plane.
///
/// The discriminator D pays      mean_j softplus(-D(r_j)) + softplus(D(G(z_j))),
/// the generator G non-saturating mean_j softplus(-D(G(z_j))), or in the minimax game the negated part of
/// D's cost that depends on G, mean_j -softplus(D(G(z_j))).
///
/// The mean is over a finite number of samples, so the cost is a fixed function. Sample j, a latent code z_j
/// and a data point r_j, is computed from its number on demand. A part of the cost (loss/parts.hpp) is one
/// sample.
#pragma once

#include "proxstream/core/draw.hpp"

#include "game/game.hpp"
#include "loss/perceptron.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace proxstream {

struct PlanePoint {
    Real x = 0;
    Real y = 0;
};

/// A distribution of the plane that a generator has to learn: equal Gaussians around a few modes.
struct PlaneMixture {
    std::string name;
    std::vector<PlanePoint> modes;
    Real spread = 0;  // the standard deviation around a mode, in either direction

    /// `ring8`: 8 modes on the circle of radius 1, spread .02. `grid25`: 5 by 5 modes from -4 to 4, 2 apart,
    /// spread .05. A positive `spread` replaces the default. Everything is then multiplied by `scale`. Throws
    /// ConfigError for other names.
    static PlaneMixture named(std::string_view name, Real spread = 0, Real scale = 1);

    /// The sample of that name.
    PlanePoint at(const Draw& draw) const;
    /// The number of the mode nearest to a point; the first of several.
    Index nearest(PlanePoint point) const;
};

struct GanOptions {
    PlaneMixture data = PlaneMixture::named("ring8");
    std::vector<Index> hidden = {64, 64};  // of both networks
    Activation activation = Activation::tanh;
    Index latent = 2;  // normal codes of that dimension
    Index samples = Index{1} << 20U;
    bool minimax = false;
    std::uint64_t seed = 1;
};

class Gan {
  public:
    explicit Gan(GanOptions options);

    const GanOptions& options() const noexcept { return options_; }
    const PlaneMixture& data() const noexcept { return options_.data; }
    const Perceptron& generator() const noexcept { return generator_; }
    const Perceptron& discriminator() const noexcept { return discriminator_; }
    Index samples() const noexcept { return options_.samples; }

    void code(Index sample, View z) const;      // z_j
    PlanePoint data_point(Index sample) const;  // r_j
    /// Random start weights, different for the two networks.
    std::vector<Real> generator_start() const;
    std::vector<Real> discriminator_start() const;

    /// Points that a generator with these weights makes from fresh codes, which no cost contains.
    void generate(ConstView weights, std::uint64_t seed, std::span<PlanePoint> out, Scratch& scratch) const;

  private:
    void draw_code(std::uint64_t seed, std::uint32_t purpose, Index sample, View z) const;

    GanOptions options_;
    Perceptron generator_;
    Perceptron discriminator_;
};

/// A joint play has the discriminator's weights, then the generator's.
inline constexpr Index kGeneratorSeat = 1;

std::shared_ptr<const PlayerCost> make_gan_cost(const std::shared_ptr<const Gan>& gan, Index seat);

/// How well generated points cover a mixture, as the literature measures it (VEEGAN; PacGAN, Lin et al.
/// 2018).
struct GanQuality {
    Index points = 0;
    Index modes = 0;               // modes that are nearest to a high-quality point
    Real high_quality = 0;         // share of points within 3 standard deviations of the nearest mode
    Real reverse_kl = 0;           // KL(generated || uniform) over modes, every point counted for its nearest
    std::vector<Index> histogram;  // points by their nearest mode
};

/// Points that are not finite have no quality and no mode.
GanQuality measure_quality(const PlaneMixture& data, std::span<const PlanePoint> points);

inline constexpr Index kQualityPoints = 2500;  // as in the literature

/// Of a generator with these weights, from codes it was not trained with.
GanQuality measure_quality(const Gan& gan, ConstView generator, std::uint64_t seed, Scratch& scratch,
                           Index points = kQualityPoints);

}  // namespace proxstream
