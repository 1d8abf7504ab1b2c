/// From a tally to its certificate: what each inequality says, and what follows when it fails.
#include "proxstream/regret/tally.hpp"

#include "ledger_format.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace proxstream {

class Judge {
  public:
    Judge(const Tally& tally, const RunFooter& footer)
        : tally_(tally), header_(tally.header_), footer_(footer) {
        w_ = static_cast<Real>(header_.window);
        outside_ = tally.outside_ > 0 || !std::isfinite(header_.initial_regulariser) ||
                   !std::isfinite(footer.final_regulariser);
        largest_loss_ = tally.largest_loss_;
        add_energy();
    }

    Certificate certificate() const {
        Certificate result;
        result.header = header_;
        result.summary = summary();
        result.inequalities = {exit_test(), firm_bound(), path_regret(), minkowski(),
                               a_priori(),  decrease(),   identity(),    count()};
        result.paper_claims = {paper_regret(), paper_count()};
        return result;
    }

  private:
    static void judge(Inequality& inequality) {
        if (!std::isfinite(inequality.left) || !std::isfinite(inequality.right) ||
            !std::isfinite(inequality.slack)) {
            inequality.left = inequality.right = inequality.slack = 0;
            inequality.verdict = Verdict::not_applicable;
            inequality.explanation = "the figures leave the range of double precision";
            return;
        }
        inequality.verdict = inequality.margin() >= 0 ? Verdict::holds : Verdict::violated;
    }

    static Inequality from(const WorstRound& worst, std::string id, std::string statement) {
        Inequality result{.id = std::move(id), .statement = std::move(statement)};
        result.left = worst.left;
        result.right = worst.right;
        result.slack = worst.slack;
        result.round = worst.round;
        if (worst.checked > 0) judge(result);
        return result;
    }

    /// For what needs at least one round.
    bool nothing_played(Inequality& inequality) const {
        if (tally_.totals_.rounds > 0) return false;
        inequality.verdict = Verdict::not_applicable;
        inequality.explanation = "no round was played";
        return true;
    }

    /// For what needs objectives, all of them finite.
    bool leaves_domain(Inequality& inequality) const {
        if (!outside_) return false;
        inequality.left = inequality.right = inequality.slack = 0;
        inequality.verdict = Verdict::not_applicable;
        inequality.explanation = tally_.outside_ > 0
                                     ? fmt::format("g was infinite in {} rounds, first in round {}",
                                                   tally_.outside_, tally_.first_outside_)
                                     : "g is infinite at the first or the last point";
        return true;
    }

    /// For what rests on the rule of the inner steps.
    bool promises_no_decrease(Inequality& inequality) const {
        const bool too_long = header_.step_rule == StepRule::fixed && header_.fixed_gain() <= 0;
        if (header_.step_rule != StepRule::none && !too_long) return false;
        inequality.left = inequality.right = inequality.slack = 0;
        inequality.verdict = Verdict::not_promised;
        inequality.explanation = too_long
                                     ? fmt::format("a fixed step proves a decrease only below 2/L = {:.6g}",
                                                   2 / header_.claimed_smoothness())
                                     : "this learner promises no decrease in its inner steps";
        return true;
    }

    bool misses_tests() const { return !header_.exit_test || tally_.exhausted_ + tally_.untested_ > 0; }

    std::string missed_tests() const {
        if (!header_.exit_test) return "this learner promises no exit test";
        std::string text;
        if (tally_.exhausted_ > 0) {
            text = fmt::format("not promised in {} rounds that ended on their budget, first in round {}",
                               tally_.exhausted_, tally_.first_exhausted_);
        }
        if (tally_.untested_ > 0) {
            text += fmt::format("{}{} rounds had no exit test", text.empty() ? "" : "; ", tally_.untested_);
        }
        return text;
    }

    Inequality exit_test() const {
        Inequality result = from(tally_.exit_test_, "C1", "exit residual r_t <= delta_t/w in every round");
        if (nothing_played(result)) return result;
        if (result.verdict == Verdict::violated) {
            result.explanation =
                fmt::format("{} rounds reported as solved miss their tolerance, first round {}",
                            tally_.exit_test_.violations, tally_.exit_test_.first_violation);
        } else if (misses_tests()) {
            result.verdict = Verdict::not_promised;
            result.explanation = missed_tests() + "; the bounds below use the residuals actually reached";
        }
        return result;
    }

    Inequality firm_bound() const {
        Inequality result = from(tally_.firm_bound_, "C2", "R_t <= |p_{t-1}+v_t/2w| + d_t/2w, every round");
        if (nothing_played(result)) return result;
        if (result.verdict == Verdict::violated) {
            result.explanation =
                fmt::format("prox or gradient inconsistent: broken in {} rounds, first in round {}",
                            tally_.firm_bound_.violations, tally_.firm_bound_.first_violation);
        }
        return result;
    }

    Inequality path_regret() const {
        Inequality result{.id = "C3a", .statement = "Reg <= sum_t (r_{t-1} + d_t/w)^2"};
        if (nothing_played(result)) return result;
        result.left = tally_.regret_.value();
        result.right = tally_.path_bound_.value();
        result.slack = tally_.residual_slack_ + tally_.regret_.rounding(2) + tally_.path_bound_.rounding(8);
        judge(result);
        if (result.verdict == Verdict::violated) result.explanation = "prox or gradient inconsistent, see C2";
        return result;
    }

    /// (sqrt(squares) + sqrt(Vpath)/w)^2
    Real with_variation(Real squares) const {
        const Real root = std::sqrt(squares) + std::sqrt(tally_.variation_.value()) / w_;
        return root * root;
    }

    Inequality minkowski() const {
        Inequality result{.id = "C3b", .statement = "that <= (sqrt(sum r_{t-1}^2)+sqrt(Vpath)/w)^2"};
        if (nothing_played(result)) return result;
        result.left = tally_.path_bound_.value();
        result.right = with_variation(tally_.exits_.value());
        // Pure arithmetic on the same figures: only the summation rounds.
        result.slack = tally_.path_bound_.rounding(8) + 16 * kUnitRoundoff * result.right;
        judge(result);
        if (result.verdict == Verdict::violated) result.explanation = "the sums themselves are wrong";
        return result;
    }

    Inequality a_priori() const {
        Inequality result{.id = "C3c", .statement = "Reg <= (sqrt(r_0^2+sum rho^2)+sqrt(Vpath)/w)^2"};
        if (nothing_played(result)) return result;
        result.left = tally_.regret_.value();
        result.right = with_variation(tally_.tolerances_.value());
        const Real off = std::sqrt(tally_.rounding_norm_);
        result.slack = off * (2 * std::sqrt(result.right) + off) + tally_.regret_.rounding(2) +
                       16 * kUnitRoundoff * result.right;
        judge(result);
        if (misses_tests()) {
            result.verdict = Verdict::not_promised;
            result.explanation = missed_tests();
        } else if (result.verdict == Verdict::violated) {
            result.explanation = "an exit test or a residual is wrong, see C1 and C2";
        }
        return result;
    }

    Inequality decrease() const {
        Inequality result = from(tally_.decrease_, "C4", "proved decrease <= fall of Phi_t, every round");
        if (nothing_played(result) || leaves_domain(result) || promises_no_decrease(result)) return result;
        const WorstRound& worst = tally_.decrease_;
        const bool fixed = header_.step_rule == StepRule::fixed;
        if (result.verdict == Verdict::violated) {
            const std::string where = fmt::format("broken in {} rounds, first in round {}", worst.violations,
                                                  worst.first_violation);
            result.explanation =
                fixed && tally_.needed_smoothness_ > header_.claimed_smoothness()
                    ? fmt::format("L too small: at least {:.6g} ({:.6g} was claimed); {}",
                                  tally_.needed_smoothness_, header_.claimed_smoothness(), where)
                    : "inconsistent values or gradients: " + where;
        } else if (tally_.off_rule_ > 0) {
            result.verdict = Verdict::violated;
            result.explanation =
                fmt::format("{} rounds used other steps than the declared eta, first in round {}",
                            tally_.off_rule_, tally_.first_off_rule_);
        }
        return result;
    }

    void add_energy() {
        if (outside_) {
            energy_ = kInfinity;
            return;
        }
        CompensatedSum losses = tally_.losses_;
        for (const Real loss : footer_.final_losses) {
            losses.add(-loss);
            largest_loss_ = std::max(largest_loss_, std::abs(loss));
        }
        const Real start = header_.initial_regulariser;
        const Real end = footer_.final_regulariser;
        energy_ = (start - end) + losses.value() / w_;
        energy_slack_ = 2 * tally_.objective_slack_ + losses.rounding(2) / w_ +
                        4 * kUnitRoundoff * (std::abs(start) + std::abs(end));
        magnitude_ = losses.magnitude() / w_ + std::abs(start) + std::abs(end);
    }

    Inequality identity() const {
        Inequality result{.id = "C5", .statement = "sum of the falls of Phi_t = E_T loss by loss"};
        result.identity = true;
        if (leaves_domain(result)) return result;
        result.left = tally_.drops_.value();
        result.right = energy_;
        result.slack = 2 * tally_.objective_slack_ + tally_.drops_.rounding(2) + energy_slack_;
        judge(result);
        const Real size = std::max(tally_.drops_.magnitude(), magnitude_);
        const Real difference = std::abs(result.left - result.right);
        if (result.verdict == Verdict::violated) {
            result.explanation = fmt::format(
                "reported values do not belong to one run: the sides differ by {:.3g}, {:.3g} of the "
                "magnitude summed",
                difference, difference / size);
        } else if (result.verdict == Verdict::holds) {
            result.explanation = fmt::format("the sides differ by {:.3g}, {:.3g} of the magnitude summed",
                                             difference, size > 0 ? difference / size : 0);
        }
        return result;
    }

    Inequality count() const {
        Inequality result{.id = "C6", .statement = "sum_t N_t kappa_t rho_t^2 <= E_T"};
        if (leaves_domain(result) || promises_no_decrease(result)) return result;
        if (tally_.totals_.steps == 0) {
            result.statement = "updates N <= E_T / (kappa rho^2)";
            result.verdict = Verdict::holds;
            result.explanation = "no update was made";
            return result;
        }
        if (!header_.exit_test || tally_.tolerance_ == 0) {
            result.verdict = Verdict::not_promised;
            result.explanation = "updates are counted against an exit test, and none was promised";
            return result;
        }
        const Real slack = energy_slack_ + tally_.count_slack_ + tally_.count_weight_.rounding(4);
        result.left = tally_.count_weight_.value();
        result.right = energy_;
        result.slack = slack;
        const Real unit = tally_.smallest_worth_ * *tally_.tolerance_ * *tally_.tolerance_;
        if (!tally_.varied_tolerance_ && unit > 0) {
            result.statement = fmt::format("updates N <= {}", count_formula());
            result.left = static_cast<Real>(tally_.totals_.steps);
            result.right = energy_ / unit;
            result.slack = slack / unit;
        }
        judge(result);
        if (result.verdict == Verdict::violated) {
            result.explanation =
                tally_.decrease_.violations > 0
                    ? "follows from C4, which is broken"
                    : "updates were made below the tolerance, or values are inconsistent, see C5";
        }
        return result;
    }

    std::string count_formula() const {
        if (header_.step_rule == StepRule::fixed) return "w^2 E_T / (gamma delta^2)";
        return header_.acceptance <= 1 ? "2 E_T / (min(eta, e_min) rho^2)"
                                       : "E_T / (kappa rho^2), lambda > 1";
    }

    PaperClaim paper_regret() const {
        PaperClaim claim{.id = "Theorem 1", .statement = "Reg <= (2/w^2) (T delta^2 + V)"};
        claim.reason =
            "its proof takes r_0 for at most delta/w, which fails unless x_1 nearly minimises g, and its V "
            "is a "
            "supremum over fixed x, which a moving x_t exceeds; V here is the variation along the path";
        claim.applicable = tally_.totals_.rounds > 0 && !misses_tests();
        if (!claim.applicable) return claim;
        claim.left = tally_.regret_.value();
        claim.right = 2 * (tally_.claimed_.value() + tally_.variation_.value() / (w_ * w_));
        claim.satisfied = claim.left <= claim.right;
        return claim;
    }

    PaperClaim paper_count() const {
        PaperClaim claim{.id = "Theorem 3",
                         .statement = "N <= 2 w^2 (g(x_1) + 2M) / ((2 - eta L) eta delta^2)"};
        claim.reason =
            "its proof subtracts f_{t-w} at x_{t-w} where the method has x_t; the true count grows like T w";
        const Real rho = tally_.smallest_tolerance_;
        claim.applicable =
            header_.step_rule == StepRule::fixed && header_.fixed_gain() > 0 && rho > 0 && !outside_;
        if (!claim.applicable) return claim;
        const Real unit = header_.fixed_gain() * rho * rho;
        claim.left = static_cast<Real>(tally_.totals_.steps);
        claim.right = (header_.initial_regulariser + 2 * largest_loss_) / unit;
        claim.satisfied = claim.left <= claim.right;
        const Real rounds = static_cast<Real>(tally_.totals_.rounds);
        if (std::isfinite(header_.regulariser_infimum)) {
            const Real corrected = (header_.initial_regulariser - header_.regulariser_infimum +
                                    2 * largest_loss_ * rounds / w_) /
                                   unit;
            claim.reason += fmt::format(
                "; corrected, (w^2 (g(x_1) - inf g) + 2 M T w)/(gamma delta^2) = {:.6g}", corrected);
        }
        return claim;
    }

    RunSummary summary() const {
        RunSummary result;
        result.totals = tally_.totals_;
        result.regret = tally_.regret_.value();
        result.variation = tally_.variation_.value();
        result.energy = energy_;
        result.path_length = tally_.path_length_.value();
        result.tests = tally_.tests_;
        result.quiet = tally_.quiet_;
        result.budget_exhausted = tally_.exhausted_;
        result.largest_loss = largest_loss_;
        for (Index i = 0; i < header_.other_windows.size(); ++i) {
            result.other_windows.push_back({header_.other_windows[i], tally_.other_regrets_[i].value()});
        }
        if (tally_.predictions_ > 0) {
            result.prediction_loss = tally_.prediction_loss_.value() / static_cast<Real>(tally_.predictions_);
        }
        result.ending = footer_.ending;
        result.seconds = footer_.seconds;
        return result;
    }

    const Tally& tally_;
    const RunHeader& header_;
    const RunFooter& footer_;
    Real w_ = 1;
    bool outside_ = false;
    Real largest_loss_ = 0;  // M, with the last losses
    Real energy_ = 0;        // E_T
    Real energy_slack_ = 0;
    Real magnitude_ = 0;
};

Certificate Tally::certificate(const RunFooter& footer) const {
    check_footer(header_, footer, "run footer", 0);
    if (footer.totals != totals_) {
        throw DataError({"run footer", 0, 0, ""}, "its totals are not those of the rounds before it",
                        fmt::format("{} rounds, {} refused, {} updates, and the costs of the rounds added up",
                                    totals_.rounds, totals_.refused, totals_.steps));
    }
    return Judge(*this, footer).certificate();
}

}  // namespace proxstream
