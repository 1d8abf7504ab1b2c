/// What a run on a network writes beside its store.
#pragma once

#include "proxstream/route/decision_log.hpp"
#include "proxstream/route/route_files.hpp"
#include "proxstream/route/route_run.hpp"

#include "route/report_series.hpp"

#include <optional>

namespace proxstream {

struct RouteRun::Outputs {
    std::optional<RouteFiles> files;
    std::optional<DecisionLog> decisions;
    double waited = 0;  // for the feed, since the last period
};

struct RouteRun::Series : ReportSeries {};

}  // namespace proxstream
