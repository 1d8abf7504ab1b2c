/// C1, C2 and C3: sums of the played points' gaps, and their bounds.
#pragma once

#include "proxstream/core/round_report.hpp"
#include "proxstream/core/state_archive.hpp"
#include "proxstream/regret/run_record.hpp"

#include "regret/compensated_sum.hpp"
#include "regret/worst_round.hpp"

namespace proxstream {

/// The gap with which a learner left its point, where its next round starts.
struct Departure {
    Real gap = 0;       // r_{t-1}; r_0 before the first round
    Real rounding = 0;  // of it
    Real promised = 0;  // its bound by the exit test; r_0 before the first round
    bool sure = true;   // false: noise is bounded in the mean only, so the bound is too

    void serialise(StateArchive& archive);
};

struct GapSums {
    /// `rules` and `played` are those of the learner whose point x_t was played, `from` how it had left x_t.
    void add(const RunHeader& rules, const RoundReport& played, const Departure& from);
    void serialise(StateArchive& archive);

    WorstRound exit_test;         // C1
    WorstRound firm_bound;        // C2
    CompensatedSum regret;        // sum R_t^2
    CompensatedSum regret_bound;  // sum (R_t + its rounding)^2
    CompensatedSum variation;     // sum d_t^2
    CompensatedSum changes;       // sum |v_t|^2, |v_t| = d_t / w_a
    CompensatedSum exits;         // sum r_{t-1}^2
    CompensatedSum promises;      // the same of what was promised
    CompensatedSum bound;         // sum (r_{t-1} + |v_t|)^2
    CompensatedSum claimed;       // sum rho_t^2, the paper's T delta^2 / w^2
    Real slack = 0;               // sum of what rounding may add to the squares (r_{t-1} + |v_t|)^2
    Real rounding_norm = 0;       // sum of the squares of what it may add to r_{t-1} + |v_t|
    Occurrences exhausted;        // rounds that ended on their budget
    Occurrences untested;         // rounds without a promised exit test
    Occurrences blurred;          // rounds in which rounding may exceed the tolerance
    Occurrences unmeasured;       // rounds without exact figures
    Occurrences unsure;           // rounds whose r_{t-1} was promised, but not surely
    Occurrences off_target_gap;   // rounds whose target gap is not theta rho_t
    Real smallest_tolerance = 0;  // of the rounds that promised a test; 0: none did

  private:
    void add_exit(const RunHeader& rules, const RoundReport& played);
};

Departure departure_of(const RunHeader& rules, const RoundReport& played);

}  // namespace proxstream
