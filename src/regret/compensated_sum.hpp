/// A long sum that loses no digits to its length (Neumaier): E_T is a small difference of large sums.
#pragma once

#include "proxstream/core/state_archive.hpp"
#include "proxstream/core/types.hpp"

#include "core/rounding.hpp"

#include <cmath>
#include <cstdint>

namespace proxstream {

class CompensatedSum {
  public:
    void add(Real term) {
        const Real next = sum_ + term;
        correction_ += std::abs(sum_) >= std::abs(term) ? (sum_ - next) + term : (term - next) + sum_;
        sum_ = next;
        magnitude_ += std::abs(term);
        ++count_;
    }

    /// The correction of a sum that overflowed is NaN.
    Real value() const { return std::isinf(sum_) ? sum_ : sum_ + correction_; }
    Real magnitude() const { return magnitude_; }  // sum of |term|

    /// Bounds how far value() is from the exact sum, if each term carries a relative error of at most
    /// `roundings` units of its own.
    Real rounding(Real roundings) const {
        const Real length = static_cast<Real>(count_) * kUnitRoundoff;
        return 2 * kUnitRoundoff * std::abs(value()) +
               (roundings * kUnitRoundoff + 2 * length * length) * magnitude_ + underflow();
    }

    /// What underflow may have taken from the terms, if they are products.
    Real underflow() const { return magnitude_ > 0 ? lost_to_underflow(count_) : 0; }

    void serialise(StateArchive& archive);

  private:
    Real sum_ = 0;
    Real correction_ = 0;
    Real magnitude_ = 0;
    std::uint64_t count_ = 0;
};

}  // namespace proxstream
