/// Streams of demand on a network: all methods run in one run of `route`, on the same periods.
#pragma once

#include "route/route_settings.hpp"
#include "studies/study.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace proxstream {

inline constexpr StudyFigure kCost{"cost_ratio", "cost / clairvoyant", Better::lower};
inline constexpr StudyFigure kLateCost{"cost_ratio_late", "the same after the first 16 periods"};
inline constexpr StudyFigure kAgainst{"cost_over_re_solve", "cost / re-solve last", Better::lower};
inline constexpr StudyFigure kChurn{"churn_percent", "churn, %", Better::lower};  // of the demand, a period
inline constexpr StudyFigure kMicroseconds{"microseconds", "us a period", Better::lower};
inline constexpr const char* kClairvoyant = "clairvoyant";
inline constexpr const char* kReSolve = "re-solve last";

struct RoutePlan {
    std::string name;
    RouteSettings settings = {};  // all but learner and rivals
    bool fixed_seed = false;      // settings.seed is kept; otherwise the seed of the cell takes its place
    std::string link_json = {};   // node-link JSON with the links; empty: settings.network names them
};

/// A method's text is a value of --learner or --rivals; the first method is the learner.
StudyStream route_stream(const RoutePlan& plan, const std::vector<Method>& methods);

/// Bursty and calm weeks in the city, and bursts in the data centre.
std::vector<RoutePlan> built_in_routes(StudyPreset preset);

/// The folder of real data: $PROXSTREAM_DATA, or ../shared/data.
std::filesystem::path data_folder();

}  // namespace proxstream
