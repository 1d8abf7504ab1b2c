/// Rows of the tables of a run: one for each period, and one for each method. The columns of numbers are
/// listed once, for the files and for the report.
#pragma once

#include "core/not_known.hpp"
#include "core/quantile_sketch.hpp"
#include "traffic/period_figures.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace proxstream {

/// Status of a period before the first demand.
inline constexpr const char* kWaiting = "waiting";

/// A period of the primary method.
struct PeriodRow {
    Index number = 0;         // from 1, without gaps
    std::string label = {};   // from the stream
    std::string status = {};  // name(RoundStatus), "held" or kWaiting
    bool measured = true;     // its demand was known; false: it has no figures
    PeriodFigures figures = {};
    Real entry_gap = kNotKnown;
    Real exit_gap = kNotKnown;
    Real tolerance = kNotKnown;
    std::uint64_t steps = 0;
    Real seconds = 0;      // to decide
    Index epoch = 0;       // changes whenever paths may have changed
    Index path_epoch = 0;  // changes whenever paths have changed
    Index alarms_open = 0;
};

/// A column of numbers: its name, and its number in a row; NaN: unknown.
template <class Row>
struct RowColumn {
    std::string_view name;
    Real (*read)(const Row&);
    bool reported = true;  // also in the report, not only in the file
};

/// A method over all periods: a row of the comparison.
struct MethodRow {
    std::string name = {};   // as on the command line
    std::string label = {};  // in tables and charts
    Real total_cost = 0;
    Real ratio = kNotKnown;    // total cost over that of the lower bound
    Real churn = 0;            // mean over the periods
    Real overload_share = 0;   // of link-periods above capacity
    Real utilisation_max = 0;  // over links and periods
    Real utilisation_p95 = 0;  // 95 % of the periods have their busiest link at or below it (QuantileSketch)
    Real unserved = 0;         // summed
    Real gradients = kNotKnown;  // record gradients a period
    Real seconds = 0;            // to decide, summed
    bool primary = false;
    bool lower_bound = false;  // the lower bound (clairvoyant)
};

std::span<const RowColumn<PeriodRow>> period_columns();
std::span<const RowColumn<MethodRow>> method_columns();

/// The names of the columns, each after a comma.
template <class Row>
std::string column_names(std::span<const RowColumn<Row>> columns) {
    std::string names;
    for (const RowColumn<Row>& column : columns) (names += ',') += column.name;
    return names;
}
/// The numbers of a row, in the order of the columns.
template <class Row>
std::vector<Real> column_values(std::span<const RowColumn<Row>> columns, const Row& row) {
    std::vector<Real> values;
    for (const RowColumn<Row>& column : columns) values.push_back(column.read(row));
    return values;
}

/// Sums over the periods of a method. Every row of the comparison is made from one.
class MethodSums {
  public:
    explicit MethodSums(Index links) : links_(links) {}

    /// Every period whose demand is known.
    void add(const PeriodFigures& figures, Real seconds, std::uint64_t record_gradients);
    /// A held period: it took time, but was not measured.
    void add_held(Real seconds, std::uint64_t record_gradients);
    Index periods() const noexcept { return busiest_.count(); }
    Real total_cost() const noexcept { return cost_; }
    /// The caller sets name, label, ratio, primary and lower_bound.
    MethodRow row() const;
    void serialise(StateArchive& archive);

  private:
    Index links_;
    Index all_periods_ = 0;
    Real cost_ = 0, churn_ = 0, unserved_ = 0, seconds_ = 0;
    Index overloaded_ = 0;
    std::uint64_t gradients_ = 0;
    QuantileSketch busiest_;  // utilisation_max of every period
};

}  // namespace proxstream
