/// Weights, bounds or radii: one number for all coordinates (or groups), or one for each.
#pragma once

#include "proxstream/core/types.hpp"

#include <string_view>
#include <utility>
#include <vector>

namespace proxstream {

/// One number for all coordinates, or one for each of them. Weights, bounds and radii of regularisers have
/// this type; numbers and vectors convert to it.
///
/// \code
/// const L1Norm same_weight(0.1);
/// const L1Norm own_weights(std::vector<Real>{0.1, 0.2, 0});
/// \endcode
class Coefficients {
  public:
    /// The same number for all.
    Coefficients(Real common) : common_(common) {}  // NOLINT: a number is one
    /// A number for each.
    Coefficients(std::vector<Real> each) : common_(0), each_(std::move(each)), common_for_all_(false) {}

    /// Whether there is one number for all.
    bool common_for_all() const noexcept { return common_for_all_; }
    /// The coefficient of coordinate i.
    Real operator[](Index i) const { return common_for_all_ ? common_ : each_[i]; }
    /// Every distinct entry: the common one, or all of them.
    ConstView entries() const { return common_for_all_ ? ConstView(&common_, 1) : ConstView(each_); }

    /// Throws ConfigError unless there is one number for all or exactly n of them. `what` names them in the
    /// message.
    void check_size(Index n, std::string_view what) const;

    /// Calls body(at), where at(i) is the coefficient of i. Each case gets a loop without a branch. Inlined,
    /// for loops that are compiled for several instruction sets.
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

/// Returns the weights. Throws ConfigError that names every entry that is negative or not finite.
Coefficients checked_weights(Coefficients weights, std::string_view what);
/// Returns the radii. Throws ConfigError that names every entry that is not positive and finite.
Coefficients checked_radii(Coefficients radii, std::string_view what);
/// Returns the radius. Throws ConfigError unless it is positive and finite.
Real checked_radius(Real radius);

}  // namespace proxstream
