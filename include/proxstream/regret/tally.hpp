/// Gathers a run into the sums its certificate needs: row by row, in constant memory. A live run and a ledger
/// read back go through the same additions, so their certificates agree bit for bit.
#pragma once

#include "proxstream/regret/certificate.hpp"
#include "proxstream/regret/compensated_sum.hpp"
#include "proxstream/regret/round_order.hpp"
#include "proxstream/regret/run_record.hpp"

#include <optional>
#include <vector>

namespace proxstream {

/// The tightest case of an inequality that is checked in every round.
class WorstRound {
  public:
    /// left <= right + slack is asked of this round.
    void observe(Round round, Real left, Real right, Real slack);

    Round round = 0;  // 0: nothing observed
    Real left = 0;
    Real right = 0;
    Real slack = 0;
    Round checked = 0;
    Round violations = 0;
    Round first_violation = 0;

  private:
    Real severity_ = -kInfinity;
};

class Tally {
  public:
    /// Throws ConfigError if the header cannot be.
    explicit Tally(const RunHeader& header);

    /// Throws DataError if the report holds a NaN, or an infinity or a negative figure where none may stand.
    void add(const RoundReport& report, const RowExtras& extras = {});

    /// The footer of the run so far, its totals filled in.
    RunFooter footer(Real final_regulariser, ConstView final_losses, RunEnding ending, Real seconds) const;
    /// Throws DataError if the footer disagrees with the rounds added.
    Certificate certificate(const RunFooter& footer) const;

    const RunTotals& totals() const noexcept { return totals_; }
    Real regret() const { return regret_.value(); }  // Reg_w so far

  private:
    friend class Judge;

    Real proved_decrease(const RoundReport& report) const;
    Real step_worth(const RoundReport& report) const;
    void add_exit(const RoundReport& report);
    void add_regret(const RoundReport& report);
    void add_objective(const RoundReport& report);
    void add_decrease(const RoundReport& report);
    void add_count(const RoundReport& report);

    RunHeader header_;
    RunTotals totals_;
    RoundOrder order_;
    Round quiet_ = 0;
    Round exhausted_ = 0;
    Round first_exhausted_ = 0;
    Round untested_ = 0;  // rounds without a promised exit test
    Round off_rule_ = 0;  // rounds whose steps contradict the declared rule
    Round first_off_rule_ = 0;
    Round outside_ = 0;  // rounds with an infinite objective
    Round first_outside_ = 0;
    std::uint64_t tests_ = 0;

    Real previous_residual_;       // r_{t-1}
    Real previous_rounding_ = 0;   // of r_{t-1}
    Real previous_tolerance_;      // delta_{t-1} / w; r_0 before the first round
    CompensatedSum regret_;        // sum R_t^2
    CompensatedSum variation_;     // sum d_t^2
    CompensatedSum exits_;         // sum r_{t-1}^2
    CompensatedSum tolerances_;    // r_0^2 + sum of (delta_{t-1}/w)^2 over t >= 2
    CompensatedSum path_bound_;    // sum (r_{t-1} + d_t/w)^2
    CompensatedSum claimed_;       // sum (delta_t/w)^2, the paper's T delta^2 / w^2
    CompensatedSum drops_;         // sum Phi_t(x_t) - Phi_t(x_{t+1})
    CompensatedSum losses_;        // sum f_t(x_t) - f_{t-w}(x_t)
    CompensatedSum count_weight_;  // sum N_t kappa_t (delta_t/w)^2
    CompensatedSum path_length_;
    Real residual_slack_ = 0;   // sum of what rounding may add to the squares (r_{t-1} + d_t/w)^2
    Real rounding_norm_ = 0;    // sum of the squares of what it may add to r_{t-1} + d_t/w
    Real objective_slack_ = 0;  // sum of objective roundings
    Real count_slack_ = 0;
    Real largest_loss_ = 0;
    Real needed_smoothness_ = 0;  // L is at least this, by the rounds that violate C4
    WorstRound exit_test_;        // C1
    WorstRound firm_bound_;       // C2
    WorstRound decrease_;         // C4

    bool varied_tolerance_ = false;    // over the rounds with updates
    std::optional<Real> tolerance_;    // delta / w of those rounds
    Real smallest_tolerance_ = 0;      // of the rounds that promised a test; 0: none did
    Real smallest_worth_ = kInfinity;  // smallest kappa_t

    std::vector<CompensatedSum> other_regrets_;
    CompensatedSum prediction_loss_;
    Round predictions_ = 0;
};

}  // namespace proxstream
