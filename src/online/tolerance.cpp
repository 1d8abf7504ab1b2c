#include "proxstream/online/tolerance.hpp"

#include <algorithm>
#include <cassert>

namespace proxstream {
namespace {

void insert_sorted(std::vector<Real>& sorted, Real value) {
    sorted.insert(std::upper_bound(sorted.begin(), sorted.end(), value), value);
}

void erase_sorted(std::vector<Real>& sorted, Real value) {
    const auto place = std::lower_bound(sorted.begin(), sorted.end(), value);
    assert(place != sorted.end() && *place == value);
    sorted.erase(place);
}

}  // namespace

Tolerance Tolerance::fixed(Real delta) {
    return Tolerance(Kind::fixed, delta);
}

Tolerance Tolerance::automatic(Real factor) {
    Tolerance tolerance(Kind::automatic, factor);
    tolerance.recent_.reserve(kMemory);
    tolerance.sorted_.reserve(kMemory + 1);
    return tolerance;
}

Tolerance Tolerance::none() {
    return Tolerance(Kind::none, 0);
}

Real Tolerance::next(Real length, Real change) {
    switch (kind_) {
        case Kind::none:
            return 0;
        case Kind::fixed:
            return value_ / length;
        case Kind::automatic:
            break;
    }
    remembered_ = change > 0;
    if (remembered_) remember(change);
    if (sorted_.empty()) return 0;
    // Short windows forget fast: there a loose test lets the point fall behind.
    constexpr Real kShort = 16;
    const Real factor = value_ > 0 ? value_ : length < kShort ? 0.3 : 2.0;
    return factor * std::max(sorted_[sorted_.size() / 2], kFloor * total_ / static_cast<Real>(rounds_));
}

void Tolerance::remember(Real change) {
    overwritten_ = -1;
    total_before_ = total_;
    total_ += change;
    ++rounds_;
    if (recent_.size() < kMemory) {
        recent_.push_back(change);
    } else {
        overwritten_ = recent_[oldest_];
        erase_sorted(sorted_, overwritten_);
        recent_[oldest_] = change;
        oldest_ = (oldest_ + 1) % kMemory;
    }
    insert_sorted(sorted_, change);
}

void Tolerance::take_back() {
    if (kind_ != Kind::automatic || !remembered_) return;
    total_ = total_before_;
    --rounds_;
    if (overwritten_ < 0) {
        erase_sorted(sorted_, recent_.back());
        recent_.pop_back();
        return;
    }
    oldest_ = (oldest_ + kMemory - 1) % kMemory;
    erase_sorted(sorted_, recent_[oldest_]);
    recent_[oldest_] = overwritten_;
    insert_sorted(sorted_, overwritten_);
}

}  // namespace proxstream
