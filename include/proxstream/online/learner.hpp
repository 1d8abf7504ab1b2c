/// The contract of everything that plays: decide before the loss is seen, then observe it.
#pragma once

#include "proxstream/core/round_report.hpp"
#include "proxstream/core/types.hpp"
#include "proxstream/solve/inner_solver.hpp"

#include <vector>

namespace proxstream {

/// What a run's certificate needs to know about its learner before the first round.
struct LearnerFacts {
    Index window = 1;           // w
    Real step = 0;              // eta, the reference step of every residual
    StepClaim steps;            // what the inner solver's steps rest on
    bool promises_exit = true;  // an exit test ends every round that ends within its budget
    bool counts_steps = true;   // the inner steps carry a proved decrease, so their number is bounded
    Real initial_residual = 0;  // r_0 = |P(x_1; 0)|
    Real initial_regulariser = 0;
    Real infimum_regulariser = 0;
};

template <class Record>
class Learner {
  public:
    virtual ~Learner() = default;
    virtual ConstView decide() const = 0;  // x_t
    /// Reveals f_t and moves to x_{t+1}. A refused round leaves the learner as it was.
    virtual RoundReport observe(const Record& record) = 0;
    virtual LearnerFacts facts() const = 0;
    /// f_i(x_{T+1}) for the losses still in the window, oldest first; the certificate's last figures.
    virtual std::vector<Real> closing_losses() = 0;
    virtual Real closing_regulariser() const = 0;  // g(x_{T+1})
    /// Seconds spent learning; measuring for the referee is not charged.
    virtual double seconds() const = 0;
};

}  // namespace proxstream
