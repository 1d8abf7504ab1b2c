#include "game/play_batch.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/core/linalg.hpp"
#include "proxstream/core/state_archive.hpp"

#include <utility>
#include <vector>

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
    throw Error("this cost is not a mean over samples");
}

Real LinearRecordCost::weighted(const PlayRecords& records, std::span<const Real> weights, ConstView own,
                                View gradient, Scratch& scratch) const {
    Scratch::Frame frame(scratch);
    const View sum = frame.take(record_size());
    fill(sum, 0);
    Real mass = 0;
    for (Index age = weights.size(); age-- > 0;) {
        if (weights[age] == 0) continue;
        mass += weights[age];
        axpy(weights[age], records[age], sum);
    }
    fill(gradient, 0);
    return evaluate(sum, mass, own, gradient, scratch);
}

PlayBatch::PlayBatch(std::shared_ptr<const PlayerCost> cost, Index capacity)
    : cost_(std::move(cost)), ring_(cost_->record_size(), capacity) {}

PlayBatch PlayBatch::of_play(std::shared_ptr<const PlayerCost> cost, ConstView joint, Scratch& scratch) {
    std::vector<Real> condensed(cost->record_size());
    cost->condense(joint, condensed, scratch);
    RowBlock record;
    record.add_dense(condensed, 0);
    PlayBatch batch(std::move(cost), 1);
    batch.push(record);
    return batch;
}

Real PlayBatch::value_and_gradient(Index age, ConstView x, View gradient, Scratch& scratch) const {
    Scratch::Frame frame(scratch);
    return cost_->weighted(records(), only(age, frame), x, gradient, scratch);
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

void PlayBatch::serialise(StateArchive& archive) {
    archive.section("records", ring_);
}

}  // namespace proxstream
