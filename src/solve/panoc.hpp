/// PANOC-type steps (Stella, Themelis, Sopasakis & Patrinos 2017): quasi-Newton moves on the forward-backward
/// gap P_e, drawn towards the forward-backward point where they fail, until that point itself is taken.
///
/// PANOC lets its points leave dom g and therefore searches on the forward-backward envelope
///   phi_e(x) = f(x) - (e/2) |grad f|^2 + g^e(x - e grad f) = F(x) - m_e(x),
/// with m_e of (T3). Here a point is taken back to dom g before it is looked at, which moves it no further
/// from any solution. So every point is feasible, with its gradient known for the price of the search: one
/// pass a candidate. The forward-backward point is taken if F there is at most phi_e(x), the test of
/// backtracking. A quasi-Newton point is taken if F fell by what (T3) says such a step is worth at least,
/// (min(eta, e)/2) |P_eta|^2. Hence F falls in every step, no L is needed, and the count bound of
/// backtracking holds (T4).
#pragma once

#include "solve/bend_test.hpp"
#include "solve/curvature_pairs.hpp"
#include "solve/inner_solver.hpp"
#include "solve/stand_in_model.hpp"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <utility>

namespace proxstream {

struct PanocOptions {
    Index memory = 5;  // curvature pairs; longer memories speak of places that non-convex losses have left
    /// Quasi-Newton points tried from one point before the forward-backward one. The paper halves without
    /// end; a trial costs a pass, and a forward-backward step renews the curvature.
    Index trials = 3;
    Real reach = 4;     // a quasi-Newton move is at most so many times the longest one since one failed
    Real shrink = 0.5;  // of the step e, after a rejected forward-backward point
    Real grow = 1.6;    // of the step e, after kStreak acceptances in a row
};

/// A model in the place of another, which an exact pass over that one will judge (stand_in.hpp).
template <class M>
concept IsStandIn = std::derived_from<M, StandInModel>;

/// The model has to offer trial_gradient().
class Panoc {
  public:
    explicit Panoc(const PanocOptions& options = {}) : options_(options), pairs_(options.memory) {}

    StepClaim step_claim() const noexcept { return {.smoothness = 0, .lambda = 1}; }
    /// The step it would try next.
    Real step_or(Real reference_step) const noexcept { return step_ == 0 ? reference_step : step_; }

    template <Regulariser G, class Model>
    InnerReport solve(Model& model, const G& g, Real reference_step, Real tolerance, const Budget& budget,
                      Iterate& iterate, Cost& cost, Scratch& scratch) {
        const BudgetMeter meter(budget);
        Scratch::Frame frame(scratch);
        const View candidate = frame.take(iterate.point.size());
        const View move = frame.take(candidate.size());
        Outlook here(frame, candidate.size());
        Outlook there(frame, candidate.size());
        if (step_ == 0) step_ = reference_step;
        if (before_.size() != candidate.size()) before_.clear();
        pairs_.prepare(candidate.size());
        InnerReport report;
        std::uint64_t attempts = 0;
        Real looked_with = 0;  // the step of `here`; 0: of another point
        while (iterate.gap > tolerance) {
            if (meter.exhausted(attempts) ||
                iterate.gap <= gap_floor(iterate, model.gradient(), reference_step)) {
                report.status = SolveStatus::budget_exhausted;
                return report;
            }
            ++attempts;  // a rejected candidate costs a pass too, so the budget counts it
            if (looked_with != step_) {
                look(here, iterate.point, model.gradient(), g, cost, scratch);
                looked_with = step_;
            }
            const bool bold = propose(iterate.point, here, candidate, scratch);
            Real regulariser = here.regulariser;
            if (bold) {  // back to the nearest point of dom g
                regulariser = g.prox(candidate, kUnitRoundoff * step_, candidate, scratch);
                ++cost.prox;
            }
            const Real value = model.try_at(candidate, scratch);
            const Real fall = (model.value() - value) + (iterate.regulariser - regulariser);
            const Real slack =
                rounding_slack(model.value(), value) + rounding_slack(iterate.regulariser, regulariser);
            const Real worth = bold ? std::min(step_, reference_step) / 2 * iterate.gap * iterate.gap
                                    : envelope_gap(here, iterate.regulariser, model.gradient());
            subtract(candidate, iterate.point, move);
            const Real length = norm(move);
            bool kept = model.trial_finite() && (bold ? fall >= worth - slack
                                                      : bends_little(model.value(), model.gradient(), value,
                                                                     model.trial_gradient(), move, step_));
            if (model.trial_finite() && (kept || bold)) {
                look(there, candidate, model.trial_gradient(), g, cost, scratch);
                // Where rounding decides about the fall, gaps tell whether a bold move was a good one.
                if (bold && kept && worth <= slack) kept = there.norm <= here.norm;
            }
            if constexpr (IsStandIn<Model>) {
                // An exact pass judges where these steps lead: the envelope may say which to take, which does
                // not mind that a move has gone a little past a kink of g.
                if (bold && !kept && model.trial_finite()) {
                    kept = fall + envelope_gap(there, regulariser, model.trial_gradient()) >=
                           (1 + kEnvelopeShare) * envelope_gap(here, iterate.regulariser, model.gradient()) -
                               slack;
                }
            }
            if (!kept) {
                if (bold) {
                    ++trial_;
                    if (!model.trial_finite()) {
                        radius_ = length / kRetreat;
                        continue;
                    }
                    // Its pass is paid for: the curvature met on the way makes the next point a better one.
                    radius_ = length;
                    pairs_.add(iterate.point, here.mapping, candidate, there.mapping);
                    continue;
                }
                streak_ = 0;
                step_ *= options_.shrink;
                if (step_ < kSmallestStep * reference_step) {
                    report.status =
                        model.trial_finite() ? SolveStatus::budget_exhausted : SolveStatus::not_finite;
                    step_ = reference_step;
                    pairs_.forget();
                    return report;
                }
                continue;
            }
            report.count(step_, here.norm, std::min(worth, fall));
            report.path += length - step_ * here.norm;
            pairs_.add(iterate.point, here.mapping, candidate, there.mapping);
            before_.assign(here.forward.begin(), here.forward.end());
            std::swap(here, there);
            model.accept_trial();
            copy(candidate, iterate.point);
            iterate.regulariser = regulariser;
            trial_ = 0;
            radius_ = std::max(radius_, options_.reach * length);
            adapt(bold, reference_step);
            test_at(iterate, model.gradient(), g, reference_step, scratch);
            ++cost.prox;
            if (bold) report.count_confirmed(iterate.gap <= tolerance);
        }
        return report;
    }

    void serialise(StateArchive& archive) {
        archive.field("step", step_);
        archive.field("streak", streak_);
        archive.field("trial", trial_, options_.trials);
        archive.field("radius", radius_);
        archive.list("before", before_);
        archive.section("pairs", pairs_);
    }

  private:
    /// What there is to see from a point with the step e.
    struct Outlook {
        Outlook(Scratch::Frame& frame, Index n) : forward(frame.take(n)), mapping(frame.take(n)) {}
        View forward;          // T_e
        View mapping;          // P_e
        Real norm = 0;         // |P_e|
        Real regulariser = 0;  // g(T_e)
    };

    template <Regulariser G>
    void look(Outlook& from, ConstView x, ConstView gradient, const G& g, Cost& cost,
              Scratch& scratch) const {
        const ProxStep seen = prox_gradient_step(g, x, gradient, step_, from.forward, from.mapping, scratch);
        from.norm = seen.norm;
        from.regulariser = seen.regulariser;
        ++cost.prox;
    }

    /// m_e = F - phi_e, which is at least (e/2) |P_e|^2 whatever rounding says.
    Real envelope_gap(const Outlook& from, Real regulariser, ConstView gradient) const {
        const Real least = step_ / 2 * from.norm * from.norm;
        return std::max(least,
                        step_ * dot(gradient, from.mapping) - least + (regulariser - from.regulariser));
    }

    /// Writes the next candidate; false: it is the forward-backward point.
    bool propose(ConstView x, const Outlook& here, View candidate, Scratch& scratch) {
        copy(here.forward, candidate);
        if (trial_ >= options_.trials) return false;
        Scratch::Frame frame(scratch);
        const std::span<Index> all = frame.take<Index>(x.size());
        Index count = 0;
        for (Index i = 0; i < x.size(); ++i) {
            // What two forward-backward points agree upon to the last bit, g holds in its place (a zero of
            // L1, a bound of a box): it stays there, and the others have their own curvature.
            if (before_.empty() || before_[i] != here.forward[i]) all[count++] = i;
        }
        const std::span<const Index> free = all.first(count);
        const View move = frame.take(count);
        const bool bends = pairs_.newton_move(here.mapping, free, move, scratch);
        const Real length = bends ? norm(move) : 0;
        if (!(length > 0 && std::isfinite(length))) {
            trial_ = options_.trials;
            return false;
        }
        const Real share = std::min(Real{1}, radius_ / length);  // tau
        for (Index k = 0; k < count; ++k) {
            Real& y = candidate[free[k]];
            y = share * (x[free[k]] + move[k]) + (1 - share) * y;
        }
        return true;
    }

    /// Bold moves never try the step e out, so it is held against the curvature they met instead.
    void adapt(bool bold, Real reference_step) {
        const Real allowed = pairs_.newest_step();
        if (bold && step_ > allowed) step_ = std::max(allowed, std::min(step_, reference_step));
        if (++streak_ < kStreak) return;
        streak_ = 0;
        step_ = std::min(step_ * options_.grow, kLargestStep * reference_step);
    }

    static constexpr std::uint64_t kStreak = 3;
    static constexpr Real kEnvelopeShare = 0.1;  // of F - phi_e, that phi_e has to fall by at least
    static constexpr Real kRetreat = 4;  // how much shorter a move is tried after one that led nowhere
    // In multiples of the reference step, as for backtracking.
    static constexpr Real kSmallestStep = 1e-15;
    static constexpr Real kLargestStep = 1e6;

    PanocOptions options_;
    CurvaturePairs pairs_;
    Real step_ = 0;  // e, kept between rounds like the pairs: neighbouring windows curve alike
    std::uint64_t streak_ = 0;
    std::uint64_t trial_ = 0;   // quasi-Newton points rejected from where it stands
    Real radius_ = 0;           // of quasi-Newton moves
    std::vector<Real> before_;  // T_e of the point before this one
};

}  // namespace proxstream
