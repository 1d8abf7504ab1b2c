/// The costs of the two players of a GAN, in tiles of samples. The player's own network evaluates a whole
/// tile at once, a past opponent only the samples that are drawn against it.
#include "proxstream/core/linalg.hpp"

#include "game/gan.hpp"
#include "loss/scalar_loss.hpp"

#include <algorithm>
#include <utility>

namespace proxstream {
namespace {

constexpr Index kTile = Perceptron::Tile::kUsual;

/// softplus(-score) and its slope: small if the score means "data".
LossPoint as_data(Real score) {
    return evaluate({ScalarFormula::logistic}, score, 1);
}
/// softplus(score): small if the score means "generated".
LossPoint as_generated(Real score) {
    return evaluate({ScalarFormula::logistic}, score, -1);
}

Real weigh(View output, Real weight, const LossPoint& point) {
    output[0] = weight * point.slope;
    return weight * point.value;
}

/// Both networks for up to kTile samples, in the place of one player.
class GanTile {
  public:
    GanTile(const Gan& gan, Index seat, const PlayRecords& records, ConstView own, View gradient,
            Scratch::Frame& frame)
        : gan_(gan),
          records_(records),
          own_(own),
          gradient_(gradient),
          generates_(seat == kGeneratorSeat),
          generator_(gan.generator(), kTile, generates_ && !gradient.empty(), frame),
          discriminator_(gan.discriminator(), generates_ ? kTile : 2 * kTile, !gradient.empty(), frame) {}

    /// Adds the gradient of up to kTile samples and returns their value.
    Real add(std::span<const WeightedPart> parts) {
        return generates_ ? add_generator(parts) : add_discriminator(parts);
    }

  private:
    /// Calls `use(first, end, opponent)` for every run of samples that are drawn against one opponent.
    template <class Use>
    void for_each_opponent(std::span<const WeightedPart> parts, const Use& use) const {
        for (Index first = 0; first < parts.size();) {
            Index end = first + 1;
            while (end < parts.size() && parts[end].age == parts[first].age) ++end;
            use(first, end, records_[parts[first].age]);
            first = end;
        }
    }

    Real add_discriminator(std::span<const WeightedPart> parts) {
        const Index count = parts.size();
        for_each_opponent(parts, [&](Index first, Index end, ConstView opponent) {
            for (Index i = first; i < end; ++i) gan_.code(parts[i].part, generator_.input(i - first));
            const View points = generator_.forward(opponent, end - first);
            for (Index i = first; i < end; ++i)
                copy(points.subspan(2 * (i - first), 2), discriminator_.input(i));
        });
        for (Index i = 0; i < count; ++i) {
            const PlanePoint real = gan_.data_point(parts[i].part);
            const View input = discriminator_.input(count + i);
            input[0] = real.x;
            input[1] = real.y;
        }
        const View scores = discriminator_.forward(own_, 2 * count);
        Real total = 0;
        for (Index i = 0; i < count; ++i) {
            const Real weight = parts[i].weight;
            total += weigh(scores.subspan(i, 1), weight, as_generated(scores[i]));
            total += weigh(scores.subspan(count + i, 1), weight, as_data(scores[count + i]));
        }
        if (!gradient_.empty()) discriminator_.backward(own_, gradient_);
        return total;
    }

    Real add_generator(std::span<const WeightedPart> parts) {
        const Index count = parts.size();
        for (Index i = 0; i < count; ++i) gan_.code(parts[i].part, generator_.input(i));
        const View points = generator_.forward(own_, count);
        Real total = 0;
        for_each_opponent(parts, [&](Index first, Index end, ConstView opponent) {
            for (Index i = first; i < end; ++i)
                copy(points.subspan(2 * i, 2), discriminator_.input(i - first));
            const View scores = discriminator_.forward(opponent, end - first);
            for (Index i = first; i < end; ++i) {
                const View score = scores.subspan(i - first, 1);
                total += gan_.options().minimax ? weigh(score, -parts[i].weight, as_generated(score[0]))
                                                : weigh(score, parts[i].weight, as_data(score[0]));
            }
            if (!gradient_.empty()) {
                // The slopes at its inputs are those at the generator's outputs.
                copy(discriminator_.backward_to_inputs(opponent, {}),
                     points.subspan(2 * first, 2 * (end - first)));
            }
        });
        if (!gradient_.empty()) generator_.backward(own_, gradient_);
        return total;
    }

    const Gan& gan_;
    const PlayRecords& records_;
    ConstView own_;
    View gradient_;
    bool generates_;
    Perceptron::Tile generator_;
    Perceptron::Tile discriminator_;
};

/// A record is the opponent's weights.
class GanCost final : public PlayerCost {
  public:
    GanCost(std::shared_ptr<const Gan> gan, Index seat, Index dimension, Index opponent)
        : PlayerCost(dimension, opponent), gan_(std::move(gan)), seat_(seat) {}

    void condense(ConstView joint, View record, Scratch& /*scratch*/) const override {
        copy(seat_ == kGeneratorSeat ? joint.first(record_size()) : joint.subspan(dimension()), record);
    }

    Real weighted(const PlayRecords& records, std::span<const Real> weights, ConstView own, View gradient,
                  Scratch& scratch) const override {
        Scratch::Frame frame(scratch);
        fill(gradient, 0);
        GanTile tile(*gan_, seat_, records, own, gradient, frame);
        const auto parts = frame.take<WeightedPart>(kTile);
        Real total = 0;
        for (Index age = weights.size(); age-- > 0;) {
            if (weights[age] == 0) continue;
            const Real share = weights[age] / static_cast<Real>(gan_->samples());
            for (Index first = 0; first < gan_->samples(); first += kTile) {
                const auto held = parts.first(std::min(kTile, gan_->samples() - first));
                for (Index i = 0; i < held.size(); ++i) held[i] = {age, first + i, share};
                total += tile.add(held);
            }
        }
        return total;
    }

    Index parts() const override { return gan_->samples(); }
    Real parts_gradient(const PlayRecords& records, std::span<const WeightedPart> parts, ConstView own,
                        View gradient, Scratch& scratch) const override {
        Scratch::Frame frame(scratch);
        fill(gradient, 0);
        GanTile tile(*gan_, seat_, records, own, gradient, frame);
        Real total = 0;
        for (Index first = 0; first < parts.size(); first += kTile)
            total += tile.add(parts.subspan(first, std::min(kTile, parts.size() - first)));
        return total;
    }

  private:
    std::shared_ptr<const Gan> gan_;
    Index seat_;
};

}  // namespace

std::shared_ptr<const PlayerCost> make_gan_cost(const std::shared_ptr<const Gan>& gan, Index seat) {
    const Index generator = gan->generator().dimension();
    const Index discriminator = gan->discriminator().dimension();
    return seat == kGeneratorSeat ? std::make_shared<GanCost>(gan, seat, generator, discriminator)
                                  : std::make_shared<GanCost>(gan, seat, discriminator, generator);
}

}  // namespace proxstream
