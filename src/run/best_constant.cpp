#include "run/best_constant.hpp"

#include "proxstream/core/draw.hpp"
#include "proxstream/core/scratch.hpp"

#include "loss/linear_family.hpp"
#include "loss/loss_table.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace proxstream {
namespace {

/// Golden-section search on [low, high].
template <class Value>
Real minimise(const Value& value, Real low, Real high) {
    constexpr Real kGolden = 0.6180339887498949;
    constexpr int kSteps = 60;
    for (int i = 0; i < kSteps; ++i) {
        const Real left = high - kGolden * (high - low);
        const Real right = low + kGolden * (high - low);
        if (value(left) <= value(right)) {
            high = right;
        } else {
            low = left;
        }
    }
    return (low + high) / 2;
}

/// Always saying how frequent the classes are costs their entropy.
BestConstant best_frequencies(const RowBlock& rows) {
    std::map<Real, Real> weights;
    Real total = 0;
    for (Index row = 0; row < rows.rows(); ++row) {
        weights[rows.target(row)] += rows.weight(row);
        total += rows.weight(row);
    }
    BestConstant best;
    Real most = 0;
    for (const auto& [target, weight] : weights) {
        if (weight <= most) continue;
        most = weight;
        best.prediction = target;
    }
    for (const auto& [target, weight] : weights) {
        if (weight > 0) best.loss -= weight / static_cast<Real>(rows.rows()) * std::log(weight / total);
    }
    return best;
}

}  // namespace

void BestConstantSampler::add(Real target, Real weight) {
    ++seen_;
    if (sample_.rows() < kCapacity) {
        sample_.add_dense({}, target);
        sample_.set_weight(sample_.rows() - 1, weight);
        if (sample_.rows() == kCapacity) plan_next();
        return;
    }
    if (seen_ < next_) return;
    const Draw place{.seed = seed_, .round = replaced_, .sample = 2};
    const auto row = static_cast<Index>(uniform_below(place, kCapacity));
    sample_.set_target(row, target);
    sample_.set_weight(row, weight);
    plan_next();
}

/// Reservoir sampling (Li 1994, algorithm L): keeps every target so far with the same probability. Each
/// target draws a ticket, and the lowest tickets stay. One draw gives the number of targets until the next
/// replacement.
void BestConstantSampler::plan_next() {
    ++replaced_;
    const auto log_of_draw = [&](std::uint64_t which) {
        return std::log(uniform({.seed = seed_, .round = replaced_, .sample = which}));
    };
    constexpr Real kNever = 1e18;
    threshold_ *= std::exp(log_of_draw(0) / static_cast<Real>(kCapacity));
    const Real passed_over = std::floor(log_of_draw(1) / std::log1p(-threshold_));
    next_ = seen_ + 1 + static_cast<std::uint64_t>(passed_over < kNever ? passed_over : kNever);
}

std::optional<BestConstant> BestConstantSampler::best(const std::string& loss) const {
    const auto some = example_of_loss(loss);
    const TargetKind kind = some->target_kind();
    if (sample_.rows() == 0 || kind == TargetKind::none) return std::nullopt;
    const bool sampled = seen_ > sample_.rows();
    if (kind == TargetKind::category) {
        if (!some->has_probabilities()) return std::nullopt;
        BestConstant best = best_frequencies(sample_);
        best.sampled = sampled;
        return best;
    }
    if (dynamic_cast<const LinearFamily*>(some.get()) == nullptr)
        return std::nullopt;  // networks and factorisations have no constant model to compare with
    const auto family = parse_loss(loss, RowShape{.features = 0, .intercept = true});
    Scratch scratch;
    const auto value = [&](Real constant) {
        return family->value(sample_, ConstView(&constant, 1), scratch);
    };

    // Non-convex losses have several local minima, each near a target. So try a spread of quantiles, then
    // search between the neighbours of the best one.
    std::vector<Real> candidates;
    if (kind == TargetKind::sign) {
        for (int i = -20; i <= 20; ++i) candidates.push_back(i);
    } else {
        std::vector<Real> sorted(sample_.targets().begin(), sample_.targets().end());
        std::sort(sorted.begin(), sorted.end());
        constexpr Index kQuantiles = 64;
        for (Index i = 0; i <= kQuantiles; ++i)
            candidates.push_back(sorted[i * (sorted.size() - 1) / kQuantiles]);
    }
    candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
    Index best = 0;
    Real lowest = value(candidates[best]);
    for (Index i = 1; i < candidates.size(); ++i) {
        const Real here = value(candidates[i]);
        if (!(here < lowest)) continue;
        best = i;
        lowest = here;
    }
    const Real constant = minimise(value, candidates[best == 0 ? 0 : best - 1],
                                   candidates[std::min(best + 1, candidates.size() - 1)]);
    return BestConstant{constant, value(constant), sampled};
}

}  // namespace proxstream
