/// Rates: the exponent in y = c x^a, read off a chart's points on two logarithmic axes.
#pragma once

#include "study/estimate.hpp"
#include "study/svg_chart.hpp"

#include <span>

namespace proxstream {

/// The slope of log y against log x by least squares. Its error is the standard error under independent
/// deviations from the line, which two points do not tell; `count` is the number of points. Nothing (count
/// 0) if a point has no logarithm, or all have the same x: a rate must not rest on what was left out.
Estimate log_log_slope(std::span<const ChartPoint> points);

}  // namespace proxstream
