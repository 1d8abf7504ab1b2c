/// The paper's inner loop: y <- T_eta(y; grad S(y)) with the reference step itself.
#pragma once

#include "solve/inner_solver.hpp"

namespace proxstream {

class ProxGrad {
  public:
    /// `smoothness` is the claimed L. Lemma "sufficient decrease": each step lowers S + g by at least
    /// eta (1 - eta L / 2) |P|^2. A run on which it does not proves that L was claimed too small.
    explicit ProxGrad(Real smoothness) : smoothness_(smoothness) {}

    InnerReport solve(const InnerProblem& problem, Iterate& iterate) const;
    StepClaim step_claim() const noexcept { return {.smoothness = smoothness_, .lambda = 0}; }
    Real step_or(Real reference_step) const noexcept { return reference_step; }
    void serialise(StateArchive& /*archive*/) {}  // nothing is kept between rounds

  private:
    Real smoothness_;  // L
};

}  // namespace proxstream
