/// A comparison of fits as a picture: stationarity and objective against passes and against seconds.
#pragma once

#include "fit/compare_fit.hpp"
#include "study/svg_chart.hpp"

#include <string>

namespace proxstream {

/// Each method with its best step; of its seeds the first, whose run is as good as any to show the way.
Chart fit_chart(const FitComparison& comparison, const std::string& title, const std::string& subtitle);

}  // namespace proxstream
