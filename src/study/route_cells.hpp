/// Cells of studies on routing: a run of `route` each, all its methods measured on the same periods.
#pragma once

#include "route/route_settings.hpp"
#include "study/study.hpp"

#include <string>
#include <utility>
#include <vector>

namespace proxstream {

inline constexpr const char* kCost = "cost_ratio";                // total cost over the clairvoyant's
inline constexpr const char* kAgainst = "cost_against_re_solve";  // over that of re-solving the last demand
inline constexpr const char* kChurn = "churn_percent";            // of the demand, a period
inline constexpr const char* kBusiest = "utilisation_max";
inline constexpr const char* kBusy = "utilisation_p95";       // of the busiest link, over the periods
inline constexpr const char* kOverload = "overload_percent";  // of link-periods
inline constexpr const char* kRouteGradients = "gradients";
inline constexpr const char* kDecision = "milliseconds";  // a period

struct RouteStream {
    std::string name;
    RouteSettings settings;  // everything but learner, rivals and seed
};

/// A method: its name in tables, and its text as --learner or --rivals take it.
using RouteMethod = std::pair<std::string, std::string>;

/// One run: the first method leads, the others are its rivals.
StudyCell route_cell(const RouteStream& stream, const std::vector<RouteMethod>& methods, std::uint64_t seed);

/// The figures of the tables.
std::vector<StudyFigure> route_figures();
/// What to type for a stream.
std::string route_command(const RouteStream& stream);

/// Bursty and calm weeks in the city, and bursts in the data centre.
std::vector<RouteStream> built_in_route_streams(StudyPreset preset);

}  // namespace proxstream
