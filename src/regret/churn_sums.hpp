/// C7: how far and how often the point moved, and what allowed it to.
#pragma once

#include "proxstream/core/round_report.hpp"
#include "proxstream/core/state_archive.hpp"
#include "proxstream/regret/run_record.hpp"

#include "regret/compensated_sum.hpp"
#include "regret/worst_round.hpp"

namespace proxstream {

struct ChurnSums {
    /// The distances alone. Nothing else holds for an ensemble, whose point may jump between members.
    void add_movement(const RoundReport& report);
    void add(const RunHeader& rules, const RoundReport& report);
    void serialise(StateArchive& archive);

    CompensatedSum path_length;  // sum |x_{t+1} - x_t|
    CompensatedSum movement_one;
    std::uint64_t changed = 0;  // coordinates, over all rounds
    Round active = 0;           // rounds with updates
    Round quiet = 0;

    WorstRound path;          // C7a
    Occurrences unproved;     // rounds with cheap updates: their paths are not bounded
    Occurrences strayed;      // rounds that moved further than their path
    CompensatedSum penalty;   // C7c
    Occurrences off_penalty;  // rounds whose penalty is not kappa times their move

    WorstRound reason;           // C7b, from one active round to the next
    CompensatedSum gaps;         // sum rho_t - s_t - r_s over consecutive active rounds s < t; s_t is noise
    CompensatedSum gap_changes;  // sum of u over the rounds between them
    Real gap_slack = 0;
    CompensatedSum forecast_changes;  // sum u_t over all rounds
    Real change_slack = 0;
    bool varied_tolerance = false;  // over the active rounds
    Real tolerance = 0;             // of those rounds

  private:
    void add_path(const RunHeader& rules, const RoundReport& report);
    void add_reason(const RunHeader& rules, const RoundReport& report);

    bool chained_ = false;  // whether a round has moved
    Real left_with_ = 0;    // r_s of the last one, s
    Real since_ = 0;        // sum of u since then
    Real since_slack_ = 0;  // bound on the rounding error of both
};

}  // namespace proxstream
