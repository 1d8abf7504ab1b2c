/// C8, and how an ensemble played.
#include "regret/certificate_builder.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace proxstream {

bool CertificateBuilder::false_losses(Claim& line) const {
    return line.stopped_by(
        tally_.ensemble_->false_losses, Verdict::violated,
        "the losses are not those of the members' reports in {} rounds, first in round {}");
}

/// C8, C8b and C8c of an ensemble that plays a mean.
std::vector<Inequality> CertificateBuilder::mixture() const {
    const MixtureBound& bound = *tally_.ensemble_->mixture;
    std::vector<Inequality> lines;
    const auto add = [&](const char* id, std::string statement, const MixtureBound::Side& side) {
        Claim line(id, std::move(statement));
        if (!nothing_played(line) && !false_losses(line) &&
            !line.stopped_by(bound.off_rule, Verdict::violated,
                             "the weights are not those of the rules in {} rounds, first in round {}")) {
            line.judge(side.left, side.right, side.slack, std::max(std::abs(side.right), std::abs(side.best)))
                .blame("the losses are not those of one run");
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

Inequality CertificateBuilder::tracking() const {
    const TrackingBound& bound = tally_.ensemble_->tracking;
    Claim line("C8", "sum <p_t,l_t> <= best sequence + its price");
    if (nothing_played(line) || false_losses(line)) return line;
    if (bound.unrated) {
        return line.say(Verdict::not_promised,
                        fmt::format("the choice of members follows no rule of weights of '{}' in {} rounds",
                                    header_.selection, bound.unrated.count));
    }
    if (line.stopped_by(bound.outside, Verdict::not_applicable,
                        "a member's loss was infinite in {} rounds, first in round {}") ||
        line.stopped_by(bound.off_rule, Verdict::violated,
                        "the weights are not those of the rule in {} rounds, first in round {}") ||
        line.stopped_by(bound.rising, Verdict::violated,
                        "the rate of the weights rose in {} rounds, first in round {}"))
        return line;
    const auto side = bound.tightest();
    if (!side) {
        return line.say(Verdict::not_promised,
                        "weights that share nothing are bounded for a constant rate only");
    }
    line.statement = fmt::format("sum <p_t,l_t> <= best with S = {} + price", side->switches);
    line.judge(bound.weighted_loss(), side->best + side->price, bound.slack())
        .blame("the weights or the losses are not those of one run");
    if (kept(line.verdict)) {
        line.explanation = fmt::format("best {:.6g}, price {:.6g}, of which the mix gap D_T is {:.6g}",
                                       side->best, side->price, bound.gap());
    }
    return line;
}

EnsembleSummary CertificateBuilder::ensemble_summary() const {
    const EnsembleSums& sums = *tally_.ensemble_;
    const Real rounds = static_cast<Real>(std::max<Round>(tally_.totals_.rounds, 1));
    EnsembleSummary summary;
    summary.mean = sums.mixture.has_value();
    summary.active_member = sums.active_member;
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
