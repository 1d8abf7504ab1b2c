/// A number per coordinate (or per group), or one number for all of them: weights, bounds, radii.
#pragma once

#include "proxstream/core/types.hpp"

#include <string_view>
#include <utility>
#include <vector>

namespace proxstream {

class Coefficients {
  public:
    Coefficients(Real common) : common_(common) {}  // NOLINT: a number is one
    Coefficients(std::vector<Real> each) : common_(0), each_(std::move(each)), common_for_all_(false) {}

    bool common_for_all() const noexcept { return common_for_all_; }
    Real operator[](Index i) const { return common_for_all_ ? common_ : each_[i]; }
    /// Every distinct entry: the common one, or all.
    ConstView entries() const { return common_for_all_ ? ConstView(&common_, 1) : ConstView(each_); }

    /// Throws ConfigError unless there is one number for all or exactly n of them.
    void check_size(Index n, std::string_view what) const;

    /// Calls body(at) with at(i) the coefficient of i, so that each case gets a loop without the question.
    /// Inlined, for loops that are compiled for several instruction sets.
    template <class Body>
    [[gnu::always_inline]] auto visit(Body body) const {
        if (common_for_all_) return body([c = common_](Index) __attribute__((always_inline)) { return c; });
        return body([p = each_.data()](Index i) __attribute__((always_inline)) { return p[i]; });
    }

  private:
    Real common_;
    std::vector<Real> each_;
    bool common_for_all_ = true;
};

/// Throws ConfigError naming every entry that is negative or not finite.
Coefficients checked_weights(Coefficients weights, std::string_view what);
/// Throws ConfigError naming every entry that is not positive and finite.
Coefficients checked_radii(Coefficients radii, std::string_view what);
Real checked_radius(Real radius);

}  // namespace proxstream
