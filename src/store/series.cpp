#include "store/series.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace proxstream {
namespace {

template <class Word>
void put(std::string& out, Word word) {
    char bytes[sizeof word];
    std::memcpy(bytes, &word, sizeof word);
    out.append(bytes, sizeof word);
}

template <class Word>
Word take(std::string_view& in) {
    Word word{};
    std::memcpy(&word, in.data(), sizeof word);
    in.remove_prefix(sizeof word);
    return word;
}

}  // namespace

void Series::add(std::uint64_t turn, std::span<const Real> values) {
    if (first_.empty() || turn - first_.back() >= width_) {
        if (first_.size() == kMostBuckets) halve();
        if (first_.empty() || turn - first_.back() >= width_) {
            first_.push_back(turn);
            last_.push_back(turn);
            cells_.resize(cells_.size() + channels_);
        }
    }
    const Index bucket = first_.size() - 1;
    touched_ = std::min(touched_, bucket);
    last_[bucket] = turn;
    for (Index channel = 0; channel < channels_; ++channel) {
        const Real value = channel < values.size() ? values[channel] : std::nan("");
        if (!std::isfinite(value)) continue;
        Cell& cell = cells_[bucket * channels_ + channel];
        cell.least = cell.count == 0 ? value : std::min(cell.least, value);
        cell.most = cell.count == 0 ? value : std::max(cell.most, value);
        cell.sum += value;
        cell.latest = value;
        ++cell.count;
    }
}

void Series::halve() {
    const Index half = (first_.size() + 1) / 2;
    for (Index bucket = 0; bucket < half; ++bucket) {
        const Index left = 2 * bucket;
        const Index right = left + 1;
        first_[bucket] = first_[left];
        last_[bucket] = right < last_.size() ? last_[right] : last_[left];
        for (Index channel = 0; channel < channels_; ++channel) {
            Cell joined = cell(left, channel);
            if (right < last_.size()) {
                const Cell& later = cell(right, channel);
                if (joined.count == 0) {
                    joined = later;
                } else if (later.count > 0) {
                    joined.sum += later.sum;
                    joined.least = std::min(joined.least, later.least);
                    joined.most = std::max(joined.most, later.most);
                    joined.latest = later.latest;
                    joined.count += later.count;
                }
            }
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
    const Cell& found = cell(bucket, channel);
    return found.count == 0 ? std::nan("") : found.sum / static_cast<Real>(found.count);
}

Real Series::least(Index bucket, Index channel) const {
    return cell(bucket, channel).count == 0 ? std::nan("") : cell(bucket, channel).least;
}

Real Series::most(Index bucket, Index channel) const {
    return cell(bucket, channel).count == 0 ? std::nan("") : cell(bucket, channel).most;
}

Real Series::latest(Index bucket, Index channel) const {
    return cell(bucket, channel).count == 0 ? std::nan("") : cell(bucket, channel).latest;
}

std::string Series::bytes(Index bucket) const {
    std::string out;
    put(out, width_);
    put(out, first_[bucket]);
    put(out, last_[bucket]);
    for (Index channel = 0; channel < channels_; ++channel) {
        const Cell& each = cell(bucket, channel);
        for (const Real value : {each.sum, each.least, each.most, each.latest}) put(out, value);
        put(out, each.count);
    }
    return out;
}

bool Series::restore(std::string_view bytes) {
    if (bytes.size() != 8 * (3 + 5 * channels_) || first_.size() == kMostBuckets) return false;
    width_ = take<std::uint64_t>(bytes);
    first_.push_back(take<std::uint64_t>(bytes));
    last_.push_back(take<std::uint64_t>(bytes));
    for (Index channel = 0; channel < channels_; ++channel) {
        Cell cell;
        for (Real* value : {&cell.sum, &cell.least, &cell.most, &cell.latest}) *value = take<Real>(bytes);
        cell.count = take<std::uint64_t>(bytes);
        cells_.push_back(cell);
    }
    return std::has_single_bit(width_) && first_.back() <= last_.back();
}

}  // namespace proxstream
