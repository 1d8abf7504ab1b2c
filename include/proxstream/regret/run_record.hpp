/// What a run states before its first round and after its last. Together with the round reports, a
/// certificate is computed from these facts alone.
#pragma once

#include "proxstream/core/round_report.hpp"  // Closing lives there: learners hand it out, and they may not see regret/
#include "proxstream/core/run_header.hpp"
#include "proxstream/core/types.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace proxstream {

/// The version of ledgers that are written today.
inline constexpr std::uint64_t kLedgerVersion = 8;

/// How a run ended. A ledger without a footer has no ending: the run was killed.
///
/// - `finished`: all rounds were played.
/// - `interrupted`: the user stopped it.
/// - `refused`: a loss was not finite, and the run was set to stop there.
/// - `failed`: an input or an output could not be used.
///
/// \code
/// const bool whole = certificate.summary.ending == RunEnding::finished;
/// \endcode
enum class RunEnding : std::uint8_t { finished, interrupted, refused, failed };

/// The name of a rule, as ledgers write it.
std::string_view name(StepRule rule);
/// The name of an ending, as ledgers write it.
std::string_view name(RunEnding ending);

/// Throws ConfigError that names every field with an impossible value.
void validate(const RunHeader& header);

/// What is known of a round beyond its report: gaps for other windows, the loss of the prediction, and the
/// rounds of an ensemble's members. LedgerReader::extras returns it.
///
/// \code
/// const RowExtras extras = ledger.extras();
/// if (extras.prediction_loss) std::cout << *extras.prediction_loss << '\n';
/// \endcode
struct RowExtras {
    ConstView other_gaps;  ///< |P(x_t; grad S_{t,w'}(x_t))| for each w' of RunHeader::other_windows;
                           ///< empty in refused rounds
    std::optional<Real> prediction_loss;      ///< loss of the prediction made before learning
    const EnsembleRound* ensemble = nullptr;  ///< of an ensemble: the rounds of all members; else null
};

/// Counts of a whole run: rounds, steps and cost. Part of RunSummary and RunFooter.
///
/// \code
/// const RunTotals& totals = certificate.summary.totals;
/// std::cout << totals.cost.record_gradients / totals.rounds << " gradients a round\n";
/// \endcode
struct RunTotals {
    Round rounds = 0;         ///< T: rounds that were not refused
    Round refused = 0;        ///< refused rounds, which count in nothing else
    std::uint64_t steps = 0;  ///< N: inner updates with a proved decrease
    Cost cost;                ///< spent by the learner
    Cost referee_cost;        ///< spent on measuring for the certificate only

    friend bool operator==(const RunTotals&, const RunTotals&) = default;
};

/// What a run states after its last round: totals, the losses at the last point and how it ended. It is the
/// last line of a ledger; a ledger without one was interrupted.
///
/// \code
/// const RunFooter& footer = ledger.footer();
/// std::cout << footer.totals.rounds << " rounds in " << footer.seconds << " s\n";
/// \endcode
struct RunFooter {
    RunTotals totals;                        ///< rounds, steps and cost
    Real final_regulariser = 0;              ///< g(x_{T+1})
    std::vector<Real> final_losses;          ///< f_i(x_{T+1}) of the records in the forecast, oldest first
    std::vector<Real> final_weights;         ///< their weights: Q_{T+1}(x_{T+1}) is the weighted sum
    std::vector<RunFooter> members;          ///< of an ensemble, one for each member with a window
    RunEnding ending = RunEnding::finished;  ///< how the run ended
    Real seconds = 0;                        ///< time spent by the learner

    friend bool operator==(const RunFooter&, const RunFooter&) = default;
};

}  // namespace proxstream
