/// Whole runs are the same however they are cut into pieces. They end when they should, and report what was
/// measured.
#include "proxstream/core/state_archive.hpp"

#include "offline/fit_setting.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <set>

namespace proxstream {
namespace {

using fit_setting::every_method;
using fit_setting::expect_same;
using fit_setting::hidden;
using fit_setting::methods_for;
using fit_setting::options;
using fit_setting::run_fit;
using fit_setting::sampler_problem;
using fit_setting::sum_problem;

constexpr std::uint64_t kLength = 26;

std::vector<OfflineProblem> problems() {
    return {sum_problem(), sampler_problem("ramp:features=3"), hidden(sampler_problem("ramp:features=3"))};
}

/// Calls `test` with every problem and every method for it.
template <class Test>
void for_all(const Test& test) {
    const std::vector<OfflineProblem> all = problems();
    for (Index i = 0; i < all.size(); ++i) {
        for (const std::string& method : methods_for(all[i])) {
            SCOPED_TRACE(method + " on problem " + std::to_string(i));
            test(all[i], method);
        }
    }
}

void carry_over(FitRun& from, FitRun& to) {
    StateArchive saved;
    saved.section("fit", from);
    const std::string bytes = saved.seal();
    StateArchive loaded(bytes, "test");
    loaded.section("fit", to);
    loaded.finish();
}

TEST(FitRun, EveryRowIsTested) {
    std::set<std::string_view> names;
    for (const std::string& text : every_method()) names.insert(method_row(text).name);
    EXPECT_EQ(names.size(), offline_methods().size());
}

TEST(FitRun, StepsGiveTheSameResultAsARun) {
    for_all([](const OfflineProblem& problem, const std::string& method) {
        const OfflineResult whole = run_fit(problem, options(method, kLength));
        FitRun run(problem, options(method, kLength));
        std::vector<TracePoint> reported;
        while (run.step([&](const TracePoint& point) { reported.push_back(point); })) {
        }
        const OfflineResult pieces = run.result();
        expect_same(whole, pieces);
        ASSERT_EQ(reported.size(), pieces.trace.size());
        for (Index i = 0; i < reported.size(); ++i)
            EXPECT_EQ(reported[i].iteration, pieces.trace[i].iteration);
        EXPECT_EQ(pieces.trace.front().iteration, 0U);
        EXPECT_EQ(pieces.trace.back().iteration, pieces.iterations);
        EXPECT_EQ(pieces.trace.back().base_samples, pieces.cost.base_samples);
    });
}

TEST(FitRun, ContinuesBitForBitAfterRestoring) {
    for_all([](const OfflineProblem& problem, const std::string& method) {
        const OfflineResult whole = run_fit(problem, options(method, kLength));
        auto run = std::make_unique<FitRun>(problem, options(method, kLength));
        run->step();
        for (bool more = true; more;) {
            auto next = std::make_unique<FitRun>(problem, options(method, kLength));
            carry_over(*run, *next);
            run = std::move(next);
            run->step();  // finds what was saved
            more = run->step();
        }
        expect_same(whole, run->result());
    });
}

TEST(FitRun, ARunEndedByItsBudgetContinuesBitForBit) {
    for_all([](const OfflineProblem& problem, const std::string& method) {
        const OfflineResult whole = run_fit(problem, options(method, kLength));
        for (const std::uint64_t first : {1, 7, 16}) {
            FitRun part(problem, options(method, first));
            const OfflineResult ended = part.run();
            EXPECT_EQ(ended.trace.back().iteration, ended.iterations);
            FitRun rest(problem, options(method, kLength));
            carry_over(part, rest);
            expect_same(whole, rest.run());
        }
    });
}

TEST(FitRun, ThinnedTracesContinueBitForBit) {
    const OfflineProblem problem = sum_problem();
    const std::string method = "prox-grad:step=0.005";
    const OfflineResult whole = run_fit(problem, options(method, 1300));
    FitRun part(problem, options(method, 1003));
    EXPECT_EQ(part.run().trace.back().iteration, 1003U);
    FitRun rest(problem, options(method, 1300));
    carry_over(part, rest);
    expect_same(whole, rest.run());
    // A run that converged between two lines continues with a smaller epsilon, or not at all.
    OfflineOptions wanted = options(method, 1300);
    wanted.epsilon = (whole.trace[1000].gap + whole.trace[1001].gap) / 2;
    FitRun converged(problem, wanted);
    const OfflineResult at = converged.run();
    EXPECT_EQ(at.status, FitStatus::converged);
    EXPECT_GT(at.iterations, whole.trace[1000].iteration);
    EXPECT_LT(at.iterations, whole.trace[1001].iteration);
    EXPECT_EQ(at.trace.back().iteration, at.iterations);
    FitRun again(problem, wanted);
    carry_over(converged, again);
    expect_same(at, again.run());
    FitRun further(problem, options(method, 1300));
    carry_over(converged, further);
    expect_same(whole, further.run());
}

TEST(FitRun, AMethodThatHasEndedStaysEnded) {
    const OfflineProblem problem = sum_problem();
    for (const char* method : {"panoc", "reduction:w=3,T=2,filled=no,delta=3,samples=4"}) {
        SCOPED_TRACE(method);
        FitRun run(problem, options(method, 500));
        const OfflineResult ended = run.run();
        EXPECT_EQ(ended.status, std::string(method) == "panoc" ? FitStatus::stalled : FitStatus::finished);
        EXPECT_LT(ended.iterations, 500U);
        // A step that rounding forbids is none.
        const auto alone = make_method(method, {.problem = problem});
        Cost cost;
        std::uint64_t steps = 0;
        StepStatus status = StepStatus::moved;
        while (status == StepStatus::moved) {
            status = alone->advance(cost);
            if (status != StepStatus::stalled) ++steps;
        }
        EXPECT_EQ(ended.iterations, steps);
        EXPECT_EQ(ended.cost, cost);
        FitRun again(problem, options(method, 1000));
        carry_over(run, again);
        expect_same(ended, again.run());
    }
}

TEST(FitRun, ResultDoesNotChangeTheRun) {
    for_all([](const OfflineProblem& problem, const std::string& method) {
        const OfflineResult whole = run_fit(problem, options(method, 12));
        FitRun run(problem, options(method, 12));
        for (bool more = true; more;) {
            const OfflineResult so_far = run.result();
            EXPECT_EQ(so_far.status, FitStatus::interrupted);
            EXPECT_EQ(so_far.trace.back().iteration, so_far.iterations);
            EXPECT_EQ(so_far.last.iteration, so_far.iterations);
            more = run.step();
        }
        expect_same(whole, run.result());
    });
}

TEST(FitRun, EndsWithItsBudget) {
    const OfflineProblem problem = sum_problem();
    EXPECT_EQ(pass_samples(*problem.loss), 50U);
    EXPECT_EQ(pass_samples(*sampler_problem("ramp").loss), 1000U);

    OfflineOptions wanted = options("prox-sgd:batch=7", 10);
    OfflineResult result = run_fit(problem, wanted);
    EXPECT_EQ(result.status, FitStatus::budget_exhausted);
    EXPECT_EQ(result.iterations, 10U);

    wanted.iterations = ~std::uint64_t{0};
    wanted.passes = 3;
    result = run_fit(problem, wanted);
    EXPECT_EQ(result.status, FitStatus::budget_exhausted);
    EXPECT_GE(result.cost.base_samples, 150U);
    EXPECT_LT(result.cost.base_samples, 157U);

    wanted.passes = kInfinity;
    wanted.seconds = 1e-9;
    result = run_fit(problem, wanted);
    EXPECT_EQ(result.iterations, 1U);

    // All of them: the one iteration that uses up the seconds is not enough for the passes.
    wanted.passes = 3;
    wanted.all_budgets = true;
    result = run_fit(problem, wanted);
    EXPECT_GE(result.cost.base_samples, 150U);
    EXPECT_LT(result.cost.base_samples, 157U);
    wanted.seconds = 0.01;
    result = run_fit(problem, wanted);
    EXPECT_GE(result.seconds, 0.01);
    EXPECT_GT(result.cost.base_samples, 157U);

    wanted = options("prox-sgd:batch=7", 5);
    wanted.all_budgets = true;
    EXPECT_EQ(run_fit(problem, wanted).iterations, 5U);

    wanted = options("panoc", 0);
    result = run_fit(problem, wanted);
    EXPECT_EQ(result.iterations, 0U);
    EXPECT_EQ(result.trace.size(), 1U);
    EXPECT_EQ(result.last.x, problem.start);
    EXPECT_EQ(result.cost, Cost{});
}

TEST(FitRun, EndsWithEpsilon) {
    for (const OfflineProblem& problem : problems()) {
        const Real start = run_fit(problem, options("prox-sgd:batch=20", 0)).start.gap;
        OfflineOptions wanted = options("prox-sgd:batch=20,schedule=inverse", 20'000);
        wanted.test.samples = 512;
        wanted.measure_every = 0.02;
        wanted.epsilon = start / 2;
        const OfflineResult result = run_fit(problem, wanted);
        EXPECT_EQ(result.status, FitStatus::converged);
        EXPECT_LE(result.trace.back().gap + result.trace.back().gap_error, wanted.epsilon);
        for (Index i = 0; i + 1 < result.trace.size(); ++i)
            EXPECT_GT(result.trace[i].gap + result.trace[i].gap_error, wanted.epsilon);
    }
    // Of an expectation the whole interval has to be below.
    const OfflineProblem noisy = hidden(sampler_problem("ramp:features=3"));
    OfflineOptions nothing = options("storm", 0);
    const MeasuredPoint start = run_fit(noisy, nothing).start;
    nothing.epsilon = start.gap + Real{0.99} * start.gap_error;
    EXPECT_EQ(run_fit(noisy, nothing).status, FitStatus::budget_exhausted);
    nothing.epsilon = start.gap + Real{1.01} * start.gap_error;
    EXPECT_EQ(run_fit(noisy, nothing).status, FitStatus::converged);
    // Met only where the budget ends, between two measurements.
    const OfflineProblem problem = sum_problem();
    OfflineOptions wanted = options("prox-sgd:batch=1", 25);
    wanted.epsilon = 100;
    EXPECT_EQ(run_fit(problem, wanted).iterations, 0U);
    const OfflineResult free = run_fit(problem, options("spiderboost", 30));
    wanted = options("spiderboost", 30);
    wanted.measure_every = 1000;
    wanted.epsilon = Real{1.001} * free.last.gap;
    ASSERT_LT(wanted.epsilon, free.start.gap);
    const OfflineResult late = run_fit(problem, wanted);
    EXPECT_EQ(late.status, FitStatus::converged);
    EXPECT_EQ(late.trace.size(), 2U);
}

TEST(FitRun, AnIterationLargerThanTheBudgetIsNotStarted) {
    const OfflineProblem problem = hidden(sampler_problem("ramp:features=3"));
    OfflineOptions wanted = options("spiderboost:anchor=9000", 100);
    wanted.passes = 8;
    OfflineResult result = run_fit(problem, wanted);
    EXPECT_EQ(result.status, FitStatus::budget_exhausted);
    EXPECT_EQ(result.iterations, 0U);
    EXPECT_EQ(result.cost.base_samples, 0U);
    EXPECT_NE(result.note.find("9000"), std::string::npos) << result.note;
    wanted.passes = 9;
    result = run_fit(problem, wanted);
    EXPECT_GE(result.cost.base_samples, 9000U);
    EXPECT_EQ(result.note, "");
}

TEST(FitRun, AClosedFormSpendsPasses) {
    OfflineOptions wanted = options("prox-grad", 1000);
    wanted.passes = 5;
    const OfflineResult result = run_fit(sampler_problem("ramp:features=3"), wanted);
    EXPECT_EQ(result.status, FitStatus::budget_exhausted);
    EXPECT_EQ(result.cost.passes, 5U);
}

TEST(FitRun, IsStoppedByItsFlag) {
    const OfflineProblem problem = sum_problem();
    const std::atomic<bool> raised = true;
    FitRun run(problem, options("prox-sgd", 100));
    EXPECT_EQ(run.run(&raised).status, FitStatus::interrupted);
    expect_same(run.run(), run_fit(problem, options("prox-sgd", 100)));
}

TEST(FitRun, ALossThatIsNotFiniteIsAStatus) {
    for (const char* method : {"prox-grad:step=5", "prox-sgd:batch=1,step=5", "panoc"}) {
        SCOPED_TRACE(method);
        FunctionLoss::Parts parts;
        parts.dimension = 1;
        parts.components = 3;
        parts.sample = [](SampleId, ConstView x, View gradient) {
            gradient[0] = -1;
            return x[0] < 7 ? -x[0] : std::nan("");
        };
        parts.smoothness =
            SmoothnessFacts{.mean = 1, .mean_square = 1, .largest = 1, .proved = true, .origin = "test"};
        const OfflineProblem problem = make_offline_problem(std::make_shared<FunctionLoss>(std::move(parts)),
                                                            parse_regulariser("zero"), {0});
        const OfflineResult result = run_fit(problem, options(method, 100));
        // Trying smaller steps brings a method as near to the edge as it likes.
        if (std::string(method) != "panoc") {
            EXPECT_EQ(result.status, FitStatus::not_finite);
        }
        EXPECT_TRUE(std::isfinite(result.best.objective()));
        EXPECT_LT(result.best.x[0], 7);
        const OfflineProblem beyond = make_offline_problem(problem.loss, parse_regulariser("zero"), {8},
                                                           {.smoothness = 1, .reference_step = 1});
        EXPECT_THROW(run_fit(beyond, options(method, 100)), ConfigError);
    }
}

TEST(FitRun, ThinsATraceThatCostsNothing) {
    const OfflineProblem problem = sum_problem();
    const OfflineResult result = run_fit(problem, options("prox-grad:step=0.00001", 4000));
    ASSERT_EQ(result.iterations, 4000U);
    for (Index i = 0; i < 1000; ++i) ASSERT_EQ(result.trace[i].iteration, i);
    for (Index i = 1001; i + 1 < result.trace.size(); ++i) {
        EXPECT_GE(static_cast<Real>(result.trace[i].iteration),
                  1.005 * static_cast<Real>(result.trace[i - 1].iteration));
    }
    EXPECT_EQ(result.trace.back().iteration, 4000U);
    EXPECT_LT(result.trace.size(), 1300U);
    EXPECT_GT(result.trace.size(), 1200U);
}

TEST(FitRun, MeasuresAtTheGivenInterval) {
    const OfflineProblem problem = sum_problem();
    OfflineOptions wanted = options("prox-sgd:batch=10", 200);  // 5 iterations a pass
    wanted.measure_every = 4;
    const OfflineResult result = run_fit(problem, wanted);
    ASSERT_EQ(result.trace.size(), 11U);
    for (Index i = 0; i < result.trace.size(); ++i) EXPECT_EQ(result.trace[i].iteration, 20 * i);
    // One test a line, and those of the points in the end.
    EXPECT_EQ(result.referee_cost.base_samples, 50U * (11 + 3));
}

TEST(FitRun, TheBestPointHasTheSmallestMeasuredGap) {
    for_all([](const OfflineProblem& problem, const std::string& method) {
        for (const std::uint64_t length : {9, 40}) {
            const OfflineResult result = run_fit(problem, options(method, length));
            const auto least =
                std::min_element(result.trace.begin(), result.trace.end(),
                                 [](const TracePoint& a, const TracePoint& b) { return a.gap < b.gap; });
            EXPECT_EQ(result.best.iteration, least->iteration);
            if (!problem.loss->knows_f()) {
                // Tested anew: by other samples than those it was chosen by.
                EXPECT_NE(result.best.gap, least->gap);
                EXPECT_GT(result.best.gap_error, 0);
            } else {
                EXPECT_NEAR(result.best.gap, least->gap, 1e-12);
            }
        }
    });
}

TEST(FitRun, TheRandomIndexIsUniform) {
    const OfflineProblem problem = sum_problem();
    constexpr std::uint64_t kIterations = 8;
    constexpr std::uint64_t kSeeds = 2000;
    std::array<Real, kIterations> met{};
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
        OfflineOptions wanted = options("prox-sgd:batch=1", kIterations);
        wanted.seed = seed;
        wanted.measure_every = 1000;
        const OfflineResult result = run_fit(problem, wanted);
        ASSERT_TRUE(result.random);
        ASSERT_LT(result.random->iteration, kIterations);
        ++met[result.random->iteration];
        if (result.random->iteration == 0) {
            EXPECT_EQ(result.random->x, problem.start);
        } else {
            EXPECT_NE(result.random->x, result.last.x);
        }
    }
    // Chi-square with 7 degrees of freedom: above 24.3 once in a thousand.
    Real square = 0;
    const Real mean = static_cast<Real>(kSeeds) / kIterations;
    for (const Real count : met) square += (count - mean) * (count - mean) / mean;
    EXPECT_LT(square, 24.3);
    EXPECT_FALSE(run_fit(problem, options("panoc", 5)).random);
}

TEST(FitRun, AStateOfAnotherMethodIsRefused) {
    const OfflineProblem problem = sum_problem();
    FitRun one(problem, options("spiderboost", 5));
    one.run();
    FitRun other(problem, options("storm", 5));
    EXPECT_THROW(carry_over(one, other), DataError);
}

}  // namespace
}  // namespace proxstream
