#include "proxstream/regret/tally.hpp"

#include "ledger_format.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace proxstream {

void WorstRound::observe(Round now, Real now_left, Real now_right, Real now_slack) {
    const Real bound = now_right + now_slack;
    const bool holds = now_left <= bound;
    // How much of the bound is used up; every broken case ranks above every kept one.
    const Real used = bound > 0 ? now_left / bound : (holds ? 0 : kInfinity);
    const Real severity = holds ? std::min(used, Real{1}) : 1 + used;
    ++checked;
    if (!holds && ++violations == 1) first_violation = now;
    if (severity <= severity_) return;
    severity_ = severity;
    round = now;
    left = now_left;
    right = now_right;
    slack = now_slack;
}

Tally::Tally(const RunHeader& header)
    : header_(header),
      previous_residual_(header.initial_residual),
      previous_tolerance_(header.initial_residual),
      other_regrets_(header.other_windows.size()) {
    header_.validate();
}

void Tally::add(const RoundReport& report, const RowExtras& extras) {
    constexpr std::string_view kSource = "round report";
    check_row(header_, report, extras, kSource, report.round);
    order_.check(report, kSource, report.round);
    totals_.cost += report.cost;
    totals_.referee_cost += report.referee_cost;
    if (report.status == RoundStatus::refused) {
        ++totals_.refused;
        return;
    }
    ++totals_.rounds;
    totals_.steps += report.steps;
    if (report.status == RoundStatus::quiet) ++quiet_;
    path_length_.add(report.movement);
    for (Index i = 0; i < other_regrets_.size(); ++i) {
        other_regrets_[i].add(extras.other_residuals[i] * extras.other_residuals[i]);
    }
    if (extras.prediction_loss) {
        prediction_loss_.add(*extras.prediction_loss);
        ++predictions_;
    }
    add_exit(report);
    add_regret(report);
    add_objective(report);
    add_count(report);
}

void Tally::add_exit(const RoundReport& report) {
    if (header_.exit_test) tests_ += report.steps + 1;
    if (report.tolerance > 0) {
        smallest_tolerance_ =
            smallest_tolerance_ > 0 ? std::min(smallest_tolerance_, report.tolerance) : report.tolerance;
    }
    if (report.status == RoundStatus::budget_exhausted) {
        if (++exhausted_ == 1) first_exhausted_ = report.round;
    } else if (!header_.exit_test || report.status == RoundStatus::moved) {
        ++untested_;
    } else {
        exit_test_.observe(report.round, report.exit_residual, report.tolerance, report.residual_rounding);
    }
}

void Tally::add_regret(const RoundReport& report) {
    const Real rounding = report.residual_rounding;
    // Both sides of C2 are measured: each may be off by the rounding of a residual.
    firm_bound_.observe(report.round, report.entry_residual, report.firm_bound,
                        2 * rounding + 4 * kUnitRoundoff * report.firm_bound);

    const Real change = report.variation / static_cast<Real>(header_.window);  // d_t / w
    const Real bound = previous_residual_ + change;
    // C2's two roundings, one more to pass from the firm bound to the sum, and r_{t-1} measured twice.
    const Real off = 3 * rounding + 2 * previous_rounding_;
    regret_.add(report.entry_residual * report.entry_residual);
    variation_.add(report.variation * report.variation);
    exits_.add(previous_residual_ * previous_residual_);
    tolerances_.add(previous_tolerance_ * previous_tolerance_);
    path_bound_.add(bound * bound);
    claimed_.add(report.tolerance * report.tolerance);
    residual_slack_ += off * (2 * bound + off);
    rounding_norm_ += off * off;

    previous_residual_ = report.exit_residual;
    previous_rounding_ = rounding;
    previous_tolerance_ = report.tolerance;
}

void Tally::add_objective(const RoundReport& report) {
    largest_loss_ = std::max({largest_loss_, std::abs(report.loss), std::abs(report.outgoing_loss)});
    if (!std::isfinite(report.objective_entry) || !std::isfinite(report.objective_exit)) {
        if (++outside_ == 1) first_outside_ = report.round;
        return;
    }
    drops_.add(report.objective_entry);
    drops_.add(-report.objective_exit);
    losses_.add(report.loss);
    losses_.add(-report.outgoing_loss);
    objective_slack_ += report.objective_rounding;
    if (header_.step_rule != StepRule::none) add_decrease(report);
}

Real Tally::proved_decrease(const RoundReport& report) const {
    if (header_.step_rule == StepRule::backtracking) return report.certified_decrease;
    return header_.fixed_gain() * report.squared_residuals;
}

void Tally::add_decrease(const RoundReport& report) {
    const bool fixed = header_.step_rule == StepRule::fixed;
    const Real step = fixed ? header_.reference_step : report.largest_step;
    if (fixed && report.steps > 0 && (report.smallest_step != step || report.largest_step != step)) {
        if (++off_rule_ == 1) first_off_rule_ = report.round;
    }
    const Real drop = report.objective_entry - report.objective_exit;
    const Real steps = static_cast<Real>(report.steps);
    const Real off = report.residual_rounding;
    // Two measured objectives, and sum |P|^2 with each |P| off by at most `off` (Cauchy-Schwarz).
    const Real slack =
        2 * report.objective_rounding +
        4 * kUnitRoundoff * (std::abs(report.objective_entry) + std::abs(report.objective_exit)) +
        step * off * (2 * std::sqrt(steps * report.squared_residuals) + steps * off);
    decrease_.observe(report.round, proved_decrease(report), drop, slack);
    const Real full = step * report.squared_residuals;
    if (fixed && full > 0) {
        needed_smoothness_ = std::max(needed_smoothness_, 2 / step * (1 - (drop + slack) / full));
    }
}

Real Tally::step_worth(const RoundReport& report) const {
    const Real eta = header_.reference_step;
    switch (header_.step_rule) {
        case StepRule::fixed:
            return header_.fixed_gain();  // Theorem 3'
        case StepRule::backtracking:
            break;
        case StepRule::none:
            return 0;
    }
    // (T3): an accepted step is worth (min(eta, e)/2) |P_eta|^2 when lambda <= 1.
    if (header_.acceptance <= 1) return std::min(eta, report.smallest_step) / 2;
    // (F): beyond, a step longer than eta counts for eta^2/e only.
    const auto length = [eta](Real step) { return step <= eta ? step : eta * eta / step; };
    return (1 - header_.acceptance / 2) * std::min(length(report.smallest_step), length(report.largest_step));
}

void Tally::add_count(const RoundReport& report) {
    if (report.steps == 0) return;
    const Real worth = step_worth(report);
    const Real weight = static_cast<Real>(report.steps) * worth * report.tolerance;
    count_weight_.add(weight * report.tolerance);
    // An update is made above the tolerance as measured, so above it less one rounding in truth.
    count_slack_ += 2 * weight * report.residual_rounding;
    smallest_worth_ = std::min(smallest_worth_, worth);
    if (!tolerance_) tolerance_ = report.tolerance;
    varied_tolerance_ = varied_tolerance_ || *tolerance_ != report.tolerance;
}

RunFooter Tally::footer(Real final_regulariser, ConstView final_losses, RunEnding ending,
                        Real seconds) const {
    RunFooter footer;
    footer.totals = totals_;
    footer.final_regulariser = final_regulariser;
    footer.final_losses.assign(final_losses.begin(), final_losses.end());
    footer.ending = ending;
    footer.seconds = seconds;
    check_footer(header_, footer, "run footer", 0);
    return footer;
}

}  // namespace proxstream
