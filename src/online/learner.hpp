/// The contract of everything that plays: decide before the loss is seen, then observe it.
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
    std::string name;                // how an ensemble calls it
    Index dimension = 0;             // n; 0: not said
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
    bool measured = true;               // false: a member of an ensemble that is a point alone
    Real prox_scale = 0;                // size of the constants in the regulariser's prox
    std::optional<NoiseFacts> noise;    // of a learner with sampled gradients
    std::string play;                   // the selection of an ensemble; empty: this is none
    std::vector<LearnerFacts> members;  // of an ensemble
};

template <class Record>
class Learner {
  public:
    virtual ~Learner() = default;
    virtual ConstView decide() const = 0;  // x_t

    /// Reveals f_t and moves to x_{t+1}. A refused round leaves the learner as it was.
    virtual RoundReport observe(const Record& record) {
        RoundReport report;
        if (enter(record, report)) advance(report, {});
        return report;
    }
    /// The two halves of a round. enter(): f_t is let in and x_t is judged; false: the loss was refused.
    virtual bool enter(const Record& record, RoundReport& report) = 0;
    /// advance(): finds x_{t+1}, refusing the round if that cannot be done. `start` is a point somebody else
    /// found and may be better to start from; empty: there is none.
    virtual void advance(RoundReport& report, ConstView start) = 0;
    /// The round that was entered last, and advanced perhaps, did not happen. Once a round.
    virtual void rollback() = 0;

    /// What the next but one loss to be observed is expected to be; said before observe() of the loss in
    /// between.
    virtual void expect(const Record& /*forecast*/) {}

    /// Between two rounds: the losses that are remembered, or dom g, are not what they were (a network has
    /// changed). `repair` takes a point into the new domain. What was carried is worked out again there, and
    /// learners with an exit test move on until it holds. What is proved begins anew: facts() says from
    /// where, and rounds are counted from 1 again. The report has status, steps and cost; refused: a loss is
    /// not finite now, and the learner is of no use any more.
    virtual RoundReport revise(const std::function<void(View)>& /*repair*/) {
        throw Error("this learner cannot follow losses that change");
    }

    virtual LearnerFacts facts() const = 0;
    /// What the certificate needs to know of the end.
    virtual Closing close() = 0;
    /// What happened inside an ensemble in the round that ended last; nullptr: this is no ensemble.
    virtual const EnsembleRound* ensemble() const { return nullptr; }
    /// Seconds spent learning; measuring for the referee is not charged.
    virtual double seconds() const = 0;

    /// Between two rounds: writes everything the rounds to come depend on, or reads it into a learner made
    /// from the same settings, which then goes on bit for bit as the one that was saved.
    virtual void serialise(StateArchive& /*checkpoint*/) { throw Error("this learner cannot be saved"); }
};

/// A learner of records of any type: what the learner table makes.
using AnyLearner = Learner<RecordRef>;

}  // namespace proxstream
