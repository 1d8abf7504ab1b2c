/// What a run on a network writes beside its store.
#pragma once

#include "route/decision_log.hpp"
#include "route/report_series.hpp"
#include "route/route_files.hpp"
#include "route/route_run.hpp"

#include <optional>

namespace proxstream {

struct RouteRun::Outputs {
    std::optional<RouteFiles> files;
    std::optional<DecisionLog> decisions;
    double waited = 0;  // for the feed, since the last period
};

struct RouteRun::Series : ReportSeries {};

}  // namespace proxstream
