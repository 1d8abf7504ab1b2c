/// C10 to C13: the noise of sampled gradients, as measured and as claimed.
#pragma once

#include "proxstream/core/round_report.hpp"
#include "proxstream/core/state_archive.hpp"
#include "proxstream/regret/run_record.hpp"

#include "regret/compensated_sum.hpp"
#include "regret/worst_round.hpp"

namespace proxstream {

/// Whether |e| <= s_t is sure. It is for exact gradients; errors of recursive differences are bounded in the
/// mean only.
bool noise_is_sure(const RunHeader& rules);
/// s_t where it is sure, 0 elsewhere.
Real sure_noise(const RunHeader& rules, const RoundReport& report);

struct NoiseSums {
    /// A round with sampled gradients; rules.noise is set.
    void add(const RunHeader& rules, const RoundReport& report);
    void serialise(StateArchive& archive);

    WorstRound entry;        // C10, R_t <= |P(x_t; G)| + s_t
    WorstRound error;        // C10, |e| <= s_t
    Real needed_sigma = 0;   // sigma is at least this, by the rounds whose noise was measured
    Occurrences off_level;   // rounds with s_t > sigma / w_a
    Occurrences untested;    // rounds that stopped without m passes, or continued without an update
    Real rounding_norm = 0;  // sum of the squares of what rounding may do to R_t - |P(x_t; G)|

    CompensatedSum first_gaps;     // sum |P(x_t; G)|^2, first estimates
    CompensatedSum first_noise;    // sum |e|^2 of them
    CompensatedSum fourth_powers;  // sum |e|^4 of them: for the spread of their sum of squares
    CompensatedSum kept_noise;     // sum |e|^2 of the estimates the rounds ended with
    CompensatedSum levels;         // sum s_t^2

    CompensatedSum tolerances;          // sum rho_t^2
    CompensatedSum update_target_gaps;  // sum N_t tau_t^2
    CompensatedSum update_levels;       // sum N_t s_t^2
    Real largest_level = 0;
    Real smallest_ratio = kInfinity;  // of tau_t^2 / s_t^2
    Real smallest_target_gap = kInfinity;
    Real largest_target_gap = 0;
    Occurrences endless;  // rounds with c tau_t^2 <= s_t^2: nothing guarantees an end of their loops
    Occurrences weak;     // rounds with c^2 tau_t^2 <= m s_t^2, of which (C-i) says nothing

  private:
    void add_errors(const RunHeader& rules, const RoundReport& report);
    void add_count(const RunHeader& rules, const RoundReport& report, Real level);
    void add_stop(const RunHeader& rules, const RoundReport& report);
};

}  // namespace proxstream
