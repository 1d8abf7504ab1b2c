#include "online/recent_median.hpp"

#include "core/simd.hpp"

#include <algorithm>
#include <utility>

namespace proxstream {
namespace {

/// The place of a number among ascending ones. Counting all of them takes less time than a binary search
/// whose branches cannot be predicted.
PROXSTREAM_CLONES Index count_below(ConstView ascending, Real number) {
    Index count = 0;
    for (const Real each : ascending) count += each < number ? 1 : 0;
    return count;
}

}  // namespace

Real RecentMedian::add(Real number) {
    Real replaced = -kInfinity;
    if (full()) {
        replaced = std::exchange(numbers_[oldest_], number);
        oldest_ = oldest_ + 1 == memory_ ? 0 : oldest_ + 1;
    } else {
        numbers_.push_back(number);
    }
    replace(replaced, number);
    return replaced;
}

void RecentMedian::rollback(Real replaced) {
    if (replaced == -kInfinity) {
        replace(numbers_.back(), -kInfinity);
        numbers_.pop_back();
    } else {
        oldest_ = oldest_ == 0 ? memory_ - 1 : oldest_ - 1;
        replace(std::exchange(numbers_[oldest_], replaced), replaced);
    }
}

void RecentMedian::assign(std::vector<Real> numbers, Index oldest) {
    numbers_ = std::move(numbers);
    oldest_ = oldest;
    ordered_ = numbers_;
    std::sort(ordered_.begin(), ordered_.end());
}

void RecentMedian::replace(Real out, Real in) {
    const auto place = [&](Real number) {
        return ordered_.begin() + static_cast<std::ptrdiff_t>(count_below(ordered_, number));
    };
    if (in == -kInfinity) {
        ordered_.erase(place(out));
        return;
    }
    const auto entered = place(in);
    if (out == -kInfinity) {
        ordered_.insert(entered, in);
        return;
    }
    const auto left = place(out);
    if (entered > left) {  // only what lies between the two moves
        std::copy(left + 1, entered, left);
        *(entered - 1) = in;
    } else {
        std::copy_backward(entered, left, left + 1);
        *entered = in;
    }
}

}  // namespace proxstream
