/// link_flows.csv against links.csv, the events and the periods' figures.
#pragma once

#include "route/check_list.hpp"
#include "route/run_folder.hpp"

#include <optional>

namespace proxstream {

/// A row of periods.csv.
struct PeriodRecord {
    Index number = 0;
    bool measured = false;
    PeriodFigures figures = {};
    Real prices = 0;
    Real seconds = 0;
    Index epoch = 0;
    Index alarms_open = 0;

    std::string name() const { return "period " + std::to_string(number); }
};

class LinkAudit {
  public:
    LinkAudit(const RunFolder& folder, CheckList& checks);

    /// Every period in turn, also those that were not measured.
    void read(const PeriodRecord& period);
    /// Of the last period measured.
    ConstView load() const { return load_; }
    ConstView time() const { return time_; }
    ConstView capacity() const { return capacity_; }  // as events made it; 0: closed
    bool has_flows() const { return table_.has_value(); }
    /// Whether rows are left of periods that periods.csv does not have.
    bool has_more(Index last_period);

  private:
    struct Point {
        Real load = 0;
        Real time = 0;
    };
    /// What was seen of a link at one capacity.
    struct Sightings {
        Real capacity = -1;
        Point least, most, last;
    };
    void follow_events(Index period);
    bool read_rows(const PeriodRecord& period);
    void check_time(const PeriodRecord& period, Index link, Real capacity);
    void check_period(const PeriodRecord& period);

    const RunFolder& folder_;
    CheckList& checks_;
    std::optional<CsvTable> table_;
    Index next_event_ = 0;
    bool by_time_;  // the objective adds up load times time
    std::vector<Real> factor_, capacity_;
    std::vector<char> closed_;
    std::vector<Real> load_, time_, utilisation_, cost_;
    std::vector<Sightings> seen_;
};

}  // namespace proxstream
