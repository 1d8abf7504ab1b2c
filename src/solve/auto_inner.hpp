/// The inner solver that finds out which one pays. Rounds that a few steps end are backtracking's; the others
/// are compared by what a whole round costs: over a few steps plain ones look best, since what is left after
/// them is what they are bad at.
#pragma once

#include "solve/backtracking.hpp"
#include "solve/compact.hpp"
#include "solve/gram.hpp"
#include "solve/inner_solver.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>

namespace proxstream {

/// What progress is held against. Work is multiply-adds, counted: a run repeats bit for bit. Seconds are
/// measured, and it does not.
enum class AutoClock : std::uint8_t { work, seconds };

/// What a solver made of long rounds.
struct LongRoundTrial {
    Real rounds = 0;    // 0: not tried yet; this and the following with earlier rounds counting less
    Real progress = 0;  // of the logarithm of the gap
    Real passes = 0;
    Real price = 0;
    Real rate() const { return price > 0 ? progress / price : 0; }
};

/// Who works on long rounds, and what they showed.
struct LongRounds {
    static constexpr Index kSolvers = 3;

    Backtracking adaptive{{.next = NextStep::adaptive}};
    CompactSteps bold;  // panoc, on the coordinates in play where these are few
    GramSteps gram;
    std::array<LongRoundTrial, kSolvers> trials;
    std::uint64_t since_trial = 0;  // long rounds
    std::uint64_t trials_made = 0;  // since all were tried once
    bool doubted = false;           // the best took far longer than it used to

    void serialise(StateArchive& archive) {
        archive.section("adaptive", adaptive);
        archive.section("bold", bold);
        archive.section("gram", gram);
        archive.field("since trial", since_trial);
        archive.field("trials made", trials_made);
        archive.field("doubted", doubted);
        for (LongRoundTrial& trial : trials) {
            archive.field("rounds", trial.rounds);
            archive.field("progress", trial.progress);
            archive.field("passes", trial.passes);
            archive.field("price", trial.price);
        }
    }
};

/// Every solver accepts by (T3), so no bound depends on who was at work.
class AutoInner {
  public:
    explicit AutoInner(AutoClock clock = AutoClock::work) : clock_(clock) {}

    StepClaim step_claim() const noexcept { return steps_.step_claim(); }

    template <Regulariser G, class Model>
    InnerReport solve(Model& model, const G& g, Real reference_step, Real tolerance, const Budget& budget,
                      Iterate& iterate, Cost& cost, Scratch& scratch) {
        const BudgetMeter meter(budget);
        const std::uint64_t first = model.cost().passes;
        const auto spent = [&] { return model.cost().passes - first; };
        InnerReport report;
        /// False: there is nothing more to do.
        const auto run = [&](Index who, std::uint64_t most) {
            Budget slice = meter.rest(spent());
            slice.max_steps = std::min(slice.max_steps, most);
            const std::uint64_t before = spent();
            report.add(solve_with(who, model, g, reference_step, tolerance, slice, iterate, cost, scratch));
            // One that sees rounding, and no way, does not try.
            return report.status == SolveStatus::budget_exhausted && spent() > before &&
                   !meter.exhausted(spent());
        };
        if (!long_ && !run(kBacktracking, kShort)) return report;
        if (!others_) others_.emplace();
        if constexpr (KnowsCurvature<Model>) {
            // Not worth comparing: a long round has cost more passes by now than the matrix costs.
            if (iterate.point.size() <= kFewCoordinates && !model.curvature().empty()) {
                const InnerReport did = others_->gram.solve(model, g, reference_step, tolerance,
                                                            meter.rest(spent()), iterate, cost, scratch);
                report.add(did);
                // Its moves are worth several plain steps each.
                long_ = did.cheap_steps > kShort / 4;
                return report;
            }
        }

        const Index who = choose();
        const bool usual = tried(who) && who == best();
        const Real mapping = iterate.gap;
        const std::uint64_t begun_with = spent();
        const auto begun = std::chrono::steady_clock::now();
        const bool going = run(who, allowance(who, pass_work(model)));
        others_->doubted = usual && going;
        const Real seconds = std::chrono::duration<Real>(std::chrono::steady_clock::now() - begun).count();
        const auto passes = static_cast<Real>(spent() - begun_with);
        const Real whole = passes - (who == kBold ? others_->bold.passes_saved() : 0);
        note(who, std::log(mapping / std::max(iterate.gap, kUnitRoundoff * mapping)), passes,
             clock_ == AutoClock::seconds ? seconds : whole * pass_work(model) + passes * kOverheads[who]);
        // Harder than rounds were so far is what bold moves are for.
        if (going) run(others_->doubted ? kBold : best(), budget.max_steps);
        long_ = spent() > kShort;
        return report;
    }

    void serialise(StateArchive& archive) {
        archive.section("steps", steps_);
        archive.field("long", long_);
        bool others = others_.has_value();
        archive.field("others", others);
        if (archive.reading()) {
            others_.reset();
            if (others) others_.emplace();
        }
        if (others_) archive.section("others", *others_);
    }

  private:
    enum Solver : Index { kBold, kAdaptive, kBacktracking };  // in the order they are tried
    static constexpr Index kSolvers = LongRounds::kSolvers;
    /// Vector operations a candidate takes beside its pass, in multiply-adds a coordinate.
    static constexpr std::array<Real, kSolvers> kOverheads{50, 16, 12};
    static constexpr std::uint64_t kShort = 16;           // passes of a round that is not long
    static constexpr Index kFewCoordinates = 4 * kShort;  // their matrix costs n/4 passes
    /// One long round in so many goes to another solver than the best so far.
    static constexpr std::uint64_t kTrialEvery = 32;
    static constexpr Real kForget = 0.8;                  // of what earlier rounds showed
    static constexpr Real kTrial = 1.25, kBestAgain = 4;  // rounds of the best, in price
    static constexpr Real kMostChange = 100;              // from round to round, of what work brings

    /// In multiply-adds a coordinate: two a row, once for its score and once for its gradient.
    template <class Model>
    static Real pass_work(const Model& model) {
        if constexpr (requires { model.pass_parts(); }) {
            return 2 * static_cast<Real>(model.pass_parts());
        } else {
            return 2;
        }
    }

    template <Regulariser G, class Model>
    InnerReport solve_with(Index who, Model& model, const G& g, Real reference_step, Real tolerance,
                           const Budget& slice, Iterate& iterate, Cost& cost, Scratch& scratch) {
        switch (who) {
            case kBold:
                return others_->bold.solve(model, g, reference_step, tolerance, slice, iterate, cost,
                                           scratch);
            case kAdaptive:
                return others_->adaptive.solve(model, g, reference_step, tolerance, slice, iterate, cost,
                                               scratch);
            default:
                return steps_.solve(model, g, reference_step, tolerance, slice, iterate, cost, scratch);
        }
    }

    Index best() const {
        const auto better = [](const LongRoundTrial& a, const LongRoundTrial& b) {
            return a.rate() < b.rate();
        };
        return static_cast<Index>(std::max_element(others_->trials.begin(), others_->trials.end(), better) -
                                  others_->trials.begin());
    }

    bool tried(Index who) const { return others_->trials[who].rounds > 0; }

    /// Who works the next long round off: whoever was not tried yet, now and then another one, or if the best
    /// is in doubt, else the best.
    Index choose() {
        for (Index who = 0; who < kSolvers; ++who) {
            if (!tried(who)) return who;
        }
        if (++others_->since_trial < kTrialEvery && !others_->doubted) return best();
        others_->since_trial = 0;
        return (best() + 1 + others_->trials_made++ % (kSolvers - 1)) % kSolvers;
    }

    /// Passes after which a trial has shown enough: it has had the price of a round of the best, and a little
    /// more. The best itself may have looked better than it is in a trial that was cut short, so it gets
    /// several times that, but not any number.
    std::uint64_t allowance(Index who, Real work) const {
        const LongRoundTrial& usual = others_->trials[best()];
        if (!(usual.price > 0)) return std::numeric_limits<std::uint64_t>::max();
        const Real usual_pass = usual.price / usual.passes;
        const Real its_pass =
            who == best() || clock_ == AutoClock::seconds ? usual_pass : work + kOverheads[who];
        const Real most = (who == best() ? kBestAgain : kTrial) * usual.price / usual.rounds;
        return kShort + static_cast<std::uint64_t>(most / its_pass);
    }

    void note(Index who, Real progress, Real passes, Real price) {
        LongRoundTrial& trial = others_->trials[who];
        const bool known = tried(who) && who == best();
        const Real before = trial.rate();
        const auto add = [](Real& sum, Real more) { sum = kForget * sum + more; };
        add(trial.rounds, 1);
        add(trial.progress, progress);
        add(trial.passes, passes);
        add(trial.price, price);
        // Rounds have become harder or easier, for everybody: trials of other days are not held against it.
        if (!known || !(before > 0)) return;
        const Real change = std::clamp(trial.rate() / before, 1 / kMostChange, kMostChange);
        for (LongRoundTrial& each : others_->trials) {
            if (&each != &trial) each.progress *= change;
        }
    }

    AutoClock clock_;
    Backtracking steps_;
    std::optional<LongRounds> others_;  // none before the first long round: a copy of nothing is cheap
    bool long_ = false;                 // was the last round that had to work
};

}  // namespace proxstream
