/// The paper's own bounds, as it states them: for a box window whose last state is solved, and no penalty.
#include "judge.hpp"

#include <cmath>

#include <fmt/format.h>

namespace proxstream {

PaperClaim Judge::paper_regret() const {
    PaperClaim claim{.id = "Theorem 1", .statement = "Reg <= (2/w^2) (T delta^2 + V)"};
    claim.reason =
        "its proof takes r_0 for at most delta/w, which fails unless x_1 nearly minimises g, and its V "
        "is a "
        "supremum over fixed x, which a moving x_t exceeds; V here is the variation along the path";
    claim.applicable = tally_.totals_.rounds > 0 && !misses_tests() && speaks_of_this();
    if (!claim.applicable) return claim;
    const ResidualSums& sums = tally_.residuals_;
    claim.left = sums.regret.value();
    claim.right = 2 * (sums.claimed.value() + sums.changes.value());
    claim.satisfied = claim.left <= claim.right;
    return claim;
}

PaperClaim Judge::paper_count() const {
    PaperClaim claim{.id = "Theorem 3", .statement = "N <= 2 w^2 (g(x_1) + 2M) / ((2 - eta L) eta delta^2)"};
    claim.reason =
        "its proof subtracts f_{t-w} at x_{t-w} where the method has x_t; the true count grows like T w";
    const Real rho = tally_.residuals_.smallest_tolerance;
    claim.applicable = header_.step_rule == StepRule::fixed && header_.fixed_gain() > 0 && rho > 0 &&
                       !outside_ && speaks_of_this() && header_.hysteresis == 1;
    if (!claim.applicable) return claim;
    const Real unit = header_.fixed_gain() * rho * rho;
    claim.left = static_cast<Real>(tally_.totals_.steps);
    claim.right = (header_.initial_regulariser + 2 * largest_loss_) / unit;
    claim.satisfied = claim.left <= claim.right;
    const Real rounds = static_cast<Real>(tally_.totals_.rounds);
    if (std::isfinite(header_.regulariser_infimum)) {
        const Real corrected = (header_.initial_regulariser - header_.regulariser_infimum +
                                2 * largest_loss_ * rounds / header_.effective_length) /
                               unit;
        claim.reason +=
            fmt::format("; corrected, (w^2 (g(x_1) - inf g) + 2 M T w)/(gamma delta^2) = {:.6g}", corrected);
    }
    return claim;
}

bool Judge::speaks_of_this() const {
    return header_.box() && header_.model == "previous" && header_.switching == 0;
}

}  // namespace proxstream
