/// C8, and how an ensemble played.
#include "judge.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace proxstream {

bool Judge::false_losses(Inequality& result) const {
    const Occurrences& rounds = tally_.bank_->false_losses;
    if (!rounds) return false;
    return settle(
        result, Verdict::violated,
        fmt::format("the losses are not those of the members' reports in {} rounds, first in round {}",
                    rounds.count, rounds.first));
}

/// C8, C8b and C8c of an ensemble that plays a mean.
std::vector<Inequality> Judge::mixture() const {
    const MixtureBound& bound = *tally_.bank_->mixture;
    std::vector<Inequality> lines;
    const auto add = [&](const char* id, std::string statement, const MixtureBound::Side& side) {
        Inequality line{.id = id, .statement = std::move(statement)};
        if (!nothing_played(line) && !false_losses(line)) {
            if (bound.off_rule) {
                settle(line, Verdict::violated,
                       fmt::format("the weights are not those of the rules in {} rounds, first in round {}",
                                   bound.off_rule.count, bound.off_rule.first));
            } else {
                line.left = side.left;
                line.right = side.right;
                line.slack = side.slack;
                judge(line, std::max(std::abs(side.right), std::abs(side.best)));
                if (line.verdict == Verdict::violated)
                    line.explanation = "the losses are not those of one run";
            }
        }
        lines.push_back(std::move(line));
    };
    const MixtureBound::Side members = bound.against_members();
    add("C8", "sum (f+g)(mean) <= every member's + price", members);
    if (kept(lines.back().verdict)) {
        lines.back().explanation =
            fmt::format("closest for {}: {:.6g}, price {:.6g}, of which Jensen's gaps are {:.6g}",
                        header_.members[members.member].name, members.best, members.right - members.best,
                        bound.curving());
    }
    if (const auto slopes = bound.against_slopes())
        add("C8b", "sum <grad f_t(z), z - x_k> <= price, every k", *slopes);
    if (const auto tracked = bound.against_sequences())
        add("C8c", fmt::format("sum (f+g)(mean) <= best with S = {} + price", tracked->switches), *tracked);
    return lines;
}

Inequality Judge::tracking() const {
    const TrackingBound& bound = tally_.bank_->tracking;
    Inequality result{.id = "C8", .statement = "sum <p_t,l_t> <= best sequence + its price"};
    if (nothing_played(result) || false_losses(result)) return result;
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
    BankSummary summary;
    summary.mean = sums.mixture.has_value();
    summary.in_charge = sums.in_charge;
    summary.switches = sums.switches;
    summary.restarted = sums.restarted.count;
    summary.measured = sums.measured;
    for (Index k = 0; k < sums.losses.size(); ++k) {
        summary.weights.push_back(sums.weights[k].value() / rounds);
        summary.losses.push_back(sums.losses[k].value() / rounds);
        if (summary.losses[k] < summary.losses[summary.best]) summary.best = k;
    }
    if (sums.measured > 0) summary.mean_gap = std::sqrt(sums.gaps.value() / static_cast<Real>(sums.measured));
    summary.weighted_loss = sums.weighted.value() / rounds;
    return summary;
}

}  // namespace proxstream
