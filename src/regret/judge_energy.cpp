/// C4, C5, C6 and C9: what the energy E_T pays for.
#include "judge.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace proxstream {

bool Judge::leaves_domain(Inequality& inequality) const {
    if (!outside_) return false;
    const Occurrences& outside = tally_.energy_.outside;
    return settle(
        inequality, Verdict::not_applicable,
        outside ? fmt::format("g was infinite in {} rounds, first in round {}", outside.count, outside.first)
                : "g is infinite at the first or the last point");
}

bool Judge::promises_no_decrease(Inequality& inequality) const {
    const bool too_long = header_.step_rule == StepRule::fixed && header_.fixed_gain() <= 0;
    if (header_.step_rule != StepRule::none && !too_long) return false;
    return settle(inequality, Verdict::not_promised,
                  too_long ? fmt::format("a fixed step proves a decrease only below 2/L = {:.6g}",
                                         2 / header_.claimed_smoothness())
                           : "this learner promises no decrease in its inner steps");
}

bool Judge::promises_no_test(Inequality& inequality) const {
    // A tolerance that adapts is 0 until it has seen a change: one such round takes nothing from the others.
    if (header_.exit_test && (tally_.energy_.aim != 0 || tally_.energy_.varied_aim)) return false;
    return settle(inequality, Verdict::not_promised,
                  "updates are counted against an exit test, and none was promised");
}

void Judge::add_energy() {
    if (bank_) return;
    if (outside_) {
        energy_ = kInfinity;
        return;
    }
    CompensatedSum losses = tally_.energy_.exchanges;
    for (Index i = 0; i < footer_.final_losses.size(); ++i) {
        losses.add(-footer_.final_weights[i] * footer_.final_losses[i]);
        largest_loss_ = std::max(largest_loss_, std::abs(footer_.final_losses[i]));
    }
    const Real start = header_.initial_objective;
    const Real end = footer_.final_regulariser;
    energy_ = (start - end) + losses.value();
    // An exchange is a difference of losses: what rounds there is part of its round's objective rounding.
    energy_slack_ = 2 * tally_.energy_.objective_slack + losses.rounding(4) +
                    4 * kUnitRoundoff * (std::abs(start) + std::abs(end));
    magnitude_ = losses.magnitude() + std::abs(start) + std::abs(end);
}

Inequality Judge::decrease() const {
    const EnergySums& sums = tally_.energy_;
    const bool penalised = header_.priced();
    Inequality result = from(sums.decrease, "C4",
                             penalised       ? "proved decrease + penalty <= fall of Psi_t"
                             : header_.noise ? "sum eta|p| (c|p| - s_t) <= fall of Psi_t"
                                             : "proved decrease <= fall of Psi_t, every round");
    if (nothing_played(result) || unmeasured(result)) return result;
    if (sums.off_rule) {
        settle(result, Verdict::violated,
               fmt::format("{} rounds used other steps than the declared eta, first in round {}",
                           sums.off_rule.count, sums.off_rule.first));
        return result;
    }
    if (leaves_domain(result) || promises_no_decrease(result) ||
        unsure(result, "a single update may climb; see C12"))
        return result;
    const bool fixed = header_.step_rule == StepRule::fixed;
    if (result.verdict == Verdict::violated) {
        const std::string where = fmt::format("broken in {} rounds, first in round {}",
                                              sums.decrease.violations, sums.decrease.first_violation);
        result.explanation = fixed && sums.needed_smoothness > header_.claimed_smoothness()
                                 ? fmt::format("L too small: at least {:.6g} ({:.6g} was claimed); {}",
                                               sums.needed_smoothness, header_.claimed_smoothness(), where)
                                 : "inconsistent values or gradients: " + where;
        if (header_.noise) {
            result.explanation = tally_.noise_.error.violations > 0
                                     ? "sigma was claimed too small, see C10: " + where
                                     : result.explanation + "; or sigma was claimed too small";
        }
    }
    return result;
}

Inequality Judge::identity() const {
    const EnergySums& sums = tally_.energy_;
    Inequality result{.id = "C5", .statement = "sum of the falls of Psi_t = E_T loss by loss"};
    result.identity = true;
    if (unmeasured(result) || leaves_domain(result)) return result;
    result.left = sums.falls.value();
    result.right = energy_;
    result.slack = 2 * sums.objective_slack + sums.falls.rounding(2) + energy_slack_;
    const Real size = std::max(sums.falls.magnitude(), magnitude_);
    judge(result, size + largest_loss_);
    const Real difference = std::abs(result.left - result.right);
    if (result.verdict == Verdict::violated) {
        result.explanation = fmt::format(
            "reported values do not belong to one run: the sides differ by {:.3g}, {:.3g} of the "
            "magnitude summed",
            difference, difference / size);
    } else if (kept(result.verdict)) {
        result.explanation = fmt::format("the sides differ by {:.3g}, {:.3g} of the magnitude summed",
                                         difference, size > 0 ? difference / size : 0);
    }
    return result;
}

Inequality Judge::count() const {
    const EnergySums& sums = tally_.energy_;
    Inequality result{.id = "C6",
                      .statement = header_.noise ? "sum_t N_t eta aim_t (c aim_t - s_t) <= E_T"
                                                 : "sum_t N_t kappa_t aim_t^2 <= E_T"};
    if (unmeasured(result) || leaves_domain(result) || promises_no_decrease(result) ||
        unsure(result, "updates are bounded in the mean; see C12"))
        return result;
    if (tally_.totals_.steps == 0) {
        if (!header_.noise) result.statement = "updates N <= E_T / (kappa rho^2)";
        result.verdict = Verdict::holds;
        result.explanation = "no update was made";
        return result;
    }
    if (promises_no_test(result)) return result;
    if (sums.uncovered) {
        settle(result, Verdict::not_promised,
               fmt::format("c delta <= sigma: an update may gain nothing in {} rounds, first in round {}; "
                           "updates are bounded for delta above {:.6g}",
                           sums.uncovered.count, sums.uncovered.first, smallest_delta(descent())));
        return result;
    }
    const Real slack = energy_slack_ + sums.count_slack + sums.count_weight.rounding(4);
    result.left = sums.count_weight.value();
    result.right = energy_;
    result.slack = slack;
    const Real unit = sums.smallest_unit;
    if (!sums.varied_aim && unit > 0) {
        result.statement = fmt::format("updates N <= {}", count_formula());
        result.left = static_cast<Real>(tally_.totals_.steps);
        result.right = energy_ / unit;
        result.slack = slack / unit;
    }
    judge(result);
    if (result.verdict == Verdict::violated) {
        result.explanation = sums.decrease.violations > 0
                                 ? "follows from C4, which is broken"
                                 : "updates were made below the aim, or values are inconsistent, see C5";
    }
    return result;
}

std::string Judge::count_formula() const {
    if (header_.noise) {
        return header_.hysteresis < 1 ? "E_T/(eta aim (c aim - s))" : "E_T/(eta rho (c rho - s))";
    }
    const std::string_view aim = header_.hysteresis < 1 ? "aim^2" : "rho^2";
    if (header_.step_rule == StepRule::fixed) return fmt::format("E_T / (gamma {})", aim);
    return header_.acceptance <= 1 && tally_.energy_.confirmations == 0
               ? fmt::format("2 E_T / (min(eta, e_min) {})", aim)
               : fmt::format("E_T / (kappa {})", aim);
}

Inequality Judge::confirmations() const {
    const EnergySums& sums = tally_.energy_;
    Inequality result{.id = "C9", .statement = "failed confirmations' kappa_t aim_t^2 <= E_T"};
    if (sums.cheap_steps == 0) {
        result.explanation = "no cheap update was made";
        return result;
    }
    if (sums.unconfirmed) {
        result.verdict = Verdict::violated;
        result.explanation =
            fmt::format("{} solved rounds took cheap updates that no exact test confirmed, first round {}",
                        sums.unconfirmed.count, sums.unconfirmed.first);
        return result;
    }
    if (sums.unpaid) {
        result.verdict = Verdict::violated;
        result.explanation = fmt::format(
            "{} solved rounds went on after a failed confirmation without an exact update, first "
            "round {}",
            sums.unpaid.count, sums.unpaid.first);
        return result;
    }
    if (leaves_domain(result) || promises_no_decrease(result) || promises_no_test(result)) return result;
    result.left = sums.failures.value();
    result.right = energy_;
    result.slack = energy_slack_ + sums.failure_slack + sums.failures.rounding(4);
    judge(result);
    if (result.verdict == Verdict::violated) {
        result.explanation = sums.decrease.violations > 0 ? "follows from C4, which is broken"
                                                          : "values are inconsistent, see C5";
    }
    return result;
}

}  // namespace proxstream
