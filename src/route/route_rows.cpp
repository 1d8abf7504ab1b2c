#include "proxstream/route/route_rows.hpp"

#include <algorithm>
#include <cmath>

namespace proxstream {

void MethodSums::add(const PeriodFigures& figures, Real seconds, std::uint64_t record_gradients) {
    add_held(seconds, record_gradients);
    cost_ += figures.cost;
    churn_ += figures.churn;
    unserved_ += figures.unserved;
    overloaded_ += figures.overloaded;
    busiest_.push_back(figures.utilisation_max);
}

void MethodSums::add_held(Real seconds, std::uint64_t record_gradients) {
    ++all_periods_;
    seconds_ += seconds;
    gradients_ += record_gradients;
}

MethodRow MethodSums::row() const {
    MethodRow row;
    row.total_cost = cost_;
    row.unserved = unserved_;
    row.seconds = seconds_;
    if (all_periods_ > 0) row.gradients = static_cast<Real>(gradients_) / static_cast<Real>(all_periods_);
    if (busiest_.empty()) return row;
    const Real periods = static_cast<Real>(busiest_.size());
    row.churn = churn_ / periods;
    if (links_ > 0)
        row.overload_share = static_cast<Real>(overloaded_) / (static_cast<Real>(links_) * periods);
    std::vector<Real> sorted = busiest_;
    std::sort(sorted.begin(), sorted.end());
    row.utilisation_max = sorted.back();
    row.utilisation_p95 = sorted[static_cast<Index>(std::ceil(0.95 * periods)) - 1];
    return row;
}

}  // namespace proxstream
