/// C7: what moving the point costs, and what it takes to make it move.
#include "judge.hpp"

#include <fmt/format.h>

namespace proxstream {

Inequality Judge::path() const {
    const ChurnSums& sums = tally_.churn_;
    Inequality result =
        from(sums.path, "C7a",
             header_.noise                          ? "path_t (c aim_t - s_t) <= fall of Psi_t"
             : header_.step_rule == StepRule::fixed ? "path_t (1 - eta L/2) aim_t <= fall of Psi_t"
             : header_.acceptance <= 1              ? "path_t aim_t/(2 max(1,e/eta)) <= fall of Psi_t"
                                                    : "path_t (1-lambda/2) aim_t min(1,eta/e) <= fall");
    const auto strays = [&] {
        if (!sums.strayed) return false;
        result.verdict = Verdict::violated;
        result.explanation = fmt::format("{} rounds moved further than their path, first in round {}",
                                         sums.strayed.count, sums.strayed.first);
        return true;
    };
    // That needs no promise about the noise.
    if (nothing_played(result) || unmeasured(result) || (header_.noise && strays()) ||
        leaves_domain(result) || promises_no_decrease(result) || promises_no_test(result) ||
        unsure(result, "a single update may climb; see C12"))
        return result;
    if (result.verdict == Verdict::violated) {
        result.explanation =
            fmt::format("{}: broken in {} rounds, first in round {}",
                        tally_.energy_.decrease.violations > 0 ? "follows from C4, which is broken"
                                                               : "paths are too long",
                        sums.path.violations, sums.path.first_violation);
    } else if (!strays() && sums.unproved) {
        if (sums.path.checked == 0) result.verdict = Verdict::not_promised;
        result.explanation = fmt::format("not promised in {} rounds with cheap updates, first in round {}",
                                         sums.unproved.count, sums.unproved.first);
    }
    return result;
}

Inequality Judge::active_rounds() const {
    const ChurnSums& sums = tally_.churn_;
    Inequality result{.id = "C7b",
                      .statement = header_.noise ? "sum(rho_t-s_t-r_s) <= sum u, active rounds s<t"
                                                 : "sum (rho_t - r_s) <= sum u, active rounds s<t"};
    if (nothing_played(result) || unmeasured(result) || promises_no_decrease(result) ||
        promises_no_test(result) || unsure(result, "noise alone may make a round work"))
        return result;
    if (header_.priced()) {
        result.verdict = Verdict::not_promised;
        result.explanation =
            "a penalty on moves leaves points above the tolerance, so rounds may work at once";
        return result;
    }
    if (sums.reason.violations > 0) {
        result = from(sums.reason, result.id,
                      header_.noise ? "rho_t - s_t - r_s <= sum u, active rounds s<t"
                                    : "rho_t - r_s <= sum u, active rounds s<t");
        result.explanation =
            fmt::format("{} rounds worked although the model had not changed enough, first round {}",
                        sums.reason.violations, sums.reason.first_violation);
        return result;
    }
    const bool steady =
        !sums.varied_tolerance && !tally_.residuals_.exhausted && header_.hysteresis < 1 && !header_.noise;
    const Real unit = (1 - header_.hysteresis) * sums.tolerance;
    if (steady && unit > 0) {
        // Between active rounds the model changed by more than rho - theta rho.
        result.statement = "active rounds <= 1 + sum u_t/((1-theta) rho)";
        result.left = static_cast<Real>(sums.active);
        result.right = 1 + sums.model_changes.value() / unit;
        result.slack = (sums.gap_slack + sums.change_slack + sums.model_changes.rounding(2)) / unit +
                       16 * kUnitRoundoff * result.right;
    } else {
        result.left = sums.gaps.value();
        result.right = sums.gap_changes.value();
        result.slack = sums.gap_slack + sums.gaps.rounding(2) + sums.gap_changes.rounding(2);
    }
    judge(result);
    if (kept(result.verdict) && !(steady && unit > 0)) {
        result.explanation = header_.noise ? "with noise the number of active rounds is not bounded"
                             : header_.hysteresis < 1
                                 ? "tolerances vary or budgets ran out: no bound on the number of rounds"
                                 : "without hysteresis the number of active rounds is not bounded";
    }
    return result;
}

Inequality Judge::switching() const {
    const ChurnSums& sums = tally_.churn_;
    const std::string paid = header_.proximal == 0    ? "kappa |x_{t+1} - x_t|_1"
                             : header_.switching == 0 ? "(mu/2) |x_{t+1} - x_t|^2"
                                                      : "kappa |dx|_1 + (mu/2) |dx|^2";
    Inequality result{.id = "C7c", .statement = fmt::format("sum {} <= E_T", paid)};
    if (!header_.priced()) {
        result.explanation = "moves are not penalised";
        if (!sums.off_penalty) return result;
        result.verdict = Verdict::violated;
        result.explanation += fmt::format(", but {} rounds paid a penalty, first in round {}",
                                          sums.off_penalty.count, sums.off_penalty.first);
        return result;
    }
    if (nothing_played(result) || unmeasured(result)) return result;
    // What a move costs needs no promise.
    if (sums.off_penalty) {
        result.verdict = Verdict::violated;
        result.explanation = fmt::format("{} rounds paid another penalty than {}, first in round {}",
                                         sums.off_penalty.count, paid, sums.off_penalty.first);
        return result;
    }
    if (leaves_domain(result) || promises_no_decrease(result) || promises_no_test(result)) return result;
    if (header_.noise) {
        settle(result, Verdict::not_promised, "noise may cost what a move gains");
        return result;
    }
    if (sums.penalty.magnitude() == 0) {
        result.verdict = Verdict::holds;
        result.explanation = "no move was made";
        return result;
    }
    result.left = sums.penalty.value();
    result.right = energy_;
    result.slack = energy_slack_ + sums.penalty.rounding(4);
    judge(result);
    if (result.verdict == Verdict::violated) {
        result.explanation = tally_.energy_.decrease.violations > 0 ? "follows from C4, which is broken"
                                                                    : "values are inconsistent, see C5";
    }
    return result;
}

}  // namespace proxstream
