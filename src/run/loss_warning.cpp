#include "run/loss_warning.hpp"

#include "proxstream/core/spec.hpp"

#include <fmt/format.h>

namespace proxstream {
namespace {

/// With fewer rounds per coordinate, little can have been learned.
constexpr Round kFewRounds = 10;
/// Share of rounds on their budget that is worth a warning.
constexpr Real kManyRounds = 0.1;
/// At such a score, the probability of an error would be below 1e-200, which no data justify.
constexpr Real kAbsurdScore = 500;

using Lines = std::vector<std::string>;

/// The members of an ensemble have small budgets by design. So a larger budget is advised only if the loss is
/// high.
void warn_of_budget(Lines& found, const LearnSettings& settings, const LearnRun& run,
                    const LearnProgress& totals, bool loss_is_high) {
    if (!(static_cast<Real>(totals.on_budget) > kManyRounds * static_cast<Real>(totals.rounds))) return;
    if (!run.header().members.empty() && !loss_is_high) return;
    found.push_back(fmt::format(
        "{} of {} rounds ended on their budget: try {}", totals.on_budget, totals.rounds,
        !run.header().members.empty() ? "--window auto:steps=20,effort=512"
        : settings.effort > 0
            ? fmt::format("--effort {:g} or more", 4 * settings.effort)
            : fmt::format("--max-steps {} or more, or a looser --tolerance", 10 * settings.max_steps)));
}

void warn_of_scores(Lines& found, const LearnSettings& settings, const LearnProgress& totals) {
    if (settings.reg != "zero" || !(totals.largest_score > kAbsurdScore)) return;
    found.push_back(
        fmt::format("scores grow up to {:.3g}, since there is no regulariser and rows can be "
                    "separated: try --reg l2sq:0.001",
                    totals.largest_score));
}

/// A short window is fine if its minimiser is unique for another reason.
void warn_of_window(Lines& found, const LearnSettings& settings, const LearnRun& run, bool loss_is_high) {
    const RunHeader& header = run.header();
    const Index coordinates = run.problem().family().dimension();
    if (!header.members.empty() || Spec::parse(settings.learner).name() != "time-smoothed" ||
        header.window * settings.batch > coordinates)
        return;
    if (!loss_is_high && (header.proximal > 0 || settings.reg != "zero")) return;
    found.push_back(
        fmt::format("a window of {} does not determine {} coordinates: try --window auto, or a longer one",
                    header.window, coordinates));
}

/// `explained`: another warning names the likely cause.
std::string high_loss(const LearnRun& run, const LearnProgress& totals, bool explained) {
    const Index coordinates = run.problem().family().dimension();
    std::string text = "the loss is above that of the best constant: ";
    if (totals.rounds < kFewRounds * coordinates) {
        return text + fmt::format("{} rounds are few for {} coordinates; use more rows or fewer features",
                                  totals.rounds, coordinates);
    }
    if (explained) return text + "see the next warning";
    return text + "try --window auto, other features, or --lags";
}

}  // namespace

std::string scales_warning(const LearnSettings& settings, const Problem& problem) {
    if (!(problem.column_spread() > kWideScales) || problem.scaled() || settings.normalise) return {};
    return fmt::format("column scales differ by a factor of {:.3g}: try {}", problem.column_spread(),
                       settings.raw ? "leaving out --raw" : "--standardise");
}

std::vector<std::string> warnings(const LearnSettings& settings, const LearnRun& run,
                                  const LearnOutcome& outcome) {
    const LearnProgress& totals = outcome.totals;
    if (totals.rounds == 0 && totals.unlabelled > 0)
        return {
            fmt::format("no row has a label in the column '{}', so nothing was learned; --label NAME names "
                        "another column",
                        run.problem().stream().reader().label_name())};
    if (totals.rounds == 0) return {};
    const bool high = outcome.best_constant &&
                      totals.loss_sum / static_cast<Real>(totals.rounds) > outcome.best_constant->loss;
    Lines found;
    if (std::string text = scales_warning(settings, run.problem()); !text.empty())
        found.push_back(std::move(text));
    warn_of_scores(found, settings, totals);
    warn_of_budget(found, settings, run, totals, high);
    warn_of_window(found, settings, run, high);
    const RunHeader& longest = run.header().members.empty() ? run.header() : run.header().members.back();
    if (longest.noise && totals.steps == 0)
        found.emplace_back(
            "no round moved, since the noise allows no finer test: draw more rows with "
            "--oracle, or take a longer window");
    if (high) found.insert(found.begin(), high_loss(run, totals, !found.empty()));
    return found;
}

}  // namespace proxstream
