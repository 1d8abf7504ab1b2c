/// PANOC-type steps (Stella, Themelis, Sopasakis & Patrinos 2017): quasi-Newton moves on the prox-gradient
/// mapping P_e. Where they fail they are shortened towards the forward-backward point, until that point
/// itself is taken.
///
/// PANOC lets its points leave dom g and therefore searches on the forward-backward envelope
///   phi_e(x) = f(x) - (e/2) |grad f|^2 + g^e(x - e grad f) = F(x) - m_e(x),
/// with m_e of (T3). Here a point is projected onto dom g before it is evaluated, which moves it no further
/// from any solution. So every point is feasible, with its gradient known for the price of the search: one
/// pass a candidate. The forward-backward point is taken if F there is at most phi_e(x), the test of
/// backtracking. A quasi-Newton point is taken if F fell by what (T3) says such a step is worth at least,
/// (min(eta, e)/2) |P_eta|^2. Hence F falls in every step, no L is needed, and the count bound of
/// backtracking holds (T4).
///
/// In long rounds the steps continue on a reduced model of the objective, if it has one. An exact pass
/// verifies the end of such a surrogate phase: also (T4).
#pragma once

#include "solve/curvature_pairs.hpp"
#include "solve/inner_solver.hpp"

#include <vector>

namespace proxstream {

struct PanocOptions {
    Index memory = 5;  // curvature pairs; longer memories describe places that non-convex losses have left
    /// Quasi-Newton points tried from one point before the forward-backward one. The paper halves without
    /// end; a trial costs a pass, and a forward-backward step renews the curvature.
    Index trials = 3;
    Real reach = 4;      // a quasi-Newton move is at most so many times the longest one since one failed
    Real shrink = 0.5;   // of the step e, after a rejected forward-backward point
    Real grow = 1.6;     // of the step e, after kStreak acceptances in a row
    bool reduce = true;  // use the objective's reduced model, if it has one
};

class Panoc {
  public:
    explicit Panoc(const PanocOptions& options = {}) : options_(options), pairs_(options.memory) {}

    InnerReport solve(const InnerProblem& problem, Iterate& iterate) {
        return solve(problem, iterate, options_.reduce ? Model::exact : Model::exact_only);
    }
    StepClaim step_claim() const noexcept { return {.smoothness = 0, .lambda = 1}; }
    Real step_or(Real reference_step) const noexcept { return step_ == 0 ? reference_step : step_; }
    void serialise(StateArchive& archive);

  private:
    /// What the steps are taken on: the objective, which may be reduced or not, or its reduced model.
    enum class Model : std::uint8_t { exact, exact_only, reduced };
    struct Outlook;
    struct Walk;
    struct Candidate;

    InnerReport solve(const InnerProblem& problem, Iterate& iterate, Model model);
    bool surrogate_phase(const InnerProblem& problem, Iterate& iterate, InnerReport& report);
    bool verify(const InnerProblem& problem, const InnerReport& steps, Iterate& iterate, Iterate& moved,
                InnerReport& report);
    void look(const Walk& walk, ConstView x, ConstView gradient, Outlook& from) const;
    Real envelope_gap(const Outlook& from, Real regulariser, ConstView gradient) const;
    bool propose(ConstView x, const Outlook& here, View candidate, Scratch& scratch);
    void try_once(Walk& walk, InnerReport& report);
    bool passes(Walk& walk, Candidate& candidate);
    void reject(Walk& walk, const Candidate& candidate, InnerReport& report);
    void adapt(bool quasi_newton, Real reference_step);

    PanocOptions options_;
    CurvaturePairs pairs_;
    Real step_ = 0;  // e, kept between rounds like the pairs: neighbouring windows curve alike
    std::uint64_t streak_ = 0;
    std::uint64_t trial_ = 0;   // quasi-Newton points rejected from the current point
    Real radius_ = 0;           // of quasi-Newton moves
    std::vector<Real> before_;  // T_e of the point before this one
};

}  // namespace proxstream
