#include "regret/certificate_builder.hpp"

#include "ledger_format.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace proxstream {

CertificateBuilder::CertificateBuilder(const Tally& tally, const RunFooter& footer)
    : tally_(tally), header_(tally.header_), footer_(footer), ensemble_(tally.ensemble_.has_value()) {
    outside_ = tally.energy_.outside || !std::isfinite(header_.initial_objective) ||
               !std::isfinite(footer.final_regulariser);
    largest_loss_ = tally.energy_.largest_loss;
    add_energy();
}

Certificate CertificateBuilder::certificate() const {
    Certificate result;
    result.header = header_;
    result.summary = summary();
    result.inequalities = {exit_test(), firm_bound(), path_regret(), minkowski(), a_priori()};
    if (!ensemble_) result.inequalities.insert(result.inequalities.begin(), consistency());
    if (ensemble_) {
        if (tally_.ensemble_->mixture) {
            for (Inequality& each : mixture()) result.inequalities.push_back(std::move(each));
        } else {
            result.inequalities.push_back(tracking());
        }
        for (Index k = 0; k < tally_.members_.size(); ++k) {
            result.members.push_back(
                CertificateBuilder(tally_.members_[k], footer_.members[k]).certificate());
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

bool CertificateBuilder::nothing_played(Claim& line) const {
    if (tally_.totals_.rounds > 0) return false;
    line.say(Verdict::not_applicable, "no round was played");
    return true;
}

bool CertificateBuilder::misses_tests() const {
    const auto misses = [](const Tally& tally) {
        return tally.gaps_.exhausted || tally.gaps_.untested || tally.gaps_.blurred;
    };
    // The active member starts from a round in which it may not have been active.
    return misses(tally_) || std::any_of(tally_.members_.begin(), tally_.members_.end(), misses);
}

std::string CertificateBuilder::missed_tests() const {
    const GapSums& sums = tally_.gaps_;
    if (!ensemble_ && !header_.exit_test) return "this learner promises no exit test";
    std::string text;
    const auto add = [&text](const Occurrences& rounds, std::string_view form) {
        if (rounds) text += (text.empty() ? "" : "; ") + rounds.in_words(form);
    };
    add(sums.exhausted, "not promised in {} rounds that ended on their budget, first in round {}");
    add(sums.untested, "{} rounds had no exit test");
    add(sums.blurred,
        "not promised in {} rounds in which rounding may exceed the tolerance, first in round {}");
    return text.empty() ? "members missed exit tests in rounds in which they were not active" : text;
}

std::string CertificateBuilder::with_length(std::string_view for_box, std::string_view otherwise) const {
    return std::string(header_.box() && !ensemble_ ? for_box : otherwise);
}

Inequality CertificateBuilder::consistency() const {
    Claim line("C0", "figures of a round agree with each other");
    if (nothing_played(line)) return line;
    line.verdict = Verdict::holds;
    for (const auto& [keys, rule, rounds] : tally_.consistency_.contradictions()) {
        line.verdict = Verdict::violated;
        line.explanation += fmt::format("{}{}: {}; {}", line.explanation.empty() ? "" : "; ", keys, rule,
                                        rounds.in_words("broken in {} rounds, first in round {}"));
    }
    return line;
}

Inequality CertificateBuilder::exit_test() const {
    const GapSums& sums = tally_.gaps_;
    const bool two = header_.hysteresis < 1 || header_.priced() || ensemble_;
    Claim line("C1",
               two             ? "exit test: rho_t if quiet, theta rho_t if not"
               : header_.noise ? "exit test |P(x_{t+1};G)| <= rho_t, every round"
                               : with_length("exit gap r_t <= delta_t/w, every round",
                                             "exit gap r_t <= delta_t/w_a, every round"),
               sums.exit_test);
    if (nothing_played(line)) return line;
    if (line.verdict == Verdict::violated) {
        return line.blame(
            sums.exit_test.in_words("{} rounds reported as solved miss their tolerance, first round {}"));
    }
    if (sums.off_target_gap) {
        return line.say(Verdict::violated,
                        sums.off_target_gap.in_words(
                            "{} rounds have another target gap than theta rho_t, first round {}"));
    }
    if (const Occurrences& rounds = tally_.noise_.untested) {
        return line.say(
            Verdict::violated,
            rounds.in_words("{} rounds stopped or went on without their confirmations, first in round {}"));
    }
    if (sums.exhausted || sums.untested || sums.blurred) {
        line.say(Verdict::not_promised, missed_tests() + "; the bounds below use the gaps actually reached");
        if (sums.exhausted && tally_.noise_.endless) line.explanation += "; " + endless();
    } else if (kept(line.verdict) && sums.exit_test.unclear > 0) {
        // A test concerns its own round, so the slack is compared with that round's tolerance.
        line.say(Verdict::undecided,
                 fmt::format("rounding hides the outcome of the test in {} rounds", sums.exit_test.unclear));
    }
    return line;
}

Inequality CertificateBuilder::firm_bound() const {
    const WorstRound& worst = tally_.gaps_.firm_bound;
    Claim line("C2", "R_t <= |p_{t-1}+v_t/2| + |v_t|/2, every round", worst);
    if (nothing_played(line) || unmeasured(line)) return line;
    if (line.verdict != Verdict::violated && ensemble_ && tally_.ensemble_->foreign) {
        return line.say(Verdict::violated,
                        tally_.ensemble_->foreign.in_words(
                            "the report is not that of the active member in {} rounds, first in round {}"));
    }
    return line.blame(
        worst.in_words("prox or gradient inconsistent: broken in {} rounds, first in round {}"));
}

Inequality CertificateBuilder::path_regret() const {
    const GapSums& sums = tally_.gaps_;
    Claim line("C3a", ensemble_ ? "Reg <= sum (r_{t-1}+|v_t|)^2, active member"
                                : with_length("Reg <= sum_t (r_{t-1} + d_t/w)^2",
                                              "Reg <= sum_t (r_{t-1} + d_t/w_a)^2"));
    if (nothing_played(line) || unmeasured(line)) return line;
    return line
        .judge(sums.regret.value(), sums.bound.value(),
               sums.slack + sums.regret.rounding(2) + sums.bound.rounding(8))
        .blame("prox or gradient inconsistent, see C2");
}

Real CertificateBuilder::with_variation(Real squares) const {
    const Real root = std::sqrt(squares) + std::sqrt(tally_.gaps_.changes.value());
    return root * root;
}

Inequality CertificateBuilder::minkowski() const {
    Claim line("C3b", ensemble_ ? "that <= (sqrt(sum r_{t-1}^2)+sqrt(sum v^2))^2"
                                : with_length("that <= (sqrt(sum r_{t-1}^2)+sqrt(Vpath)/w)^2",
                                              "that <= (sqrt(sum r_{t-1}^2)+sqrt(V)/w_a)^2"));
    if (nothing_played(line) || unmeasured(line)) return line;
    const Real right = with_variation(tally_.gaps_.exits.value());
    // Pure arithmetic on the same figures: only the squares and their sums round.
    const CompensatedSum& bound = tally_.gaps_.bound;
    const Real lost = std::sqrt(bound.underflow());
    return line
        .judge(bound.value(), right,
               bound.rounding(8) + 16 * kUnitRoundoff * right + lost * (4 * std::sqrt(right) + 4 * lost))
        .blame("the sums themselves are wrong");
}

Inequality CertificateBuilder::a_priori() const {
    const GapSums& sums = tally_.gaps_;
    const char* statement = header_.proximal > 0    ? "Reg <= (|r_0, rho'| + sqrt(V)/w_a)^2"
                            : header_.switching > 0 ? "Reg <= (|r_0, rho+kappa sqrt n|+sqrt(V)/w_a)^2"
                            : ensemble_             ? "Reg <= (sqrt(r_0^2+sum rho^2)+sqrt(sum v^2))^2"
                                                    : "Reg <= (sqrt(r_0^2+sum rho^2)+sqrt(V)/w_a)^2";
    Claim line("C3c", statement);
    if (!header_.priced())
        line.statement = with_length("Reg <= (sqrt(r_0^2+sum rho^2)+sqrt(Vpath)/w)^2", statement);
    if (header_.noise && !ensemble_) line.statement = "Reg <= (|r_0, rho+s| + sqrt(V)/w_a)^2";  // (D-bdd)
    if (nothing_played(line) || unmeasured(line)) return line;
    if (sums.unsure) {
        if (ensemble_)
            return line.drop(Verdict::not_promised, "noise of active members is bounded in the mean only");
        unsure(line, "the estimate a round ends with was kept because it passed; see C11");
        return line;
    }
    const Real right = with_variation(sums.promises.value());
    const Real off = std::sqrt(sums.rounding_norm);
    line.judge(sums.regret.value(), right,
               off * (2 * std::sqrt(right) + off) + sums.regret.rounding(2) + 16 * kUnitRoundoff * right);
    if (misses_tests()) {
        line.say(Verdict::not_promised, missed_tests());
        if (sums.exhausted && tally_.noise_.endless) line.explanation += "; " + endless();
    } else if (line.verdict == Verdict::violated) {
        line.blame(header_.noise ? "an exit test, a gap or sigma is wrong, see C1, C2 and C10"
                                 : "an exit test or a gap is wrong, see C1 and C2");
    } else if (header_.proximal > 0) {
        line.explanation = fmt::format("rho' = (1 + eta mu) rho_t + mu |x_{{t+1}} - x_t|{}",
                                       header_.switching > 0 ? " + kappa sqrt n" : "");
    }
    return line;
}

RunSummary CertificateBuilder::summary() const {
    RunSummary result;
    const Real rounds = static_cast<Real>(std::max<Round>(tally_.totals_.rounds, 1));
    result.totals = tally_.totals_;
    result.measured = !tally_.gaps_.unmeasured;
    result.regret = tally_.gaps_.regret.value();
    result.regret_bound = tally_.gaps_.regret_bound.value() + tally_.gaps_.regret_bound.rounding(4);
    result.variation = tally_.gaps_.variation.value();
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
    result.budget_exhausted = tally_.gaps_.exhausted.count;
    result.largest_loss = largest_loss_;
    for (Index i = 0; i < header_.other_windows.size(); ++i) {
        result.other_windows.push_back({header_.other_windows[i], tally_.other_regrets_[i].value()});
    }
    if (tally_.predictions_ > 0) {
        result.prediction_loss = tally_.prediction_loss_.value() / static_cast<Real>(tally_.predictions_);
    }
    result.ending = footer_.ending;
    result.seconds = footer_.seconds;
    if (ensemble_) result.ensemble = ensemble_summary();
    if (header_.noise && !ensemble_) result.noise = noise_summary();
    return result;
}

Certificate Tally::certificate(const RunFooter& footer) const {
    check_footer(header_, footer, "run footer", 0);
    check_totals(footer);
    return CertificateBuilder(*this, footer).certificate();
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
