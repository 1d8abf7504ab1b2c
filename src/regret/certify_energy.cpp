/// C4, C5, C6 and C9: what the energy E_T pays for.
#include "regret/certificate_builder.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace proxstream {

bool CertificateBuilder::leaves_domain(Claim& line) const {
    if (!outside_) return false;
    if (!line.stopped_by(tally_.energy_.outside, Verdict::not_applicable,
                         "g was infinite in {} rounds, first in round {}"))
        line.drop(Verdict::not_applicable, "g is infinite at the first or the last point");
    return true;
}

bool CertificateBuilder::promises_no_decrease(Claim& line) const {
    const bool too_long = header_.step_rule == StepRule::fixed && header_.fixed_gain() <= 0;
    if (header_.step_rule != StepRule::none && !too_long) return false;
    line.drop(Verdict::not_promised,
              too_long ? fmt::format("a fixed step proves a decrease only below 2/L = {:.6g}",
                                     2 / header_.claimed_smoothness())
                       : "this learner promises no decrease in its inner steps");
    return true;
}

bool CertificateBuilder::promises_no_test(Claim& line) const {
    // An adaptive tolerance is 0 until losses change; such rounds do not affect the others.
    if (header_.exit_test && (tally_.energy_.target_gap != 0 || tally_.energy_.varied_target_gap))
        return false;
    line.drop(Verdict::not_promised, "updates are counted against an exit test, and none was promised");
    return true;
}

void CertificateBuilder::add_energy() {
    if (ensemble_) return;
    if (outside_) {
        energy_ = kInfinity;
        return;
    }
    CompensatedSum losses = tally_.energy_.value_changes;
    for (Index i = 0; i < footer_.final_losses.size(); ++i) {
        losses.add(-footer_.final_weights[i] * footer_.final_losses[i]);
        largest_loss_ = std::max(largest_loss_, std::abs(footer_.final_losses[i]));
    }
    const Real start = header_.initial_objective;
    const Real end = footer_.final_regulariser;
    energy_ = (start - end) + losses.value();
    // The rounding of a change of value is part of its round's objective rounding.
    energy_slack_ = 2 * tally_.energy_.objective_slack + losses.rounding(4) +
                    4 * kUnitRoundoff * (std::abs(start) + std::abs(end));
    magnitude_ = losses.magnitude() + std::abs(start) + std::abs(end);
}

std::string_view CertificateBuilder::broken_energy() const {
    return tally_.energy_.decrease.violations > 0 ? "follows from C4, which is broken"
                                                  : "values are inconsistent, see C5";
}

Inequality CertificateBuilder::decrease() const {
    const EnergySums& sums = tally_.energy_;
    Claim line("C4",
               header_.priced() ? "proved decrease + penalty <= fall of Psi_t"
               : header_.noise  ? "sum eta|p| (c|p| - s_t) <= fall of Psi_t"
                                : "proved decrease <= fall of Psi_t, every round",
               sums.decrease);
    if (nothing_played(line) || unmeasured(line) ||
        line.stopped_by(sums.off_rule, Verdict::violated,
                        "{} rounds used other steps than the declared eta, first in round {}") ||
        leaves_domain(line) || promises_no_decrease(line) ||
        unsure(line, "a single update may climb; see C12") || line.verdict != Verdict::violated)
        return line;
    const bool fixed = header_.step_rule == StepRule::fixed;
    const std::string where = sums.decrease.in_words("broken in {} rounds, first in round {}");
    if (header_.noise && tally_.noise_.error.violations > 0)
        return line.blame("sigma was claimed too small, see C10: " + where);
    line.blame(fixed && sums.needed_smoothness > header_.claimed_smoothness()
                   ? fmt::format("L too small: at least {:.6g} ({:.6g} was claimed); {}",
                                 sums.needed_smoothness, header_.claimed_smoothness(), where)
                   : "inconsistent values or gradients: " + where);
    if (header_.noise) line.explanation += "; or sigma was claimed too small";
    return line;
}

Inequality CertificateBuilder::identity() const {
    const EnergySums& sums = tally_.energy_;
    Claim line("C5", "sum of the falls of Psi_t = E_T loss by loss");
    line.identity = true;
    if (unmeasured(line) || leaves_domain(line)) return line;
    const Real size = std::max(sums.falls.magnitude(), magnitude_);
    line.judge(sums.falls.value(), energy_, 2 * sums.objective_slack + sums.falls.rounding(2) + energy_slack_,
               size + largest_loss_);
    if (line.verdict != Verdict::violated && !kept(line.verdict)) return line;
    const Real difference = std::abs(line.left - line.right);
    line.explanation = fmt::format("the sides differ by {:.3g}, {:.3g} of the magnitude summed", difference,
                                   size > 0 ? difference / size : 0);
    if (line.verdict == Verdict::violated)
        line.explanation = "reported values do not belong to one run: " + line.explanation;
    return line;
}

Inequality CertificateBuilder::count() const {
    const EnergySums& sums = tally_.energy_;
    Claim line("C6", header_.noise ? "sum_t N_t eta tau_t (c tau_t - s_t) <= E_T"
                                   : "sum_t N_t kappa_t tau_t^2 <= E_T");
    if (unmeasured(line) || leaves_domain(line) || promises_no_decrease(line) ||
        unsure(line, "updates are bounded in the mean; see C12"))
        return line;
    if (tally_.totals_.steps == 0) {
        if (!header_.noise) line.statement = "updates N <= E_T / (kappa rho^2)";
        return line.say(Verdict::holds, "no update was made");
    }
    if (promises_no_test(line)) return line;
    if (sums.uncovered) {
        return line.drop(
            Verdict::not_promised,
            sums.uncovered.in_words("c delta <= sigma: an update may gain nothing in {} rounds, "
                                    "first in round {}; ") +
                fmt::format("updates are bounded for delta above {:.6g}", smallest_delta(descent())));
    }
    const Real slack = energy_slack_ + sums.count_slack + sums.count_weight.rounding(4);
    const Real unit = sums.smallest_unit;
    if (!sums.varied_target_gap && unit > 0) {
        line.statement = fmt::format("updates N <= {}", count_formula());
        line.judge(static_cast<Real>(tally_.totals_.steps), energy_ / unit, slack / unit);
    } else {
        line.judge(sums.count_weight.value(), energy_, slack);
    }
    return line.blame(sums.decrease.violations > 0
                          ? "follows from C4, which is broken"
                          : "updates were made below the target gap, or values are inconsistent, see C5");
}

std::string CertificateBuilder::count_formula() const {
    if (header_.noise) {
        return header_.hysteresis < 1 ? "E_T/(eta tau (c tau - s))" : "E_T/(eta rho (c rho - s))";
    }
    const std::string_view target_gap = header_.hysteresis < 1 ? "tau^2" : "rho^2";
    if (header_.step_rule == StepRule::fixed) return fmt::format("E_T / (gamma {})", target_gap);
    return header_.acceptance <= 1 && tally_.energy_.confirmations == 0
               ? fmt::format("2 E_T / (min(eta, e_min) {})", target_gap)
               : fmt::format("E_T / (kappa {})", target_gap);
}

Inequality CertificateBuilder::confirmations() const {
    const EnergySums& sums = tally_.energy_;
    Claim line("C9", "failed confirmations' kappa_t tau_t^2 <= E_T");
    if (sums.cheap_steps == 0) return line.say(Verdict::not_applicable, "no cheap update was made");
    if (line.stopped_by(sums.unconfirmed, Verdict::violated,
                        "{} solved rounds took cheap updates that no exact test confirmed, first round {}") ||
        line.stopped_by(sums.unpaid, Verdict::violated,
                        "{} solved rounds went on after a failed confirmation without an exact update, "
                        "first round {}") ||
        leaves_domain(line) || promises_no_decrease(line) || promises_no_test(line))
        return line;
    return line
        .judge(sums.failures.value(), energy_, energy_slack_ + sums.failure_slack + sums.failures.rounding(4))
        .blame(broken_energy());
}

}  // namespace proxstream
