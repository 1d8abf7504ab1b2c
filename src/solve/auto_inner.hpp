/// The default inner solver: backtracking, whose steps are the cheapest, and PANOC for the rest of a long
/// round. Both accept steps by (T3), so no bound depends on which one worked.
#pragma once

#include "solve/backtracking.hpp"
#include "solve/inner_solver.hpp"
#include "solve/panoc.hpp"

namespace proxstream {

class AutoInner {
  public:
    InnerReport solve(const InnerProblem& problem, Iterate& iterate);
    StepClaim step_claim() const noexcept { return short_rounds_.step_claim(); }
    Real step_or(Real reference_step) const noexcept { return short_rounds_.step_or(reference_step); }
    void serialise(StateArchive& archive) {
        archive.fields(Field{"backtracking", short_rounds_}, Field{"panoc", long_rounds_});
    }

  private:
    Backtracking short_rounds_;
    Panoc long_rounds_;  // allocates in the first long round, so that a copy is cheap until then
};

}  // namespace proxstream
