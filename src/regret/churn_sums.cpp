#include "regret/churn_sums.hpp"

#include "core/rounding.hpp"
#include "regret/energy_sums.hpp"
#include "regret/noise_sums.hpp"

#include <algorithm>
#include <cmath>

namespace proxstream {

void ChurnSums::add_movement(const RoundReport& report) {
    path_length.add(report.movement);
    movement_one.add(report.movement_one);
    changed += report.changed;
    if (report.status == RoundStatus::quiet) ++quiet;
    if (report.status == RoundStatus::solved || report.status == RoundStatus::budget_exhausted) ++active;
}

void ChurnSums::add(const RunHeader& rules, const RoundReport& report) {
    add_movement(report);
    if (rules.step_rule == StepRule::none || !rules.exit_test) return;
    penalty.add(report.penalty);
    const Real expected =
        rules.switching * report.movement_one + rules.proximal / 2 * report.movement * report.movement;
    const Real sums = 2 * static_cast<Real>(rules.dimension) + 16;
    const Real lost = (1 + rules.proximal + rules.switching) * lost_to_underflow(rules.dimension);
    if (std::abs(report.penalty - expected) > sums * kUnitRoundoff * expected + lost)
        off_penalty.note(report.round);
    add_path(rules, report);
    add_reason(rules, report);
}

void ChurnSums::add_path(const RunHeader& rules, const RoundReport& report) {
    // A move dy = e P_e decreases Psi_t by at least c |dy| |P_e|: c = 1 - eta L/2 for a fixed step,
    // 1 - lambda/2 for an accepted one. It starts where |P_eta| > target gap, and |P_e| >= min(1, eta/e)
    // |P_eta|.
    const bool fixed = rules.step_rule == StepRule::fixed;
    const Real eta = rules.reference_step;
    const Real step = std::max(eta, report.largest_step);
    const Real factor = fixed ? rules.fixed_gain() / eta : (1 - rules.acceptance / 2) * (eta / step);
    const Real steps = static_cast<Real>(report.steps);
    const Real off = report.gap_rounding;
    const Real noise = sure_noise(rules, report);
    // The length of a move is the root of a sum of squares.
    const Real short_moves =
        (steps + static_cast<Real>(report.cheap_steps) + 1) * root_lost_to_underflow(rules.dimension);
    if (report.cheap_steps > 0) {
        unproved.note(report.round);
    } else if (stood_still(report) && report.path == 0) {
        path.observe(report.round, 0, 0, 0);
    } else if (std::isfinite(report.objective_entry) && std::isfinite(report.objective_exit)) {
        // An update may also have been accepted by the rounding of a value.
        const Real slack = (1 + steps) * fall_rounding(report) +
                           std::abs(factor) * (2 * report.path * off +
                                               (steps * step * off + short_moves) * report.target_gap) +
                           noise * steps * step * off;
        path.observe(report.round, factor * report.target_gap * report.path - noise * report.path,
                     report.objective_entry - report.objective_exit, slack);
    }
    // `off` covers the rounding of a point divided by eta, and every update rounds its point once.
    const Real reach = report.path + report.jump;
    if (report.movement > reach + (steps + 1) * step * off + short_moves + 8 * kUnitRoundoff * reach)
        strayed.note(report.round);
}

void ChurnSums::add_reason(const RunHeader& rules, const RoundReport& report) {
    forecast_changes.add(report.forecast_change);
    change_slack += report.gap_rounding;
    since_ += report.forecast_change;
    since_slack_ += 2 * report.gap_rounding + kUnitRoundoff * since_;
    if (report.status == RoundStatus::quiet) return;
    if (report.status != RoundStatus::moved && chained_) {
        // x stood still since round s: rho_t < |P(x_t; grad Q_{t+1})| <= r_s + sum of the forecast's changes.
        // A sampled gradient may have shown up to s_t more.
        const Real gap = report.tolerance - sure_noise(rules, report) - left_with_;
        const Real slack = since_slack_ + 4 * kUnitRoundoff * (report.tolerance + left_with_ + since_);
        reason.observe(report.round, gap, since_, slack);
        gaps.add(gap);
        gap_changes.add(since_);
        gap_slack += slack;
        varied_tolerance = varied_tolerance || tolerance != report.tolerance;
    }
    chained_ = true;
    tolerance = report.tolerance;
    left_with_ = report.exit_gap;
    since_ = 0;
    since_slack_ = 2 * report.gap_rounding;
}

}  // namespace proxstream
