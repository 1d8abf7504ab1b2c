/// Sweeps by the records' own method, verified by exact passes: (T4), docs/theory.md. For routing, Newton
/// sweeps over the pairs of a network.
///
/// An exact prox-gradient step comes first, then the sweep, then one exact pass at the end. The end is kept
/// only if the objective fell by at least M_e, which an accepted exact step alone proves. So the regret bound
/// holds whatever the sweep did, and verified sweeps count as accepted steps (T3). After a failed sweep one
/// exact step must be accepted, which pays for the failure (C9), before the next sweep.
#pragma once

#include "solve/backtracking.hpp"
#include "solve/inner_solver.hpp"

namespace proxstream {

class BlockSweeps {
  public:
    explicit BlockSweeps(const BacktrackingOptions& options = {}) : exact_(options) {}

    /// Objectives without a method of their own are solved by exact steps alone.
    InnerReport solve(const InnerProblem& problem, Iterate& iterate);
    StepClaim step_claim() const noexcept { return exact_.step_claim(); }
    Real step_or(Real reference_step) const noexcept { return exact_.step_or(reference_step); }
    void serialise(StateArchive& archive) { archive.section("exact", exact_); }

  private:
    bool sweep(const InnerProblem& problem, Iterate& iterate, InnerReport& report);
    bool pay(const InnerProblem& problem, const BudgetMeter& meter, Iterate& iterate, InnerReport& report);

    Backtracking exact_;
};

}  // namespace proxstream
