#include "online/recent_median.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace proxstream {

RecentMedian::RecentMedian(Index memory) : memory_(memory) {
    numbers_.reserve(memory);
    ordered_.reserve(memory);
    all_.reserve(memory);
}

Real RecentMedian::add(Real number) {
    Real replaced = -kInfinity;
    if (full()) {
        replaced = std::exchange(numbers_[oldest_], number);
        oldest_ = oldest_ + 1 == memory_ ? 0 : oldest_ + 1;
        leave(replaced);
    } else {
        numbers_.push_back(number);
    }
    enter(number);
    settle();
    return replaced;
}

void RecentMedian::rollback(Real replaced) {
    if (replaced == -kInfinity) {
        leave(numbers_.back());
        numbers_.pop_back();
    } else {
        oldest_ = oldest_ == 0 ? memory_ - 1 : oldest_ - 1;
        leave(std::exchange(numbers_[oldest_], replaced));
        enter(replaced);
    }
    settle();
}

void RecentMedian::assign(std::vector<Real> numbers, Index oldest) {
    numbers_ = std::move(numbers);
    oldest_ = oldest;
    ordered_.clear();
    below_ = 0;
    low_ = kInfinity;
    high_ = -kInfinity;
    settle();
}

void RecentMedian::enter(Real number) {
    if (number < low_) {
        ++below_;
    } else if (number <= high_) {
        ordered_.insert(std::upper_bound(ordered_.begin(), ordered_.end(), number), number);
    }
}

void RecentMedian::leave(Real number) {
    if (number < low_) {
        --below_;
    } else if (number <= high_) {
        const auto place = std::lower_bound(ordered_.begin(), ordered_.end(), number);
        assert(place != ordered_.end() && *place == number);
        ordered_.erase(place);
    }
}

/// The median lies in the ordered part; if it does not, another one is made around it.
void RecentMedian::settle() {
    constexpr Index kReach = 24;  // ranks to either side
    const Index rank = numbers_.size() / 2;
    if (numbers_.empty() || (below_ <= rank && rank - below_ < ordered_.size())) return;
    all_ = numbers_;
    const auto first = static_cast<std::ptrdiff_t>(rank - std::min(rank, kReach));
    const auto last = static_cast<std::ptrdiff_t>(std::min(rank + kReach, all_.size() - 1));
    std::nth_element(all_.begin(), all_.begin() + first, all_.end());
    low_ = all_[static_cast<Index>(first)];
    std::nth_element(all_.begin() + first, all_.begin() + last, all_.end());
    high_ = all_[static_cast<Index>(last)];
    ordered_.clear();
    below_ = 0;
    for (const Real number : numbers_) {
        below_ += number < low_ ? 1 : 0;
        if (number >= low_ && number <= high_) ordered_.push_back(number);
    }
    std::sort(ordered_.begin(), ordered_.end());
}

}  // namespace proxstream
