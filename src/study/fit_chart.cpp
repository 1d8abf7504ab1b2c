#include "study/fit_chart.hpp"

#include <algorithm>

namespace proxstream {
namespace {

using Coordinate = Real (*)(const FitComparison&, const TracePoint&);

Real passes(const FitComparison& comparison, const TracePoint& point) {
    return static_cast<Real>(point.base_samples) / static_cast<Real>(comparison.pass);
}
Real seconds(const FitComparison& /*comparison*/, const TracePoint& point) {
    return point.seconds;
}
Real squared_residual(const FitComparison& /*comparison*/, const TracePoint& point) {
    return point.residual * point.residual;
}
/// Above the lowest objective that any run has met.
Real gap(const FitComparison& comparison, const TracePoint& point) {
    return point.objective - comparison.lowest;
}

Panel panel(const FitComparison& comparison, const std::string& title, const Axis& x, Coordinate across,
            const Axis& y, Coordinate up) {
    Panel made{.title = title, .x = x, .y = y, .series = {}};
    for (const FitContestant& each : comparison.contestants) {
        ChartSeries series{.name = each.method, .points = {}, .mark = Mark::band};
        for (const TracePoint& point : comparison.run(each, 0).trace)
            series.points.push_back({.x = across(comparison, point), .y = up(comparison, point)});
        made.series.push_back(std::move(series));
    }
    return made;
}

}  // namespace

Chart fit_chart(const FitComparison& comparison, const std::string& title, const std::string& subtitle) {
    const Axis in_passes{.label = "passes"};
    const Axis in_seconds{.label = "seconds", .scale = Scale::log};
    const Axis residual{.label = "|P|^2", .scale = Scale::log};
    const Axis above{.label = "F - lowest met", .scale = Scale::log};
    return {.title = title,
            .subtitle = subtitle,
            .panels = {panel(comparison, "stationarity, equal samples", in_passes, passes, residual,
                             squared_residual),
                       panel(comparison, "stationarity, equal time", in_seconds, seconds, residual,
                             squared_residual),
                       panel(comparison, "objective, equal samples", in_passes, passes, above, gap),
                       panel(comparison, "objective, equal time", in_seconds, seconds, above, gap)},
            .columns = 2};
}

}  // namespace proxstream
