#include "studies/fit_chart.hpp"

#include <utility>

namespace proxstream {
namespace {

using Coordinate = Real (*)(const FitComparison&, const TracePoint&);

Real passes(const FitComparison& comparison, const TracePoint& point) {
    return static_cast<Real>(point.base_samples) / static_cast<Real>(comparison.pass);
}
Real seconds(const FitComparison& /*comparison*/, const TracePoint& point) {
    return point.seconds;
}
Real squared_gap(const FitComparison& /*comparison*/, const TracePoint& point) {
    return point.gap * point.gap;
}
/// Above the lowest objective that any run has met.
Real excess(const FitComparison& comparison, const TracePoint& point) {
    return point.objective - comparison.lowest;
}

Panel panel(const FitComparison& comparison, const std::string& title, const Axis& x, Coordinate across,
            const Axis& y, Coordinate up) {
    Panel made{.title = title, .x = x, .y = y, .series = {}};
    for (const FitEntry& each : comparison.entries) {
        ChartSeries series{.name = each.method, .points = {}, .mark = Mark::curve};
        for (const TracePoint& point : comparison.run(each, 0).trace)
            series.points.push_back({.x = across(comparison, point), .y = up(comparison, point)});
        made.series.push_back(std::move(series));
    }
    return made;
}

}  // namespace

Chart fit_chart(const FitComparison& comparison, const std::string& subtitle) {
    const Axis in_passes{.label = "passes"};
    const Axis in_seconds{.label = "seconds", .scale = Scale::log};
    const Axis gap{.label = "|P|^2", .scale = Scale::log};
    const Axis above{.label = "F - lowest found", .scale = Scale::log};
    return {.title = "Fits: stationarity and objective",
            .subtitle = subtitle,
            .panels = {panel(comparison, "stationarity, equal samples", in_passes, passes, gap, squared_gap),
                       panel(comparison, "stationarity, equal time", in_seconds, seconds, gap, squared_gap),
                       panel(comparison, "objective, equal samples", in_passes, passes, above, excess),
                       panel(comparison, "objective, equal time", in_seconds, seconds, above, excess)},
            .columns = 2};
}

}  // namespace proxstream
