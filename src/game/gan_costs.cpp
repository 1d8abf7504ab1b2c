/// The costs of the two players of a GAN, a tile of samples at a time. The own network evaluates the whole
/// tile at once, a past opponent the samples that were drawn against it.
#include "proxstream/core/linalg.hpp"

#include "game/gan.hpp"
#include "loss/scalar_loss.hpp"

#include <algorithm>
#include <utility>

namespace proxstream {
namespace {

constexpr Index kTile = Perceptron::Tile::kUsual;

/// softplus(-score) and its slope: small where the score says "data".
LossPoint as_data(Real score) {
    return evaluate({ScalarFormula::logistic}, score, 1);
}
/// softplus(score): small where it says "generated".
LossPoint as_generated(Real score) {
    return evaluate({ScalarFormula::logistic}, score, -1);
}

/// Where the samples end that are drawn against the same opponent as the first.
Index end_of_run(std::span<const WeightedPart> parts, Index first) {
    Index end = first + 1;
    while (end < parts.size() && parts[end].age == parts[first].age) ++end;
    return end;
}

Real weigh(View output, Real weight, const LossPoint& point) {
    output[0] = weight * point.slope;
    return weight * point.value;
}

/// Networks for up to kTile samples, against the opponents in `records`.
class GanTile {
  protected:
    GanTile(const Gan& gan, const PlayRecords& records, ConstView own, View gradient)
        : gan_(gan), records_(records), own_(own), gradient_(gradient) {}

    const Gan& gan_;
    const PlayRecords& records_;
    ConstView own_;
    View gradient_;
};

class DiscriminatorTile : GanTile {
  public:
    DiscriminatorTile(const Gan& gan, const PlayRecords& records, ConstView own, View gradient,
                      Scratch::Frame& frame)
        : GanTile(gan, records, own, gradient),
          generator_(gan.generator(), kTile, false, frame),
          discriminator_(gan.discriminator(), 2 * kTile, !gradient.empty(), frame) {}

    /// Adds the gradient of up to kTile samples and returns their value.
    Real add(std::span<const WeightedPart> parts) {
        const Index count = parts.size();
        for (Index first = 0; first < count;) {
            const Index end = end_of_run(parts, first);
            for (Index i = first; i < end; ++i) gan_.code(parts[i].part, generator_.input(i - first));
            const View points = generator_.forward(records_[parts[first].age], end - first);
            for (Index i = first; i < end; ++i)
                copy(points.subspan(2 * (i - first), 2), discriminator_.input(i));
            first = end;
        }
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

  private:
    Perceptron::Tile generator_;
    Perceptron::Tile discriminator_;
};

class GeneratorTile : GanTile {
  public:
    GeneratorTile(const Gan& gan, const PlayRecords& records, ConstView own, View gradient,
                  Scratch::Frame& frame)
        : GanTile(gan, records, own, gradient),
          generator_(gan.generator(), kTile, !gradient.empty(), frame),
          discriminator_(gan.discriminator(), kTile, !gradient.empty(), frame) {}

    Real add(std::span<const WeightedPart> parts) {
        const Index count = parts.size();
        for (Index i = 0; i < count; ++i) gan_.code(parts[i].part, generator_.input(i));
        const View points = generator_.forward(own_, count);
        Real total = 0;
        for (Index first = 0; first < count;) {
            const Index end = end_of_run(parts, first);
            const ConstView opponent = records_[parts[first].age];
            for (Index i = first; i < end; ++i)
                copy(points.subspan(2 * i, 2), discriminator_.input(i - first));
            const View scores = discriminator_.forward(opponent, end - first);
            for (Index i = first; i < end; ++i)
                total += weigh_score(scores.subspan(i - first, 1), parts[i].weight);
            if (!gradient_.empty()) {
                // The slopes at its inputs are those at the generator's outputs.
                copy(discriminator_.backward_to_inputs(opponent, {}),
                     points.subspan(2 * first, 2 * (end - first)));
            }
            first = end;
        }
        if (!gradient_.empty()) generator_.backward(own_, gradient_);
        return total;
    }

  private:
    Real weigh_score(View score, Real weight) const {
        return gan_.options().minimax ? weigh(score, -weight, as_generated(score[0]))
                                      : weigh(score, weight, as_data(score[0]));
    }

    Perceptron::Tile generator_;
    Perceptron::Tile discriminator_;
};

/// `kOpponent` is where the opponent's weights lie in the joint play: a record is those weights.
template <class Tile, Index kOpponent>
class GanCost final : public PlayerCost {
  public:
    GanCost(std::shared_ptr<const Gan> gan, Index dimension, Index opponent)
        : PlayerCost(dimension, opponent), gan_(std::move(gan)) {}

    void condense(ConstView joint, View record, Scratch& /*scratch*/) const override {
        copy(kOpponent == 0 ? joint.first(record_size()) : joint.subspan(dimension()), record);
    }

    Real weighted(const PlayRecords& records, std::span<const Real> weights, ConstView own, View gradient,
                  Scratch& scratch) const override {
        Scratch::Frame frame(scratch);
        fill(gradient, 0);
        Tile tile(*gan_, records, own, gradient, frame);
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
        Tile tile(*gan_, records, own, gradient, frame);
        Real total = 0;
        for (Index first = 0; first < parts.size(); first += kTile)
            total += tile.add(parts.subspan(first, std::min(kTile, parts.size() - first)));
        return total;
    }

  private:
    std::shared_ptr<const Gan> gan_;
};

}  // namespace

std::shared_ptr<const PlayerCost> make_discriminator_cost(std::shared_ptr<const Gan> gan) {
    const Index own = gan->discriminator().dimension();
    const Index opponent = gan->generator().dimension();
    return std::make_shared<GanCost<DiscriminatorTile, kGeneratorSeat>>(std::move(gan), own, opponent);
}

std::shared_ptr<const PlayerCost> make_generator_cost(std::shared_ptr<const Gan> gan) {
    const Index own = gan->generator().dimension();
    const Index opponent = gan->discriminator().dimension();
    return std::make_shared<GanCost<GeneratorTile, 0>>(std::move(gan), own, opponent);
}

}  // namespace proxstream
