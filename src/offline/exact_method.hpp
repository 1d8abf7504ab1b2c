/// An inner solver as an offline method: driven one kept step at a time on f itself, whose gradient is
/// therefore known at every point.
#pragma once

#include "offline/exact_model.hpp"
#include "offline/method_table.hpp"
#include "solve/inner_solver.hpp"

#include <optional>
#include <vector>

namespace proxstream {

/// Tells rounding from progress: neither the objective nor the gap has come down for very long.
class ProgressWatch {
  public:
    /// False: no more progress is to be expected.
    bool note(Real objective, Real gap);
    void serialise(StateArchive& archive);

  private:
    Real lowest_ = kInfinity;
    Real smallest_ = kInfinity;
    std::uint64_t idle_ = 0;
};

struct ExactPlan {
    InnerSolver solver;
    Real step;           // eta, and the first step of solvers that search
    bool proves = true;  // whether the solver's decreases are proved
    std::vector<MethodParameter> parameters;
    std::uint64_t candidates = 1;  // most that are tried in one call of the solver
    Real epsilon = 0;              // the gap at which a call of many candidates ends
};

class ExactMethod final : public OfflineMethod {
  public:
    ExactMethod(const OfflineProblem& problem, ExactPlan plan);

    StepStatus advance(Cost& cost) override;
    ConstView point() const override { return iterate_.point; }
    std::optional<Exact> exact() const override;
    Real step() const override { return plan_.solver.step_or(plan_.step); }
    std::optional<Real> certified_decrease() const override {
        return plan_.proves ? std::optional(decrease_) : std::nullopt;
    }
    std::vector<MethodParameter> parameters() const override { return plan_.parameters; }
    void serialise(StateArchive& archive) override;

  private:
    StepStatus step_once(Cost& cost);
    bool begin(Cost& cost);

    const OfflineProblem& problem_;
    ExactPlan plan_;
    ExactModel model_;
    Iterate iterate_;
    ProgressWatch watch_;
    Real decrease_ = 0;
    bool begun_ = false;
    Scratch scratch_;
};

}  // namespace proxstream
