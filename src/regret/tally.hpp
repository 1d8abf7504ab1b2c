/// Gathers a run into the sums its certificate needs: row by row, in constant memory. A live run and a ledger
/// read back go through the same additions, so their certificates agree bit for bit.
#pragma once

#include "proxstream/core/state_archive.hpp"
#include "proxstream/regret/certificate.hpp"
#include "proxstream/regret/round_order.hpp"
#include "proxstream/regret/run_record.hpp"

#include "regret/churn_sums.hpp"
#include "regret/compensated_sum.hpp"
#include "regret/consistency.hpp"
#include "regret/energy_sums.hpp"
#include "regret/gap_sums.hpp"
#include "regret/mixture_bound.hpp"
#include "regret/noise_sums.hpp"
#include "regret/rounding.hpp"
#include "regret/tracking_bound.hpp"

#include <optional>
#include <vector>

namespace proxstream {

/// Sums over what an ensemble played, and over its members' losses.
struct EnsembleSums {
    explicit EnsembleSums(const RunHeader& header);
    void add(const RoundReport& report, const EnsembleRound& ensemble);
    void serialise(StateArchive& archive);

    TrackingBound tracking;               // C8, where members are drawn
    std::optional<MixtureBound> mixture;  // C8, where their mean is played
    std::vector<Round> active_member;     // rounds of each member
    std::vector<CompensatedSum> losses;   // f + g of each member
    std::vector<CompensatedSum> weights;
    CompensatedSum weighted;  // <p_t, l_t>
    CompensatedSum gaps;      // squared, of the mean, where they were measured
    Round measured = 0;       // how often
    Round switches = 0;
    Occurrences foreign;       // rounds whose report is not that of the active member
    Occurrences false_losses;  // rounds whose losses are not those of the members' reports
    Occurrences restarted;     // rounds in which a member with a window had been restarted

  private:
    std::vector<std::uint64_t> ended_;  // 1: the member's reports have ended
    Index last_ = 0;
    bool started_ = false;
};

/// The sums of one run. An ensemble has one tally of the points it played, and one for each member with a
/// window.
class Tally {
  public:
    /// Throws ConfigError if the header is invalid.
    explicit Tally(const RunHeader& header);

    /// Throws DataError if the report holds a NaN, or an infinity or a negative figure where none may stand,
    /// or does not fit the header.
    void add(const RoundReport& report, const RowExtras& extras = {});

    /// Saves or restores all sums; both tallies are made from the same header.
    void serialise(StateArchive& archive);

    /// The footer of the run so far, its totals filled in. Throws DataError if the closing does not fit.
    RunFooter footer(const Closing& closing, RunEnding ending, Real seconds) const;
    /// Throws DataError if the footer disagrees with the rounds added.
    Certificate certificate(const RunFooter& footer) const;

    const RunTotals& totals() const noexcept { return totals_; }
    Real regret() const { return gaps_.regret.value(); }  // Reg_w so far
    const std::vector<Tally>& members() const noexcept { return members_; }
    /// The report added last, with the referee's own bounds on its rounding.
    const RoundReport& judged() const noexcept { return judged_; }

  private:
    friend class CertificateBuilder;

    void add_played(const RoundReport& report, const RowExtras& extras);
    void add_learner();
    void add_ensemble(const EnsembleRound& ensemble);
    RunFooter fill_footer(const Closing& closing, RunEnding ending, Real seconds) const;
    void check_totals(const RunFooter& footer) const;

    RunHeader header_;
    RunTotals totals_;
    RoundOrder order_;
    RoundingBounds rounding_;
    RoundReport judged_;
    Departure departure_;  // the state in which the learner left its point
    Consistency consistency_;
    std::uint64_t tests_ = 0;
    CompensatedSum loss_;       // sum f_t(x_t)
    CompensatedSum objective_;  // sum f_t(x_t) + g(x_t)
    bool infinite_ = false;     // g was infinite at a point played
    GapSums gaps_;
    ChurnSums churn_;
    EnergySums energy_;                     // of one learner; an ensemble has those of its members
    NoiseSums noise_;                       // the same, with sampled gradients
    std::optional<EnsembleSums> ensemble_;  // of an ensemble
    std::vector<Tally> members_;            // those with a window, which are the last ones of the header
    std::vector<CompensatedSum> other_regrets_;
    CompensatedSum prediction_loss_;
    Round predictions_ = 0;
};

}  // namespace proxstream
