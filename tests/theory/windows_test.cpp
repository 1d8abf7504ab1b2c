// Weighted windows, models apart from their judges, hysteresis, switching penalties, proximal terms, cheap
// updates: random runs of all of them together. The certificate must find nothing, and everything it rests on
// is worked out a second time from the definitions alone (window_definitions.hpp), record by record.

#include "proxstream/core/error.hpp"

#include "support/probe.hpp"
#include "theory/window_case.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace proxstream::defined {
namespace {

/// The same run from the definitions: what every loss was worth at every point.
class Account {
  public:
    Account(const Case& run, const Played& played)
        : run_(run),
          played_(played),
          reference_(weights_of(run.judge, "previous", 0, run.rounds)),
          model_(weights_of(run.judge, run.lag > 0 ? "season" : run.model, run.lag, run.rounds)) {}

    /// |difference| of figures that both sides compute with rounding at this size.
    void expect_same(Real reported, Real defined, Real size, const char* what, Round t) const {
        ASSERT_LE(std::abs(reported - defined), 1e-11 * (1 + size)) << what << ", round " << t;
    }

    void check_rounds() {
        Vector left_with = gap(played_.points[1], Vector(run_.dimension));
        for (Round t = 1; t <= run_.rounds; ++t) {
            check_round(t, left_with);
            if (testing::Test::HasFatalFailure()) return;
        }
    }

    void check_sums() {
        const Certificate& certificate = played_.certificate;
        Real size = 0;
        const Real energy = regrouped_energy(size);
        // E_T by rounds = E_T by losses.
        ASSERT_LE(std::abs(falls_ - energy), 1e-12 * (falls_size_ + size));
        expect_same(certificate.summary.energy, energy, size, "E_T", 0);
        expect_same(certificate.summary.regret, regret_, regret_, "Reg", 0);
        const Real forgiven = 1e-11 * (1 + falls_size_);
        // (B1-w), with the oscillations over the points that were met, then over all of space.
        ASSERT_LE(worth_, energy + forgiven) << "count";
        ASSERT_LE(energy, met_ + forgiven) << "(B1-w)";
        ASSERT_LE(met_, most_ + forgiven) << "(B1-w)";
        ASSERT_LE(penalties_, energy + forgiven) << "penalties";
        ASSERT_LE(regret_, square(std::sqrt(exits_) + std::sqrt(variation_)) * (1 + 1e-11) + 1e-13)
            << "(A-w)";
        if (!run_.steady || run_.switching > 0 || run_.proximal > 0 || run_.hysteresis == 1 || exhausted_)
            return;
        const Real rho = played_.reports[1].tolerance;
        ASSERT_LE(active_, 1 + changes_ / ((1 - run_.hysteresis) * rho) * (1 + 1e-9)) << "theta";
    }

  private:
    /// The sum of weights times gradients at x, of Q_{t+1} or S_t; a forecast with its own weight.
    Vector gradient(const Weights& weights, Round t, const Vector& x) const {
        Vector total(x.size());
        for (Round s = t > weights.reach ? t - weights.reach : 1; s <= t; ++s) {
            if (weights.at(t, s) != 0) total = along(total, weights.at(t, s), run_.losses[s].gradient(x));
        }
        if (run_.forecast() && &weights == &model_ && t > 0)
            total = along(total, weights.newest[t], run_.forecasts[t + 1].gradient(x));
        return total;
    }
    Real objective(Round t, const Vector& x) const {
        Real total = run_.penalty.g.value(x);
        for (Round s = 1; s <= t; ++s) {
            if (model_.at(t, s) != 0) total += model_.at(t, s) * run_.losses[s].value(x);
        }
        if (run_.forecast()) total += model_.newest[t] * run_.forecasts[t + 1].value(x);
        return total;
    }
    Vector gap(const Vector& x, const Vector& gradient) const {
        Vector out = along(x, -1, run_.penalty.g.prox(along(x, -run_.step, gradient), run_.step));
        for (Real& entry : out) entry /= run_.step;
        return out;
    }
    /// Pi d: across a simplex nothing is seen.
    Vector seen(Vector d) const {
        if (!run_.penalty.centred) return d;
        const Real mean = std::accumulate(d.begin(), d.end(), Real{0}) / static_cast<Real>(d.size());
        for (Real& entry : d) entry -= mean;
        return d;
    }

    void check_round(Round t, Vector& left_with) {
        const RoundReport& report = played_.reports[t];
        const Vector& x = played_.points[t];
        const Vector& next = played_.points[t + 1];
        const Vector judged = gradient(reference_, t, x);
        const Vector before = gradient(model_, t - 1, x);
        const Vector after = gradient(model_, t, x);
        const Vector v = seen(along(judged, -1, before));
        const Real entry = length(gap(x, judged));
        const Real size = length(x) / run_.step + 1;
        expect_same(report.entry_gap, entry, size, "R", t);
        expect_same(report.variation, run_.effective_length * length(v), run_.effective_length, "d", t);
        const Real firm = length(along(left_with, 0.5, v)) + length(v) / 2;
        expect_same(report.firm_bound, firm, size, "firm bound", t);
        ASSERT_LE(entry, firm + 1e-12 * size) << "(A-Q), round " << t;
        ASSERT_LE(firm, length(left_with) + length(v) + 1e-12 * size);
        if (run_.model == "previous") check_variation(t, x, length(v));
        regret_ += square(entry);
        exits_ += inner(left_with, left_with);
        variation_ += inner(v, v);

        const Real change = length(seen(along(after, -1, before)));
        expect_same(report.forecast_change, change, size, "model change", t);
        changes_ += change;
        expect_same(report.forecast_gap, length(gap(x, after)), size, "forecast gap", t);
        left_with = gap(next, gradient(model_, t, next));
        const Real exit = length(left_with);
        expect_same(report.exit_gap, exit, length(next) / run_.step + 1, "r", t);
        check_exit(t, exit, size);
        check_moves(t, x, next);
    }

    void check_exit(Round t, Real exit, Real size) {
        const RoundReport& report = played_.reports[t];
        const Real moved = length(along(played_.points[t + 1], -1, played_.points[t]));
        const Real push = run_.switching / run_.effective_length + run_.proximal * moved;  // kappa sqrt n
        const bool quiet = report.status == RoundStatus::quiet;
        ASSERT_NE(report.status, RoundStatus::refused);
        exhausted_ = exhausted_ || report.status == RoundStatus::budget_exhausted;
        active_ += quiet ? 0 : 1;
        if (quiet) {
            ASSERT_EQ(played_.points[t], played_.points[t + 1]);
        } else if (run_.switching == 0) {
            ASSERT_GT(report.forecast_gap, report.tolerance);
        }
        if (report.status == RoundStatus::budget_exhausted) return;
        const Real target_gap = quiet ? report.tolerance : run_.hysteresis * report.tolerance;
        ASSERT_LE(exit, (1 + run_.step * run_.proximal) * target_gap + push + 1e-11 * size)
            << "exit, round " << t;
    }

    /// What a proved update from a gap above rho is worth, over rho^2.
    Real worth(const RoundReport& report) const {
        if (run_.inner == "prox-grad") return run_.step * (1 - run_.step * run_.smoothness / 2);
        return std::min(run_.step, report.smallest_step) / 2;
    }

    void check_moves(Round t, const Vector& x, const Vector& next) {
        const RoundReport& report = played_.reports[t];
        const Real entry = objective(t, x);
        const Real exit = objective(t, next);
        falls_ += entry - exit;
        falls_size_ += std::abs(entry) + std::abs(exit);
        expect_same(report.objective_entry, entry, std::abs(entry), "Psi(x_t)", t);
        expect_same(report.objective_exit, exit, std::abs(exit), "Psi(x_{t+1})", t);
        Real one = 0;
        for (Index i = 0; i < x.size(); ++i) one += std::abs(next[i] - x[i]);
        const Real kappa =
            run_.switching / (run_.effective_length * std::sqrt(static_cast<Real>(run_.dimension)));
        const Real moved = length(along(next, -1, x));
        const Real penalty = kappa * one + run_.proximal / 2 * square(moved);
        expect_same(report.penalty, penalty, penalty, "penalty", t);
        penalties_ += penalty;
        ASSERT_LE(moved, report.path * (1 + 1e-12) + 1e-14) << "path, round " << t;
        const Real target_gap = run_.hysteresis * report.tolerance;
        if (report.steps > 0)
            worth_ += static_cast<Real>(report.steps) * worth(report) * target_gap * target_gap;
        if (report.cheap_steps > 0) return;
        // path_t c rho <= drop_t, the penalty being paid from the drop as well.
        const Real c = run_.inner == "prox-grad"
                           ? 1 - run_.step * run_.smoothness / 2
                           : 1 / (2 * std::max<Real>(1, report.largest_step / run_.step));
        const Real forgiven = 1e-13 * static_cast<Real>(1 + report.steps) * (1 + std::abs(entry));
        ASSERT_LE(c * report.path * target_gap + penalty, entry - exit + forgiven) << "drop, round " << t;
        if (run_.inner != "prox-grad") return;
        const Real proved = run_.step * c * report.squared_gaps;  // gamma sum |P|^2
        ASSERT_LE(proved + penalty, entry - exit + forgiven) << "decrease, round " << t;
    }

    /// The three bounds on |v_t|, for the judge against its own last state.
    void check_variation(Round t, const Vector& x, Real change) const {
        std::vector<Vector> gradients;  // by age, nothing before the first round
        for (Index age = 0; age <= run_.judge.reach; ++age)
            gradients.push_back(age < t ? run_.losses[t - age].gradient(x) : Vector(x.size()));
        Real largest = 0, total = 0, diameter = 0, drift = 0;
        for (Index age = 0; age < gradients.size(); ++age) {
            const Real now = age < run_.judge.reach ? run_.judge.weight(t, age) : 0;
            total += std::abs(now - (age > 0 && t > 1 ? run_.judge.weight(t - 1, age - 1) : 0));
            largest = std::max(largest, length(gradients[age]));
            for (Index other = 0; other < age; ++other)
                diameter = std::max(diameter, length(along(gradients[age], -1, gradients[other])));
            if (age + 1 < gradients.size())
                drift += now * length(along(gradients[age], -1, gradients[age + 1]));
        }
        ASSERT_LE(change, largest * total + 1e-12) << "G TV, round " << t;
        if (run_.judge.varies()) return;  // the others want weights that do not change
        ASSERT_LE(change, diameter * run_.judge.variation() / 2 + 1e-12) << "diameter, round " << t;
        ASSERT_LE(change, drift + 1e-12) << "drift, round " << t;
    }

    /// E_T, each loss paid for where its weight rises and refunded where it falls; the bounds (B1-w) beside.
    Real regrouped_energy(Real& size) {
        const Real start = run_.penalty.g.value(played_.points[1]);
        const Real end = run_.penalty.g.value(played_.points[run_.rounds + 1]);
        Real total = start - end;
        size = std::abs(start) + std::abs(end);
        met_ = start - end;
        most_ = start - run_.penalty.infimum;
        const auto brace = [&](const Robust& loss, Round first, const Vector& weights) {
            // weights[i] is the loss's in round first + i; after the last one it is 0.
            Real low = kInfinity, high = -kInfinity, rising = 0, balance = 0, before = 0;
            for (Index i = 0; i <= weights.size(); ++i) {
                const Real now = i < weights.size() ? weights[i] : 0;
                if (now == before) continue;
                const Real value = loss.value(played_.points[first + i]);
                total += (now - before) * value;
                size += std::abs((now - before) * value);
                balance += now - before;
                rising += std::max(now - before, Real{0});
                low = std::min(low, value);
                high = std::max(high, value);
                before = now;
            }
            ASSERT_NEAR(balance, 0, 1e-14);
            if (rising == 0) return;
            met_ += rising * (high - low);
            most_ += rising / 2;  // osc f = 1/2
            const Real half =
                run_.model == "previous" && !run_.judge.varies() ? run_.judge.variation() / 2 : kInfinity;
            ASSERT_LE(rising, half + 1e-14) << "h_s <= TV/2";
        };
        for (Round s = 1; s <= run_.rounds; ++s) {
            Vector weights;
            for (Round t = s; t <= std::min(run_.rounds, s + model_.reach); ++t)
                weights.push_back(model_.at(t, s));
            brace(run_.losses[s], s, weights);
            if (run_.forecast()) brace(run_.forecasts[s + 1], s, {model_.newest[s]});
        }
        return total;
    }

    const Case& run_;
    const Played& played_;
    Weights reference_, model_;
    Real falls_ = 0, falls_size_ = 0, worth_ = 0, penalties_ = 0;
    Real met_ = 0, most_ = 0;  // (B1-w)
    Real regret_ = 0, exits_ = 0, variation_ = 0, changes_ = 0, active_ = 0;
    bool exhausted_ = false;
};

TEST(Windows, KeepEveryInequalityOnRandomRuns) {
#ifdef __SANITIZE_ADDRESS__
    constexpr std::uint64_t kRuns = 150;
#else
    constexpr std::uint64_t kRuns = 1500;
#endif
    const std::uint64_t runs = long_runs() ? 10 * kRuns : kRuns;
    std::map<std::string, std::uint64_t> held;
    std::map<std::string, std::uint64_t> seen;
    std::uint64_t refused = 0;
    for (std::uint64_t index = 0; index < runs; ++index) {
        Dice dice(index);
        Case run = draw_case(dice);
        std::unique_ptr<AnyLearner> learner;
        try {
            learner = make_learner("time-smoothed", parts_of(run));
        } catch (const ConfigError&) {  // a model that does not fit its window
            ++refused;
            run.model = "mean";
            run.lag = 0;
            learner = make_learner("time-smoothed", parts_of(run));
        }
        SCOPED_TRACE("run " + std::to_string(index) + ": " + run.text());
        ASSERT_NEAR(learner->facts().effective_length, run.effective_length, 1e-12 * run.effective_length);
        const Played played = play(*learner, run);
        for (const Inequality& each : played.certificate.inequalities) {
            ASSERT_NE(each.verdict, Verdict::violated)
                << each.id << ", " << each.left << " against " << each.right << " + " << each.slack << "; "
                << each.explanation;
            // On a set of one point nothing moves, and rounding exceeds both sides.
            const bool idle = each.verdict == Verdict::undecided && each.right <= 1e-9;
            if (kept(each.verdict) || idle) ++held[each.id];
        }
        if (run.proximal > 0) ++seen["proximal"];
        ++seen[run.model.substr(0, run.model.find(':'))];
        ++seen[run.judge.text.substr(0, run.judge.text.find(':'))];
        Account account(run, played);
        ASSERT_NO_FATAL_FAILURE(account.check_rounds());
        ASSERT_NO_FATAL_FAILURE(account.check_sums());
    }
    // All of it was asked for, and often.
    for (const char* id : {"C2", "C3a", "C3b", "C4", "C5"}) EXPECT_EQ(held[id], runs) << id;
    for (const char* id : {"C1", "C3c", "C6", "C7a"}) EXPECT_GT(held[id], runs * 9 / 10) << id;
    EXPECT_GT(held["C7b"], runs * 2 / 5);
    EXPECT_GT(held["C7c"], runs * 2 / 5);
    EXPECT_GT(seen["proximal"], runs / 5);
    EXPECT_GT(held["C9"], runs / 10);
    for (const char* what : {"previous", "mean", "zero", "season", "forecast", "exp", "triangle", "weights"})
        EXPECT_GT(seen[what], runs / 20) << what;
    EXPECT_LT(refused, runs / 5);
    for (const auto& [id, count] : held) RecordProperty(id + "_held", std::to_string(count));
}

}  // namespace
}  // namespace proxstream::defined
