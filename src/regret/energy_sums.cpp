#include "regret/energy_sums.hpp"

#include "regret/noise_sums.hpp"

#include <algorithm>
#include <cmath>

namespace proxstream {
namespace {

/// kappa_t: a proved update from a point with gap |P_eta| decreases Psi_t by at least kappa_t |P_eta|^2.
Real step_worth(const RunHeader& rules, const RoundReport& report) {
    const Real eta = rules.reference_step;
    switch (rules.step_rule) {
        case StepRule::fixed:
            return rules.fixed_gain();  // Theorem 3'
        case StepRule::backtracking:
            break;
        case StepRule::none:
            return 0;
    }
    // (T3): an accepted step is worth (min(eta, e)/2) |P_eta|^2 when lambda <= 1.
    // So is a surrogate phase, which is kept for a fall of M_e.
    if (rules.acceptance <= 1) return std::min(eta, report.smallest_step) / 2;
    // (F): beyond, a step longer than eta counts for eta^2/e only.
    const Real share = 1 - rules.acceptance / 2;
    const auto length = [eta](Real step) { return step <= eta ? step : eta * eta / step; };
    return share * std::min(length(report.smallest_step), length(report.largest_step));
}

}  // namespace

Real fall_rounding(const RoundReport& report) {
    return 2 * report.objective_rounding +
           4 * kUnitRoundoff * (std::abs(report.objective_entry) + std::abs(report.objective_exit));
}

bool stood_still(const RoundReport& report) {
    return report.steps == 0 && report.cheap_steps == 0 && report.movement == 0 && report.penalty == 0 &&
           report.certified_decrease == 0 && report.objective_entry == report.objective_exit;
}

void EnergySums::add(const RunHeader& rules, const RoundReport& report) {
    largest_loss = std::max({largest_loss, std::abs(report.loss), std::abs(report.outgoing_loss)});
    if (!std::isfinite(report.objective_entry) || !std::isfinite(report.objective_exit)) {
        outside.note(report.round);
    } else {
        falls.add(report.objective_entry);
        falls.add(-report.objective_exit);
        value_changes.add(report.value_change);
        objective_slack += report.objective_rounding;
        if (rules.step_rule != StepRule::none) add_decrease(rules, report);
    }
    if (report.steps > 0) add_count(rules, report);
    add_confirmations(rules, report);
}

void EnergySums::add_decrease(const RunHeader& rules, const RoundReport& report) {
    const bool fixed = rules.step_rule == StepRule::fixed;
    const Real step = fixed ? rules.reference_step : report.largest_step;
    if (fixed && report.steps > 0 && (report.smallest_step != step || report.largest_step != step)) {
        off_rule.note(report.round);
    }
    const Real fall = report.objective_entry - report.objective_exit;
    if (stood_still(report)) {
        decrease.observe(report.round, 0, 0, 0);
        return;
    }
    const Real proved = fixed ? rules.fixed_gain() * report.squared_gaps : report.certified_decrease;
    const Real steps = static_cast<Real>(report.steps);
    const Real off = report.gap_rounding;
    // (D): an update along a gradient with noise e loses eta <e, p>, at most eta s_t |p|.
    const Real noise = sure_noise(rules, report);
    // Two measured objectives, and sum |P|^2 with each |P| off by at most `off` (Cauchy-Schwarz).
    const Real slack = fall_rounding(report) +
                       step * off * (2 * std::sqrt(steps * report.squared_gaps) + steps * off) +
                       4 * kUnitRoundoff * report.penalty + noise * steps * step * off;
    // The steps descend on Psi_t with the penalty, which is 0 at x_t.
    decrease.observe(report.round, proved - noise * report.path + report.penalty, fall, slack);
    const Real full = step * report.squared_gaps;
    if (fixed && full > 0) {
        needed_smoothness = std::max(
            needed_smoothness, 2 / step * (1 - (fall - report.penalty + noise * report.path + slack) / full));
    }
}

void EnergySums::add_count(const RunHeader& rules, const RoundReport& report) {
    const Real worth = step_worth(rules, report);
    const Real steps = static_cast<Real>(report.steps);
    const Real weight = steps * worth * report.target_gap;
    // Theorem 5': eta u (c u - s_t) rises in u where it is positive, and u = |p| > tau_t.
    const Real lost = rules.reference_step * sure_noise(rules, report) * report.target_gap;
    const Real unit = worth * report.target_gap * report.target_gap - lost;
    count_weight.add(weight * report.target_gap - steps * lost);
    // An update is made above the target gap as measured, so above it less one rounding in truth.
    count_slack += 2 * weight * report.gap_rounding;
    smallest_unit = std::min(smallest_unit, unit);
    if (lost > 0 && unit <= 0) uncovered.note(report.round);
    if (!target_gap) target_gap = report.target_gap;
    varied_target_gap = varied_target_gap || *target_gap != report.target_gap;
}

void EnergySums::add_confirmations(const RunHeader& rules, const RoundReport& report) {
    cheap_steps += report.cheap_steps;
    confirmations += report.confirmations;
    failed_confirmations += report.failed_confirmations;
    const bool solved = report.status == RoundStatus::solved;
    if (solved && report.cheap_steps > 0 && report.confirmations == 0) unconfirmed.note(report.round);
    if (solved && report.failed_confirmations > report.steps) unpaid.note(report.round);
    // (T4): an exact update follows each failure, unless the budget ended the round there.
    const Real paid = static_cast<Real>(std::min(report.failed_confirmations, report.steps));
    if (paid == 0) return;
    const Real weight = paid * step_worth(rules, report) * report.target_gap;
    failures.add(weight * report.target_gap);
    failure_slack += 2 * weight * report.gap_rounding;
}

}  // namespace proxstream
