/// A generator against a discriminator, both perceptrons, over a distribution of the plane.
///
/// The discriminator D pays      mean_j softplus(-D(r_j)) + softplus(D(G(z_j))),
/// the generator G non-saturating mean_j softplus(-D(G(z_j))), or as the minimax game has it the
/// negative of what it can change of D's cost, mean_j -softplus(D(G(z_j))).
///
/// The mean is over a finite number of samples, so that it is a definite function; sample j, a latent code
/// z_j and a data point r_j, is made from its number when it is needed and never stored. A part of the cost
/// (loss/parts.hpp) is one sample.
#pragma once

#include "game/plane_mixture.hpp"
#include "game/player_cost.hpp"
#include "loss/perceptron.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace proxstream {

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
    /// Throws ConfigError with everything that cannot be used.
    explicit Gan(GanOptions options);

    const GanOptions& options() const noexcept { return options_; }
    const PlaneMixture& data() const noexcept { return options_.data; }
    const Perceptron& generator() const noexcept { return generator_; }
    const Perceptron& discriminator() const noexcept { return discriminator_; }
    Index samples() const noexcept { return options_.samples; }

    void code(Index sample, View z) const;      // z_j
    PlanePoint data_point(Index sample) const;  // r_j
    /// Where the weights start: random, and others for the two of them.
    std::vector<Real> generator_start() const;
    std::vector<Real> discriminator_start() const;

    /// What a generator with these weights makes of codes that no cost has: their names begin with `seed`.
    void generate(ConstView weights, std::uint64_t seed, std::span<PlanePoint> out, Scratch& scratch) const;

  private:
    void draw_code(std::uint64_t seed, std::uint32_t purpose, Index sample, View z) const;

    GanOptions options_;
    Perceptron generator_;
    Perceptron discriminator_;
};

/// Players of a GAN: both costs are for a joint play of the discriminator's weights, then the generator's.
inline constexpr Index kGeneratorSeat = 1;

class DiscriminatorCost final : public PlayerCost {
  public:
    explicit DiscriminatorCost(std::shared_ptr<const Gan> gan) : gan_(std::move(gan)) {}

    Index dimension() const override { return gan_->discriminator().dimension(); }
    Index record_size() const override { return gan_->generator().dimension(); }
    /// The generator's weights.
    void condense(ConstView joint, View record, Scratch& scratch) const override;
    Real weighted(const PlayRecords& records, std::span<const Real> weights, ConstView own, View gradient,
                  Scratch& scratch) const override;
    Index parts() const override { return gan_->samples(); }
    Real parts_gradient(const PlayRecords& records, std::span<const WeightedPart> parts, ConstView own,
                        View gradient, Scratch& scratch) const override;

  private:
    std::shared_ptr<const Gan> gan_;
};

class GeneratorCost final : public PlayerCost {
  public:
    explicit GeneratorCost(std::shared_ptr<const Gan> gan) : gan_(std::move(gan)) {}

    Index dimension() const override { return gan_->generator().dimension(); }
    Index record_size() const override { return gan_->discriminator().dimension(); }
    /// The discriminator's weights.
    void condense(ConstView joint, View record, Scratch& scratch) const override;
    Real weighted(const PlayRecords& records, std::span<const Real> weights, ConstView own, View gradient,
                  Scratch& scratch) const override;
    Index parts() const override { return gan_->samples(); }
    Real parts_gradient(const PlayRecords& records, std::span<const WeightedPart> parts, ConstView own,
                        View gradient, Scratch& scratch) const override;

  private:
    std::shared_ptr<const Gan> gan_;
};

}  // namespace proxstream
