/// Gathers the data of the report page during a run.
#pragma once

#include "proxstream/regret/certificate.hpp"

#include "route/alarms.hpp"
#include "route/report_data.hpp"
#include "route/route_rows.hpp"
#include "route/scenario.hpp"

#include <vector>

namespace proxstream {

/// The data of a report that are known only at the end.
struct ReportFacts {
    const RouteSettings& settings;
    const Scenario& scenario;
    const std::string& version;
    const std::string& command;
    const std::vector<MethodRow>& methods;              // the primary method first
    const std::vector<std::vector<Real>>& rival_costs;  // of the other methods, in order, a number per period
    const std::vector<Certificate>& certificates;
    const std::vector<Alarm>& alarms;
};

class ReportSeries {
  public:
    ReportSeries();
    void add(const PeriodRow& row, ConstView utilisation, Real regret, Real regret_bound);
    void note_events(Index period, std::span<const NetworkEvent> events, const Network& network,
                     const Routing& routing);
    ReportData report(const ReportFacts& facts) const;
    void serialise(StateArchive& archive);

  private:
    std::vector<std::string> labels_;
    ReportPrimary primary_;
    ReportFrames frames_;
    std::vector<ReportEvent> events_;
};

}  // namespace proxstream
