/// The chart of `compare-fit`: stationarity and objective against passes and against seconds.
#pragma once

#include "fit/compare_fit.hpp"

#include <string>

namespace proxstream::app {

/// Writes the chart as SVG: each method with its best step, under the first seed. False if the program was
/// built without the studies, which hold the charts; nothing is written then.
bool write_fit_chart(const std::string& path, const FitComparison& comparison, const std::string& subtitle);

}  // namespace proxstream::app
