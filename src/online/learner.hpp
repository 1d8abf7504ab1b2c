/// The interface of all learners: decide before the loss is seen, then observe it.
#pragma once

#include "proxstream/core/round_report.hpp"
#include "proxstream/core/run_header.hpp"
#include "proxstream/core/state_archive.hpp"
#include "proxstream/core/types.hpp"
#include "proxstream/loss/record_ref.hpp"

#include "solve/inner_solver.hpp"

#include <functional>

namespace proxstream {

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

    virtual RunHeader facts() const = 0;
    /// What the certificate needs to know of the end.
    virtual Closing close() = 0;
    /// What happened inside an ensemble in the last round; nullptr: this is no ensemble.
    virtual const EnsembleRound* ensemble() const { return nullptr; }
    /// Seconds spent learning, without the referee's measurements.
    virtual double seconds() const = 0;

    /// Between two rounds: saves everything that later rounds depend on, or restores it into a learner made
    /// from the same settings. That learner then continues bit for bit.
    virtual void serialise(StateArchive& /*archive*/) { throw Error("this learner cannot be saved"); }
};

}  // namespace proxstream
