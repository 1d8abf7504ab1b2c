// Ensembles that play the mean of their members (docs/theory.md, section 14): random runs keep every
// inequality of their certificate. Both sides are worked out from the definitions in extended precision.

#include "proxstream/core/error.hpp"
#include "proxstream/core/linalg.hpp"

#include "support/naive_mixture.hpp"
#include "support/probe.hpp"
#include "theory/window_case.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace proxstream::defined {
namespace means {
namespace {

using mixing::Long;
using mixing::Longs;
using mixing::longs;

struct Row {
    Vector a;
    Real y = 0;
};
using Record = std::vector<Row>;

/// A scalar loss by its formula.
struct Formula {
    const char* name;
    ScalarLoss loss;
    bool convex;
    bool margin;
    Real curvature;

    Long value(Long s, Long y) const {
        const Long r = s - y;
        switch (loss.formula) {
            case ScalarFormula::squared:
                return r * r / 2;
            case ScalarFormula::huber:
                return std::abs(r) <= 1 ? r * r / 2 : std::abs(r) - 0.5L;
            case ScalarFormula::logistic:
                return std::log1p(std::exp(-y * s));
            case ScalarFormula::cauchy:
                return std::log1p(r * r) / 2;
            case ScalarFormula::quantile:
                return (integral(r + loss.scale) - integral(r - loss.scale)) / (2 * loss.scale);
            default:
                return r * r / (2 * (1 + r * r));
        }
    }
    Long pinball(Long r) const { return r * (r < 0 ? -loss.level : 1 - loss.level); }
    Long integral(Long r) const { return r * pinball(r) / 2; }
    Long slope(Long s, Long y) const {
        const Long r = s - y;
        switch (loss.formula) {
            case ScalarFormula::squared:
                return r;
            case ScalarFormula::huber:
                return std::clamp<Long>(r, -1, 1);
            case ScalarFormula::logistic:
                return -y / (1 + std::exp(y * s));
            case ScalarFormula::cauchy:
                return r / (1 + r * r);
            case ScalarFormula::quantile:
                return (pinball(r + loss.scale) - pinball(r - loss.scale)) / (2 * loss.scale);
            default:
                return r / ((1 + r * r) * (1 + r * r));
        }
    }
};

constexpr Formula kFormulas[] = {
    {"squared", {ScalarFormula::squared}, true, false, 1},
    {"huber", {ScalarFormula::huber}, true, false, 1},
    {"logistic", {ScalarFormula::logistic}, true, true, 0.25},
    {"cauchy", {ScalarFormula::cauchy}, false, false, 1},
    {"quantile", {ScalarFormula::quantile, 0.5, 0.875}, true, false, 1},
    {"geman-mcclure", {ScalarFormula::geman_mcclure}, false, false, 1},
};

struct MeanCase {
    const Formula* loss = nullptr;
    Index dimension = 1;
    Round rounds = 0;
    Penalty penalty;
    std::vector<Record> records{{}};  // from index 1
    std::vector<std::string> points;
    std::vector<Index> windows;
    bool gradients = true, clipped = true, tracking = false, cross = false;
    Real switches = 4, step = 1, smoothness = 1, delta = 0.1;
    std::string inner;
    Vector start;

    std::string text() const {
        std::string also;
        for (const std::string& point : points) also += (also.empty() ? "(" : "/(") + point + ")";
        std::string lengths;
        for (const Index window : windows) lengths += (lengths.empty() ? "" : "/") + std::to_string(window);
        std::string mixers = "losses";
        if (gradients) mixers += "/gradients";
        if (clipped) mixers += "/clipped";
        if (tracking) mixers += "/tracking";
        return "ensemble:windows=" + lengths + ",also=" + (also.empty() ? "none" : also) +
               ",cross=" + (cross ? "yes" : "no") + ",effort=inf,steps=50,selection=(mean:mixers=" + mixers +
               ",switches=" + std::to_string(switches) + ")";
    }
    /// f_t + g, in extended precision.
    Long value(Round t, const Vector& x) const {
        Long sum = 0;
        for (const Row& row : records[t]) {
            Long s = 0;
            for (Index i = 0; i < dimension; ++i) s += static_cast<Long>(row.a[i]) * x[i];
            sum += loss->value(s, row.y) / static_cast<Long>(records[t].size());
        }
        return sum;
    }
    Long total(Round t, const Vector& x) const { return value(t, x) + penalty.g.value(x); }
    Vector gradient(Round t, const Vector& x) const {
        Vector sum(dimension);
        for (const Row& row : records[t]) {
            const Long slope =
                loss->slope(inner_product(row.a, x), row.y) / static_cast<Long>(records[t].size());
            for (Index i = 0; i < dimension; ++i) sum[i] += static_cast<Real>(slope * row.a[i]);
        }
        return sum;
    }
    static Long inner_product(const Vector& a, const Vector& x) {
        Long sum = 0;
        for (Index i = 0; i < a.size(); ++i) sum += static_cast<Long>(a[i]) * x[i];
        return sum;
    }
    /// The gradient of S_t, the mean over the last w losses.
    Vector window_gradient(Round t, Index w, const Vector& x) const {
        Vector sum(dimension);
        for (Round s = t; s > 0 && s + w > t; --s) sum = along(sum, 1 / static_cast<Real>(w), gradient(s, x));
        return sum;
    }
    Vector gap(const Vector& x, const Vector& slope) const {
        const Vector next = penalty.g.prox(along(x, -step, slope), step);
        return along(Vector(dimension), 1 / step, along(x, -1, next));
    }
};

RowBlock block_of(const Record& record) {
    RowBlock block;
    for (const Row& row : record) block.add_dense(row.a, row.y);
    return block;
}

/// Draws the rows of all rounds around centres that move. Returns the largest |a|^2.
Real draw_records(Dice& dice, MeanCase& run) {
    std::vector<Vector> centres(4, Vector(run.dimension));
    for (Vector& centre : centres) {
        for (Real& entry : centre) entry = dice.gauss();
    }
    const Index stream = dice.from(0, 4);
    const Real noise = dice.real(0, 0.5), scale = std::pow(10, dice.real(-1, 1));
    const Index rows = dice.one_in(2) ? 1 : dice.from(2, 4);
    const bool tails = dice.one_in(4);
    Real largest = 0;
    for (Round t = 1; t <= run.rounds; ++t) {
        Record record(rows);
        for (Row& row : record) {
            for (Index i = 0; i < run.dimension; ++i) row.a.push_back(scale * dice.gauss());
            Real off = noise * dice.gauss();
            if (tails && dice.one_in(20)) off *= 50;
            row.y = inner(row.a, target(stream, t, centres)) + off;
            if (run.loss->margin) row.y = row.y < 0 ? -1 : 1;
            largest = std::max(largest, inner(row.a, row.a));
        }
        run.records.push_back(std::move(record));
    }
    return largest;
}

void draw_members(Dice& dice, MeanCase& run) {
    const std::vector<std::string> cheap{"adagrad:0.1", "adagrad:1", "rls:inf",      "rls:20",
                                         "coin",        "adam:0.05", "momentum:0.1", "last-value"};
    for (const std::string& each : cheap) {
        // The last value's point lies outside the box; alone it could not start there.
        if (dice.one_in(2) && !(each == "last-value" && run.penalty.text.starts_with("box")))
            run.points.push_back(each);
    }
    for (const Index window : {1U, 3U, 8U, 20U}) {
        if (dice.one_in(2)) run.windows.push_back(window);
    }
    if (run.windows.empty()) run.windows.push_back(5);
}

MeanCase draw_mean(Dice& dice) {
    MeanCase run;
    run.loss = &kFormulas[dice.from(0, std::size(kFormulas) - 1)];
    run.dimension = dice.from(1, 6);
    run.rounds = dice.from(1, 90);
    static const std::vector<Penalty> kinds = penalties();
    run.penalty = kinds[dice.from(0, kinds.size() - 1)];
    run.smoothness = run.loss->curvature * draw_records(dice, run);
    run.step = dice.real(0.2, 1.5) / run.smoothness;
    run.delta = std::exp(dice.real(-4, 0));
    draw_members(dice, run);
    run.gradients = !dice.one_in(4);
    run.clipped = !dice.one_in(3);
    run.tracking = dice.one_in(2);
    run.cross = dice.one_in(2);
    run.switches = static_cast<Real>(dice.from(0, 6));
    run.inner = dice.one_in(2) ? "backtracking" : "prox-grad";
    run.start.assign(run.dimension, 1 / static_cast<Real>(run.dimension));
    if (!run.penalty.centred) {
        for (Real& x : run.start) x = dice.real(-0.6, 0.8);
    }
    return run;
}

LearnerConfig parts_of(const MeanCase& run) {
    const ScalarLoss& loss = run.loss->loss;
    const auto family = std::make_shared<LinearFamily>(loss, run.dimension, false);
    return {.g = parse_regulariser(run.penalty.text),
            .make_batch = [family](Index capacity) { return family->make_batch(capacity); },
            .start = run.start,
            .window = "1",
            .linear = LinearModel{loss, run.dimension, false},
            .last_value = 0,
            .averages = true,
            .step = run.step,
            .smoothness = run.smoothness,
            .tolerance = Tolerance::fixed(run.delta),
            .budget = {.max_steps = 50},
            .inner = run.inner};
}

/// A member's own lines from its points: C2 in every round and C3a over all of them.
struct OwnLines {
    Long regret = 0, bound = 0;

    void add(const MeanCase& run, Round t, Index w, const Vector& x, const RoundReport& report) {
        const Vector before = run.window_gradient(t - 1, w, x), now = run.window_gradient(t, w, x);
        Vector change = along(now, -1, before);
        if (run.penalty.centred) {
            Real mean = 0;
            for (const Real each : change) mean += each / static_cast<Real>(change.size());
            for (Real& each : change) each -= mean;
        }
        // S_{t-1} is what the round before was left with: the forecast is the window itself.
        const Real entry = length(run.gap(x, now)), left = length(run.gap(x, before));
        const Real size = 1 + (1 + length(x)) / run.step + length(now);
        ASSERT_NEAR(report.entry_gap, entry, 1e-11 * size) << "w = " << w << ", round " << t;
        ASSERT_LE(entry, left + length(change) + 1e-11 * size) << "w = " << w << ", round " << t;
        regret += static_cast<Long>(entry) * entry;
        bound += std::pow(static_cast<Long>(left) + length(change), 2);
    }
};

using Seen = std::map<std::string, std::uint64_t>;

/// A run beside its twins, and both sides of its inequalities by their definitions.
class CheckedRun {
  public:
    explicit CheckedRun(const MeanCase& run)
        : run_(run),
          members_(run.points.size() + run.windows.size()),
          learner_(make_learner(run.text(), parts_of(run))),
          tally_(learner_->facts()),
          twin_(mixing::MixtureTwin::even(members_), run.gradients, run.clipped, run.tracking, run.switches),
          losses_(members_),
          slopes_(members_),
          mixture_(members_),
          best_(8, Longs(members_)),
          own_(run.windows.size()) {
        make_alone();
        Long share = 0;
        for (Index k = 0; k < members_; ++k)
            share += mixture_[k] = std::pow(std::sin(static_cast<Long>(k + run.rounds)), 2);
        for (Long& each : mixture_) each /= share;
    }

    void check(Seen& seen) {
        for (Round t = 1; t <= run_.rounds; ++t) ASSERT_NO_FATAL_FAILURE(play(t));
        const Certificate certificate =
            tally_.certificate(tally_.footer(learner_->close(), RunEnding::finished, 0));
        rounding_ = 1e-8L * (1 + largest_) * static_cast<Long>(run_.rounds);
        ASSERT_NO_FATAL_FAILURE(check_verdicts(certificate, seen));
        ASSERT_NO_FATAL_FAILURE(check_losses(certificate.at("C8")));
        if (run_.gradients) {
            ASSERT_NO_FATAL_FAILURE(check_slopes(certificate.at("C8b"), seen));
        }
        if (run_.tracking) {
            ASSERT_NO_FATAL_FAILURE(check_switches(certificate.at("C8c")));
        }
        if (!run_.cross) {
            for (const OwnLines& lines : own_)
                ASSERT_LE(lines.regret, lines.bound + rounding_ / (run_.step * run_.step));
            ++seen["members by definition"];
        }
        ++seen[run_.loss->convex ? "convex" : "not convex"];
        ++seen[run_.penalty.text];
    }

  private:
    /// Without starts from other members' points, members that run alone are the members.
    void make_alone() {
        for (const std::string& text : run_.points)
            alone_.push_back(make_learner(
                text + (text.find(':') == std::string::npos ? ":" : ",") + "window=1", parts_of(run_)));
        for (const Index window : run_.windows) {
            if (run_.cross) break;
            alone_.push_back(make_learner("time-smoothed:window=" + std::to_string(window), parts_of(run_)));
        }
    }

    void play(Round t) {
        const Vector z(learner_->decide().begin(), learner_->decide().end());
        std::vector<Vector> at;
        for (const auto& each : alone_) at.emplace_back(each->decide().begin(), each->decide().end());
        const RoundReport report = learner_->observe(block_of(run_.records[t]));
        ASSERT_NE(report.status, RoundStatus::refused) << "round " << t;
        const EnsembleRound& round = *learner_->ensemble();
        RowExtras extras;
        extras.ensemble = &round;
        tally_.add(report, extras);
        const Long played = run_.total(t, z);
        const Long size = 1 + std::abs(played);
        ASSERT_LE(std::abs(played - report.loss - report.regulariser), 1e-12L * size) << "round " << t;
        left_ += played;
        ASSERT_NO_FATAL_FAILURE(add_losses(t, round, at));
        ASSERT_NO_FATAL_FAILURE(add_gaps(t, round, played));
        if (run_.gradients && at.size() == members_) add_combination(t, at);
        for (Index k = 0; k < members_; ++k)
            ASSERT_NEAR(round.weights[k], static_cast<Real>(twin_.weights()[k]), 1e-7)
                << k << ", round " << t;
        const Index points = run_.points.size();
        for (Index i = 0; i < run_.windows.size() && at.size() == members_; ++i)
            ASSERT_NO_FATAL_FAILURE(
                own_[i].add(run_, t, run_.windows[i], at[points + i], round.report(points + i)));
        twin_.learn(longs(round.losses), longs(round.slopes), longs(round.mixer_losses));
        for (auto& each : alone_) each->observe(block_of(run_.records[t]));
    }

    void add_losses(Round t, const EnsembleRound& round, const std::vector<Vector>& at) {
        const Longs l = longs(round.losses);
        for (Index k = 0; k < members_; ++k) {
            losses_[k] += l[k];
            largest_ = std::max(largest_, std::abs(l[k]));
            if (run_.gradients) slopes_[k] += round.slopes[k];
            if (k >= at.size()) continue;
            ASSERT_LE(std::abs(l[k] - run_.total(t, at[k])), 1e-11L * (1 + std::abs(l[k])))
                << k << ", round " << t;
        }
        for (Index s = best_.size(); s-- > 0;) {
            const Long other = s > 0 ? *std::min_element(best_[s - 1].begin(), best_[s - 1].end()) : INFINITY;
            for (Index k = 0; k < members_; ++k) best_[s][k] = std::min(best_[s][k], other) + l[k];
        }
    }

    /// What losses that are not convex take from Jensen's inequality.
    void add_gaps(Round t, const EnsembleRound& round, Long played) {
        const Longs l = longs(round.losses), mixed = longs(round.mixer_losses);
        const Long inner = mixing::mean_of(twin_.losses.p, l), outer = mixing::mean_of(twin_.top.p, mixed);
        inner_gaps_ += mixed[0] - inner;
        outer_gaps_ += played - outer;
        if (run_.tracking) tracked_gaps_ += mixed.back() - mixing::mean_of(twin_.tracked.p, l);
        if (!run_.loss->convex) return;
        const Long rounding = 1e-8L * (1 + largest_);
        ASSERT_LE(mixed[0], inner + rounding) << "round " << t;
        ASSERT_LE(played, outer + rounding) << "round " << t;
    }

    void add_combination(Round t, const std::vector<Vector>& at) {
        Vector u(run_.dimension), second(run_.dimension);
        for (Index k = 0; k < members_; ++k) {
            u = along(u, static_cast<Real>(mixture_[k]), at[k]);
            second = along(second, static_cast<Real>(twin_.slopes.p[k]), at[k]);
        }
        combined_ += run_.value(t, u);
        combined_ -= run_.value(t, second);
    }

    static void check_verdicts(const Certificate& certificate, Seen& seen) {
        std::vector<const Certificate*> all{&certificate};
        for (const Certificate& member : certificate.members) all.push_back(&member);
        for (const Certificate* each : all) {
            for (const Inequality& line : each->inequalities) {
                ASSERT_NE(line.verdict, Verdict::violated)
                    << each->header.name << ": " << line.id << ", " << line.left << " against " << line.right
                    << " + " << line.slack << "; " << line.explanation;
                seen[line.id] += kept(line.verdict) ? 1 : 0;
            }
        }
    }

    /// C8, for every member; for convex losses without the gaps.
    void check_losses(const Inequality& line) const {
        Long right = INFINITY;
        for (Index k = 0; k < members_; ++k) {
            const Long price = twin_.losses.price(k) + twin_.top.price(0);
            right = std::min(right, losses_[k] + price + inner_gaps_ + outer_gaps_);
            ASSERT_LE(left_, losses_[k] + price + inner_gaps_ + outer_gaps_ + rounding_) << "member " << k;
            if (run_.loss->convex) {
                ASSERT_LE(left_, losses_[k] + price + rounding_) << "member " << k;
            }
        }
        ASSERT_TRUE(kept(line.verdict)) << line.explanation;
        ASSERT_NEAR(line.left, static_cast<Real>(left_), static_cast<Real>(rounding_));
        ASSERT_NEAR(line.right, static_cast<Real>(right), static_cast<Real>(100 * rounding_));
        // "holds" is a statement about the exact sums.
        if (line.verdict == Verdict::holds) {
            ASSERT_LE(left_, right + 1e-15L * static_cast<Long>(run_.rounds) * (1 + largest_));
        }
    }

    /// C8b, which bounds the regret against every fixed combination of the members' points too.
    void check_slopes(const Inequality& line, Seen& seen) const {
        Long price = 0;
        for (Index k = 0; k < members_; ++k) {
            ASSERT_LE(slopes_[k], twin_.slopes.price(k) + rounding_) << "member " << k;
            price += mixture_[k] * twin_.slopes.price(k);
        }
        if (run_.loss->convex && !run_.cross) {
            ASSERT_LE(-combined_, price + rounding_);
            ++seen["combinations"];
        }
        ASSERT_TRUE(kept(line.verdict));
    }

    /// C8c, for every number of switches between members.
    void check_switches(const Inequality& line) const {
        for (Index s = 0; s < best_.size(); ++s) {
            const Long least = *std::min_element(best_[s].begin(), best_[s].end());
            ASSERT_LE(left_, least + twin_.tracked.price(s) + tracked_gaps_ + outer_gaps_ +
                                 twin_.top.price(0) + rounding_)
                << s << " switches";
        }
        ASSERT_TRUE(kept(line.verdict)) << line.explanation;
    }

    const MeanCase& run_;
    Index members_;
    std::unique_ptr<AnyLearner> learner_;
    std::vector<std::unique_ptr<AnyLearner>> alone_;
    Tally tally_;
    mixing::MixtureTwin twin_;
    Longs losses_, slopes_;
    Longs mixture_;  // a fixed combination of the members
    Long left_ = 0, inner_gaps_ = 0, outer_gaps_ = 0, tracked_gaps_ = 0, combined_ = 0, largest_ = 0;
    Long rounding_ = 0;
    std::vector<Longs> best_;  // of the members after so many switches
    std::vector<OwnLines> own_;
};

TEST(MeanEnsembles, KeepEveryInequality) {
    const std::uint64_t runs = long_runs() ? 5000 : 300;
    Seen seen;
    for (std::uint64_t index = 0; index < runs; ++index) {
        Dice dice(2'000'000 + index);
        const MeanCase run = draw_mean(dice);
        SCOPED_TRACE("run " + std::to_string(index) + ": " + run.text() + ", " + run.loss->name + ", " +
                     run.penalty.text + ", n = " + std::to_string(run.dimension) +
                     ", T = " + std::to_string(run.rounds));
        ASSERT_NO_FATAL_FAILURE(CheckedRun(run).check(seen));
    }
    EXPECT_EQ(seen["C8"], runs);
    EXPECT_GT(seen["C8b"], runs / 2);
    EXPECT_GT(seen["C8c"], runs / 4);
    EXPECT_GT(seen["C6"], runs / 2);
    EXPECT_GT(seen["combinations"], runs / 10);
    EXPECT_GT(seen["members by definition"], runs / 4);
    for (const char* kind : {"convex", "not convex"}) EXPECT_GT(seen[kind], runs / 5) << kind;
    for (const Penalty& penalty : penalties()) EXPECT_GT(seen[penalty.text], runs / 20) << penalty.text;
    for (const auto& [what, count] : seen) RecordProperty(what, std::to_string(count));
}

}  // namespace
}  // namespace means
}  // namespace proxstream::defined
