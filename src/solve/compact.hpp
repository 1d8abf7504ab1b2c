/// PANOC on a compact copy of the window: in single precision, and without the coordinates that are not in
/// play where these are most. A pass over that costs half of one over the records, or far less; an exact pass
/// confirms where the steps led, and shows which coordinates are in play next. The round ends only if the
/// exact gap passes. The first steps of a round are exact, since many rounds need no more; so are those
/// of windows that cannot be copied, and those after a stretch that was taken back or did not get anywhere.
#pragma once

#include "solve/bend_test.hpp"
#include "solve/compact_model.hpp"
#include "solve/inner_solver.hpp"
#include "solve/panoc.hpp"
#include "solve/stand_in.hpp"

#include <algorithm>
#include <cstdint>
#include <span>

namespace proxstream {

class CompactSteps {
  public:
    static constexpr std::uint64_t kStretch = 64;  // passes that whoever counts them should let it have

    explicit CompactSteps(const PanocOptions& options = {}) : steps_(options) {}

    StepClaim step_claim() const noexcept { return steps_.step_claim(); }
    /// The step it would try next.
    Real step_or(Real reference_step) const noexcept { return steps_.step_or(reference_step); }
    /// What passes over copies were cheaper by in the last solve(), in passes.
    Real passes_saved() const noexcept { return saved_; }

    /// Passes over the copy count against the budget as others do.
    template <Regulariser G, class Model>
    InnerReport solve(Model& model, const G& g, Real reference_step, Real tolerance, const Budget& budget,
                      Iterate& iterate, Cost& cost, Scratch& scratch) {
        saved_ = 0;
        if constexpr (!Compactable<Model>) {
            return steps_.solve(model, g, reference_step, tolerance, budget, iterate, cost, scratch);
        } else {
            const BudgetMeter meter(budget);
            const std::uint64_t first = model.cost().passes;
            const auto spent = [&] { return model.cost().passes - first; };
            model.forget_compact();  // a resumed run has no copy either
            InnerReport report;
            bool copying = true;
            while (iterate.gap > tolerance) {
                Scratch::Frame frame(scratch);
                const std::uint64_t before = spent();
                if (copying && before > 0 && !meter.exhausted(before + kStretchOverhead) &&
                    get_ready(model, g, reference_step, iterate, cost, frame, scratch)) {
                    const Real mapping = iterate.gap;
                    const Real here = model.value() + iterate.regulariser;
                    Budget cheap = meter.rest(before + kStretchOverhead);
                    cheap.max_steps = std::min(cheap.max_steps, kLongest);
                    copying =
                        stretch(model, g, reference_step, tolerance, cheap, iterate, report, cost, scratch);
                    // Where rounding decides, a copy has nothing more to say.
                    const Real there = model.value() + iterate.regulariser;
                    copying =
                        copying && (there < here - rounding_slack(here, there) || iterate.gap < mapping / 2);
                    continue;
                }
                Budget exact = meter.rest(before);
                if (copying) exact.max_steps = std::min(exact.max_steps, kExactSteps);
                report.add(steps_.solve(model, g, reference_step, tolerance, exact, iterate, cost, scratch));
                // A solver that sees rounding, and no way, does not try.
                if (report.status == SolveStatus::not_finite || spent() == before || meter.exhausted(spent()))
                    break;
            }
            if (iterate.gap <= tolerance) report.status = SolveStatus::converged;
            return report;
        }
    }

    void serialise(StateArchive& archive) { archive.section("steps", steps_); }

  private:
    static constexpr std::uint64_t kStretchOverhead = 2;  // passes: one for the anchor, one to confirm
    static constexpr std::uint64_t kExactSteps = 4;       // between looks at whether there is a copy to make
    static constexpr std::uint64_t kLongest = 1024;       // steps that a copy is trusted without asking
    /// How far a stretch brings the gap down: what is further away is better seen from nearer by, when
    /// other coordinates may be in play.
    static constexpr Real kGain = 1e-3;
    static constexpr Real kNearly = 10;  // a stretch that leaves a gap of so many tolerances goes on
    static constexpr Real kAim = 0.9;    // of the tolerance: what the copy misses has to fit in as well

    /// In play are coordinates that are not 0, or leave it in a step from here: the reference one, or the one
    /// in use. False: there is no copy.
    template <Regulariser G, class Model>
    bool get_ready(Model& model, const G& g, Real reference_step, const Iterate& iterate, Cost& cost,
                   Scratch::Frame& frame, Scratch& scratch) const {
        const Index n = iterate.point.size();
        const std::span<Index> all = frame.take<Index>(n);
        const View ahead = frame.take(n);
        const Real step = step_or(reference_step);
        step_along(iterate.point, -step, model.gradient(), ahead);
        g.prox(ahead, step, ahead, scratch);
        ++cost.prox;
        Index count = 0;
        for (Index i = 0; i < n; ++i) {
            if (iterate.point[i] != 0 || iterate.forward[i] != 0 || ahead[i] != 0) all[count++] = i;
        }
        return model.compact(all.first(count), iterate.point, scratch);
    }

    /// False: it was taken back.
    template <Regulariser G, class Model>
    bool stretch(Model& model, const G& g, Real reference_step, Real tolerance, const Budget& budget,
                 Iterate& iterate, InnerReport& report, Cost& cost, Scratch& scratch) {
        Scratch::Frame frame(scratch);
        const View anchor = frame.take(iterate.point.size());
        copy(iterate.point, anchor);
        const std::uint64_t before = model.cost().passes;
        CompactModel<Model> compact(model, anchor, frame);
        const Real far = kGain * iterate.gap;
        const Real target_gap = far < kNearly * tolerance ? kAim * tolerance : far;
        const bool kept = stretch_.run(steps_, model, compact, g, reference_step, target_gap, tolerance,
                                       budget, iterate, report, cost, scratch);
        const auto cheap = static_cast<Real>(model.cost().passes - before);  // the confirming one among them
        saved_ += std::max(Real{0}, cheap - 1) * (1 - model.compact_share());
        return kept;
    }

    Panoc steps_;
    StandInStretch stretch_;
    Real saved_ = 0;
};

}  // namespace proxstream
