#include "run/loss_warning.hpp"

#include "proxstream/core/spec.hpp"

#include <fmt/format.h>

namespace proxstream {
namespace {

/// Rounds for each coordinate below which little can have been learned.
constexpr Round kFewRounds = 10;
/// Share of rounds on their budget that is worth a word.
constexpr Real kManyRounds = 0.1;

std::string budget_cause(const LearnSettings& settings, const LearnProgress& totals, bool ensemble) {
    return fmt::format("{} of {} rounds ended on their budget: try {}", totals.on_budget, totals.rounds,
                       ensemble              ? "--window auto:steps=20,effort=512"
                       : settings.effort > 0 ? fmt::format("--effort {:g} or more", 4 * settings.effort)
                                             : fmt::format("--max-steps {} or more, or a looser --tolerance",
                                                           10 * settings.max_steps));
}

}  // namespace

std::vector<std::string> above_constant(const LearnSettings& settings, const LearnRun& run,
                                        const LearnOutcome& outcome) {
    const LearnProgress& totals = outcome.totals;
    const auto rounds = static_cast<Real>(totals.rounds);
    if (!outcome.best_constant || totals.rounds == 0 ||
        totals.loss_sum / rounds <= outcome.best_constant->loss)
        return {};
    std::vector<std::string> causes;
    const RunHeader& header = run.header();
    const bool ensemble = !header.members.empty();
    const Index coordinates = run.problem().family().dimension();
    if (static_cast<Real>(totals.on_budget) > kManyRounds * rounds)
        causes.push_back(budget_cause(settings, totals, ensemble));
    const bool margin = run.problem().family().target_kind() == TargetKind::sign;
    if (margin && settings.reg == "zero") {
        causes.emplace_back(
            "there is no regulariser, and rows that can be separated have no minimiser: try --reg "
            "l2sq:0.001");
    }
    if (run.problem().column_spread() > kWideScales && !run.problem().scaled()) {
        causes.push_back(fmt::format(
            "column scales differ by a factor of {:.3g}, so one step suits few of them: {} scales them",
            run.problem().column_spread(), settings.raw ? "leaving out --raw" : "--standardise"));
    }
    if (totals.rounds < kFewRounds * coordinates) {
        causes.push_back(fmt::format("{} rounds are few for {} coordinates", totals.rounds, coordinates));
    }
    if (!ensemble && Spec::parse(settings.learner).name() == "time-smoothed" &&
        header.window <= coordinates) {
        causes.push_back(fmt::format(
            "a window of {} does not determine {} coordinates: try --window auto, or a longer one",
            header.window, coordinates));
    }
    if (causes.empty()) {
        causes.emplace_back(
            "nothing measured explains it: the features may say little about the label, or the label changes "
            "faster than the learner follows; try --window auto, other features, or --lags");
    }
    return causes;
}

}  // namespace proxstream
