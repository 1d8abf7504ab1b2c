#include "online/recent_median.hpp"

#include <algorithm>
#include <utility>

namespace proxstream {

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
    const auto begin = ordered_.begin(), end = ordered_.end();
    const auto left = out == -kInfinity ? end : std::lower_bound(begin, end, out);
    if (in == -kInfinity) {
        ordered_.erase(left);
        return;
    }
    const auto entered = std::upper_bound(begin, end, in);
    if (left == end) {
        ordered_.insert(entered, in);
    } else if (entered > left) {  // only what lies between the two moves
        std::copy(left + 1, entered, left);
        *(entered - 1) = in;
    } else {
        std::copy_backward(entered, left, left + 1);
        *entered = in;
    }
}

}  // namespace proxstream
