/// The checks of a folder while they are being made.
#pragma once

#include "route/reconcile.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace proxstream {

enum class Check : std::uint8_t {
    counts,
    finished,
    numbering,
    epochs,
    existing,
    alarms_open,
    flow_rows,
    capacities,
    utilisation,
    times,
    link_costs,
    period_time,
    period_utilisation,
    period_overload,
    mean_time,
    cost,
    split_range,
    split_sums,
    live_paths,
    path_times,
    loads,
    conservation,
    demand,
    unserved,
    unroutable,
    churn,
    paths_used,
    lead,
    ratios,
    maps,
};
inline constexpr Index kChecks = static_cast<Index>(Check::maps) + 1;

class CheckList {
  public:
    /// Sums in another order, of splits that are on their simplex up to 1e-9.
    static constexpr Real kTolerance = 1e-8;

    CheckList();

    /// `where` is a sentence, asked for only when this is the worst so far.
    template <class Where>
    void deviate(Check which, Real deviation, const Where& where) {
        ReconcileCheck& check = checks_[static_cast<Index>(which)];
        ++check.checked;
        const Real size = std::isnan(deviation) ? kInfinity : deviation;
        if (size > check.worst) {
            check.worst = size;
            check.where = where();
        }
        if (!(size <= kTolerance)) check.holds = false;
    }
    /// Relative to the larger of the two, or to `scale` if that is more.
    template <class Where>
    void compare(Check which, Real found, Real expected, Real scale, const Where& where) {
        const Real size = std::max({std::abs(found), std::abs(expected), scale});
        const Real distance = std::abs(found - expected);
        deviate(which, distance == 0 ? 0 : distance / size,
                [&] { return where() + described(found, expected); });
    }
    template <class Where>
    void confirm(Check which, bool holds, const Where& where) {
        deviate(which, holds ? 0 : 1, where);
    }

    std::vector<ReconcileCheck> take() { return {checks_.begin(), checks_.end()}; }

  private:
    static std::string described(Real found, Real expected);

    std::array<ReconcileCheck, kChecks> checks_;
};

}  // namespace proxstream
