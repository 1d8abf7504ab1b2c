#include "studies/plans.hpp"

#include <array>

namespace proxstream {
namespace {

constexpr std::array kStudies{
    StudyRow{"windows", "ways to weight the past, at equal effective length, on five kinds of streams", 5, 2,
             plan_windows},
    StudyRow{"ensembles", "an ensemble of windows against every fixed window in hindsight", 5, 2,
             plan_ensembles},
    StudyRow{"churn", "the cost of moving less, on rows and on roads: tolerance, hysteresis, switching", 5, 2,
             plan_churn},
    StudyRow{"defaults", "the default against every fixed window and every rival, on all data or on your own",
             3, 2, plan_defaults, plan_defaults_on},
    StudyRow{"regret-window",
             "Reg_w/T against the window: upper bounds, other windows, and what no policy avoids", 5, 2,
             plan_regret_window},
    StudyRow{"window-choice", "a season: where regret, variation and loss dip; and a drift that is too fast",
             5, 2, plan_window_choice},
    StudyRow{"steps", "updates against T and w: where O(w^2) is right and where it is O(T w)", 5, 2,
             plan_steps},
    StudyRow{"errata", "claims of the paper that fail: claimed, measured, corrected", 3, 2, plan_errata},
    StudyRow{"selection", "what stopping does to the estimate a round ends with; fresh and confirmed", 5, 2,
             plan_selection},
    StudyRow{"samples", "base samples a round against w: the paper's calls, independent noise, spider", 5, 2,
             plan_samples},
    StudyRow{"sample-complexity",
             "base samples to |P|^2 <= eps against eps: prox-sgd, the reduction, spider, sarah, storm", 3, 2,
             plan_sample_complexity},
    StudyRow{"routing", "windows against re-solving, by cost and churn: a backbone, a city, a data centre", 3,
             2, plan_routing},
    StudyRow{"games", "windows in games: the gap and its bound, and whether the play itself comes to rest", 3,
             2, plan_games},
    StudyRow{"gans", "windows of past opponents for small GANs, at equal numbers of samples", 5, 2,
             plan_gans},
};

}  // namespace

std::span<const StudyRow> studies() {
    return kStudies;
}

}  // namespace proxstream
