#include "proxstream/study/study.hpp"

#include "study/plans.hpp"

#include <array>

namespace proxstream {
namespace {

constexpr std::array kStudies{
    StudyRow{"windows", "ways to weight the past, at equal effective length, on five kinds of streams", 5, 2,
             plan_windows},
    StudyRow{"bank", "a bank of windows against every fixed window in hindsight", 5, 2, plan_bank},
    StudyRow{"churn", "what it costs to move less: tolerance, hysteresis, switching penalty", 5, 2,
             plan_churn},
    StudyRow{"streams", "real streams: the bank against fixed windows and the usual methods", 3, 2,
             plan_streams},
};

}  // namespace

std::span<const StudyRow> studies() {
    return kStudies;
}

}  // namespace proxstream
