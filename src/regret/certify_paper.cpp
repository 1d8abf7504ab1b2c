/// The paper's own bounds, as it states them: for a box window that begins empty and whose last state
/// is solved, and no penalty.
#include "regret/certificate_builder.hpp"

#include <cmath>

#include <fmt/format.h>

namespace proxstream {
namespace {

PaperClaim compared(PaperClaim claim, Real left, Real right) {
    claim.applicable = true;
    claim.left = left;
    claim.right = right;
    claim.satisfied = left <= right;
    return claim;
}

}  // namespace

PaperClaim CertificateBuilder::paper_regret() const {
    PaperClaim claim{.id = "Theorem 1", .statement = "Reg <= (2/w^2) (T delta^2 + V)"};
    claim.reason =
        "its proof takes r_0 for at most delta/w, which fails unless x_1 nearly minimises g, and its V is a "
        "supremum over fixed x, which a moving x_t can exceed; V here is the variation along the path";
    if (tally_.totals_.rounds == 0 || misses_tests() || !speaks_of_this()) return claim;
    const GapSums& sums = tally_.gaps_;
    return compared(claim, sums.regret.value(), 2 * (sums.claimed.value() + sums.changes.value()));
}

PaperClaim CertificateBuilder::paper_count() const {
    PaperClaim claim{.id = "Theorem 3", .statement = "N <= 2 w^2 (g(x_1) + 2M) / ((2 - eta L) eta delta^2)"};
    claim.reason =
        "its proof subtracts f_{t-w} at x_{t-w} where the method has x_t; the true count grows like T w";
    const Real rho = tally_.gaps_.smallest_tolerance;
    const bool applies = header_.step_rule == StepRule::fixed && header_.fixed_gain() > 0 && rho > 0 &&
                         !outside_ && speaks_of_this() && header_.hysteresis == 1;
    if (!applies) return claim;
    const Real unit = header_.fixed_gain() * rho * rho;
    const Real rounds = static_cast<Real>(tally_.totals_.rounds);
    if (std::isfinite(header_.regulariser_infimum)) {
        const Real corrected = (header_.initial_objective - header_.regulariser_infimum +
                                2 * largest_loss_ * rounds / header_.effective_length) /
                               unit;
        claim.reason +=
            fmt::format("; corrected, (w^2 (g(x_1) - inf g) + 2 M T w)/(gamma delta^2) = {:.6g}", corrected);
    }
    return compared(claim, static_cast<Real>(tally_.totals_.steps),
                    (header_.initial_objective + 2 * largest_loss_) / unit);
}

PaperClaim CertificateBuilder::paper_noisy_regret() const {
    PaperClaim claim{.id = "Theorem 2", .statement = "E Reg <= 2 (T/w^2) (delta^2 + 7 sigma^2) + (6/w^2) V"};
    claim.reason =
        "the estimate a round ends with was kept because it passed, so its noise is not that of a sample: "
        "with gradients that drop out, the regret is of the order w^(-3/2) T; its own proof gives (T/w^2) (4 "
        "delta^2 + (2 + 24/w^2) sigma^2) + 12 V/w^2 besides, and forgets r_0; Reg and V here are those of "
        "one run";
    if (tally_.totals_.rounds == 0 || tally_.gaps_.unmeasured || misses_tests() || !speaks_of_noise())
        return claim;
    const GapSums& sums = tally_.gaps_;
    const Real level = sigma() / header_.effective_length;
    const Real rounds = static_cast<Real>(tally_.totals_.rounds);
    return compared(claim, sums.regret.value(),
                    2 * (sums.claimed.value() + 7 * rounds * level * level) + 6 * sums.changes.value());
}

PaperClaim CertificateBuilder::paper_ending() const {
    PaperClaim claim{.id = "Theorem 4",
                     .statement = "(23), under which rounds end: 2 sigma^2/(eta (1 - eta L)) < delta^2"};
    claim.condition = true;
    const Real eta = header_.reference_step;
    const Real room = 1 - eta * header_.claimed_smoothness();
    const Real delta = tally_.gaps_.smallest_tolerance * header_.effective_length;
    claim.reason = "(23) changes with the unit of x and, for some eta > 2, lets loops pass that never end";
    if (header_.step_rule != StepRule::fixed || !(room > 0) || !(delta > 0) || !speaks_of_noise())
        return claim;
    claim = compared(claim, 2 * sigma() * sigma() / (eta * room), delta * delta);
    claim.satisfied = claim.left < claim.right;
    claim.reason += fmt::format("; needed and enough is sigma^2 < c delta^2, here {:.6g} against {:.6g}",
                                sigma() * sigma(), descent() * delta * delta);
    return claim;
}

PaperClaim CertificateBuilder::paper_noisy_count() const {
    PaperClaim claim{
        .id = "Theorem 5",
        .statement = "N <= 2 w^2 (g(x_1) + 2M) / ((1 - eta (L+1)) eta delta^2 - sigma^2), |e| <= sigma/w"};
    claim.reason =
        "it adds losses up as Theorem 3 does, so that T is missing, and its L+1 and eta delta^2 - sigma^2 "
        "change with the unit of x; the true bound is C6";
    const Real eta = header_.reference_step;
    const Real rho = tally_.gaps_.smallest_tolerance;
    const Real room = 1 - eta * (header_.claimed_smoothness() + 1);
    const bool applies = header_.step_rule == StepRule::fixed && room > 0 && rho > 0 && !outside_ &&
                         header_.noise->bounded && speaks_of_noise();
    if (!applies) return claim;
    const Real level = sigma() / header_.effective_length;
    const Real unit = room * eta * rho * rho - level * level;
    if (!(unit > 0)) return claim;
    return compared(claim, static_cast<Real>(tally_.totals_.steps),
                    2 * (header_.initial_objective + 2 * largest_loss_) / unit);
}

bool CertificateBuilder::speaks_of_this() const {
    return header_.box() && header_.initial_records == 0 && header_.model == "previous" && !header_.priced();
}

bool CertificateBuilder::speaks_of_noise() const {
    const NoiseFacts& noise = *header_.noise;
    return speaks_of_this() && header_.hysteresis == 1 && noise.sigma && noise.confirm == 1 &&
           noise.estimator == "sample";
}

}  // namespace proxstream
