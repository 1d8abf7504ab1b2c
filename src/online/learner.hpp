/// The interface of all learners: decide before the loss is seen, then observe it.
#pragma once

#include "proxstream/core/noise_facts.hpp"
#include "proxstream/core/round_report.hpp"
#include "proxstream/core/state_archive.hpp"
#include "proxstream/core/types.hpp"
#include "proxstream/loss/record_ref.hpp"

#include "solve/inner_solver.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace proxstream {

/// What a run's certificate needs to know about its learner before the first round.
struct LearnerFacts {
    std::string name;                // of a member of an ensemble
    Index dimension = 0;             // n; 0: unknown
    Index window = 1;                // w: records the judge reaches back to
    std::string window_text = "1";   // its weights
    Real effective_length = 1;       // w_a
    std::string model = "previous";  // what a round solves
    Real hysteresis = 1;             // theta
    Real switching = 0;              // kappa
    Real proximal = 0;               // mu
    Real step = 0;                   // eta, the reference step of every gap
    StepClaim steps;                 // what the inner solver's steps rest on
    bool promises_exit = true;       // an exit test ends every round that ends within its budget
    bool counts_steps = true;        // the inner steps carry a proved decrease, so their number is bounded
    Real initial_gap = 0;            // r_0 = |P(x_1; grad Q_1)|; Q_1 = 0 unless the window begins filled
    Real initial_objective = 0;      // Q_1(x_1) + g(x_1)
    Index initial_records = 0;       // in the window before the first round
    Real infimum_regulariser = 0;
    bool measured = true;               // false: a member of an ensemble without a window
    Real prox_scale = 0;                // size of the constants in the regulariser's prox
    std::optional<NoiseFacts> noise;    // of a learner with sampled gradients
    std::string play;                   // the selection of an ensemble; empty: this is none
    std::vector<LearnerFacts> members;  // of an ensemble
};

/// Learns from records of any type.
class AnyLearner {
  public:
    virtual ~AnyLearner() = default;
    virtual ConstView decide() const = 0;  // x_t

    /// Reveals f_t and moves to x_{t+1}. A refused round leaves the learner as it was.
    virtual RoundReport observe(const RecordRef& record) {
        RoundReport report;
        if (enter(record, report)) advance(report, {});
        return report;
    }
    /// First half of a round: evaluates f_t at x_t, lets it into the window and measures x_t. Returns false
    /// if something was not finite: the round is refused, and nothing has changed.
    virtual bool enter(const RecordRef& record, RoundReport& report) = 0;
    /// Second half: finds x_{t+1}. `start` is a point that may be better to start from; empty: there is none.
    virtual void advance(RoundReport& report, ConstView start) = 0;
    /// Undoes the last round, which was entered and perhaps advanced. At most once a round.
    virtual void rollback() = 0;

    /// Announces the loss after the next one. Call it before observe() of the next one.
    virtual void expect(const RecordRef& /*forecast*/) {}

    /// Between two rounds: the losses in the window, or dom g, have changed (a link of a network was closed).
    /// `repair` takes a point into the new domain. Values that were carried are computed again there, and
    /// learners with an exit test move until it holds. The certificate starts anew: facts() describes the new
    /// start, and rounds are counted from 1 again. The report has status, steps and cost. Status refused: a
    /// loss is not finite now, and the learner cannot be used any more.
    virtual RoundReport revise(const std::function<void(View)>& /*repair*/) {
        throw Error("this learner cannot follow losses that change");
    }

    virtual LearnerFacts facts() const = 0;
    /// What the certificate needs to know of the end.
    virtual Closing close() = 0;
    /// What happened inside an ensemble in the last round; nullptr: this is no ensemble.
    virtual const EnsembleRound* ensemble() const { return nullptr; }
    /// Seconds spent learning, without the referee's measurements.
    virtual double seconds() const = 0;

    /// Between two rounds: saves everything that later rounds depend on, or restores it into a learner made
    /// from the same settings, which then continues bit for bit.
    virtual void serialise(StateArchive& /*archive*/) { throw Error("this learner cannot be saved"); }
};

}  // namespace proxstream
