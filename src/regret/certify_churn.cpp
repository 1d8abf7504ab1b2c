/// C7: what moving the point costs, and what it takes to make it move.
#include "regret/certificate_builder.hpp"

#include <fmt/format.h>

namespace proxstream {

Inequality CertificateBuilder::path() const {
    const ChurnSums& sums = tally_.churn_;
    Claim line("C7a",
               header_.noise                          ? "path_t (c tau_t - s_t) <= fall of Psi_t"
               : header_.step_rule == StepRule::fixed ? "path_t (1 - eta L/2) tau_t <= fall of Psi_t"
               : header_.acceptance <= 1              ? "path_t tau_t/(2 max(1,e/eta)) <= fall of Psi_t"
                                                      : "path_t (1-lambda/2) tau_t min(1,eta/e) <= fall",
               sums.path);
    const auto strays = [&] {
        if (sums.strayed) {
            line.say(Verdict::violated,
                     sums.strayed.in_words("{} rounds moved further than their path, first in round {}"));
        }
        return static_cast<bool>(sums.strayed);
    };
    // This check needs no promise about the noise.
    if (nothing_played(line) || unmeasured(line) || (header_.noise && strays()) || leaves_domain(line) ||
        promises_no_decrease(line) || promises_no_test(line) ||
        unsure(line, "a single update may climb; see C12"))
        return line;
    if (line.verdict == Verdict::violated) {
        return line.blame((tally_.energy_.decrease.violations > 0 ? "follows from C4, which is broken"
                                                                  : "paths are too long") +
                          sums.path.in_words(": broken in {} rounds, first in round {}"));
    }
    if (!strays() && sums.unproved) {
        line.say(sums.path.checked == 0 ? Verdict::not_promised : line.verdict,
                 sums.unproved.in_words("not promised in {} rounds with cheap updates, first in round {}"));
    }
    return line;
}

Inequality CertificateBuilder::active_rounds() const {
    const ChurnSums& sums = tally_.churn_;
    Claim line("C7b", header_.noise ? "sum(rho_t-s_t-r_s) <= sum u, active rounds s<t"
                                    : "sum (rho_t - r_s) <= sum u, active rounds s<t");
    if (nothing_played(line) || unmeasured(line) || promises_no_decrease(line) || promises_no_test(line) ||
        unsure(line, "noise alone may make a round work"))
        return line;
    if (header_.priced()) {
        return line.say(Verdict::not_promised,
                        "a penalty on moves leaves points above the tolerance, so rounds may work at once");
    }
    if (sums.reason.violations > 0) {
        Claim worst(line.id,
                    header_.noise ? "rho_t - s_t - r_s <= sum u, active rounds s<t"
                                  : "rho_t - r_s <= sum u, active rounds s<t",
                    sums.reason);
        worst.explanation = sums.reason.in_words(
            "{} rounds worked although the forecast had not changed enough, first round {}");
        return worst;
    }
    const Real unit = (1 - header_.hysteresis) * sums.tolerance;
    const bool steady = !sums.varied_tolerance && !tally_.gaps_.exhausted && header_.hysteresis < 1 &&
                        !header_.noise && unit > 0;
    if (steady) {
        // Between active rounds the forecast changed by more than rho - theta rho.
        line.statement = "active rounds <= 1 + sum u_t/((1-theta) rho)";
        const Real right = 1 + sums.forecast_changes.value() / unit;
        return line.judge(static_cast<Real>(sums.active), right,
                          (sums.gap_slack + sums.change_slack + sums.forecast_changes.rounding(2)) / unit +
                              16 * kUnitRoundoff * right);
    }
    line.judge(sums.gaps.value(), sums.gap_changes.value(),
               sums.gap_slack + sums.gaps.rounding(2) + sums.gap_changes.rounding(2));
    if (kept(line.verdict)) {
        line.explanation = header_.noise ? "with noise the number of active rounds is not bounded"
                           : header_.hysteresis < 1
                               ? "tolerances vary or budgets ran out: no bound on the number of rounds"
                               : "without hysteresis the number of active rounds is not bounded";
    }
    return line;
}

Inequality CertificateBuilder::switching() const {
    const ChurnSums& sums = tally_.churn_;
    const std::string paid = header_.proximal == 0    ? "kappa |x_{t+1} - x_t|_1"
                             : header_.switching == 0 ? "(mu/2) |x_{t+1} - x_t|^2"
                                                      : "kappa |dx|_1 + (mu/2) |dx|^2";
    Claim line("C7c", fmt::format("sum {} <= E_T", paid));
    if (!header_.priced()) {
        if (!sums.off_penalty) return line.say(Verdict::not_applicable, "moves are not penalised");
        return line.say(Verdict::violated,
                        sums.off_penalty.in_words("moves are not penalised, but {} rounds paid a penalty, "
                                                  "first in round {}"));
    }
    if (nothing_played(line) || unmeasured(line)) return line;
    // The penalty of a move can be checked without any promise.
    if (sums.off_penalty) {
        return line.say(Verdict::violated,
                        fmt::format("{} rounds paid another penalty than {}, first in round {}",
                                    sums.off_penalty.count, paid, sums.off_penalty.first));
    }
    if (leaves_domain(line) || promises_no_decrease(line) || promises_no_test(line)) return line;
    if (header_.noise) return line.drop(Verdict::not_promised, "noise may cost what a move gains");
    if (sums.penalty.magnitude() == 0) return line.say(Verdict::holds, "no move was made");
    return line.judge(sums.penalty.value(), energy_, energy_slack_ + sums.penalty.rounding(4))
        .blame(broken_energy());
}

}  // namespace proxstream
