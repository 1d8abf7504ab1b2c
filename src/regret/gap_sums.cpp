#include "regret/gap_sums.hpp"

#include "core/rounding.hpp"
#include "regret/noise_sums.hpp"

#include <algorithm>
#include <cmath>

namespace proxstream {

Departure departure_of(const RunHeader& rules, const RoundReport& played) {
    // prox_{e(g+h)}(z) is prox_{eg}(z - e s) for a subgradient s of the penalties h (docs/theory.md, (P-mu)).
    // The test of a sampled gradient is off by its noise (Lemma 2).
    return {played.exit_gap, played.gap_rounding,
            rules.gap_behind(played.tolerance, played.movement) + sure_noise(rules, played),
            noise_is_sure(rules)};
}

void GapSums::add(const RunHeader& rules, const RoundReport& played, const Departure& from) {
    add_exit(rules, played);
    if (rules.noise && !rules.noise->refereed) unmeasured.note(played.round);
    if (!from.sure) unsure.note(played.round);
    const Real rounding = played.gap_rounding;
    // Both sides of C2 are measured: each may be off by the rounding of a gap.
    firm_bound.observe(played.round, played.entry_gap, played.firm_bound,
                       2 * rounding + 4 * kUnitRoundoff * played.firm_bound);

    const Real change = played.variation / rules.effective_length;  // |v_t|
    const Real most = from.gap + change;
    // C2's two roundings, one more to pass from the firm bound to the sum, and r_{t-1} measured twice.
    const Real off = 3 * rounding + 2 * from.rounding;
    regret.add(played.entry_gap * played.entry_gap);
    const Real most_entry = played.entry_gap + rounding;
    regret_bound.add(most_entry * most_entry);
    variation.add(played.variation * played.variation);
    changes.add(change * change);
    exits.add(from.gap * from.gap);
    promises.add(from.promised * from.promised);
    bound.add(most * most);
    claimed.add(played.tolerance * played.tolerance);
    slack += off * (2 * most + off);
    rounding_norm += off * off;
}

void GapSums::add_exit(const RunHeader& rules, const RoundReport& played) {
    if (played.tolerance > 0) {
        smallest_tolerance =
            smallest_tolerance > 0 ? std::min(smallest_tolerance, played.tolerance) : played.tolerance;
    }
    if (!rules.exit_test || played.status == RoundStatus::moved) {
        untested.note(played.round);
        return;
    }
    const Real target_gap = rules.hysteresis * played.tolerance;
    if (std::abs(played.target_gap - target_gap) > 4 * kUnitRoundoff * target_gap + lost_to_underflow(1))
        off_target_gap.note(played.round);
    if (played.status == RoundStatus::budget_exhausted) {
        exhausted.note(played.round);
        return;
    }
    const bool quiet = played.status == RoundStatus::quiet;
    const Real asked = quiet ? played.tolerance : played.target_gap;
    // The test sees the penalties, where there are any.
    const bool exact = quiet && !rules.priced() && !rules.noise;
    const Real seen = exact ? played.forecast_gap : played.tested_gap;
    const Real rounding = played.gap_rounding;
    if (rounding > asked) {
        blurred.note(played.round);
        return;
    }
    const Real pushed = rules.gap_behind(asked, played.movement);
    if (!rules.noise && seen <= asked + rounding && played.exit_gap > pushed + rounding) {
        // The test passed, but the true gap is not where the test leaves it.
        exit_test.observe(played.round, played.exit_gap, pushed, 2 * rounding);
    } else {
        exit_test.observe(played.round, seen, asked, rounding);
    }
}

}  // namespace proxstream
