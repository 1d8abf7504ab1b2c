/// What sampled gradients prove: C10 surely, C11 and C13 with a probability, C12 in the mean.
#include "judge.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace proxstream {

bool Judge::unmeasured(Inequality& inequality) const {
    const Occurrences& rounds = tally_.residuals_.unmeasured;
    if (!rounds) return false;
    return settle(
        inequality, Verdict::not_applicable,
        bank_ ? fmt::format("the referee was off in {} rounds", rounds.count) : "the referee was off");
}

bool Judge::unclaimed(Inequality& inequality) const {
    if (header_.noise->sigma) return false;
    return settle(inequality, Verdict::not_promised,
                  "no sigma was claimed, so nothing is known of the noise");
}

bool Judge::unsure(Inequality& inequality, std::string_view in_the_mean) const {
    if (noise_is_sure(header_)) return false;
    const bool sampled = header_.noise->estimator == "sample";
    return unclaimed(inequality) ||
           settle(inequality, Verdict::not_promised,
                  fmt::format("{} only: {}",
                              sampled ? "noise is bounded in the mean square"
                                      : "errors of recursive differences are bounded in the mean",
                              in_the_mean));
}

bool Judge::off_level(Inequality& inequality) const {
    const Occurrences& rounds = tally_.noise_.off_level;
    if (!rounds) return false;
    return settle(
        inequality, Verdict::violated,
        fmt::format("s_t is above sigma/w_a in {} rounds, first in round {}", rounds.count, rounds.first));
}

std::string Judge::endless() const {
    const Occurrences& rounds = tally_.noise_.endless;
    if (!rounds) return {};
    return fmt::format(
        "c delta^2 <= sigma^2 in {} rounds, so that nothing guarantees an end of their loops: delta has to "
        "be above "
        "{:.6g}",
        rounds.count, smallest_delta(std::sqrt(descent())));
}

Inequality Judge::entry_bound() const {
    const NoiseSums& sums = tally_.noise_;
    Inequality result = from(sums.entry, "C10", "R_t <= |P(x_t;G)| + s_t, every round");
    if (nothing_played(result) || unmeasured(result) || unclaimed(result) || off_level(result)) return result;
    if (!header_.noise->bounded) {
        settle(result, Verdict::not_promised, "noise is bounded in the mean square only; see C11 and C13");
    } else if (sums.error.violations > 0) {
        result = from(sums.error, "C10", "|e| <= s_t, every round");
        result.explanation = fmt::format(
            "sigma was claimed too small: at least {:.6g} ({:.6g} was claimed); broken in {} rounds, first "
            "in "
            "round {}",
            sums.needed_sigma, sigma(), sums.error.violations, sums.error.first_violation);
    } else if (result.verdict == Verdict::violated) {
        result.explanation =
            fmt::format("prox or gradient inconsistent: broken in {} rounds, first in round {}",
                        sums.entry.violations, sums.entry.first_violation);
    }
    return result;
}

Inequality Judge::one_run() const {
    // (D-cert): sqrt(Reg) <= sqrt(sum P1^2) + sqrt(sum |e|^2) surely, by Minkowski, and the mean of the
    // second sum is at most sum s_t^2, since x_t was chosen before the first estimate of its round.
    const NoiseSums& sums = tally_.noise_;
    const Real confidence = header_.noise->confidence;
    Inequality result{.id = "C11", .statement = "Reg <= (sqrt(sum P1^2)+sqrt(sum s^2/p))^2"};
    result.confidence = confidence;
    if (nothing_played(result) || unclaimed(result) || off_level(result)) return result;
    if (!header_.noise->fresh()) {
        settle(result, Verdict::not_promised,
               "the paper's first test reuses samples that were kept because they passed; begin rounds with "
               "fresh ones");
        return result;
    }
    const Real root =
        std::sqrt(sums.first_residuals.value()) + std::sqrt(sums.levels.value() / (1 - confidence));
    result.right = root * root;
    const Real off = std::sqrt(sums.rounding_norm);
    result.slack = off * (2 * root + off) + 16 * kUnitRoundoff * result.right;
    const bool measured = !tally_.residuals_.unmeasured;
    if (measured) {
        result.left = tally_.residuals_.regret.value();
        result.slack += tally_.residuals_.regret.rounding(2);
    }
    judge(result);
    if (result.verdict == Verdict::not_applicable) return result;
    if (measured && kept(result.verdict) && claimed_noise().verdict == Verdict::missed) {
        result.verdict = Verdict::not_promised;
        result.explanation = "it rests on sigma, which was very likely claimed too small, see C13";
        return result;
    }
    result.explanation = fmt::format(
        "with probability {:g} at least if sigma is what was claimed, from sampled gradients alone",
        confidence);
    if (!measured) {
        result.verdict = Verdict::stated;
        result.right += result.slack;  // what is stated counts rounding against itself
        result.explanation += "; the referee was off, so Reg itself is not known";
    } else if (result.verdict == Verdict::missed) {
        result.explanation += fmt::format(
            "; to miss it happens in at most {:.4g} of all runs, or sigma was claimed too small, see C13",
            1 - confidence);
    }
    return result;
}

Judge::MeanBound Judge::young_bound() const {
    const NoiseSums& sums = tally_.noise_;
    const Real m = static_cast<Real>(header_.noise->confirm);
    const Real c = descent();
    return {.a = c * c,
            .b = m,
            .right = 2 * c * energy_ / header_.reference_step + m * sums.levels.value(),
            .formula =
                m > 1 ? "(2cE_T/eta+m sum s^2)/(c^2 rho^2-m s^2)" : "(2c E_T/eta + sum s^2)/(c^2 rho^2-s^2)"};
}

Judge::MeanBound Judge::sharp_bound() const {
    const NoiseSums& sums = tally_.noise_;
    const Real c = descent();
    const Real energy = energy_ / header_.reference_step;
    const Real levels = sums.levels.value();
    const Real tolerances = sums.tolerances.value();
    // x = 1/(2 kappa) lies between 0 and c aim_t^2/s_t^2 - 1; where these are constant, it is the best one.
    const Real level = sums.largest_level * sums.largest_level;
    const Real room = (c * sums.smallest_ratio - 1) * level;
    const Real paid = std::max(levels * room + level * (energy + levels), Real{0});
    const Real x = room / (level + std::sqrt(level * level + 4 * room * paid / tolerances));
    return {.a = c,
            .b = 1 + x,
            .right = energy + (1 + x) * levels + tolerances / (4 * x),
            .formula = fmt::format("bound (C-ii), kappa = {:.4g}", 1 / (2 * x))};
}

Inequality Judge::mean_count() const {
    const NoiseSums& sums = tally_.noise_;
    const NoiseFacts& noise = *header_.noise;
    const Real confirm = static_cast<Real>(noise.confirm);
    Inequality result{.id = "C12", .statement = "mean of N <= what E_T and the noise allow"};
    result.confidence = 0;
    const auto refuse = [&result](std::string why) {
        settle(result, Verdict::not_promised, std::move(why));
        return result;
    };
    if (nothing_played(result) || unmeasured(result) || leaves_domain(result) ||
        promises_no_decrease(result) || promises_no_test(result) || unclaimed(result) || off_level(result))
        return result;
    if (!noise.fresh())
        return refuse("rounds begin with kept samples: there is a bound a round, none known for a whole run");
    if (noise.estimator != "sample")
        return refuse(
            "for recursive differences (G2) bounds single rounds, by constants a run does not declare");
    if (sums.endless) return refuse(endless());
    if (sums.weak && tally_.residuals_.exhausted) {
        return refuse(fmt::format("c delta <= sigma, and {} rounds ended on their budget",
                                  tally_.residuals_.exhausted.count));
    }
    if (sums.weak && noise.confirm > 1) {
        return refuse(fmt::format("{} confirmations need c delta > {:.4g} sigma, so delta above {:.6g}",
                                  noise.confirm, std::sqrt(confirm),
                                  smallest_delta(descent() / std::sqrt(confirm))));
    }
    const MeanBound bound = sums.weak ? sharp_bound() : young_bound();
    result.left = bound.a * sums.update_aims.value() - bound.b * sums.update_levels.value();
    result.right = bound.right;
    result.slack = 2 * energy_slack_ / header_.reference_step + bound.a * sums.update_aims.rounding(8) +
                   bound.b * (sums.update_levels.rounding(8) + sums.levels.rounding(8)) +
                   16 * kUnitRoundoff * std::abs(bound.right);
    result.statement = "mean of sum N_t (a aim_t^2 - b s_t^2), by E_T";
    const Real unit =
        bound.a * sums.smallest_aim * sums.smallest_aim - bound.b * sums.largest_level * sums.largest_level;
    if (sums.smallest_aim == sums.largest_aim && unit > 0) {
        result.statement = "E N <= " + bound.formula;
        result.left = static_cast<Real>(tally_.totals_.steps);
        result.right /= unit;
        result.slack /= unit;
    }
    judge(result);
    if (result.verdict == Verdict::not_applicable) return result;
    result.explanation = "bounds the mean over runs, with this run's E_T in place of its mean";
    if (sums.weak) result.explanation += " and kappa chosen for it";
    if (result.verdict == Verdict::missed)
        result.explanation += ": one run may exceed it; if most do, L or sigma was claimed too small";
    return result;
}

bool Judge::noise_strays() const {
    // |e|^2 - s_t^2 has no positive mean given the past, so the variance of its sum is at most the mean of
    // sum |e|^4. Chebyshev's bound with what was met in place of that mean: approximate, but far sharper than
    // Markov's.
    const NoiseSums& sums = tally_.noise_;
    const Real odds = 1 - header_.noise->confidence;
    return sums.first_noise.value() > sums.levels.value() * (1 + 1e-9) +
                                          std::sqrt(sums.fourth_powers.value() / odds) + sums.rounding_norm;
}

Inequality Judge::claimed_noise() const {
    const NoiseSums& sums = tally_.noise_;
    const Real confidence = header_.noise->confidence;
    Inequality result{.id = "C13", .statement = "sum |e|^2 <= sum s_t^2/p, first estimates"};
    result.confidence = confidence;
    if (nothing_played(result) || unmeasured(result) || unclaimed(result) || off_level(result)) return result;
    if (!header_.noise->fresh()) {
        settle(result, Verdict::not_promised,
               "first estimates are made of samples that were kept because they passed");
        return result;
    }
    result.left = sums.first_noise.value();
    result.right = sums.levels.value() / (1 - confidence);  // Markov
    const Real off = std::sqrt(sums.rounding_norm);
    result.slack = off * (2 * std::sqrt(result.right) + off) + 16 * kUnitRoundoff * result.right;
    judge(result);
    if (result.verdict == Verdict::not_applicable) return result;
    const NoiseSummary noise = noise_summary();
    result.explanation = fmt::format("root mean square {:.4g}, claimed {:.4g}", noise.first, noise.claimed);
    if (result.verdict == Verdict::missed) {
        result.explanation += fmt::format(
            ": sigma was very likely claimed too small; true claims come to this in at most {:.4g} of all "
            "runs",
            1 - confidence);
    } else if (noise_strays()) {
        result.verdict = Verdict::missed;
        result.explanation +=
            ": sigma was very likely claimed too small, by how far such sums stray (fourth powers; "
            "approximate)";
    }
    return result;
}

NoiseSummary Judge::noise_summary() const {
    const NoiseSums& sums = tally_.noise_;
    const Real rounds = static_cast<Real>(std::max<Round>(tally_.totals_.rounds, 1));
    const auto mean = [rounds](const CompensatedSum& squares) { return std::sqrt(squares.value() / rounds); };
    NoiseSummary result{.claimed = mean(sums.levels),
                        .first = mean(sums.first_noise),
                        .kept = mean(sums.kept_noise),
                        .endless = sums.endless.count};
    if (header_.noise->sigma && descent() > 0) result.smallest_delta = smallest_delta(std::sqrt(descent()));
    return result;
}

}  // namespace proxstream
