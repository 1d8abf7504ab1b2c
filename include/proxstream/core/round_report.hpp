/// What a learner reports about each round, and what the certificate is computed from. Symbols are those of
/// docs/theory.md, whose notation table lists all of them.
#pragma once

#include "proxstream/core/types.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace proxstream {

/// How a round ended. Only `refused` means that the round had no effect.
///
/// \code
/// if (learner.report().status == RoundStatus::refused) std::cerr << "the loss was not finite\n";
/// \endcode
enum class RoundStatus : std::uint8_t {
    quiet,             ///< the current point already passed the test: x_{t+1} = x_t
    solved,            ///< the inner loop ended because its exit test passed
    budget_exhausted,  ///< steps or seconds ran out; the exit gap is the one reached
    moved,             ///< a baseline made its update; it promises no exit test
    refused,           ///< the loss was NaN or infinite: nothing changed, the record is not in the window
};

/// The name of a status, as ledgers write it.
std::string_view name(RoundStatus status);

/// Counts of evaluations: what a round or a run cost. A pass over a window of k records counts as k record
/// gradients. Costs can be added and subtracted.
///
/// \code
/// const Cost cost = learner.certificate().summary.totals.cost;
/// std::cout << cost.record_gradients << " gradients, " << cost.prox << " prox calls\n";
/// \endcode
struct Cost {
    std::uint64_t record_gradients = 0;  ///< gradients of single records, each with its value
    std::uint64_t record_values = 0;     ///< values without a gradient
    std::uint64_t passes = 0;            ///< evaluations of a whole window
    std::uint64_t prox = 0;              ///< evaluations of a prox
    std::uint64_t oracle_calls = 0;      ///< answers of a stochastic oracle, one for each record and estimate
    std::uint64_t base_samples = 0;      ///< samples that those answers were averaged from

    Cost& operator+=(const Cost& other);  ///< adds every count
    Cost& operator-=(const Cost& other);  ///< subtracts every count: what was spent since `other` was noted
    friend Cost operator+(Cost a, const Cost& b) { return a += b; }
    friend Cost operator-(Cost a, const Cost& b) { return a -= b; }
    friend bool operator==(const Cost&, const Cost&) = default;
};

/// The counts of a cost and their names.
inline constexpr std::array<std::pair<std::string_view, std::uint64_t Cost::*>, 6> kCostCounts{{
    {"record_gradients", &Cost::record_gradients},
    {"record_values", &Cost::record_values},
    {"passes", &Cost::passes},
    {"prox", &Cost::prox},
    {"oracle_calls", &Cost::oracle_calls},
    {"base_samples", &Cost::base_samples},
}};

inline Cost& Cost::operator+=(const Cost& other) {
    for (const auto& [name, count] : kCostCounts) this->*count += other.*count;
    return *this;
}
inline Cost& Cost::operator-=(const Cost& other) {
    for (const auto& [name, count] : kCostCounts) this->*count -= other.*count;
    return *this;
}

/// What the updates of a round, or of a part of it, come to. Part of RoundReport.
///
/// \code
/// const StepSums& sums = report;
/// std::cout << sums.steps << " steps of " << sums.smallest_step << " to " << sums.largest_step << '\n';
/// \endcode
struct StepSums {
    std::uint64_t steps = 0;      ///< N_t: inner updates with a proved decrease
    Real certified_decrease = 0;  ///< decrease of Psi_t (with the penalty) that the accepted steps prove (C4)
    Real squared_gaps = 0;        ///< sum of |P|^2 over updates, each at the step it used
    Real smallest_step = 0;       ///< shortest step of the updates; 0 if there were none
    Real largest_step = 0;        ///< longest step of the updates; 0 if there were none
    Real path = 0;                ///< sum of the lengths of all updates
    std::uint64_t cheap_steps = 0;    ///< updates without a proof (T4)
    std::uint64_t confirmations = 0;  ///< exact tests after such updates; with noise, further estimates
    std::uint64_t failed_confirmations = 0;  ///< of those tests, the number that failed
};

/// Everything measured in one round: stationarity gaps, objective values, steps, movement and cost.
/// OnlineLearner::observe returns it, a ledger stores it, and the certificate is computed from these figures
/// alone.
///
/// Each round has two windows. The judge S_t measures the played point x_t. The forecast Q_{t+1} stands for
/// the losses to come: the round minimises Psi_t = Q_{t+1} + g to find x_{t+1}. Algorithm 1 of the paper is
/// the case Q_{t+1} = S_t. P is the prox-gradient mapping at the reference step eta, and |P| the stationarity
/// gap; the fields call it a gap.
///
/// \code
/// const RoundReport& report = learner.observe(loss);
/// std::cout << report.round << ": gap " << report.entry_gap << " after " << report.steps << " steps\n";
/// \endcode
struct RoundReport : StepSums {
    Round round = 0;                          ///< t
    RoundStatus status = RoundStatus::quiet;  ///< how the round ended

    Real tolerance = 0;        ///< rho_t = delta_t / w_a: a round updates the point if its gap is above this
    Real target_gap = 0;       ///< theta rho_t: the target gap of a round that updates the point
    Real entry_gap = 0;        ///< R_t = |P(x_t; grad S_t(x_t))|: gap of the played point for the judge
    Real forecast_gap = 0;     ///< |P(x_t; grad Q_{t+1}(x_t))|: gap of the played point for the forecast
    Real exit_gap = 0;         ///< r_t = |P(x_{t+1}; grad Q_{t+1}(x_{t+1}))|: gap at the end of the round
    Real tested_gap = 0;       ///< the exit gap as the exit test saw it: with the switching penalty in g
    Real variation = 0;        ///< d_t = w_a |Pi v_t|, v_t = grad S_t(x_t) - grad Q_t(x_t)
    Real firm_bound = 0;       ///< |p_{t-1} + v_t/2| + |v_t|/2, the sharp bound on R_t (C2)
    Real forecast_change = 0;  ///< u_t = |Pi (grad Q_{t+1} - grad Q_t)(x_t)|: change of the forecast

    Real loss = 0;             ///< f_t(x_t)
    Real outgoing_loss = 0;    ///< f(x_t) of the record that left the forecast; 0 if none did
    Real value_change = 0;     ///< Q_{t+1}(x_t) - Q_t(x_t)
    Real regulariser = 0;      ///< g(x_t)
    Real objective_entry = 0;  ///< Psi_t(x_t), Psi_t = Q_{t+1} + g
    Real objective_exit = 0;   ///< Psi_t(x_{t+1})

    // Rounds with sampled gradients: G estimates grad S_t, and e = G - grad S_t. The gaps above are exact, as
    // measured for the certificate; only tested_gap is the gap computed from G.
    Real first_gap = 0;    ///< |P(x_t; G)| for the first estimate G of the round
    Real first_noise = 0;  ///< |e| of that estimate
    Real kept_noise = 0;   ///< |e| at x_{t+1} of the estimate that ended the round
    Real noise_level = 0;  ///< s_t: the claim about the round's estimates, E|e|^2 <= s_t^2

    Real movement = 0;          ///< |x_{t+1} - x_t|
    Real movement_one = 0;      ///< the same in the 1-norm
    std::uint64_t changed = 0;  ///< number of coordinates of x that changed
    Real jump = 0;              ///< |y_0 - x_t|, where y_0 is the point the loop started from
    Real penalty = 0;           ///< kappa times the 1-norm of x_{t+1} - x_t: the switching penalty paid

    // Magnitudes from which the rounding errors of the figures above are bounded (regret/rounding.hpp).
    Real point_norm = 0;     ///< |x_t|
    Real gradient_norm = 0;  ///< largest gradient norm met: of f_t at x_t, of the forecast at x_t and x_{t+1}

    // Bounds on those rounding errors. A learner estimates them for its own decisions; the certificate
    // replaces both by bounds computed from the figures above.
    Real gap_rounding = 0;        ///< bound on the rounding error of a gap
    Real objective_rounding = 0;  ///< bound on the rounding error of an objective value

    Cost cost;          ///< spent by the learner
    Cost referee_cost;  ///< spent on measuring for the certificate only
};

/// Sets movement, movement_one and changed of the report, for a move from x_t to x_{t+1}.
void note_movement(ConstView from, ConstView to, RoundReport& report);

/// What is known at the last point x_{T+1} when a run ends: g there, and the losses that form the next
/// forecast. A run's footer stores it, and identity C5 of the certificate needs it. Most programs never see
/// one: OnlineLearner::finish takes care of it. Example: examples/05_ledger.cpp
struct Closing {
    Real regulariser = 0;               ///< g(x_{T+1})
    std::vector<Real> losses;           ///< f_i(x_{T+1}), oldest record first
    std::vector<Real> weights;          ///< weight of each in Q_{T+1}
    std::vector<Closing> members = {};  ///< of an ensemble, one for each member with a window
};

/// What an ensemble of learners adds to its report: the weights of the members, their losses, and the reports
/// of the members with a window. With the automatic window (the default), ledgers store it for each round,
/// and LedgerReader::extras returns it. Members without a window come first and have no reports.
///
/// \code
/// while (ledger.next()) {
///     if (const EnsembleRound* ensemble = ledger.extras().ensemble) std::cout << ensemble->weights[0] <<
///     '\n';
/// }
/// \endcode
struct EnsembleRound {
    /// k_t: the active member, whose point was played; where a mean was played, the member with a window that
    /// has the largest weight.
    Index active_member = 0;
    Real rate = 0;    ///< eps_t of the update of the weights after this round; 0 where a mean is played
    Real share = 0;   ///< al_t of that update: the share spread evenly over the members
    Real offset = 0;  ///< |z_t - x_t^{k_t}|: 0 unless a mean of the members was played
    /// Stationarity gap of the mean that was played, for the window of member k_t; measured now and then.
    std::optional<Real> mean_gap;
    std::span<const Real> weights;         ///< p_t, of all members
    std::span<const Real> losses;          ///< l_t(k) = f_t + g at every member's point
    std::span<const Real> mixer_losses;    ///< the same at the mixers' points; empty unless a mean is played
    std::span<const Real> slopes;          ///< inner products of grad f_t(z) and z - x_k, z of mixer 2
    std::span<const RoundReport> members;  ///< of members with a window, each on its own one

    /// Members without a window.
    Index points() const { return weights.size() - members.size(); }
    /// The report of a member with a window.
    const RoundReport& report(Index member) const { return members[member - points()]; }
};

}  // namespace proxstream
