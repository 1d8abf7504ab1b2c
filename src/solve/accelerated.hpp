/// Accelerated prox-gradient for functions that need not be convex, a rival of the other offline methods. It
/// takes steps from an extrapolated point (Beck & Teboulle 2009), kept only where the objective falls enough,
/// else a plain step (the monitor of Li & Lin 2015). A line search finds the step, and the momentum restarts
/// when it points uphill (O'Donoghue & Candes 2015).
#pragma once

#include "solve/inner_solver.hpp"

#include <vector>

namespace proxstream {

struct AcceleratedOptions {
    Real shrink = 0.5;  // of the step, where f bends more than it allows
    Real grow = 1.6;    // after enough acceptances in a row
};

/// Enough is what (T3) proves of an accepted plain step, (min(eta, e)/2) |P_eta|^2: so the count bound of
/// backtracking holds for extrapolated steps too. Those cost two passes, one for the gradient at the
/// extrapolated point and one at the point they lead to. Both are charged when the step is not kept.
class Accelerated {
  public:
    explicit Accelerated(const AcceleratedOptions& options = {}) : options_(options) {}

    InnerReport solve(const InnerProblem& problem, Iterate& iterate);
    StepClaim step_claim() const noexcept { return {.smoothness = 0, .lambda = 1}; }
    Real step_or(Real reference_step) const noexcept { return step_ == 0 ? reference_step : step_; }
    void serialise(StateArchive& archive);

  private:
    struct Candidate;
    bool try_once(const InnerProblem& problem, Iterate& iterate, InnerReport& report);
    bool extrapolate(const InnerProblem& problem, const Iterate& iterate, Candidate& candidate);
    void adapt(bool short_enough, bool kept, Real reference_step);

    static constexpr std::uint64_t kLeastPatience = 3;
    static constexpr std::uint64_t kMostPatience = 1000;
    // In multiples of the reference step, as for backtracking.
    static constexpr Real kSmallestStep = 1e-15;
    static constexpr Real kLargestStep = 1e6;

    AcceleratedOptions options_;
    Real step_ = 0;  // e
    std::uint64_t streak_ = 0;
    /// Acceptances in a row before a longer step is tried. Momentum prolongs the harm of a step that is too
    /// long, so failures raise it faster than successes lower it.
    std::uint64_t patience_ = kLeastPatience;
    Real momentum_ = 1;         // 1: the next step is a plain one
    std::vector<Real> before_;  // the point before this one
};

}  // namespace proxstream
