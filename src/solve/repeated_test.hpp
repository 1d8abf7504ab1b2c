/// Algorithm 2's inner loop: prox-gradient steps along estimates of the window's gradient, and an exit test
/// that only several estimates together may pass.
#pragma once

#include "solve/prox_grad.hpp"

namespace proxstream {

/// An estimate that ends the loop was chosen for passing, so its noise is not what it was when drawn. With
/// `confirm` = m the loop ends only where m independent estimates at one point all pass. Otherwise it steps
/// along the first that does not ((D-conf), section 16 of docs/theory.md). m = 1 is the paper's loop.
class RepeatedTest {
  public:
    RepeatedTest(Real smoothness, std::uint64_t confirm) : steps_(smoothness), confirm_(confirm) {}

    StepClaim step_claim() const noexcept { return steps_.step_claim(); }

    /// `window` is the problem's objective. The iterate's first estimate has been tested. The report's
    /// decrease is that of exact gradients.
    InnerReport solve(EstimatedObjective& window, const InnerProblem& problem, Iterate& iterate) const;

  private:
    bool confirmed(EstimatedObjective& window, const InnerProblem& problem, Iterate& iterate,
                   InnerReport& report) const;

    ProxGrad steps_;
    std::uint64_t confirm_;
};

}  // namespace proxstream
