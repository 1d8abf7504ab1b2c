#include "study/plans.hpp"
#include "study/study.hpp"

#include <array>

namespace proxstream {
namespace {

constexpr std::array kStudies{
    StudyRow{"windows", "ways to weight the past, at equal effective length, on five kinds of streams", 5, 2,
             plan_windows},
    StudyRow{"bank", "a bank of windows against every fixed window in hindsight", 5, 2, plan_bank},
    StudyRow{"churn", "what it costs to move less: tolerance, hysteresis, switching penalty", 5, 2,
             plan_churn},
    StudyRow{"defaults", "the default against every fixed window and every rival, on all data or on your own",
             3, 2, plan_defaults, plan_defaults_on},
    StudyRow{"regret-window", "Reg_w/T against the window, with its bounds, and judged by other windows", 5,
             2, plan_regret_window},
    StudyRow{"steps", "updates against T and w: where O(w^2) is right and where it is O(T w)", 5, 2,
             plan_steps},
    StudyRow{"errata", "claims of the paper that fail: claimed, measured, corrected", 3, 2, plan_errata},
    StudyRow{"selection",
             "what stopping does to the estimate a round ends with; the paper's variant, fresh, "
             "confirmed",
             5, 2, plan_selection},
    StudyRow{"samples", "base samples a round against w: the paper's calls, independent noise, spider", 5, 2,
             plan_samples},
    StudyRow{"sample-complexity",
             "base samples to |P|^2 <= eps against eps: prox-sgd, the reduction, spider, sarah, storm", 3, 2,
             plan_sample_complexity},
    StudyRow{"offline-errata", "claims about one fixed loss that fail: Corollaries 1 and 2", 3, 2,
             plan_offline_errata},
    StudyRow{"w1", "what no policy avoids: linear regret with window 1, T/(8 w^2) with window w", 5, 2,
             plan_w1},
    StudyRow{"window-choice",
             "a season: where regret, variation and loss dip; and a drift that outruns the window", 5, 2,
             plan_window_choice},
    StudyRow{"routing", "windows against re-solving, by cost and churn: a backbone, a city, a data centre", 3,
             2, plan_routing},
    StudyRow{"route-churn", "churn of splits against cost: tolerance, hysteresis, switching price", 3, 2,
             plan_route_churn},
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
