/// What one round leaves behind: the facts a learner reports and a referee needs. Names follow the theory:
/// docs/theory.md has the notation table.
#pragma once

#include "proxstream/core/types.hpp"

#include <cstdint>
#include <string_view>

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

    Cost& operator+=(const Cost& other);
    friend Cost operator+(Cost a, const Cost& b) { return a += b; }
    friend bool operator==(const Cost&, const Cost&) = default;
};

struct RoundReport {
    Round round = 0;  // t
    RoundStatus status = RoundStatus::quiet;

    Real tolerance = 0;       // delta_t / w, what the exit test asked for, where there is one
    Real entry_residual = 0;  // R_t = |P(x_t; grad S_t(x_t))|
    Real exit_residual = 0;   // r_t = |P(x_{t+1}; grad S_t(x_{t+1}))|
    Real variation = 0;       // d_t = |Pi (grad f_t - grad f_{t-w})(x_t)|
    Real firm_bound = 0;      // |p_{t-1} + v_t/2w| + d_t/2w, the sharp bound on R_t (C2)

    Real loss = 0;             // f_t(x_t)
    Real outgoing_loss = 0;    // f_{t-w}(x_t); 0 while t <= w
    Real regulariser = 0;      // g(x_t)
    Real objective_entry = 0;  // Phi_t(x_t)
    Real objective_exit = 0;   // Phi_t(x_{t+1})

    std::uint64_t steps = 0;      // N_t, inner updates
    Real certified_decrease = 0;  // what the accepted steps prove Phi_t fell by (C4)
    Real squared_residuals = 0;   // sum over updates of |P|^2, at the step each of them used
    Real smallest_step = 0;       // over the round's updates; 0 when there was none
    Real largest_step = 0;
    Real movement = 0;  // |x_{t+1} - x_t|
    // Bounds on what rounding did to the figures above: a certificate forgives this much and no more.
    Real residual_rounding = 0;
    Real objective_rounding = 0;

    Cost cost;          // charged to the learner
    Cost referee_cost;  // spent on measuring only
};

}  // namespace proxstream
