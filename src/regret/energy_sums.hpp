/// C4, C5, C6 and C9: what a learner's inner updates proved, and the energy E_T that pays for them.
#pragma once

#include "proxstream/core/round_report.hpp"
#include "proxstream/core/state_archive.hpp"
#include "proxstream/regret/run_record.hpp"

#include "regret/compensated_sum.hpp"
#include "regret/worst_round.hpp"

#include <optional>

namespace proxstream {

/// The point did not move and no update was made, so the objective fell by exactly 0.
bool stood_still(const RoundReport& report);
/// Bound on the rounding error of the fall of Psi_t in a round.
Real fall_rounding(const RoundReport& report);

struct EnergySums {
    void add(const RunHeader& rules, const RoundReport& report);
    void serialise(StateArchive& archive);

    CompensatedSum falls;          // sum Psi_t(x_t) - Psi_t(x_{t+1})
    CompensatedSum value_changes;  // sum Q_{t+1}(x_t) - Q_t(x_t)
    CompensatedSum count_weight;   // sum N_t kappa_t tau_t^2, less N_t eta s_t tau_t for sampled gradients
    CompensatedSum failures;       // the same for the failed confirmations
    Real objective_slack = 0;      // sum of objective roundings
    Real count_slack = 0;
    Real failure_slack = 0;
    Real largest_loss = 0;
    Real needed_smoothness = 0;  // L is at least this, by the rounds that violate C4
    WorstRound decrease;         // C4
    Occurrences outside;         // rounds with an infinite objective
    Occurrences off_rule;        // rounds whose steps contradict the declared rule

    std::uint64_t cheap_steps = 0;
    std::uint64_t confirmations = 0;
    std::uint64_t failed_confirmations = 0;
    Occurrences unconfirmed;  // solved rounds with cheap updates that no exact test confirmed
    Occurrences unpaid;       // solved rounds with more failed confirmations than exact updates

    bool varied_target_gap = false;  // over the rounds with updates
    std::optional<Real> target_gap;  // of those rounds
    Real smallest_unit = kInfinity;  // of what an update in them is worth at least
    Occurrences uncovered;           // those whose noise may eat up what an update is worth

  private:
    void add_decrease(const RunHeader& rules, const RoundReport& report);
    void add_count(const RunHeader& rules, const RoundReport& report);
    void add_confirmations(const RunHeader& rules, const RoundReport& report);
};

}  // namespace proxstream
