#include "route/route_rows.hpp"

#include <cmath>

namespace proxstream {

void MethodSums::add(const PeriodFigures& figures, Real seconds, std::uint64_t record_gradients) {
    add_held(seconds, record_gradients);
    cost_ += figures.cost;
    churn_ += figures.churn;
    unserved_ += figures.unserved;
    overloaded_ += figures.overloaded;
    busiest_.add(figures.utilisation_max);
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
    if (busiest_.count() == 0) return row;
    const Real periods = static_cast<Real>(busiest_.count());
    row.churn = churn_ / periods;
    if (links_ > 0)
        row.overload_share = static_cast<Real>(overloaded_) / (static_cast<Real>(links_) * periods);
    row.utilisation_max = busiest_.largest();
    row.utilisation_p95 = busiest_.at_rank(static_cast<std::uint64_t>(std::ceil(0.95 * periods)) - 1);
    return row;
}

void MethodSums::serialise(StateArchive& archive) {
    archive.field("all periods", all_periods_);
    archive.field("cost", cost_);
    archive.field("churn", churn_);
    archive.field("unserved", unserved_);
    archive.field("seconds", seconds_);
    archive.field("overloaded", overloaded_);
    archive.field("gradients", gradients_);
    archive.section("busiest", busiest_);
}

}  // namespace proxstream
