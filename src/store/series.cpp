#include "store/series.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

namespace proxstream {

void Series::Cell::join(const Cell& later) {
    if (later.count == 0) return;
    if (count == 0) {
        *this = later;
        return;
    }
    sum += later.sum;
    least = std::min(least, later.least);
    most = std::max(most, later.most);
    latest = later.latest;
    count += later.count;
}

void Series::add(std::uint64_t turn, std::span<const Real> values) {
    const auto in_last = [&] { return !first_.empty() && turn - first_.back() < width_; };
    if (!in_last() && first_.size() == kMostBuckets) halve();
    if (!in_last()) {
        first_.push_back(turn);
        last_.push_back(turn);
        cells_.resize(cells_.size() + channels_);
    }
    const Index bucket = first_.size() - 1;
    touched_ = std::min(touched_, bucket);
    last_[bucket] = turn;
    for (Index channel = 0; channel < std::min(channels_, values.size()); ++channel) {
        const Real value = values[channel];
        if (std::isfinite(value)) cells_[bucket * channels_ + channel].join({value, value, value, value, 1});
    }
}

void Series::halve() {
    const Index half = (first_.size() + 1) / 2;
    for (Index bucket = 0; bucket < half; ++bucket) {
        const Index left = 2 * bucket;
        const Index right = std::min(left + 1, last_.size() - 1);
        first_[bucket] = first_[left];
        last_[bucket] = last_[right];
        for (Index channel = 0; channel < channels_; ++channel) {
            Cell joined = cell(left, channel);
            if (right > left) joined.join(cell(right, channel));
            cells_[bucket * channels_ + channel] = joined;
        }
    }
    first_.resize(half);
    last_.resize(half);
    cells_.resize(half * channels_);
    width_ *= 2;
    touched_ = 0;
}

Real Series::mean(Index bucket, Index channel) const {
    return or_nan(bucket, channel, &Cell::sum) / static_cast<Real>(cell(bucket, channel).count);
}

Real Series::or_nan(Index bucket, Index channel, Real Cell::*member) const {
    const Cell& found = cell(bucket, channel);
    return found.count == 0 ? std::nan("") : found.*member;
}

std::string Series::bytes(Index bucket) const {
    static_assert(sizeof(Cell) == 5 * sizeof(std::uint64_t));
    const std::array head{width_, first_[bucket], last_[bucket]};
    std::string out(sizeof head + channels_ * sizeof(Cell), '\0');
    std::memcpy(out.data(), head.data(), sizeof head);
    if (channels_ > 0) std::memcpy(out.data() + sizeof head, &cell(bucket, 0), out.size() - sizeof head);
    return out;
}

bool Series::restore(std::string_view bytes) {
    std::array<std::uint64_t, 3> head{};
    if (bytes.size() != sizeof head + channels_ * sizeof(Cell) || first_.size() == kMostBuckets) return false;
    std::memcpy(head.data(), bytes.data(), sizeof head);
    width_ = head[0];
    first_.push_back(head[1]);
    last_.push_back(head[2]);
    cells_.resize(cells_.size() + channels_);
    if (channels_ > 0)
        std::memcpy(&cells_[cells_.size() - channels_], bytes.data() + sizeof head,
                    bytes.size() - sizeof head);
    return std::has_single_bit(width_) && first_.back() <= last_.back();
}

}  // namespace proxstream
