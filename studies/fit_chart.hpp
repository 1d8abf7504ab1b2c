/// The chart of `compare-fit`: stationarity and objective against passes and against seconds.
#pragma once

#include "studies/chart.hpp"
#include "studies/compare_fit.hpp"

#include <string>

namespace proxstream {

/// Each method with its best step, under the first seed.
Chart fit_chart(const FitComparison& comparison, const std::string& subtitle);

}  // namespace proxstream
