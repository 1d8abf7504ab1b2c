/// The fields of what a run records, one list for each struct. A list serves the ledger's writer, its reader,
/// the checks, the JSON of certificates and saved states (docs/ledger.md).
///
/// A list calls its visitor with key, value and allowed range, in the ledger's order. Header, report and
/// footer have the same fields for a run and for a member of an ensemble. Only a run may have members, which
/// bounds the depth of what is read.
#pragma once

#include "proxstream/core/round_report.hpp"
#include "proxstream/regret/run_record.hpp"

#include "ledger_line.hpp"

#include <array>

namespace proxstream {

inline constexpr std::array kStepRules{StepRule::fixed, StepRule::backtracking, StepRule::none};
inline constexpr std::array kEndings{RunEnding::finished, RunEnding::interrupted, RunEnding::refused,
                                     RunEnding::failed};
inline constexpr std::array kStatuses{RoundStatus::quiet, RoundStatus::solved, RoundStatus::budget_exhausted,
                                      RoundStatus::moved, RoundStatus::refused};

inline constexpr Real kUnit = std::numeric_limits<Real>::epsilon();
inline constexpr Range kShare{.least = 0, .most = 1, .words = "a number from 0 to 1"};
inline constexpr Range kPositiveShare{.least = kPositive.least, .most = 1, .words = "above 0 and at most 1"};
inline constexpr Range kInsideOne{
    .least = kPositive.least, .most = 1 - kUnit / 2, .words = "between 0 and 1, both excluded"};
inline constexpr Range kInsideTwo{
    .least = kPositive.least, .most = 2 - kUnit, .words = "between 0 and 2, both excluded"};
inline constexpr Range kFromAbove{.most = kInfinity, .words = "a number or +infinity"};
inline constexpr Range kFromBelow{.least = -kInfinity, .words = "a number or -infinity"};

inline constexpr auto kNoiseFields = [](auto& visit, auto& noise) {
    visit("oracle", noise.oracle);
    visit("variant", noise.variant);
    visit("estimator", noise.estimator);
    visit("confirm", noise.confirm, kCount);
    visit("sigma", noise.sigma, kNonnegative);
    visit("bounded", noise.bounded);
    visit("independent", noise.independent);
    visit("origin", noise.origin);
    visit("confidence", noise.confidence, kInsideOne);
    visit("refereed", noise.refereed);
    visit({"losses", "losses_known"}, noise.losses_known);
};

inline constexpr auto kHeaderFields = [](auto& visit, auto& header) {
    visit("name", header.name);
    visit({"n", "dimension"}, header.dimension, kCount);
    visit({"w", "window"}, header.window, kCount);
    visit({"window", "window_text"}, header.window_text);
    visit({"wa", "effective_length"}, header.effective_length, kPositive);
    visit("model", header.model);
    visit({"theta", "hysteresis"}, header.hysteresis, kPositiveShare);
    visit({"kappa", "switching"}, header.switching, kNonnegative);
    visit({"mu", "proximal"}, header.proximal, kNonnegative);
    visit({"eta", "step"}, header.reference_step, kPositive);
    visit({"L", "smoothness"}, header.smoothness, kNonnegative);
    visit.named({"rule", "step_rule"}, header.step_rule, kStepRules);
    visit("lambda", header.acceptance, kInsideTwo);
    visit({"r0", "initial_gap"}, header.initial_gap, kNonnegative);
    visit({"g1", "initial_objective"}, header.initial_objective, kFromAbove);
    visit({"ginf", "regulariser_infimum"}, header.regulariser_infimum, kFromBelow);
    visit({"gs", "prox_scale"}, header.prox_scale, kNonnegative);
    visit({"records", "initial_records"}, header.initial_records);
    visit("exit_test", header.exit_test);
    visit("measured", header.measured);
    visit("max_steps", header.max_steps, kAny);
    visit("max_seconds", header.max_seconds, kNonnegative);
    visit({"also", "other_windows"}, header.other_windows, kCount);
    visit.object("noise", header.noise, kNoiseFields);
    visit("settings", header.settings);
};

/// What was measured in a round that was not refused.
inline constexpr auto kFigureFields = [](auto& visit, auto& report) {
    visit("N", report.steps);
    visit("Nc", report.cheap_steps);
    visit("cf", report.confirmations);
    visit("ff", report.failed_confirmations);
    visit("ch", report.changed);
    visit("tol", report.tolerance, kNonnegative);
    visit("target", report.target_gap, kNonnegative);
    visit("R", report.entry_gap, kNonnegative);
    visit("Rq", report.forecast_gap, kNonnegative);
    visit("r", report.exit_gap, kNonnegative);
    visit("rt", report.tested_gap, kNonnegative);
    visit("d", report.variation, kNonnegative);
    visit("B", report.firm_bound, kNonnegative);
    visit("u", report.forecast_change, kNonnegative);
    visit("f", report.loss, kAny);
    visit("fo", report.outgoing_loss, kAny);
    visit("x", report.value_change, kAny);
    visit("g", report.regulariser, kMaybeInfinite);
    visit("Pe", report.objective_entry, kMaybeInfinite);
    visit("Px", report.objective_exit, kMaybeInfinite);
    visit("dec", report.certified_decrease, kAny);
    visit("P2", report.squared_gaps, kNonnegative);
    visit("e0", report.smallest_step, kNonnegative);
    visit("e1", report.largest_step, kNonnegative);
    visit("mv", report.movement, kNonnegative);
    visit("mv1", report.movement_one, kNonnegative);
    visit("path", report.path, kNonnegative);
    visit("jump", report.jump, kNonnegative);
    visit("pen", report.penalty, kNonnegative);
    visit("nx", report.point_norm, kNonnegative);
    visit("ng", report.gradient_norm, kNonnegative);
    // Of runs with sampled gradients; 0 in all others.
    visit("Rg", report.first_gap, kNonnegative);
    visit("n1", report.first_noise, kNonnegative);
    visit("nk", report.kept_noise, kNonnegative);
    visit("nl", report.noise_level, kNonnegative);
};

/// The round's number is the line's.
inline constexpr auto kReportFields = [](auto& visit, auto& report) {
    visit.named("s", report.status, kStatuses);
    if (report.status != RoundStatus::refused) kFigureFields(visit, report);
    visit("c", report.cost);
    visit("cr", report.referee_cost);
};

inline constexpr auto kExtrasFields = [](auto& visit, auto& extras) {
    visit.if_there("also", extras.other_gaps, kNonnegative);
    visit.if_there("pl", extras.prediction_loss, kAny);
};

/// Without the members' reports. `lists` holds what the round views.
inline constexpr auto kEnsembleFields = [](auto& visit, auto& round, auto& lists) {
    visit("k", round.active_member);
    visit("eps", round.rate, kNonnegative);
    visit("al", round.share, kShare);
    visit("off", round.offset, kNonnegative);
    visit.if_there("gap", round.mean_gap, kNonnegative);
    visit("p", lists.weights, kNonnegative);
    visit("l", lists.losses, kAny);
    visit.if_there("z", lists.mixer_losses, kAny);
    visit.if_there("sl", lists.slopes, kAny);
};

inline constexpr auto kFooterFields = [](auto& visit, auto& footer) {
    visit.named("end", footer.ending, kEndings);
    visit("T", footer.totals.rounds);
    visit("refused", footer.totals.refused);
    visit("N", footer.totals.steps);
    visit("c", footer.totals.cost);
    visit("cr", footer.totals.referee_cost);
    visit("seconds", footer.seconds, kNonnegative);
    visit("g", footer.final_regulariser, kMaybeInfinite);
    visit("last", footer.final_losses, kAny);
    visit("weights", footer.final_weights, kNonnegative);
};

}  // namespace proxstream
