/// Streams of demand on a network: all methods run in one run of `route`, on the same periods.
#pragma once

#include "route/route_settings.hpp"
#include "studies/study.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace proxstream {

inline constexpr const char* kCost = "cost_ratio";             // total cost over the clairvoyant's
inline constexpr const char* kLateCost = "cost_ratio_late";    // the same after the first 16 periods
inline constexpr const char* kAgainst = "cost_over_re_solve";  // over that of re-solving the last demand
inline constexpr const char* kChurn = "churn_percent";         // of the demand, a period
inline constexpr const char* kBusiest = "utilisation_max";
inline constexpr const char* kBusy = "utilisation_p95";       // of the busiest link, over the periods
inline constexpr const char* kOverload = "overload_percent";  // of link-periods
inline constexpr const char* kPeriodGradients = "gradients";
inline constexpr const char* kMicroseconds = "microseconds";  // a period
inline constexpr const char* kClairvoyant = "clairvoyant";
inline constexpr const char* kReSolve = "re-solve last";

struct RoutePlan {
    std::string name;
    RouteSettings settings = {};  // all but learner and rivals
    bool fixed_seed = false;      // settings.seed is kept; otherwise the seed of the cell takes its place
    std::string link_json = {};   // node-link JSON with the links; empty: settings.network names them
};

/// A method's text is what --learner and --rivals take; the first leads.
StudyStream route_stream(const RoutePlan& plan, const std::vector<Method>& methods);

/// The figures of the tables.
std::vector<StudyFigure> route_figures();

/// Bursty and calm weeks in the city, and bursts in the data centre.
std::vector<RoutePlan> built_in_routes(StudyPreset preset);

/// Where real data are: $PROXSTREAM_DATA, or ../shared/data.
std::filesystem::path data_folder();

}  // namespace proxstream
