/// What an inner solver is: it moves the iterate until the exit test |P_eta(y; grad S(y))| <= rho holds, or
/// its budget ends. The regret certificate (Theorem 1', docs/theory.md) uses the exit test alone, so solvers
/// are interchangeable; each also says by how much its steps provably lowered S + g, which the count bound
/// needs.
#pragma once

#include "proxstream/core/round_report.hpp"
#include "proxstream/core/state_archive.hpp"
#include "proxstream/prox/prox_gradient_step.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
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
    explicit BudgetMeter(const Budget& budget) : budget_(budget) {
        if (std::isfinite(budget_.max_seconds)) start_ = Clock::now();
    }
    bool exhausted(std::uint64_t steps) const {
        if (steps >= budget_.max_steps) return true;
        return std::isfinite(budget_.max_seconds) &&
               std::chrono::duration<double>(Clock::now() - start_).count() >= budget_.max_seconds;
    }

    /// What is left after so many steps, for whoever goes on.
    Budget rest(std::uint64_t steps) const {
        Budget left = budget_;
        left.max_steps -= std::min(left.max_steps, steps);
        if (std::isfinite(budget_.max_seconds)) {
            const double spent = std::chrono::duration<double>(Clock::now() - start_).count();
            left.max_seconds = std::max(0.0, budget_.max_seconds - spent);
        }
        return left;
    }

  private:
    using Clock = std::chrono::steady_clock;
    Budget budget_;
    Clock::time_point start_;
};

enum class SolveStatus : std::uint8_t { converged, budget_exhausted, not_finite };

struct InnerReport {
    SolveStatus status = SolveStatus::converged;
    std::uint64_t steps = 0;      // N_t
    Real certified_decrease = 0;  // proved lower bound on the fall of S + g over these steps
    Real squared_gaps = 0;        // sum of |P_e(y)|^2, e the step that was taken
    Real smallest_step = 0;
    Real largest_step = 0;
    Real path = 0;                           // sum of |y' - y|
    std::uint64_t cheap_steps = 0;           // updates that prove nothing by themselves (T4)
    std::uint64_t confirmations = 0;         // exact tests after a stretch of them
    std::uint64_t failed_confirmations = 0;  // those that did not pass

    void count(Real step, Real gap, Real decrease) {
        smallest_step = steps == 0 ? step : std::min(smallest_step, step);
        largest_step = std::max(largest_step, step);
        squared_gaps += gap * gap;
        certified_decrease += decrease;
        path += step * gap;
        ++steps;
    }
    /// The step just counted went where no forward-backward step leads, and was kept for its fall alone:
    /// (T4), a stretch of one cheap update. Its length is bounded by nothing.
    void count_confirmed(bool passed) {
        ++cheap_steps;
        ++confirmations;
        if (!passed) ++failed_confirmations;
    }
    /// What another solver did after this one; the status is its.
    void add(const InnerReport& later) {
        status = later.status;
        if (later.steps > 0) {
            smallest_step = steps == 0 ? later.smallest_step : std::min(smallest_step, later.smallest_step);
            largest_step = std::max(largest_step, later.largest_step);
        }
        steps += later.steps;
        certified_decrease += later.certified_decrease;
        squared_gaps += later.squared_gaps;
        path += later.path;
        cheap_steps += later.cheap_steps;
        confirmations += later.confirmations;
        failed_confirmations += later.failed_confirmations;
    }
};

/// What a round's report says of the steps that were taken in it.
inline void note_steps(const InnerReport& inner, RoundReport& report) {
    report.steps = inner.steps;
    report.certified_decrease = inner.certified_decrease;
    report.squared_gaps = inner.squared_gaps;
    report.smallest_step = inner.smallest_step;
    report.largest_step = inner.largest_step;
    report.path = inner.path;
    report.cheap_steps = inner.cheap_steps;
    report.confirmations = inner.confirmations;
    report.failed_confirmations = inner.failed_confirmations;
}

/// What a solver's steps rest on, for the certificate.
struct StepClaim {
    Real smoothness = 0;  // the claimed L; 0: none is claimed
    Real lambda = 0;      // the acceptance factor of a backtracking solver; 0: the step is fixed
};

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

    /// False: the prox answered something that is no number, so the test has no outcome. A NaN would pass
    /// for a gap of 0. Numbers beyond the range of their norm are looked at one by one.
    bool finite() const { return (std::isfinite(gap) || all_finite(mapping)) && !std::isnan(regulariser); }

    void serialise(StateArchive& archive) {
        archive.fixed("point", point);
        archive.fixed("forward", forward);
        archive.fixed("residual", mapping);
        archive.field("residual norm", gap);
        archive.field("regulariser", regulariser);
        archive.field("forward regulariser", forward_regulariser);
    }
};

/// The exit test's left side: one prox at the model's current gradient.
template <Regulariser G>
void test_at(Iterate& iterate, ConstView gradient, const G& g, Real reference_step, Scratch& scratch) {
    const ProxStep result = prox_gradient_step(g, iterate.point, gradient, reference_step, iterate.forward,
                                               iterate.mapping, scratch);
    iterate.gap = result.norm;
    iterate.forward_regulariser = result.regulariser;
}

/// Below this, a gap is rounding of x / eta and of the gradient: no step can lower it any further.
inline Real gap_floor(ConstView point, ConstView gradient, Real step) {
    return 4 * kUnitRoundoff * (norm(point) / step + norm(gradient));
}
inline Real gap_floor(const Iterate& iterate, ConstView gradient, Real reference_step) {
    return gap_floor(iterate.point, gradient, reference_step);
}
/// The same at a model that may know the norm of its gradient already.
template <class Model>
Real model_floor(const Iterate& iterate, const Model& model, Real reference_step) {
    if constexpr (requires { model.gradient_norm(); }) {
        return 4 * kUnitRoundoff * (norm(iterate.point) / reference_step + model.gradient_norm());
    } else {
        return gap_floor(iterate, model.gradient(), reference_step);
    }
}

}  // namespace proxstream
