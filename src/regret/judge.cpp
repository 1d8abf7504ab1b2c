#include "judge.hpp"

#include "ledger_format.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace proxstream {

Judge::Judge(const Tally& tally, const RunFooter& footer)
    : tally_(tally), header_(tally.header_), footer_(footer), bank_(tally.bank_.has_value()) {
    outside_ = tally.energy_.outside || !std::isfinite(header_.initial_objective) ||
               !std::isfinite(footer.final_regulariser);
    largest_loss_ = tally.energy_.largest_loss;
    add_energy();
}

Certificate Judge::certificate() const {
    Certificate result;
    result.header = header_;
    result.summary = summary();
    result.inequalities = {exit_test(), firm_bound(), path_regret(), minkowski(), a_priori()};
    if (!bank_) result.inequalities.insert(result.inequalities.begin(), consistency());
    if (bank_) {
        if (tally_.bank_->mixture) {
            for (Inequality& each : mixture()) result.inequalities.push_back(std::move(each));
        } else {
            result.inequalities.push_back(tracking());
        }
        for (Index k = 0; k < tally_.members_.size(); ++k) {
            result.members.push_back(Judge(tally_.members_[k], footer_.members[k]).certificate());
            const RunSummary& member = result.members.back().summary;
            result.summary.energy += member.energy;
            result.summary.cheap_steps += member.cheap_steps;
            result.summary.confirmations += member.confirmations;
            result.summary.failed_confirmations += member.failed_confirmations;
            result.summary.largest_loss = std::max(result.summary.largest_loss, member.largest_loss);
        }
        return result;
    }
    for (Inequality& each :
         std::array{decrease(), identity(), count(), path(), active_rounds(), switching(), confirmations()}) {
        result.inequalities.push_back(std::move(each));
    }
    if (!header_.noise) {
        result.paper_claims = {paper_regret(), paper_count()};
        return result;
    }
    for (Inequality& each : std::array{entry_bound(), one_run(), mean_count(), claimed_noise()}) {
        result.inequalities.push_back(std::move(each));
    }
    result.paper_claims = {paper_noisy_regret(), paper_ending(), paper_noisy_count()};
    return result;
}

void Judge::judge(Inequality& inequality) {
    judge(inequality, inequality.right);
}

void Judge::judge(Inequality& inequality, Real scale) {
    if (!std::isfinite(inequality.left) || !std::isfinite(inequality.right) ||
        !std::isfinite(inequality.slack)) {
        settle(inequality, Verdict::not_applicable, "the figures leave the range of double precision");
        return;
    }
    inequality.verdict = inequality.decide(scale);
    explain(inequality);
}

void Judge::explain(Inequality& inequality) {
    if (inequality.verdict != Verdict::undecided) return;
    inequality.explanation =
        fmt::format("rounding may have changed the two sides by {:.3g}, too much to tell", inequality.slack);
}

bool Judge::settle(Inequality& inequality, Verdict verdict, std::string explanation) {
    inequality.left = inequality.right = inequality.slack = 0;
    inequality.verdict = verdict;
    inequality.explanation = std::move(explanation);
    return true;
}

Inequality Judge::from(const WorstRound& worst, std::string id, std::string statement) {
    Inequality result{.id = std::move(id), .statement = std::move(statement)};
    result.left = worst.left;
    result.right = worst.right;
    result.slack = worst.slack;
    result.round = worst.round;
    if (worst.checked > 0) judge(result, worst.largest_right);
    return result;
}

bool Judge::nothing_played(Inequality& inequality) const {
    if (tally_.totals_.rounds > 0) return false;
    inequality.verdict = Verdict::not_applicable;
    inequality.explanation = "no round was played";
    return true;
}

bool Judge::misses_tests() const {
    const ResidualSums& sums = tally_.residuals_;
    // The active member starts from a round in which it may not have been active.
    return sums.exhausted || sums.untested || sums.blurred ||
           std::any_of(tally_.members_.begin(), tally_.members_.end(), [](const Tally& member) {
               return member.residuals_.exhausted || member.residuals_.untested || member.residuals_.blurred;
           });
}

std::string Judge::missed_tests() const {
    const ResidualSums& sums = tally_.residuals_;
    if (!bank_ && !header_.exit_test) return "this learner promises no exit test";
    std::string text;
    if (sums.exhausted) {
        text = fmt::format("not promised in {} rounds that ended on their budget, first in round {}",
                           sums.exhausted.count, sums.exhausted.first);
    }
    if (sums.untested) {
        text += fmt::format("{}{} rounds had no exit test", text.empty() ? "" : "; ", sums.untested.count);
    }
    if (sums.blurred) {
        text += fmt::format(
            "{}not promised in {} rounds in which rounding may exceed the tolerance, first in round {}",
            text.empty() ? "" : "; ", sums.blurred.count, sums.blurred.first);
    }
    return text.empty() ? "members missed exit tests in rounds in which they were not active" : text;
}

std::string Judge::with_length(std::string_view for_box, std::string_view otherwise) const {
    return std::string(header_.box() && !bank_ ? for_box : otherwise);
}

Inequality Judge::consistency() const {
    Inequality result{.id = "C0", .statement = "figures of a round agree with each other"};
    if (nothing_played(result)) return result;
    result.verdict = Verdict::holds;
    for (const auto& [keys, rule, rounds] : tally_.consistency_.contradictions()) {
        result.verdict = Verdict::violated;
        result.explanation +=
            fmt::format("{}{}: {}; broken in {} rounds, first in round {}",
                        result.explanation.empty() ? "" : "; ", keys, rule, rounds.count, rounds.first);
    }
    return result;
}

Inequality Judge::exit_test() const {
    const ResidualSums& sums = tally_.residuals_;
    const bool two = header_.hysteresis < 1 || header_.priced() || bank_;
    Inequality result = from(sums.exit_test, "C1",
                             two             ? "exit test: rho_t if quiet, theta rho_t if not"
                             : header_.noise ? "exit test |P(x_{t+1};G)| <= rho_t, every round"
                                             : with_length("exit residual r_t <= delta_t/w, every round",
                                                           "exit residual r_t <= delta_t/w_a, every round"));
    if (nothing_played(result)) return result;
    if (result.verdict == Verdict::violated) {
        result.explanation = fmt::format("{} rounds reported as solved miss their tolerance, first round {}",
                                         sums.exit_test.violations, sums.exit_test.first_violation);
    } else if (sums.off_aim) {
        result.verdict = Verdict::violated;
        result.explanation = fmt::format("{} rounds aimed at something else than theta rho_t, first round {}",
                                         sums.off_aim.count, sums.off_aim.first);
    } else if (tally_.noise_.untested) {
        result.verdict = Verdict::violated;
        result.explanation =
            fmt::format("{} rounds stopped or went on without their confirmations, first in round {}",
                        tally_.noise_.untested.count, tally_.noise_.untested.first);
    } else if (sums.exhausted || sums.untested || sums.blurred) {
        result.verdict = Verdict::not_promised;
        result.explanation = missed_tests() + "; the bounds below use the residuals actually reached";
        if (sums.exhausted && tally_.noise_.endless) result.explanation += "; " + endless();
    } else if (kept(result.verdict) && sums.exit_test.unclear > 0) {
        // A test is a promise about its own round: the slack is compared with that round's tolerance.
        result.verdict = Verdict::undecided;
        result.explanation =
            fmt::format("rounding hides the outcome of the test in {} rounds", sums.exit_test.unclear);
    }
    return result;
}

Inequality Judge::firm_bound() const {
    const WorstRound& worst = tally_.residuals_.firm_bound;
    Inequality result = from(worst, "C2", "R_t <= |p_{t-1}+v_t/2| + |v_t|/2, every round");
    if (nothing_played(result) || unmeasured(result)) return result;
    if (result.verdict == Verdict::violated) {
        result.explanation =
            fmt::format("prox or gradient inconsistent: broken in {} rounds, first in round {}",
                        worst.violations, worst.first_violation);
    } else if (bank_ && tally_.bank_->foreign) {
        result.verdict = Verdict::violated;
        result.explanation =
            fmt::format("the report is not that of the active member in {} rounds, first in round {}",
                        tally_.bank_->foreign.count, tally_.bank_->foreign.first);
    }
    return result;
}

Inequality Judge::path_regret() const {
    const ResidualSums& sums = tally_.residuals_;
    Inequality result{.id = "C3a",
                      .statement = bank_ ? "Reg <= sum (r_{t-1}+|v_t|)^2, active member"
                                         : with_length("Reg <= sum_t (r_{t-1} + d_t/w)^2",
                                                       "Reg <= sum_t (r_{t-1} + d_t/w_a)^2")};
    if (nothing_played(result) || unmeasured(result)) return result;
    result.left = sums.regret.value();
    result.right = sums.bound.value();
    result.slack = sums.slack + sums.regret.rounding(2) + sums.bound.rounding(8);
    judge(result);
    if (result.verdict == Verdict::violated) result.explanation = "prox or gradient inconsistent, see C2";
    return result;
}

Real Judge::with_variation(Real squares) const {
    const Real root = std::sqrt(squares) + std::sqrt(tally_.residuals_.changes.value());
    return root * root;
}

Inequality Judge::minkowski() const {
    Inequality result{.id = "C3b",
                      .statement = bank_ ? "that <= (sqrt(sum r_{t-1}^2)+sqrt(sum v^2))^2"
                                         : with_length("that <= (sqrt(sum r_{t-1}^2)+sqrt(Vpath)/w)^2",
                                                       "that <= (sqrt(sum r_{t-1}^2)+sqrt(V)/w_a)^2")};
    if (nothing_played(result) || unmeasured(result)) return result;
    result.left = tally_.residuals_.bound.value();
    result.right = with_variation(tally_.residuals_.exits.value());
    // Pure arithmetic on the same figures: only the summation rounds.
    result.slack = tally_.residuals_.bound.rounding(8) + 16 * kUnitRoundoff * result.right;
    judge(result);
    if (result.verdict == Verdict::violated) result.explanation = "the sums themselves are wrong";
    return result;
}

Inequality Judge::a_priori() const {
    const ResidualSums& sums = tally_.residuals_;
    const char* statement = header_.proximal > 0    ? "Reg <= (|r_0, rho'| + sqrt(V)/w_a)^2"
                            : header_.switching > 0 ? "Reg <= (|r_0, rho+kappa sqrt n|+sqrt(V)/w_a)^2"
                            : bank_                 ? "Reg <= (sqrt(r_0^2+sum rho^2)+sqrt(sum v^2))^2"
                                                    : "Reg <= (sqrt(r_0^2+sum rho^2)+sqrt(V)/w_a)^2";
    Inequality result{.id = "C3c", .statement = statement};
    if (!header_.priced())
        result.statement = with_length("Reg <= (sqrt(r_0^2+sum rho^2)+sqrt(Vpath)/w)^2", statement);
    if (header_.noise && !bank_) result.statement = "Reg <= (|r_0, rho+s| + sqrt(V)/w_a)^2";  // (D-bdd)
    if (nothing_played(result) || unmeasured(result)) return result;
    if (sums.unsure) {
        if (bank_) {
            settle(result, Verdict::not_promised, "noise of active members is bounded in the mean only");
        } else {
            unsure(result, "the estimate a round ends with was kept because it passed; see C11");
        }
        return result;
    }
    result.left = sums.regret.value();
    result.right = with_variation(sums.promises.value());
    const Real off = std::sqrt(sums.rounding_norm);
    result.slack = off * (2 * std::sqrt(result.right) + off) + sums.regret.rounding(2) +
                   16 * kUnitRoundoff * result.right;
    judge(result);
    if (misses_tests()) {
        result.verdict = Verdict::not_promised;
        result.explanation = missed_tests();
        if (sums.exhausted && tally_.noise_.endless) result.explanation += "; " + endless();
    } else if (result.verdict == Verdict::violated) {
        result.explanation = header_.noise ? "an exit test, a residual or sigma is wrong, see C1, C2 and C10"
                                           : "an exit test or a residual is wrong, see C1 and C2";
    } else if (header_.proximal > 0) {
        result.explanation = fmt::format("rho' = (1 + eta mu) rho_t + mu |x_{{t+1}} - x_t|{}",
                                         header_.switching > 0 ? " + kappa sqrt n" : "");
    }
    return result;
}

RunSummary Judge::summary() const {
    RunSummary result;
    const Real rounds = static_cast<Real>(std::max<Round>(tally_.totals_.rounds, 1));
    result.totals = tally_.totals_;
    result.measured = !tally_.residuals_.unmeasured;
    result.regret = tally_.residuals_.regret.value();
    result.regret_bound = tally_.residuals_.regret_bound.value() + tally_.residuals_.regret_bound.rounding(4);
    result.variation = tally_.residuals_.variation.value();
    result.energy = result.measured ? energy_ : 0;
    result.mean_loss = tally_.loss_.value() / rounds;
    result.mean_objective = tally_.infinite_ ? kInfinity : tally_.objective_.value() / rounds;
    result.path_length = tally_.churn_.path_length.value();
    result.movement_one = tally_.churn_.movement_one.value();
    result.changed = tally_.churn_.changed;
    result.tests = tally_.tests_;
    result.cheap_steps = tally_.energy_.cheap_steps;
    result.confirmations = tally_.energy_.confirmations;
    result.failed_confirmations = tally_.energy_.failed_confirmations;
    result.active = tally_.churn_.active;
    result.quiet = tally_.churn_.quiet;
    result.budget_exhausted = tally_.residuals_.exhausted.count;
    result.largest_loss = largest_loss_;
    for (Index i = 0; i < header_.other_windows.size(); ++i) {
        result.other_windows.push_back({header_.other_windows[i], tally_.other_regrets_[i].value()});
    }
    if (tally_.predictions_ > 0) {
        result.prediction_loss = tally_.prediction_loss_.value() / static_cast<Real>(tally_.predictions_);
    }
    result.ending = footer_.ending;
    result.seconds = footer_.seconds;
    if (bank_) result.bank = bank_summary();
    if (header_.noise && !bank_) result.noise = noise_summary();
    return result;
}

Certificate Tally::certificate(const RunFooter& footer) const {
    check_footer(header_, footer, "run footer", 0);
    check_totals(footer);
    return Judge(*this, footer).certificate();
}

void Tally::check_totals(const RunFooter& footer) const {
    if (footer.totals != totals_) {
        throw DataError({"run footer", 0, 0, ""}, "its totals are not those of the rounds before it",
                        fmt::format("{} rounds, {} refused, {} updates, and the costs of the rounds added up",
                                    totals_.rounds, totals_.refused, totals_.steps));
    }
    for (Index k = 0; k < members_.size(); ++k) members_[k].check_totals(footer.members[k]);
}

}  // namespace proxstream
