// The inner solvers on one function at a time: what they certify is there, and their tables refuse nonsense.

#include "proxstream/core/draw.hpp"
#include "proxstream/core/error.hpp"
#include "proxstream/core/linalg.hpp"
#include "proxstream/prox/regulariser_table.hpp"
#include "proxstream/window/record_ring.hpp"

#include "online/time_smoothed.hpp"
#include "solve/backtracking.hpp"
#include "solve/inner_table.hpp"
#include "solve/panoc.hpp"
#include "solve/test_models.hpp"
#include "support/probe.hpp"

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

/// Waves whose curvature is known.
class Waves : public FormulaModel {
  public:
    Waves(Index n, std::uint64_t sample, Real scale) : FormulaModel(waves(n, sample, scale)) {
        for (const auto& direction : wave_directions(n, sample))
            smoothness_ += scale * squared_norm(direction) / 3;
    }
    Real smoothness() const { return smoothness_; }

  private:
    Real smoothness_ = 0;
};

TEST(InnerSolver, EndsAtItsTestAndLowersTheObjectiveByWhatItCertifies) {
    Real tightest = 0;
    for (std::uint64_t sample = 0; sample < 600; ++sample) {
        static const AnyRegulariser kinds[] = {parse_regulariser("l1:0.05"), parse_regulariser("box:-1,1"),
                                               parse_regulariser("simplex"),
                                               parse_regulariser("group:0.1,size=2")};
        const AnyRegulariser& g = kinds[sample % 4];
        const Index n = 2 * (1 + sample % 3);
        Waves model(n, sample, std::exp(normal({51, sample, 0, 0, 0})));
        const bool searching = sample % 3 != 0;
        const Real lambda = sample % 3 == 1 ? 1 : 1.6;
        InnerSolver inner = parse_inner(
            searching ? "backtracking:lambda=" + format_short(lambda) : "prox-grad", model.smoothness());
        // A searched step needs no relation to L.
        const Real eta = searching ? std::exp(2 * normal({51, sample, 1, 0, 0})) : 0.9 / model.smoothness();
        const Real tolerance = 1e-4;
        Scratch scratch;
        std::vector<Real> start = gaussian(n, 52, sample);
        g.prox(start, 1, start, scratch);
        Iterate iterate(start);
        iterate.regulariser = g.value(start, scratch);
        model.try_at(start, scratch);
        model.accept_trial();
        test_at(iterate, model.gradient(), g, eta, scratch);
        const Real before = model.value() + iterate.regulariser;
        model.passes = 0;
        Cost cost;
        const InnerReport report = inner.solve({model, g, eta, tolerance, {}, scratch, cost}, iterate);

        ASSERT_EQ(report.status, SolveStatus::converged) << sample;
        std::vector<Real> gradient(n);
        const Real end = model.at(iterate.point, gradient) + g.value(iterate.point, scratch);
        ASSERT_LE(norm(gap(g, iterate.point, gradient, eta)), tolerance * (1 + 1e-9));
        ASSERT_NEAR(end, model.value() + iterate.regulariser, 1e-12 * (1 + std::abs(end)));
        ASSERT_LE(report.certified_decrease, before - end + 1e-12 * (1 + std::abs(before))) << sample;
        // One test prox a step, one more for each candidate where steps are searched.
        ASSERT_EQ(cost.prox, searching ? model.passes + report.steps : report.steps);
        ASSERT_GE(model.passes, report.steps);
        if (report.steps == 0) continue;
        ASSERT_LE(report.smallest_step, report.largest_step);
        ASSERT_GE(report.smallest_step,
                  std::min(eta, 0.5 * (searching ? lambda : 1) / model.smoothness()) * 0.999);
        // (T3) for lambda <= 1, Theorem 3' for fixed steps: the count against the decrease that happened.
        if (!searching || lambda == 1) {
            const Real worth = searching ? std::min(eta, report.smallest_step) / 2
                                         : eta * (1 - eta * model.smoothness() / 2);
            const Real used = static_cast<Real>(report.steps) * worth * tolerance * tolerance;
            ASSERT_LE(used, before - end + 1e-13) << sample;
        }
        tightest = std::max(tightest, report.certified_decrease / (before - end));
    }
    EXPECT_GT(tightest, 0.5);
}

TEST(InnerSolver, LongerAcceptedStepsNeverEarnLess) {
    // (T3): m_e >= m_eta >= (eta/2)|P_eta|^2 for every accepted e >= eta.
    std::uint64_t accepted = 0;
    for (std::uint64_t sample = 0; sample < 4000; ++sample) {
        static const AnyRegulariser kinds[] = {parse_regulariser("l1:0.2"), parse_regulariser("box:-1,1")};
        const AnyRegulariser& g = kinds[sample % 2];
        const Waves model(3, sample, 1);
        Scratch scratch;
        std::vector<Real> y = gaussian(3, 53, sample);
        if (sample % 2 == 1) g.prox(y, 1, y, scratch);
        std::vector<Real> gradient(3);
        std::vector<Real> ignored(3);
        const Real here = model.at(y, gradient);
        const Real eta = 0.5 / model.smoothness();
        const Real e = eta * (1 + 9 * uniform({54, sample, 0, 0, 0}));
        const std::vector<Real> p = gap(g, y, gradient, e);
        std::vector<Real> next(3);
        step_along(y, -e, p, next);
        const Real there = model.at(next, ignored);
        if (there > here - e * dot(gradient, p) + e * squared_norm(p) / 2) continue;
        ++accepted;
        const Real fall = here + g.value(y, scratch) - there - g.value(next, scratch);
        ASSERT_GE(fall, eta / 2 * squared_norm(gap(g, y, gradient, eta)) - 1e-13) << sample;
    }
    EXPECT_GT(accepted, 1000U);
}

std::string refusal(const std::string& text) {
    try {
        parse_inner(text, 1);
    } catch (const ConfigError& error) {
        return error.what();
    }
    return "";
}

TEST(InnerTable, MakesEveryRowAndRefusesTheRest) {
    EXPECT_EQ(inner_solvers().size(), 6U);
    for (const InnerRow& row : inner_solvers()) {
        // Spider is made together with the window whose gradients it estimates.
        EXPECT_EQ(refusal(std::string(row.name)),
                  row.name == "spider" ? "'spider': only time-smoothed can use it" : "");
        EXPECT_EQ(row.usage.substr(0, row.name.size()), row.name);
    }
    EXPECT_EQ(parse_inner("prox-grad", 3).step_claim().smoothness, 3);
    EXPECT_EQ(parse_inner("backtracking:lambda=0.5", 3).step_claim().lambda, 0.5);
    EXPECT_NE(refusal("backtrackin").find("did you mean 'backtracking'"), std::string::npos);
    EXPECT_NE(refusal("backtracking:2"), "");
    EXPECT_NE(refusal("backtracking:lambda=1,shrink=1"), "");
    EXPECT_NE(refusal("prox-grad:0.1"), "");
    EXPECT_EQ(refusal("panoc:memory=20"), "");
    EXPECT_NE(refusal("panoc:memory=0"), "");
    EXPECT_NE(refusal("panoc:memory=1001"), "");
    EXPECT_NE(refusal("auto:clock=seconds"), "");
    EXPECT_NE(refusal("blocks:lambda=3").find("lambda must lie in (0, 2)"), std::string::npos);
    EXPECT_NE(refusal("accelerated").find("unknown inner solver"), std::string::npos);
    // Every violation at once.
    const std::string all = refusal("backtracking:lambda=0,shrink=2,grow=0.5");
    for (const char* what : {"lambda", "shrink", "grow"}) EXPECT_NE(all.find(what), std::string::npos);
}

TEST(InnerSolver, CopiesContinueAsTheOriginalWould) {
    const AnyRegulariser g = parse_regulariser("l1:0.05");
    Scratch scratch;
    Cost cost;
    InnerSolver original = Panoc();
    InnerSolver assigned = Backtracking();  // takes over another type, then the same one
    for (std::uint64_t sample = 0; sample < 20; ++sample) {
        assigned = original;
        InnerSolver copied(original);
        const auto play = [&](InnerSolver& solver) {
            FormulaModel model = waves(6, sample, 2);
            Iterate iterate = begin_at(model, g, gaussian(6, 52, sample), 0.1, scratch);
            solver.solve({model, g, 0.1, 1e-8, {}, scratch, cost}, iterate);
            return iterate.point;
        };
        const std::vector<Real> point = play(original);
        ASSERT_EQ(play(copied), point) << sample;
        ASSERT_EQ(play(assigned), point) << sample;
        ASSERT_EQ(copied.step_or(0.1), original.step_or(0.1));
    }
}

/// f(x) = slope x: every step length is accepted, so nothing but its roof holds a backtracked step.
struct SlopeFamily {
    using Record = Real;
    Index dimension() const { return 1; }
    Real value(const Real& slope, ConstView x, Scratch& /*scratch*/) const { return slope * x[0]; }
    Real value_and_gradient(const Real& slope, ConstView x, View gradient, Scratch& scratch) const {
        gradient[0] = slope;
        return value(slope, x, scratch);
    }
};

TEST(Backtracking, KeepsItsStepFiniteOnLinearLosses) {
    const Index window = 3;
    TimeSmoothed learner(
        parse_regulariser("box:-1,1"), AnyBatch(RecordRing<SlopeFamily>({}, window + 1)), {0},
        {.window = window, .step = 0.5, .tolerance = Tolerance::fixed(0.5), .budget = {}}, Backtracking{});
    for (Round t = 0; t < 20'000; ++t) {
        const RoundReport report = learner.observe(Real(t % 2 == 0 ? 1 : -1));
        ASSERT_NE(report.status, RoundStatus::refused) << t;
        ASSERT_TRUE(std::isfinite(report.largest_step)) << t;
        ASSERT_LE(std::abs(learner.decide()[0]), 1) << t;
    }
}

}  // namespace
}  // namespace proxstream
