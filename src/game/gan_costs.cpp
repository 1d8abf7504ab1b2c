/// What the two players of a GAN pay, a tile of samples at a time. The own network takes the whole tile at
/// once, whomever its samples were drawn against; a past opponent takes the samples drawn against it.
#include "proxstream/core/linalg.hpp"

#include "game/gan.hpp"
#include "loss/scalar_loss.hpp"

#include <algorithm>
#include <cassert>

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

class DiscriminatorTile {
  public:
    DiscriminatorTile(const Gan& gan, const PlayRecords& records, ConstView own, View gradient,
                      Scratch::Frame& frame)
        : gan_(gan),
          records_(records),
          own_(own),
          gradient_(gradient),
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
    const Gan& gan_;
    const PlayRecords& records_;
    ConstView own_;
    View gradient_;
    Perceptron::Tile generator_;
    Perceptron::Tile discriminator_;
};

class GeneratorTile {
  public:
    GeneratorTile(const Gan& gan, const PlayRecords& records, ConstView own, View gradient,
                  Scratch::Frame& frame)
        : gan_(gan),
          records_(records),
          own_(own),
          gradient_(gradient),
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
            for (Index i = first; i < end; ++i) total += judge(scores.subspan(i - first, 1), parts[i].weight);
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
    Real judge(View score, Real weight) const {
        return gan_.options().minimax ? weigh(score, -weight, as_generated(score[0]))
                                      : weigh(score, weight, as_data(score[0]));
    }

    const Gan& gan_;
    const PlayRecords& records_;
    ConstView own_;
    View gradient_;
    Perceptron::Tile generator_;
    Perceptron::Tile discriminator_;
};

template <class Tile>
Real sum_parts(const Gan& gan, const PlayRecords& records, std::span<const WeightedPart> parts, ConstView own,
               View gradient, Scratch& scratch) {
    Scratch::Frame frame(scratch);
    fill(gradient, 0);
    Tile tile(gan, records, own, gradient, frame);
    Real total = 0;
    for (Index first = 0; first < parts.size(); first += kTile)
        total += tile.add(parts.subspan(first, std::min(kTile, parts.size() - first)));
    return total;
}

template <class Tile>
Real sum_records(const Gan& gan, const PlayRecords& records, std::span<const Real> weights, ConstView own,
                 View gradient, Scratch& scratch) {
    Scratch::Frame frame(scratch);
    fill(gradient, 0);
    Tile tile(gan, records, own, gradient, frame);
    const auto parts = frame.take<WeightedPart>(kTile);
    Real total = 0;
    for (Index age = weights.size(); age-- > 0;) {
        if (weights[age] == 0) continue;
        const Real share = weights[age] / static_cast<Real>(gan.samples());
        for (Index first = 0; first < gan.samples(); first += kTile) {
            const auto held = parts.first(std::min(kTile, gan.samples() - first));
            for (Index i = 0; i < held.size(); ++i) held[i] = {age, first + i, share};
            total += tile.add(held);
        }
    }
    return total;
}

}  // namespace

void DiscriminatorCost::condense(ConstView joint, View record, Scratch& /*scratch*/) const {
    assert(joint.size() == dimension() + record_size());
    copy(joint.subspan(dimension()), record);
}

Real DiscriminatorCost::weighted(const PlayRecords& records, std::span<const Real> weights, ConstView own,
                                 View gradient, Scratch& scratch) const {
    return sum_records<DiscriminatorTile>(*gan_, records, weights, own, gradient, scratch);
}

Real DiscriminatorCost::parts_gradient(const PlayRecords& records, std::span<const WeightedPart> parts,
                                       ConstView own, View gradient, Scratch& scratch) const {
    return sum_parts<DiscriminatorTile>(*gan_, records, parts, own, gradient, scratch);
}

void GeneratorCost::condense(ConstView joint, View record, Scratch& /*scratch*/) const {
    assert(joint.size() == dimension() + record_size());
    copy(joint.first(record_size()), record);
}

Real GeneratorCost::weighted(const PlayRecords& records, std::span<const Real> weights, ConstView own,
                             View gradient, Scratch& scratch) const {
    return sum_records<GeneratorTile>(*gan_, records, weights, own, gradient, scratch);
}

Real GeneratorCost::parts_gradient(const PlayRecords& records, std::span<const WeightedPart> parts,
                                   ConstView own, View gradient, Scratch& scratch) const {
    return sum_parts<GeneratorTile>(*gan_, records, parts, own, gradient, scratch);
}

}  // namespace proxstream
