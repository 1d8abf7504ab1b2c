/// The paper's Algorithm 1: keep the mean of the last w losses stationary up to rho_t = delta_t / w.
///
/// Two windows meet in a round. The *judge* S_t measures how stationary the point x_t was that had to be
/// played before f_t was known. The *model* is what the round then solves to find x_{t+1}; Algorithm 1 takes
/// the same S_t, that is, it forecasts the next loss by the one that will leave.
#pragma once

#include "proxstream/online/played_round.hpp"
#include "proxstream/online/tolerance.hpp"

#include <chrono>
#include <utility>
#include <vector>

namespace proxstream {

struct TimeSmoothedOptions {
    Index window = 1;  // w
    Real step = 1;     // eta, the reference step
    Tolerance tolerance = Tolerance::fixed(1);
    Budget budget;
};

template <Regulariser G, RecordBatch B, class Inner>
class TimeSmoothed final : public Learner<typename B::Record> {
  public:
    using Record = typename B::Record;

    /// `batch` holds at least CarriedWindow<B>::slots(window) records.
    TimeSmoothed(G g, B batch, std::vector<Real> start, TimeSmoothedOptions options, Inner inner)
        : round_(std::move(g), std::move(batch), options.window, options.step, std::move(start)),
          tolerance_(std::move(options.tolerance)),
          budget_(options.budget),
          inner_(std::move(inner)) {}

    ConstView decide() const override { return round_.iterate().point; }

    RoundReport observe(const Record& record) override {
        const auto start = std::chrono::steady_clock::now();
        RoundReport report;
        if (round_.enter(record, report)) {
            const Real change = round_.residual_change();
            report.tolerance =
                tolerance_.next(round_.window().length(), change > report.residual_rounding ? change : 0);
            if (!needs_confirmation(report) || round_.confirm(report)) {
                solve_model(report);
            }
            if (report.status == RoundStatus::refused) tolerance_.take_back();
        }
        seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        return report;
    }

    LearnerFacts facts() const override {
        LearnerFacts facts = round_.facts();
        facts.promises_exit = tolerance_.promises_exit();
        facts.steps = inner_.step_claim();
        return facts;
    }

    std::vector<Real> closing_losses() override {
        return round_.window().values(round_.iterate().point, round_.scratch());
    }
    Real closing_regulariser() const override { return round_.iterate().regulariser; }
    double seconds() const override { return seconds_; }

  private:
    /// A carried gradient may decide unless it is old, or so close to the tolerance that its rounding would.
    bool needs_confirmation(const RoundReport& report) const {
        if (!round_.window().carried()) return false;
        return round_.window().due_for_pass() ||
               std::abs(report.entry_residual - report.tolerance) <= report.residual_rounding;
    }

    void solve_model(RoundReport& report) {
        const Inner inner_before = inner_;
        const InnerReport inner =
            inner_.solve(round_.window(), round_.g(), round_.step(), report.tolerance, budget_,
                         round_.iterate(), round_.inner_cost(), round_.scratch());
        if (inner.status == SolveStatus::not_finite) {
            inner_ = inner_before;
            round_.undo(report);
            return;
        }
        report.status = !tolerance_.promises_exit()                     ? RoundStatus::moved
                        : inner.status == SolveStatus::budget_exhausted ? RoundStatus::budget_exhausted
                        : inner.steps == 0                              ? RoundStatus::quiet
                                                                        : RoundStatus::solved;
        report.steps = inner.steps;
        report.certified_decrease = inner.certified_decrease;
        report.squared_residuals = inner.squared_residuals;
        report.smallest_step = inner.smallest_step;
        report.largest_step = inner.largest_step;
        round_.leave(report);
    }

    PlayedRound<G, B> round_;
    Tolerance tolerance_;
    Budget budget_;
    Inner inner_;
    double seconds_ = 0;
};

}  // namespace proxstream
