/// What one round leaves behind: the facts a learner reports and a referee needs. Names follow the theory:
/// docs/theory.md has the notation table.
#pragma once

#include "proxstream/core/types.hpp"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace proxstream {

enum class RoundStatus : std::uint8_t {
    quiet,             // the entry test passed: x_{t+1} = x_t
    solved,            // the inner loop ended with its exit test
    budget_exhausted,  // it ran out of steps or seconds; the exit residual is what was reached
    moved,             // a baseline made its update; no exit test was promised
    refused,           // the loss was NaN or infinite: nothing changed, the record is not in the window
};

std::string_view name(RoundStatus status);
/// Throws Error if no status has that name.
RoundStatus round_status(std::string_view name);

/// What evaluations cost. A pass over a window of k records is k record gradients.
struct Cost {
    std::uint64_t record_gradients = 0;  // each comes with its value
    std::uint64_t record_values = 0;     // values without gradient
    std::uint64_t passes = 0;            // batched evaluations of a whole window
    std::uint64_t prox = 0;
    std::uint64_t oracle_calls = 0;  // answers of a stochastic oracle: one a record and estimate
    std::uint64_t base_samples = 0;  // what those answers were averaged from

    Cost& operator+=(const Cost& other) {
        record_gradients += other.record_gradients;
        record_values += other.record_values;
        passes += other.passes;
        prox += other.prox;
        oracle_calls += other.oracle_calls;
        base_samples += other.base_samples;
        return *this;
    }
    /// What came after `other` was noted.
    Cost& operator-=(const Cost& other) {
        record_gradients -= other.record_gradients;
        record_values -= other.record_values;
        passes -= other.passes;
        prox -= other.prox;
        oracle_calls -= other.oracle_calls;
        base_samples -= other.base_samples;
        return *this;
    }
    friend Cost operator+(Cost a, const Cost& b) { return a += b; }
    friend Cost operator-(Cost a, const Cost& b) { return a -= b; }
    friend bool operator==(const Cost&, const Cost&) = default;
};

/// Two windows meet in a round: the judge S_t, by which the point x_t is measured, and the model Q_{t+1},
/// which the round solves to find x_{t+1}. Algorithm 1 is the case Q_{t+1} = S_t.
struct RoundReport {
    Round round = 0;  // t
    RoundStatus status = RoundStatus::quiet;

    Real tolerance = 0;        // rho_t = delta_t / w: a round whose model residual is above it works
    Real aim = 0;              // theta rho_t: what a round that works has to reach
    Real entry_residual = 0;   // R_t = |P(x_t; grad S_t(x_t))|
    Real model_residual = 0;   // |P(x_t; grad Q_{t+1}(x_t))|
    Real exit_residual = 0;    // r_t = |P(x_{t+1}; grad Q_{t+1}(x_{t+1}))|
    Real tested_residual = 0;  // the same with the switching penalty in g: what the exit test saw
    Real variation = 0;        // d_t = w_a |Pi v_t|, v_t = grad S_t(x_t) - grad Q_t(x_t)
    Real firm_bound = 0;       // |p_{t-1} + v_t/2| + |v_t|/2, the sharp bound on R_t (C2)
    Real model_change = 0;     // |Pi (grad Q_{t+1} - grad Q_t)(x_t)|

    Real loss = 0;             // f_t(x_t)
    Real outgoing_loss = 0;    // f(x_t) of the record that left the model; 0 where none did
    Real exchange = 0;         // Q_{t+1}(x_t) - Q_t(x_t)
    Real regulariser = 0;      // g(x_t)
    Real objective_entry = 0;  // Psi_t(x_t), Psi_t = Q_{t+1} + g
    Real objective_exit = 0;   // Psi_t(x_{t+1})

    std::uint64_t steps = 0;      // N_t, inner updates that carry a proved decrease
    Real certified_decrease = 0;  // what the accepted steps prove Psi_t (with the penalty) fell by (C4)
    Real squared_residuals = 0;   // sum over updates of |P|^2, at the step each of them used
    Real smallest_step = 0;       // over the round's updates; 0 when there was none
    Real largest_step = 0;
    std::uint64_t cheap_steps = 0;    // updates without a proof (T4)
    std::uint64_t confirmations = 0;  // exact tests after cheap updates; under noise, further estimates
    std::uint64_t failed_confirmations = 0;  // those that did not pass

    // Rounds with sampled gradients: G estimates grad S_t, e = G - grad S_t. The residuals above are the
    // exact ones, measured by the referee; tested_residual is what the test saw of G.
    Real first_residual = 0;  // |P(x_t; G)| for the round's first estimate
    Real first_noise = 0;     // |e| of it
    Real kept_noise = 0;      // |e| at x_{t+1} of the estimate the round ended with
    Real noise_level = 0;     // s_t: what is claimed of the round's estimates, E|e|^2 <= s_t^2

    Real movement = 0;          // |x_{t+1} - x_t|
    Real movement_one = 0;      // |x_{t+1} - x_t|_1
    std::uint64_t changed = 0;  // coordinates of x that changed
    Real path = 0;              // sum over updates of |y' - y|
    Real jump = 0;              // |y_0 - x_t|: where the loop started, when it was not x_t
    Real penalty = 0;           // kappa |x_{t+1} - x_t|_1

    // Sizes that tell how much rounding can have done to the figures above (regret/rounding.hpp).
    Real point_norm = 0;     // |x_t|
    Real gradient_norm = 0;  // largest |gradient| met: of f_t at x_t, of the model at x_t and x_{t+1}

    // Bounds on that rounding. The learner's own estimate, for its own decisions; the referee replaces both
    // by bounds that it computes from the figures above.
    Real residual_rounding = 0;
    Real objective_rounding = 0;

    Cost cost;          // charged to the learner
    Cost referee_cost;  // spent on measuring only
};

/// Fills in what moving from x_t to x_{t+1} amounts to: movement, movement_one, changed.
void note_movement(ConstView from, ConstView to, RoundReport& report);

/// What is left to say at x_{T+1} when a run ends: g there, and the losses that the next model is made of.
struct Closing {
    Real regulariser = 0;
    std::vector<Real> losses;           // f_i(x_{T+1}), oldest record first
    std::vector<Real> weights;          // theirs in Q_{T+1}
    std::vector<Closing> members = {};  // of a bank, one each
};

/// What a bank of learners adds to the report of the member whose point was played.
struct BankRound {
    Index in_charge = 0;                   // k_t
    Real rate = 0;                         // eps_t of the weights' update after this round
    Real share = 0;                        // al_t of that update
    Real offset = 0;                       // |z_t - x_t^{k_t}|: 0 unless a mean of members was played
    Real spread = 0;                       // Var_p of the members' points
    std::span<const Real> weights;         // p_t
    std::span<const RoundReport> members;  // each on its own window; l_t(k) = loss + regulariser
};

}  // namespace proxstream
