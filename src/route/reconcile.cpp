#include "route/reconcile.hpp"

#include "proxstream/core/error.hpp"

#include "route/reconcile_maps.hpp"
#include "route/reconcile_splits.hpp"
#include "route/route_tables.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace proxstream {
namespace {

using namespace route_tables;

/// periods.csv as a whole.
class Account {
  public:
    Account(const std::string& folder, std::vector<std::string>& notes)
        : folder_(folder), notes_(notes), links_(folder_, checks_) {
        if (folder_.run.detail == RouteDetail::all) splits_.emplace(folder_, checks_);
        for (const RunFolder::AlarmLife& alarm : folder_.alarms) {
            ++alarm_changes_[alarm.raised];
            if (alarm.cleared) --alarm_changes_[*alarm.cleared];
        }
    }

    void read_periods();
    void check_ends();
    void check_methods();
    void check_maps() { compare_maps(folder_, links_, last_measured_, checks_); }
    const RunFolder& folder() const { return folder_; }
    Index periods() const { return last_.number; }
    Index measured() const { return busiest_.size(); }
    Index waiting() const { return waiting_; }
    CheckList& checks() { return checks_; }

  private:
    PeriodRecord read_row(const CsvTable& table) const;
    void check_period(const PeriodRecord& period);
    void check_lead(const CsvTable& table);

    RunFolder folder_;
    std::vector<std::string>& notes_;
    CheckList checks_;
    LinkAudit links_;
    std::optional<SplitAudit> splits_;
    std::map<Index, Real> alarm_changes_;  // by period, those to come
    Real alarms_open_ = 0;
    PeriodRecord last_;
    std::optional<PeriodRecord> last_measured_;
    Index waiting_ = 0;
    std::set<Index> epochs_;
    std::vector<Real> busiest_;
    Real cost_ = 0, churn_ = 0, unserved_ = 0, seconds_ = 0;
    Index overloaded_ = 0;
};

PeriodRecord Account::read_row(const CsvTable& table) const {
    enum Column : Index {
        kNumber,
        kDemand = 3,
        kUnserved,
        kCost,
        kPrices,
        kTime,
        kMeanTime,
        kMax,
        kP95,
        kMedian,
        kMean,
        kOverloaded,
        kOverload,
        kChurn,
        kUsed,
        kChanged,
        kEntry,
        kExit,
        kTolerance,
        kSteps,
        kSeconds,
        kEpoch,
        kAlarms
    };
    PeriodRecord row;
    row.number = table.count(kNumber);
    row.measured = !table.empty(kDemand);
    row.seconds = table.number(kSeconds);
    row.epoch = table.count(kEpoch);
    row.alarms_open = table.count(kAlarms);
    (void)table.count(kSteps);
    for (const Index column : {kEntry, kExit, kTolerance}) {
        if (table.number_or_none(column) < 0) table.refuse(column, "below 0", "0 or more");
    }
    for (Index column = kDemand; column <= kChanged; ++column) {
        if (table.empty(column) == row.measured) {
            table.refuse(column, row.measured ? "empty" : "not empty",
                         "all figures of a period, or none where its demand is not known");
        }
    }
    if (!row.measured) return row;
    PeriodFigures& figures = row.figures;
    figures.demand = table.number(kDemand);
    figures.unserved = table.number(kUnserved);
    figures.cost = table.number(kCost);
    row.prices = table.number(kPrices);
    figures.time = table.number(kTime);
    figures.mean_time = table.number(kMeanTime);
    figures.utilisation_max = table.number(kMax);
    figures.utilisation_p95 = table.number(kP95);
    figures.utilisation_median = table.number(kMedian);
    figures.utilisation_mean = table.number(kMean);
    figures.overloaded = table.count(kOverloaded);
    figures.overload = table.number(kOverload);
    figures.churn = table.number(kChurn);
    figures.paths_used = table.count(kUsed);
    figures.paths_changed = table.count(kChanged);
    return row;
}

void Account::read_periods() {
    CsvTable table(folder_.path(kPeriods.file), kPeriods.columns);
    while (table.next()) {
        const PeriodRecord period = read_row(table);
        checks_.confirm(Check::numbering, period.number == last_.number + 1, [&] {
            return table.path() + ":" + std::to_string(table.line()) + ": " + period.name() + " after " +
                   last_.name();
        });
        if (period.number <= last_.number) table.refuse(0, "does not ascend", "1, 2, 3, ..");
        check_period(period);
        last_ = period;
    }
}

void Account::check_period(const PeriodRecord& period) {
    const auto where = [&] { return period.name(); };
    checks_.confirm(Check::epochs, period.epoch >= last_.epoch, where);
    epochs_.insert(period.epoch);
    for (; !alarm_changes_.empty() && alarm_changes_.begin()->first <= period.number;
         alarm_changes_.erase(alarm_changes_.begin())) {
        alarms_open_ += alarm_changes_.begin()->second;
    }
    checks_.compare(Check::alarms_open, static_cast<Real>(period.alarms_open), alarms_open_, 0, where);
    links_.read(period);
    if (splits_) splits_->read(period, links_);
    seconds_ += period.seconds;
    if (!period.measured) return;
    const PeriodFigures& figures = period.figures;
    const Real served = figures.demand - figures.unserved;
    checks_.compare(Check::mean_time, figures.mean_time, served > 0 ? figures.time / served : 0, 0, where);
    cost_ += figures.cost;
    churn_ += figures.churn;
    unserved_ += figures.unserved;
    overloaded_ += figures.overloaded;
    if (figures.demand == 0 && waiting_ == busiest_.size()) ++waiting_;
    busiest_.push_back(figures.utilisation_max);
    last_measured_ = period;
}

/// What there is against what run.json counted, and what refers to periods against the periods.
void Account::check_ends() {
    const RunFolder::Run& run = folder_.run;
    const auto count = [&](Index found, Index expected, const char* of) {
        checks_.compare(Check::counts, static_cast<Real>(found), static_cast<Real>(expected), 0,
                        [&] { return std::string(of); });
    };
    count(run.links, folder_.links.size(), "links");
    count(run.pairs, folder_.pairs.size(), "pairs");
    const bool whole = !links_.has_more(last_.number) && !(splits_ && splits_->has_more(last_.number));
    checks_.confirm(Check::finished, run.finished && whole, [&] {
        return !run.finished ? "run.json says it did not: the tables end with " + last_.name()
                             : "there are rows of periods after " + last_.name();
    });
    if (run.finished) {
        count(run.periods, last_.number, "periods");
        count(run.alarms, folder_.alarms.size(), "alarms");
        const auto live = std::count_if(folder_.paths.begin(), folder_.paths.end(),
                                        [](const auto& path) { return !path.gone; });
        count(run.paths, static_cast<Index>(live), "paths");
    }
    // Of a run that was killed, the last period may be half there.
    const Index end = last_.number + (run.finished ? 0 : 1);
    const auto exists = [&](Index period, const char* what) {
        checks_.confirm(Check::existing, period >= 1 && period <= end,
                        [&] { return std::string(what) + " in period " + std::to_string(period); });
    };
    for (const RunFolder::Event& event : folder_.events) exists(event.period, "an event");
    for (const RunFolder::AlarmLife& alarm : folder_.alarms) {
        exists(alarm.raised, "an alarm");
        if (alarm.cleared) exists(*alarm.cleared, "the end of an alarm");
    }
    std::set<Index> changes;
    for (const RunFolder::PathLife& path : folder_.paths) {
        changes.insert(path.epoch);
        if (path.gone) changes.insert(*path.gone);
    }
    const Index last_epoch = epochs_.empty() ? 0 : *epochs_.rbegin();
    for (const Index epoch : changes) {
        const bool unfinished = !run.finished && epoch > last_epoch;
        checks_.confirm(Check::epochs, unfinished || epochs_.count(epoch) > 0,
                        [&] { return "paths change in epoch " + std::to_string(epoch) + " of no period"; });
    }
    for (const Index epoch : epochs_) {
        checks_.confirm(Check::epochs, epoch == 0 || changes.count(epoch) > 0,
                        [&] { return "no path changes in epoch " + std::to_string(epoch); });
    }
}

enum MethodColumn : Index {
    kTotal = 2,
    kRatio,
    kMeanChurn,
    kOverloadShare,
    kLargest,
    kBusy,
    kNotServed,
    kGradients,
    kSecondsSum,
    kRole
};

void Account::check_methods() {
    if (!folder_.run.finished) {
        notes_.emplace_back("methods.csv and the map of the last flows are written at the end of a run");
        return;
    }
    CsvTable table(folder_.path(kMethods.file), kMethods.columns);
    struct Row {
        std::string method;
        Real cost = 0, ratio = 0;
    };
    std::vector<Row> rows;
    std::optional<Real> floor;
    Index leads = 0;
    while (table.next()) {
        rows.push_back({std::string(table.text(0)), table.number(kTotal), table.number_or_none(kRatio)});
        (void)table.number_or_none(kGradients);
        if (table.text(kRole) == "floor") floor = rows.back().cost;
        if (table.text(kRole) != "lead") continue;
        ++leads;
        check_lead(table);
    }
    checks_.confirm(Check::lead, leads == 1, [&] { return std::to_string(leads) + " methods lead"; });
    for (const Row& row : rows) {
        if (floor && *floor > 0) {
            checks_.compare(Check::ratios, row.ratio, row.cost / *floor, 0, [&] { return row.method; });
        } else {
            checks_.confirm(Check::ratios, std::isnan(row.ratio), [&] { return row.method; });
        }
    }
}

void Account::check_lead(const CsvTable& table) {
    const auto check = [&](Index column, Real expected, Real scale = 0) {
        checks_.compare(Check::lead, table.number(column), expected, scale,
                        [&] { return std::string(kMethods.columns[column]); });
    };
    const Real periods = static_cast<Real>(busiest_.size());
    const Real link_periods = periods * static_cast<Real>(folder_.links.size());
    check(kTotal, cost_);
    check(kMeanChurn, periods > 0 ? churn_ / periods : 0);
    check(kOverloadShare, link_periods > 0 ? static_cast<Real>(overloaded_) / link_periods : 0);
    check(kNotServed, unserved_);
    check(kSecondsSum, seconds_);
    std::sort(busiest_.begin(), busiest_.end());
    check(kLargest, busiest_.empty() ? 0 : busiest_.back());
    check(kBusy, busiest_.empty() ? 0 : busiest_[static_cast<Index>(std::ceil(0.95 * periods)) - 1]);
}

}  // namespace

bool ReconcileResult::sound() const {
    return std::all_of(checks.begin(), checks.end(), [](const auto& check) { return check.holds; });
}

ReconcileResult reconcile(const std::string& folder) {
    ReconcileResult result;
    Account account(folder, result.notes);
    account.read_periods();
    account.check_ends();
    account.check_methods();
    account.check_maps();
    result.folder = folder;
    result.detail = account.folder().run.detail;
    result.periods = account.periods();
    result.measured = account.measured();
    result.waiting = account.waiting();
    result.checks = account.checks().take();
    if (result.detail != RouteDetail::all) {
        result.notes.emplace_back(
            result.detail == RouteDetail::links
                ? "splits and demand were not written (--detail all): loads, "
                  "conservation, churn and what was not served are as the run says"
                : "flows, splits and demand were not written (--detail all): figures of "
                  "periods are as the run says");
    }
    return result;
}

}  // namespace proxstream
