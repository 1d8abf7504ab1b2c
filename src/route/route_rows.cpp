#include "route/route_rows.hpp"

#include <cmath>

namespace proxstream {
namespace {

template <auto kMember>
Real figure(const PeriodRow& row) {
    return row.measured ? static_cast<Real>(row.figures.*kMember) : kNotKnown;
}
template <auto kMember, class Row>
Real number(const Row& row) {
    return static_cast<Real>(row.*kMember);
}

using F = PeriodFigures;
using P = PeriodRow;
constexpr RowColumn<PeriodRow> kPeriodColumns[] = {
    {"demand", figure<&F::demand>},
    {"unserved", figure<&F::unserved>, false},
    {"cost", figure<&F::cost>},
    {"prices", figure<&F::prices>, false},
    {"time", figure<&F::time>, false},
    {"mean_time", figure<&F::mean_time>, false},
    {"utilisation_max", figure<&F::utilisation_max>},
    {"utilisation_p95", figure<&F::utilisation_p95>},
    {"utilisation_median", figure<&F::utilisation_median>},
    {"utilisation_mean", figure<&F::utilisation_mean>},
    {"overloaded", figure<&F::overloaded>, false},
    {"overload", figure<&F::overload>, false},
    {"churn", figure<&F::churn>},
    {"paths_used", figure<&F::paths_used>, false},
    {"paths_changed", figure<&F::paths_changed>, false},
    {"entry_gap", number<&P::entry_gap>},
    {"exit_gap", number<&P::exit_gap>, false},
    {"tolerance", number<&P::tolerance>},
    {"steps", number<&P::steps>},
    {"seconds", number<&P::seconds>},
    {"epoch", number<&P::path_epoch>, false},
    {"alarms_open", number<&P::alarms_open>, false},
};

using M = MethodRow;
constexpr RowColumn<MethodRow> kMethodColumns[] = {
    {"total_cost", number<&M::total_cost>},
    {"ratio", number<&M::ratio>},
    {"churn", number<&M::churn>},
    {"overload_share", number<&M::overload_share>},
    {"utilisation_max", number<&M::utilisation_max>},
    {"utilisation_p95", number<&M::utilisation_p95>},
    {"unserved", number<&M::unserved>},
    {"gradients", number<&M::gradients>},
    {"seconds", number<&M::seconds>},
};

}  // namespace

std::span<const RowColumn<PeriodRow>> period_columns() {
    return kPeriodColumns;
}

std::span<const RowColumn<MethodRow>> method_columns() {
    return kMethodColumns;
}

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
    archive.fields(Field{"all periods", all_periods_}, Field{"cost", cost_}, Field{"churn", churn_},
                   Field{"unserved", unserved_}, Field{"seconds", seconds_}, Field{"overloaded", overloaded_},
                   Field{"gradients", gradients_}, Field{"busiest", busiest_});
}

}  // namespace proxstream
