#include "game/play_batch.hpp"

#include "proxstream/core/checkpoint.hpp"
#include "proxstream/core/error.hpp"
#include "proxstream/core/linalg.hpp"

#include <utility>

namespace proxstream {
namespace {

/// Weight 1 on the record of one age.
std::span<const Real> only(Index age, Scratch::Frame& frame) {
    const View weights = frame.take(age + 1);
    fill(weights, 0);
    weights[age] = 1;
    return weights;
}

}  // namespace

Real PlayerCost::parts_gradient(const PlayRecords& /*records*/, std::span<const WeightedPart> /*parts*/,
                                ConstView /*own*/, View /*gradient*/, Scratch& /*scratch*/) const {
    throw Error("this cost cannot be taken apart");
}

PlayBatch::PlayBatch(std::shared_ptr<const PlayerCost> cost, Index capacity)
    : cost_(std::move(cost)), ring_(cost_->record_size(), capacity) {}

void PlayBatch::push(const Record& record) {
    ring_.push(record);
}

void PlayBatch::drop_newest() {
    ring_.drop_newest();
}

Real PlayBatch::value(Index age, ConstView x, Scratch& scratch) const {
    return value_and_gradient(age, x, {}, scratch);
}

Real PlayBatch::value_and_gradient(Index age, ConstView x, View gradient, Scratch& scratch) const {
    Scratch::Frame frame(scratch);
    return cost_->weighted(records(), only(age, frame), x, gradient, scratch);
}

Real PlayBatch::weighted_value(std::span<const Real> weights, ConstView x, Scratch& scratch) const {
    return cost_->weighted(records(), weights, x, {}, scratch);
}

Real PlayBatch::weighted_value_and_gradient(std::span<const Real> weights, ConstView x, View gradient,
                                            Scratch& scratch) const {
    return cost_->weighted(records(), weights, x, gradient, scratch);
}

Index PlayBatch::parts(Index /*age*/) const {
    return cost_->parts();
}

Real PlayBatch::parts_gradient(std::span<const WeightedPart> parts, ConstView x, View gradient,
                               Scratch& scratch) const {
    if (cost_->parts() > 1) return cost_->parts_gradient(records(), parts, x, gradient, scratch);
    // A cost of one part: the parts are whole records.
    Index oldest = 0;
    for (const WeightedPart& part : parts) oldest = std::max(oldest, part.age);
    Scratch::Frame frame(scratch);
    const View weights = frame.take(oldest + 1);
    fill(weights, 0);
    for (const WeightedPart& part : parts) weights[part.age] += part.weight;
    return cost_->weighted(records(), weights, x, gradient, scratch);
}

void PlayBatch::exchange(Checkpoint& checkpoint) {
    checkpoint.part("records", ring_);
}

}  // namespace proxstream
