/// C8, and how a bank played.
#include "judge.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace proxstream {

Inequality Judge::tracking() const {
    const TrackingBound& bound = tally_.bank_->tracking;
    Inequality result{.id = "C8", .statement = "sum <p_t,l_t> <= best sequence + its price"};
    if (nothing_played(result)) return result;
    if (bound.unrated) {
        result.verdict = Verdict::not_promised;
        result.explanation = fmt::format("playing '{}' follows no rule of weights in {} rounds", header_.play,
                                         bound.unrated.count);
        return result;
    }
    if (bound.outside) {
        result.explanation = fmt::format("a member's loss was infinite in {} rounds, first in round {}",
                                         bound.outside.count, bound.outside.first);
        return result;
    }
    if (bound.off_rule) {
        result.verdict = Verdict::violated;
        result.explanation =
            fmt::format("the weights are not those of the rule in {} rounds, first in round {}",
                        bound.off_rule.count, bound.off_rule.first);
        return result;
    }
    if (bound.rising) {
        result.verdict = Verdict::violated;
        result.explanation = fmt::format("the rate of the weights rose in {} rounds, first in round {}",
                                         bound.rising.count, bound.rising.first);
        return result;
    }
    const auto side = bound.tightest();
    if (!side) {
        result.verdict = Verdict::not_promised;
        result.explanation = "weights that share nothing are bounded for a constant rate only";
        return result;
    }
    result.statement = fmt::format("sum <p_t,l_t> <= best with S = {} + price", side->switches);
    result.left = bound.weighted_loss();
    result.right = side->best + side->price;
    result.slack = bound.slack();
    judge(result);
    if (result.verdict == Verdict::violated) {
        result.explanation = "the weights or the losses are not those of one run";
    } else if (kept(result.verdict)) {
        result.explanation = fmt::format("best {:.6g}, price {:.6g}, of which the mix gap D_T is {:.6g}",
                                         side->best, side->price, bound.gap());
    }
    return result;
}

BankSummary Judge::bank_summary() const {
    const BankSums& sums = *tally_.bank_;
    const Real rounds = static_cast<Real>(std::max<Round>(tally_.totals_.rounds, 1));
    return {.in_charge = sums.in_charge,
            .switches = sums.switches,
            .mixed = sums.mixed.count,
            .weighted_loss = sums.tracking.weighted_loss() / rounds,
            .best = sums.tracking.best_member()};
}

}  // namespace proxstream
