/// Steps for losses of scores: from a forward-backward point on to where the plane of that move and of the
/// one before is lowest. The scores at three points tell the losses in all of the plane, so that looking for
/// the place takes no pass. On a quadratic the plane's lowest point is conjugate gradients' (Shah, Buehler &
/// Kempthorne 1964, parallel tangents); here a secant model of the plane says where it should be, and it is
/// taken if F is lower there.
///
/// Scores are carried from step to step; their rounding would add up. So a stretch of steps begins with fresh
/// ones and ends with an exact pass, which has to find what the steps have claimed, (T4).
#pragma once

#include "solve/accelerated.hpp"
#include "solve/bend_test.hpp"
#include "solve/inner_solver.hpp"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <utility>

namespace proxstream {

/// A window that may know its losses by the scores of its rows.
template <class M>
concept Scored = requires(M& model, ConstView y, View out, Scratch& scratch) {
    { model.know_scores(scratch) } -> std::same_as<bool>;
    { model.score_count() } -> std::same_as<Index>;
    model.score(y, out, scratch);
    { model.value_at_scores(y, out, scratch) } -> std::same_as<Real>;
    model.gradient_along(y, out, scratch);
};

class PlaneSteps {
  public:
    static constexpr std::uint64_t kStretch = 64;  // steps that whoever counts them should let it have

    StepClaim step_claim() const noexcept { return {.smoothness = 0, .lambda = 1}; }
    /// The step it would try next.
    Real step_or(Real reference_step) const noexcept {
        return step_ == 0 ? elsewhere_.step_or(reference_step) : step_;
    }

    /// Every step goes through a forward-backward point that has passed backtracking's test, (T3).
    /// Accelerated ones are taken where there are no scores and after a stretch that was taken back.
    template <Regulariser G, class Model>
    InnerReport solve(Model& model, const G& g, Real reference_step, Real tolerance, const Budget& budget,
                      Iterate& iterate, Cost& cost, Scratch& scratch) {
        const BudgetMeter meter(budget);
        InnerReport report;
        std::uint64_t attempts = 0;
        if constexpr (Scored<Model>) {
            if (iterate.gap <= tolerance) return report;
            bool trusted = model.know_scores(scratch);
            if (trusted && step_ == 0) step_ = reference_step;
            while (trusted && iterate.gap > tolerance && report.status == SolveStatus::converged) {
                Stretch stretch{.tolerance = tolerance, .meter = meter, .attempts = attempts};
                trusted = run(stretch, model, g, reference_step, iterate, report, cost, scratch);
            }
            if (trusted) return report;
        }
        report.add(elsewhere_.solve(model, g, reference_step, tolerance, meter.rest(attempts), iterate, cost,
                                    scratch));
        return report;
    }

    void serialise(StateArchive& archive) {
        archive.field("step", step_);
        archive.field("streak", streak_);
        archive.section("elsewhere", elsewhere_);
    }

  private:
    struct Stretch {
        Real tolerance;
        const BudgetMeter& meter;
        std::uint64_t& attempts;
    };

    /// A point, known by its scores.
    struct Place {
        Place(Scratch::Frame& frame, Index n, Index rows)
            : point(frame.take(n)), scores(frame.take(rows)), slopes(frame.take(rows)) {}
        template <class Model>
        void look(Model& model, Scratch& scratch) {
            value = model.value_at_scores(scores, slopes, scratch);
        }
        View point;
        View scores;
        View slopes;  // what the model changes by along each score
        Real value = 0;
        Real regulariser = 0;
    };
    /// From one to another. What scores change by is worked out and carried itself: their differences would
    /// tell less and less as moves get shorter.
    struct Move {
        Move(Scratch::Frame& frame, Index n, Index rows) : way(frame.take(n)), scores(frame.take(rows)) {}
        View way;
        View scores;
    };
    struct Ground {
        Ground(Scratch::Frame& frame, Index n, Index rows)
            : here(frame, n, rows),
              forward(frame, n, rows),
              ahead(frame, n, rows),
              to_forward(frame, n, rows),
              to_ahead(frame, n, rows),
              past(frame, n, rows),
              slopes_before(frame.take(rows)) {}
        Place here;
        Place forward;  // T_e
        Place ahead;
        Move to_forward, to_ahead;
        Move past;  // the one that led here
        View slopes_before;
        Real regulariser_before = 0;
        bool came = false;  // whether there was one
    };

    /// False: it was taken back, and the iterate is where it was.
    template <Regulariser G, class Model>
    bool run(Stretch& stretch, Model& model, const G& g, Real reference_step, Iterate& iterate,
             InnerReport& report, Cost& cost, Scratch& scratch) {
        Scratch::Frame frame(scratch);
        const Index n = iterate.point.size();
        Ground at(frame, n, model.score_count());
        View gradient = frame.take(n);
        View next_gradient = frame.take(n);
        const View start = frame.take(n);
        const Real start_regulariser = iterate.regulariser;
        copy(iterate.point, start);
        copy(iterate.point, at.here.point);
        copy(model.gradient(), gradient);
        at.here.regulariser = iterate.regulariser;
        model.score(at.here.point, at.here.scores, scratch);
        at.here.look(model, scratch);

        InnerReport steps;
        while (iterate.gap > stretch.tolerance && steps.steps < kStretch) {
            if (stretch.meter.exhausted(stretch.attempts) ||
                iterate.gap <= gap_floor(iterate, gradient, reference_step)) {
                steps.status = SolveStatus::budget_exhausted;
                break;
            }
            ++stretch.attempts;
            step_along(at.here.point, -step_, gradient, at.forward.point);
            at.forward.regulariser = g.prox(at.forward.point, step_, at.forward.point, scratch);
            ++cost.prox;
            subtract(at.forward.point, at.here.point, at.to_forward.way);
            model.score(at.to_forward.way, at.to_forward.scores, scratch);
            step_along(at.here.scores, 1, at.to_forward.scores, at.forward.scores);
            at.forward.look(model, scratch);
            const Real length = norm(at.to_forward.way);
            const Plane plane(at);
            const bool short_enough =
                std::isfinite(at.forward.value) && bends_little({.value = at.here.value,
                                                                 .next_value = at.forward.value,
                                                                 .slope = plane.slope_here,
                                                                 .next_slope = plane.slope_forward,
                                                                 .length_squared = length * length},
                                                                step_);
            const bool bold = short_enough && go_ahead(plane, at, model, g, cost, scratch);
            Place& end = bold ? at.ahead : at.forward;
            Move& move = bold ? at.to_ahead : at.to_forward;
            if (short_enough) model.gradient_along(end.slopes, next_gradient, scratch);
            if (!short_enough || !all_finite(next_gradient)) {
                streak_ = 0;
                step_ *= kShrink;
                if (step_ < kSmallestStep * reference_step) {
                    steps.status = std::isfinite(at.forward.value) ? SolveStatus::budget_exhausted
                                                                   : SolveStatus::not_finite;
                    step_ = reference_step;
                    break;
                }
                continue;
            }
            // m_e of (T3), at least what it is at least whatever rounding says.
            const Real least = length * length / (2 * step_);
            const Real worth =
                std::max(least, -plane.slope_here - least + (at.here.regulariser - at.forward.regulariser));
            const Real fall = (at.here.value - end.value) + (at.here.regulariser - end.regulariser);
            steps.count(step_, length / step_, std::min(worth, fall));
            steps.path += norm(move.way) - length;
            std::swap(at.past, move);
            std::swap(at.slopes_before, at.here.slopes);
            at.regulariser_before = at.here.regulariser;
            at.came = true;
            std::swap(at.here, end);
            std::swap(gradient, next_gradient);
            copy(at.here.point, iterate.point);
            iterate.regulariser = at.here.regulariser;
            test_at(iterate, gradient, g, reference_step, scratch);
            ++cost.prox;
            if (bold) steps.count_confirmed(iterate.gap <= stretch.tolerance);
            if (++streak_ >= kStreak) {
                streak_ = 0;
                step_ = std::min(step_ * kGrow, kLargestStep * reference_step);
            }
        }
        if (steps.steps == 0) {
            report.add(steps);
            return true;
        }
        // What carried scores say, an exact pass has to find.
        const Real fell = (model.value() - model.try_at(iterate.point, scratch)) +
                          (start_regulariser - iterate.regulariser);
        const Real slack =
            rounding_slack(model.value(), start_regulariser) +
            kUnitRoundoff * static_cast<Real>(model.score_count() + n) * std::abs(model.value());
        if (!model.trial_finite() || !(fell >= steps.certified_decrease - slack)) {
            copy(start, iterate.point);
            iterate.regulariser = start_regulariser;
            test_at(iterate, model.gradient(), g, reference_step, scratch);
            ++cost.prox;
            ++report.confirmations;
            ++report.failed_confirmations;
            return false;
        }
        model.accept_trial();
        test_at(iterate, model.gradient(), g, reference_step, scratch);
        ++cost.prox;
        report.add(steps);
        if (iterate.gap <= stretch.tolerance) report.status = SolveStatus::converged;
        return true;
    }

    /// The window in the plane through the forward point, along the move to it and the past one: rises and
    /// bends, as the slopes at three points tell them, and g by the differences of its values.
    struct Plane {
        explicit Plane(const Ground& at)
            : slope_here(dot(at.here.slopes, at.to_forward.scores)),
              slope_forward(dot(at.forward.slopes, at.to_forward.scores)),
              rise(slope_forward + (at.forward.regulariser - at.here.regulariser)),
              bend(turn(at.here.slopes, at.forward.slopes, at.to_forward.scores)) {
            if (!at.came) return;
            past_rise =
                dot(at.forward.slopes, at.past.scores) + (at.here.regulariser - at.regulariser_before);
            past_bend = turn(at.slopes_before, at.here.slopes, at.past.scores);
            twist = turn(at.here.slopes, at.forward.slopes, at.past.scores);
        }
        /// What the rise along a move changes by from one place to another.
        static Real turn(ConstView slopes, ConstView next_slopes, ConstView move) {
            Real total = 0;
            for (Index i = 0; i < move.size(); ++i) total += (next_slopes[i] - slopes[i]) * move[i];
            return total;
        }

        Real slope_here, slope_forward;  // along the move, without g
        Real rise, bend;                 // along the move
        Real past_rise = 0;              // these two along the past one
        Real past_bend = 0;
        Real twist = 0;
    };

    /// From the forward point, in multiples of the two moves.
    struct Offset {
        Real on = 0;
        Real past = 0;
    };
    /// Where the plane should be lowest.
    static Offset lowest(const Plane& plane) {
        const Real size = std::sqrt(std::abs(plane.bend));
        if (!(size > 0)) return {0, 0};
        const Real past_size = std::sqrt(std::abs(plane.past_bend));
        if (!(past_size > 0)) return {-plane.rise / (size * size), 0};
        const Real rise = plane.rise / size;
        const Real past_rise = plane.past_rise / past_size;
        // Moves that bend alike in all of the plane tell too little: as if they did not quite.
        const Real likeness = std::clamp(plane.twist / (size * past_size), -kMostAlike, kMostAlike);
        const Real rest = 1 - likeness * likeness;
        return {-(rise - likeness * past_rise) / (rest * size),
                -(past_rise - likeness * rise) / (rest * past_size)};
    }

    /// Finds a place in the plane where F is lower than at the forward point, or the point of dom g next to
    /// it; false: there is none to be seen.
    template <Regulariser G, class Model>
    static bool go_ahead(const Plane& plane, Ground& at, Model& model, const G& g, Cost& cost,
                         Scratch& scratch) {
        Offset to = lowest(plane);
        if (!std::isfinite(to.on) || !std::isfinite(to.past) || (to.on == 0 && to.past == 0)) return false;
        Scratch::Frame frame(scratch);
        const View planned = frame.take(at.ahead.point.size());
        for (int attempt = 0; attempt < kAttempts; ++attempt, to.on *= kNearer, to.past *= kNearer) {
            const auto combine = [&](View Move::*part) {
                scaled(1 + to.on, at.to_forward.*part, at.to_ahead.*part);
                if (at.came) axpy(to.past, at.past.*part, at.to_ahead.*part);
            };
            combine(&Move::way);
            step_along(at.here.point, 1, at.to_ahead.way, planned);
            at.ahead.regulariser = g.prox(planned, kHardly, at.ahead.point, scratch);
            ++cost.prox;
            const bool outside = distance(at.ahead.point, planned) > kRounds * norm(planned);
            if (outside) {
                subtract(at.ahead.point, at.here.point, at.to_ahead.way);
                model.score(at.to_ahead.way, at.to_ahead.scores, scratch);
            } else {
                combine(&Move::scores);
            }
            step_along(at.here.scores, 1, at.to_ahead.scores, at.ahead.scores);
            at.ahead.look(model, scratch);
            if (better(plane, at)) return true;
            if (outside) return false;  // the next one would cost a pass as well
        }
        return false;
    }

    /// Whether F is lower ahead than at the forward point; where rounding would decide, whether it rises far
    /// less in the plane.
    static bool better(const Plane& plane, const Ground& at) {
        const Real rounding = rounding_slack(at.ahead.value, at.forward.value) +
                              rounding_slack(at.ahead.regulariser, at.forward.regulariser);
        const Real fall =
            (at.forward.value - at.ahead.value) + (at.forward.regulariser - at.ahead.regulariser);
        if (!(std::abs(fall) <= rounding)) return fall > 0;
        const auto weigh = [&](const Move& move, Real rise, Real bend) {
            const Real left = rise + Plane::turn(at.forward.slopes, at.ahead.slopes, move.scores);
            return std::pair(rise * rise / std::abs(bend), left * left / std::abs(bend));
        };
        auto [forward, ahead] = weigh(at.to_forward, plane.rise, plane.bend);
        if (at.came && plane.past_bend != 0) {
            const auto [past_forward, past_ahead] = weigh(at.past, plane.past_rise, plane.past_bend);
            forward += past_forward;
            ahead += past_ahead;
        }
        return ahead < kFarLess * forward;
    }

    static constexpr Real kShrink = 0.5;  // of the step, where f bends more than it allows
    static constexpr Real kGrow = 1.6;    // of the step, after kStreak acceptances in a row
    static constexpr std::uint64_t kStreak = 3;
    static constexpr Real kMostAlike = 0.999;
    static constexpr Real kHardly = kUnitRoundoff * kUnitRoundoff;  // a step of prox that only projects
    static constexpr Real kRounds = 8 * kUnitRoundoff;
    static constexpr Real kFarLess = 0.1;
    static constexpr int kAttempts = 3;
    static constexpr Real kNearer = 0.3;
    // In multiples of the reference step, as for backtracking.
    static constexpr Real kSmallestStep = 1e-15;
    static constexpr Real kLargestStep = 1e6;

    Real step_ = 0;  // e, kept between rounds: neighbouring windows curve alike
    std::uint64_t streak_ = 0;
    Accelerated elsewhere_;
};

}  // namespace proxstream
