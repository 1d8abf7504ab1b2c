/// What sampled gradients prove: C10 surely, C11 and C13 with a probability, C12 in the mean.
#include "regret/certificate_builder.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace proxstream {

bool CertificateBuilder::unmeasured(Claim& line) const {
    return line.stopped_by(tally_.gaps_.unmeasured, Verdict::not_applicable,
                           ensemble_ ? "the referee was off in {} rounds" : "the referee was off");
}

bool CertificateBuilder::unclaimed(Claim& line) const {
    if (header_.noise->sigma) return false;
    line.drop(Verdict::not_promised, "no sigma was claimed, so nothing is known of the noise");
    return true;
}

bool CertificateBuilder::unsure(Claim& line, std::string_view in_the_mean) const {
    if (noise_is_sure(header_)) return false;
    const bool sampled = header_.noise->estimator == "sample";
    if (!unclaimed(line)) {
        line.drop(Verdict::not_promised,
                  fmt::format("{} only: {}",
                              sampled ? "noise is bounded in the mean square"
                                      : "errors of recursive differences are bounded in the mean",
                              in_the_mean));
    }
    return true;
}

bool CertificateBuilder::off_level(Claim& line) const {
    return line.stopped_by(tally_.noise_.off_level, Verdict::violated,
                           "s_t is above sigma/w_a in {} rounds, first in round {}");
}

std::string CertificateBuilder::endless() const {
    const Occurrences& rounds = tally_.noise_.endless;
    if (!rounds) return {};
    return fmt::format(
        "c delta^2 <= sigma^2 in {} rounds, so that nothing guarantees an end of their loops: delta has to "
        "be above {:.6g}",
        rounds.count, smallest_delta(std::sqrt(descent())));
}

Inequality CertificateBuilder::entry_bound() const {
    const NoiseSums& sums = tally_.noise_;
    Claim line("C10", "R_t <= |P(x_t;G)| + s_t, every round", sums.entry);
    if (nothing_played(line) || unmeasured(line) || unclaimed(line) || off_level(line)) return line;
    if (!header_.noise->bounded) {
        return line.drop(Verdict::not_promised, "noise is bounded in the mean square only; see C11 and C13");
    }
    if (sums.error.violations == 0) {
        return line.blame(
            sums.entry.in_words("prox or gradient inconsistent: broken in {} rounds, first in round {}"));
    }
    Claim error("C10", "|e| <= s_t, every round", sums.error);
    error.explanation = fmt::format("sigma was claimed too small: at least {:.6g} ({:.6g} was claimed); ",
                                    sums.needed_sigma, sigma()) +
                        sums.error.in_words("broken in {} rounds, first in round {}");
    return error;
}

Inequality CertificateBuilder::one_run() const {
    // (D-cert): sqrt(Reg) <= sqrt(sum P1^2) + sqrt(sum |e|^2) surely, by Minkowski, and the mean of the
    // second sum is at most sum s_t^2, since x_t was chosen before the first estimate of its round.
    const NoiseSums& sums = tally_.noise_;
    const Real confidence = header_.noise->confidence;
    Claim line("C11", "Reg <= (sqrt(sum P1^2)+sqrt(sum s^2/p))^2");
    line.confidence = confidence;
    if (nothing_played(line) || unclaimed(line) || off_level(line)) return line;
    if (!header_.noise->fresh()) {
        return line.drop(
            Verdict::not_promised,
            "the paper's first test reuses samples that were kept because they passed; begin rounds with "
            "fresh ones");
    }
    const Real root = std::sqrt(sums.first_gaps.value()) + std::sqrt(sums.levels.value() / (1 - confidence));
    const Real off = std::sqrt(sums.rounding_norm);
    const Real slack = off * (2 * root + off) + 16 * kUnitRoundoff * (root * root);
    const CompensatedSum& regret = tally_.gaps_.regret;
    const bool measured = !tally_.gaps_.unmeasured;
    line.judge(measured ? regret.value() : 0, root * root, measured ? slack + regret.rounding(2) : slack);
    if (line.verdict == Verdict::not_applicable) return line;
    if (measured && kept(line.verdict) && claimed_noise().verdict == Verdict::missed) {
        return line.say(Verdict::not_promised,
                        "it rests on sigma, which was very likely claimed too small, see C13");
    }
    line.explanation = fmt::format(
        "with probability {:g} at least if sigma is what was claimed, from sampled gradients alone",
        confidence);
    if (!measured) {
        line.verdict = Verdict::stated;
        line.right += line.slack;  // a stated bound must cover its rounding
        line.explanation += "; the referee was off, so Reg itself is not known";
    } else if (line.verdict == Verdict::missed) {
        line.explanation += fmt::format(
            "; to miss it happens in at most {:.4g} of all runs, or sigma was claimed too small, see C13",
            1 - confidence);
    }
    return line;
}

CertificateBuilder::MeanBound CertificateBuilder::young_bound() const {
    const NoiseSums& sums = tally_.noise_;
    const Real m = static_cast<Real>(header_.noise->confirm);
    const Real c = descent();
    return {.a = c * c,
            .b = m,
            .right = 2 * c * energy_ / header_.reference_step + m * sums.levels.value(),
            .formula =
                m > 1 ? "(2cE_T/eta+m sum s^2)/(c^2 rho^2-m s^2)" : "(2c E_T/eta + sum s^2)/(c^2 rho^2-s^2)"};
}

CertificateBuilder::MeanBound CertificateBuilder::sharp_bound() const {
    const NoiseSums& sums = tally_.noise_;
    const Real c = descent();
    const Real energy = energy_ / header_.reference_step;
    const Real levels = sums.levels.value();
    const Real tolerances = sums.tolerances.value();
    // x = 1/(2 kappa) lies between 0 and c tau_t^2/s_t^2 - 1; where these are constant, it is the best
    // one.
    const Real level = sums.largest_level * sums.largest_level;
    const Real room = (c * sums.smallest_ratio - 1) * level;
    const Real paid = std::max(levels * room + level * (energy + levels), Real{0});
    const Real x = room / (level + std::sqrt(level * level + 4 * room * paid / tolerances));
    return {.a = c,
            .b = 1 + x,
            .right = energy + (1 + x) * levels + tolerances / (4 * x),
            .formula = fmt::format("bound (C-ii), kappa = {:.4g}", 1 / (2 * x))};
}

/// Why the proof of C12 does not cover the run; empty if it does.
std::string CertificateBuilder::uncounted() const {
    const NoiseSums& sums = tally_.noise_;
    const NoiseFacts& noise = *header_.noise;
    const Occurrences& exhausted = tally_.gaps_.exhausted;
    if (!noise.fresh())
        return "rounds begin with kept samples: there is a bound a round, none known for a whole run";
    if (noise.estimator != "sample")
        return "for recursive differences (G2) bounds single rounds, by constants a run does not declare";
    if (sums.endless) return endless();
    if (sums.weak && exhausted)
        return exhausted.in_words("c delta <= sigma, and {} rounds ended on their budget");
    if (sums.weak && noise.confirm > 1) {
        const Real root = std::sqrt(static_cast<Real>(noise.confirm));
        return fmt::format("{} confirmations need c delta > {:.4g} sigma, so delta above {:.6g}",
                           noise.confirm, root, smallest_delta(descent() / root));
    }
    return {};
}

Inequality CertificateBuilder::mean_count() const {
    const NoiseSums& sums = tally_.noise_;
    Claim line("C12", "mean of N <= what E_T and the noise allow");
    line.confidence = 0;
    if (nothing_played(line) || unmeasured(line) || leaves_domain(line) || promises_no_decrease(line) ||
        promises_no_test(line) || unclaimed(line) || off_level(line))
        return line;
    if (std::string why = uncounted(); !why.empty()) return line.drop(Verdict::not_promised, std::move(why));
    const MeanBound bound = sums.weak ? sharp_bound() : young_bound();
    const Real slack = 2 * energy_slack_ / header_.reference_step +
                       bound.a * sums.update_target_gaps.rounding(8) +
                       bound.b * (sums.update_levels.rounding(8) + sums.levels.rounding(8)) +
                       16 * kUnitRoundoff * std::abs(bound.right);
    const Real unit = bound.a * sums.smallest_target_gap * sums.smallest_target_gap -
                      bound.b * sums.largest_level * sums.largest_level;
    if (sums.smallest_target_gap == sums.largest_target_gap && unit > 0) {
        line.statement = "E N <= " + bound.formula;
        line.judge(static_cast<Real>(tally_.totals_.steps), bound.right / unit, slack / unit);
    } else {
        line.statement = "mean of sum N_t (a tau_t^2 - b s_t^2), by E_T";
        line.judge(bound.a * sums.update_target_gaps.value() - bound.b * sums.update_levels.value(),
                   bound.right, slack);
    }
    if (line.verdict == Verdict::not_applicable) return line;
    line.explanation = "bounds the mean over runs, with this run's E_T in place of its mean";
    if (sums.weak) line.explanation += " and kappa chosen for it";
    if (line.verdict == Verdict::missed)
        line.explanation += ": one run may exceed it; if most do, L or sigma was claimed too small";
    return line;
}

bool CertificateBuilder::noise_strays() const {
    // |e|^2 - s_t^2 has no positive mean given the past, so the variance of its sum is at most the mean of
    // sum |e|^4. Chebyshev's bound with the measured sum in place of that mean is approximate, but far
    // sharper than Markov's.
    const NoiseSums& sums = tally_.noise_;
    const Real odds = 1 - header_.noise->confidence;
    return sums.first_noise.value() > sums.levels.value() * (1 + 1e-9) +
                                          std::sqrt(sums.fourth_powers.value() / odds) + sums.rounding_norm;
}

Inequality CertificateBuilder::claimed_noise() const {
    const NoiseSums& sums = tally_.noise_;
    const Real confidence = header_.noise->confidence;
    Claim line("C13", "sum |e|^2 <= sum s_t^2/p, first estimates");
    line.confidence = confidence;
    if (nothing_played(line) || unmeasured(line) || unclaimed(line) || off_level(line)) return line;
    if (!header_.noise->fresh()) {
        return line.drop(Verdict::not_promised,
                         "first estimates are made of samples that were kept because they passed");
    }
    const Real right = sums.levels.value() / (1 - confidence);  // Markov
    const Real off = std::sqrt(sums.rounding_norm);
    line.judge(sums.first_noise.value(), right,
               off * (2 * std::sqrt(right) + off) + 16 * kUnitRoundoff * right);
    if (line.verdict == Verdict::not_applicable) return line;
    const NoiseSummary noise = noise_summary();
    line.explanation = fmt::format("root mean square {:.4g}, claimed {:.4g}", noise.first, noise.claimed);
    if (line.verdict == Verdict::missed) {
        line.explanation += fmt::format(
            ": sigma was very likely claimed too small; true claims come to this in at most {:.4g} of all "
            "runs",
            1 - confidence);
    } else if (noise_strays()) {
        line.verdict = Verdict::missed;
        line.explanation +=
            ": sigma was very likely claimed too small, by how far such sums stray (fourth powers; "
            "approximate)";
    }
    return line;
}

NoiseSummary CertificateBuilder::noise_summary() const {
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
