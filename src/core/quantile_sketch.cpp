#include "core/quantile_sketch.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace proxstream {
namespace {

constexpr std::uint64_t kMostLevels = 56;  // for more numbers than any run adds

}  // namespace

void QuantileSketch::add(Real value) {
    smallest_ = count_ == 0 ? value : std::min(smallest_, value);
    largest_ = count_ == 0 ? value : std::max(largest_, value);
    last_ = value;
    ++count_;
    newest_.push_back(value);
    if (newest_.size() == 2 * kRoom) carry();
}

/// Two buffers' worth of numbers becomes one of the next level, and so on while there are two.
void QuantileSketch::carry() {
    std::vector<Real> merged = std::move(newest_);
    newest_.clear();
    std::sort(merged.begin(), merged.end());
    for (Index level = 0;; ++level) {
        // Taking the upper of two and the lower of two by turns, errors have both signs.
        const std::uint64_t bit = std::uint64_t{1} << level;
        const Index from = (odd_ & bit) != 0 ? 1 : 0;
        odd_ ^= bit;
        std::vector<Real> half;
        half.reserve(kRoom);
        for (Index i = from; i < merged.size(); i += 2) half.push_back(merged[i]);
        if (level == levels_.size()) levels_.emplace_back();
        if (levels_[level].empty()) {
            levels_[level] = std::move(half);
            return;
        }
        merged.clear();
        std::merge(levels_[level].begin(), levels_[level].end(), half.begin(), half.end(),
                   std::back_inserter(merged));
        levels_[level].clear();
    }
}

Real QuantileSketch::at_rank(std::uint64_t rank) const {
    if (rank == 0) return smallest_;
    if (rank + 1 == count_) return largest_;
    std::vector<std::pair<Real, std::uint64_t>> weighted;
    for (const Real value : newest_) weighted.emplace_back(value, 1);
    for (Index level = 0; level < levels_.size(); ++level) {
        for (const Real value : levels_[level]) weighted.emplace_back(value, std::uint64_t{2} << level);
    }
    std::sort(weighted.begin(), weighted.end());
    std::uint64_t below = 0;
    for (const auto& [value, weight] : weighted) {
        below += weight;
        if (rank < below) return value;
    }
    return largest_;
}

void QuantileSketch::serialise(StateArchive& archive) {
    archive.fields(Field{"count", count_}, Field{"odd", odd_}, Field{"smallest", smallest_},
                   Field{"largest", largest_}, Field{"last", last_}, Field{"newest", newest_});
    Index levels = levels_.size();
    archive.field("levels", levels, kMostLevels);
    if (archive.reading()) levels_.assign(levels, {});
    std::uint64_t held = newest_.size();
    for (Index level = 0; level < levels; ++level) {
        archive.list("level", levels_[level]);
        archive.require(levels_[level].empty() || levels_[level].size() == kRoom, "whole levels");
        held += levels_[level].size() * (std::uint64_t{2} << level);
    }
    archive.require(newest_.size() < 2 * kRoom && held == count_, "as many numbers as were counted");
}

}  // namespace proxstream
