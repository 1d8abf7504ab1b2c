#include "regret/noise_sums.hpp"

#include <algorithm>
#include <cmath>

namespace proxstream {
namespace {

/// Relative difference of levels computed from the same sigma.
constexpr Real kSameLevel = 1e-9;

}  // namespace

bool noise_is_sure(const RunHeader& rules) {
    return !rules.noise || (rules.noise->sigma && rules.noise->bounded && rules.noise->estimator == "sample");
}

Real sure_noise(const RunHeader& rules, const RoundReport& report) {
    return rules.noise && noise_is_sure(rules) ? report.noise_level : 0;
}

void NoiseSums::add(const RunHeader& rules, const RoundReport& report) {
    const Real level = rules.noise->sigma ? report.noise_level : 0;  // without a sigma nothing is claimed
    first_gaps.add(report.first_gap * report.first_gap);
    first_noise.add(report.first_noise * report.first_noise);
    fourth_powers.add(std::pow(report.first_noise, 4));
    kept_noise.add(report.kept_noise * report.kept_noise);
    levels.add(level * level);
    rounding_norm += 4 * report.gap_rounding * report.gap_rounding;
    largest_level = std::max(largest_level, level);
    if (rules.noise->sigma) add_errors(rules, report);
    add_count(rules, report, level);
    add_stop(rules, report);
}

void NoiseSums::add_errors(const RunHeader& rules, const RoundReport& report) {
    const NoiseFacts& claims = *rules.noise;
    const Real level = report.noise_level;
    const Real off = report.gap_rounding;
    if (level > *claims.sigma / rules.effective_length * (1 + kSameLevel)) off_level.note(report.round);
    // Lemma 2: one gap differs from the other by no more than the noise.
    const Real most = report.first_gap + level;
    entry.observe(report.round, report.entry_gap, most, 2 * off + 4 * kUnitRoundoff * most);
    // What recursive differences end with is not one sample.
    const bool sampled = claims.estimator == "sample";
    const Real noise = std::max(report.first_noise, sampled ? report.kept_noise : 0);
    const Real slack = off + 4 * kUnitRoundoff * level;
    error.observe(report.round, noise, level, slack);
    // s_t is proportional to sigma.
    const Real scale = level > 0 ? *claims.sigma / level : rules.effective_length;
    needed_sigma = std::max(needed_sigma, scale * (noise - slack));
}

void NoiseSums::add_count(const RunHeader& rules, const RoundReport& report, Real level) {
    const Real target_gap = report.target_gap;
    const Real steps = static_cast<Real>(report.steps);
    tolerances.add(report.tolerance * report.tolerance);
    update_target_gaps.add(steps * target_gap * target_gap);
    update_levels.add(steps * level * level);
    smallest_target_gap = std::min(smallest_target_gap, target_gap);
    largest_target_gap = std::max(largest_target_gap, target_gap);
    const Real share = rules.fixed_gain() / rules.reference_step;  // c
    const Real confirm = static_cast<Real>(rules.noise->confirm);
    if (!(level > 0 && share > 0)) return;
    const Real ratio = (target_gap / level) * (target_gap / level);
    smallest_ratio = std::min(smallest_ratio, ratio);
    if (share * ratio <= 1) endless.note(report.round);
    if (share * share * ratio <= confirm) weak.note(report.round);
}

void NoiseSums::add_stop(const RunHeader& rules, const RoundReport& report) {
    const bool solved = report.status == RoundStatus::solved;
    if (!solved && report.status != RoundStatus::quiet) return;
    const bool confirmed = report.confirmations - report.failed_confirmations + 1 >= rules.noise->confirm;
    const bool followed = !solved || report.failed_confirmations <= report.steps;
    if (!confirmed || !followed) untested.note(report.round);
}

}  // namespace proxstream
