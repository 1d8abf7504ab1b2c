/// A sampled cost cut down to a few of its samples, always the same ones: what a referee can afford to
/// evaluate whole.
#pragma once

#include "game/player_cost.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace proxstream {

class FewSamples final : public PlayerCost {
  public:
    /// The first `count` samples; they are as good as any. 0 < count.
    FewSamples(std::shared_ptr<const PlayerCost> cost, Index count)
        : cost_(std::move(cost)), count_(std::min(count, cost_->parts())) {}

    Index dimension() const override { return cost_->dimension(); }
    Index record_size() const override { return cost_->record_size(); }
    void condense(ConstView joint, View record, Scratch& scratch) const override {
        cost_->condense(joint, record, scratch);
    }
    Real weighted(const PlayRecords& records, std::span<const Real> weights, ConstView own, View gradient,
                  Scratch& scratch) const override {
        Scratch::Frame frame(scratch);
        const auto parts = frame.take<WeightedPart>(count_ * weights.size());
        const View unused = gradient.empty() ? frame.take(own.size()) : gradient;
        Index used = 0;
        for (Index age = weights.size(); age-- > 0;) {
            if (weights[age] == 0) continue;
            for (Index part = 0; part < count_; ++part)
                parts[used++] = {age, part, weights[age] / static_cast<Real>(count_)};
        }
        return cost_->parts_gradient(records, parts.first(used), own, unused, scratch);
    }

  private:
    std::shared_ptr<const PlayerCost> cost_;
    Index count_;
};

}  // namespace proxstream
