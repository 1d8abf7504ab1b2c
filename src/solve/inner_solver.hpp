/// Inner solvers: they move the iterate until the exit test |P_eta(y; grad S(y))| <= rho holds, or a budget
/// ends. The regret certificate (Theorem 1', docs/theory.md) uses the exit test alone, so any solver may be
/// used. The count bound also needs to know by how much the steps provably lowered S + g.
#pragma once

#include "proxstream/core/round_report.hpp"
#include "proxstream/core/run_header.hpp"
#include "proxstream/core/state_archive.hpp"

#include "core/smooth_objective.hpp"
#include "prox/regulariser_ref.hpp"

#include <chrono>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

namespace proxstream {

/// Limits of one round. A round that hits one is reported as such, never as converged.
struct Budget {
    std::uint64_t max_steps = 100'000;
    double max_seconds = std::numeric_limits<double>::infinity();
};

/// Counts a round's steps and seconds against its budget. The clock is read only if seconds are limited.
class BudgetMeter {
  public:
    explicit BudgetMeter(const Budget& budget);
    bool exhausted(std::uint64_t steps) const;
    /// The budget that is left after so many steps.
    Budget rest(std::uint64_t steps) const;

  private:
    using Clock = std::chrono::steady_clock;
    Budget budget_;
    Clock::time_point start_;
};

enum class SolveStatus : std::uint8_t { converged, budget_exhausted, not_finite };

struct InnerReport : StepSums {
    SolveStatus status = SolveStatus::converged;
    std::uint64_t attempts = 0;  // candidates, kept or not: what the budget limits

    void count(Real step, Real gap, Real decrease);
    /// The step just counted went where no forward-backward step leads, and was kept for its fall alone:
    /// (T4) with one cheap update. Nothing bounds its length.
    void count_confirmed(bool passed);
    /// Adds what another solver did after this one; the status is the later one.
    void add(const InnerReport& later);
};

/// What a solver's steps rest on, for the certificate.
struct StepClaim {
    Real smoothness = 0;  // the claimed L; 0: none is claimed
    Real lambda = 0;      // the acceptance factor of a backtracking solver; 0: the step is fixed
};
void note_steps(const StepClaim& claim, RunHeader& header);

/// The point a round moves, with the outcome of its last test at the reference step eta.
struct Iterate {
    explicit Iterate(std::vector<Real> start)
        : point(std::move(start)), forward(point.size()), mapping(point.size()) {}

    std::vector<Real> point;    // y
    std::vector<Real> forward;  // T_eta(y; grad S(y))
    std::vector<Real> mapping;  // P_eta(y; grad S(y))
    Real gap = 0;
    Real regulariser = 0;          // g(y)
    Real forward_regulariser = 0;  // g(T)

    /// False: the prox returned NaN, so the test has no outcome; it would pass for a gap of 0. Numbers beyond
    /// the range of their norm are tested one by one.
    bool finite() const { return (std::isfinite(gap) || all_finite(mapping)) && !std::isnan(regulariser); }

    void serialise(StateArchive& archive);
};

/// The left side of the exit test: one prox at the current gradient.
void test_at(Iterate& iterate, ConstView gradient, RegulariserRef g, Real reference_step, Scratch& scratch);

/// Below this, a gap is rounding of x / eta and of the gradient: no step can lower it any further.
Real gap_floor(ConstView point, Real gradient_norm, Real step);

/// What a solver is asked to do: lower S + g from an iterate that has been tested.
struct InnerProblem {
    SmoothObjective& objective;  // S
    RegulariserRef g;
    Real reference_step;  // eta
    Real tolerance;       // rho
    Budget budget;
    Scratch& scratch;
    Cost& cost;  // counts evaluations of the prox

    /// The exit test at the objective's current point.
    void test(Iterate& iterate) const;
    bool at_rounding(const Iterate& iterate) const {
        return iterate.gap <= gap_floor(iterate.point, objective.gradient_norm(), reference_step);
    }
    InnerProblem within(const Budget& other) const;
};

/// Any inner solver. A copy continues as the original would have, so a copy is all that a rollback needs.
class InnerSolver {
  public:
    /// Takes over a solver: a copyable class with the functions below.
    template <class Solver>
    requires(!std::same_as<Solver, InnerSolver> && std::copyable<Solver>) InnerSolver(Solver solver)
        : held_(std::make_unique<Holder<Solver>>(std::move(solver))) {}

    InnerSolver(const InnerSolver& other) : held_(other.held_->clone()) {}
    InnerSolver(InnerSolver&&) noexcept = default;
    /// Does not allocate if both hold solvers of one type.
    InnerSolver& operator=(const InnerSolver& other);
    InnerSolver& operator=(InnerSolver&&) noexcept = default;
    ~InnerSolver() = default;

    /// Moves the iterate, which is where the objective is and has been tested, until the exit test holds.
    InnerReport solve(const InnerProblem& problem, Iterate& iterate) {
        return held_->solve(problem, iterate);
    }
    StepClaim step_claim() const { return held_->step_claim(); }
    /// The step the solver would try next.
    Real step_or(Real reference_step) const { return held_->step_or(reference_step); }
    void serialise(StateArchive& archive) { held_->serialise(archive); }

  private:
    struct Base {
        virtual ~Base() = default;
        virtual InnerReport solve(const InnerProblem& problem, Iterate& iterate) = 0;
        virtual StepClaim step_claim() const = 0;
        virtual Real step_or(Real reference_step) const = 0;
        virtual std::unique_ptr<Base> clone() const = 0;
        virtual bool assign(const Base& other) = 0;
        virtual void serialise(StateArchive& archive) = 0;
    };
    template <class Solver>
    struct Holder final : Base {
        explicit Holder(Solver held) : solver(std::move(held)) {}
        InnerReport solve(const InnerProblem& problem, Iterate& iterate) override {
            return solver.solve(problem, iterate);
        }
        StepClaim step_claim() const override { return solver.step_claim(); }
        Real step_or(Real reference_step) const override { return solver.step_or(reference_step); }
        std::unique_ptr<Base> clone() const override { return std::make_unique<Holder>(solver); }
        bool assign(const Base& other) override {
            const auto* same = dynamic_cast<const Holder*>(&other);
            if (same != nullptr) solver = same->solver;
            return same != nullptr;
        }
        void serialise(StateArchive& archive) override { solver.serialise(archive); }
        Solver solver;
    };
    std::unique_ptr<Base> held_;
};

}  // namespace proxstream
