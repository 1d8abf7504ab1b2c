/// Replaces study.cpp and the charts in a program that is built without the studies.
#include "proxstream/core/error.hpp"

#include "app/compare_chart.hpp"
#include "app/fit_chart.hpp"
#include "app/verbs.hpp"

namespace proxstream::app {

int study(const std::vector<std::string>& /*arguments*/) {
    throw ConfigError(
        "study: this program was built without the studies; build it with -DPROXSTREAM_STUDIES=ON");
}

bool write_fit_chart(const std::string& /*path*/, const FitComparison& /*comparison*/,
                     const std::string& /*subtitle*/) {
    return false;
}

bool has_compare_chart() {
    return false;
}

void write_compare_chart(const std::string& /*path*/, const CompareOutcome& /*outcome*/,
                         const std::string& /*subtitle*/) {}

}  // namespace proxstream::app
