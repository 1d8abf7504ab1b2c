/// Replaces study.cpp and the charts in a program that is built without the studies.
#include "proxstream/core/error.hpp"

#include "app/compare_chart.hpp"
#include "app/verbs.hpp"

namespace proxstream::app {

namespace {

[[noreturn]] void refuse(const std::string& verb) {
    throw ConfigError(verb +
                      ": this program was built without the studies; build it with -DPROXSTREAM_STUDIES=ON");
}

}  // namespace

int study(const std::vector<std::string>& /*arguments*/) {
    refuse("study");
}

int compare_fits(const std::vector<std::string>& /*arguments*/) {
    refuse("compare-fit");
}

bool has_compare_chart() {
    return false;
}

void write_compare_chart(const std::string& /*path*/, const CompareOutcome& /*outcome*/,
                         const std::string& /*subtitle*/) {}

}  // namespace proxstream::app
