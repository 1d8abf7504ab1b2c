/// The stochastic methods: what they cost, that they can be saved anywhere, what they do where numbers end,
/// and that they get somewhere.
#include "proxstream/core/error.hpp"
#include "proxstream/core/linalg.hpp"
#include "proxstream/core/state_archive.hpp"

#include "offline/stochastic_setting.hpp"

#include <cmath>
#include <map>
#include <string>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

using recorded::full_gradient;
using recorded::gap;
using recorded::make;
using recorded::parameter;
using recorded::Setting;
using recorded::setting;
using recorded::Vector;
using recorded::vector_of;

constexpr Real kEpsilon = 0.02;

/// Every row, with short epochs, so that a few iterations meet every phase.
std::vector<std::string> short_epochs() {
    return {"prox-sgd:batch=3,schedule=epoch",
            "prox-svrg:batch=3,epoch=4",
            "prox-svrg+:batch=3,epoch=4,anchor=9",
            "spiderboost:batch=3,epoch=4",
            "sarah:batch=3,epoch=4",
            "sarah-adaptive:batch=3,epoch=4",
            "storm:batch=3",
            "hybrid:batch=3,epoch=4",
            "adam:batch=3",
            "reduction:w=3,T=9,filled=no,delta=0.3,samples=4"};
}

TEST(StochasticMethods, EveryRowIsTested) {
    for (const OfflineMethodRow& row : offline_methods()) {
        if (!row.stochastic) continue;
        int found = 0;
        for (const std::string& text : short_epochs()) found += Spec::parse(text).name() == row.name ? 1 : 0;
        EXPECT_EQ(found, 1) << row.name;
        EXPECT_TRUE(row.stochastic);
    }
}

TEST(StochasticMethods, ReachAModestGap) {
    // How much of the gap at the start is left after so many passes; with their published steps, but for
    // those that are tuned in practice.
    struct Case {
        Real passes, left;
        std::string arguments;
    };
    const std::map<std::string, Case> cases = {{"prox-sgd", {100, 0.1, ":schedule=inverse"}},
                                               {"prox-svrg", {100, 0.02, ""}},
                                               {"prox-svrg+", {150, 0.2, ""}},
                                               {"spiderboost", {100, 1e-6, ""}},
                                               {"sarah", {100, 1e-4, ""}},
                                               {"sarah-adaptive", {100, 1e-6, ""}},
                                               {"storm", {100, 0.1, ":step=0.2,batch=10"}},
                                               {"hybrid", {100, 0.1, ""}},
                                               {"adam", {100, 0.1, ":step=0.01,batch=50"}},
                                               {"reduction", {100, 0.1, ""}}};
    Setting s = setting(200, 10);
    const Real start = gap(s.problem, s.problem.start);
    for (const OfflineMethodRow& row : offline_methods()) {
        if (!row.stochastic) continue;
        const auto& [passes, left, arguments] = cases.at(std::string(row.name));
        const auto method = make(row.name.data() + arguments, {.problem = s.problem, .epsilon = kEpsilon});
        Cost cost;
        StepStatus status = StepStatus::moved;
        while (static_cast<Real>(cost.base_samples) < passes * 200 && status == StepStatus::moved) {
            status = method->advance(cost);
        }
        EXPECT_LT(gap(s.problem, vector_of(method->point())), left * start) << row.name;
        EXPECT_EQ(status == StepStatus::finished, row.name == "reduction") << row.name;
    }
}

TEST(StochasticMethods, AreProxGradientWhereABatchIsTheWholeSum) {
    // At the step each takes; shares set to one.
    constexpr std::uint64_t kCount = 12;
    for (const std::uint64_t count : {kCount, std::uint64_t{1}}) {
        for (const std::string text :
             {"prox-sgd:batch=12", "prox-svrg:batch=12,epoch=3", "prox-svrg+:batch=99,epoch=3",
              "spiderboost:batch=12,epoch=3", "sarah:batch=12,epoch=3,gamma=1",
              "sarah-adaptive:batch=12,epoch=3,gamma=1,step=0.1", "storm:batch=12,first=12",
              "hybrid:batch=12,epoch=3,gamma=1"}) {
            Setting s = setting(count, 4);
            const auto method = make(text, {.problem = s.problem});
            Vector x = s.problem.start;
            Scratch scratch;
            Cost cost;
            for (int k = 0; k < 10; ++k) {
                const Real step = method->step();
                const Vector gradient = full_gradient(count, x);
                for (Index j = 0; j < x.size(); ++j) x[j] -= step * gradient[j];
                s.problem.g.prox(x, step, x, scratch);
                ASSERT_EQ(method->advance(cost), StepStatus::moved) << text;
                for (Index j = 0; j < x.size(); ++j) ASSERT_NEAR(method->point()[j], x[j], 1e-13) << text;
            }
            EXPECT_EQ(cost.base_samples, 10 * count) << text;
            EXPECT_EQ(cost.passes, 10U) << text;
            EXPECT_EQ(cost.oracle_calls, 0U) << text;
            EXPECT_EQ(cost.prox, 10U) << text;
        }
    }
}

TEST(StochasticMethods, CountTheirEvaluationsExactly) {
    for (const std::uint64_t components : {40U, 0U}) {
        for (const std::string& text : short_epochs()) {
            // Of an expectation the noise is measured where nothing is said of it; that is charged as well.
            Setting s = setting(components, 4);
            const auto method = make(text, {.problem = s.problem, .epsilon = 0.5});
            Cost cost;
            for (int k = 0; k < 11; ++k) {
                method->advance(cost);
                ASSERT_EQ(cost.base_samples, s.loss->evaluated) << text << ' ' << k;
            }
        }
    }
}

TEST(StochasticMethods, CountOnePairOfCallsAStep) {
    struct Count {
        std::uint64_t samples, calls, passes;
    };
    // Eleven iterations on 40 components: epochs begin at 0, 4 and 8.
    const std::map<std::string, Count> counts = {{"prox-sgd", {33, 11, 0}},
                                                 {"prox-svrg", {3 * 40 + 8 * 6, 16, 3}},
                                                 {"prox-svrg+", {3 * 9 + 48, 19, 0}},
                                                 {"spiderboost", {3 * 40 + 8 * 6, 16, 3}},
                                                 {"sarah", {3 * 40 + 8 * 6, 16, 3}},
                                                 {"sarah-adaptive", {3 * 40 + 8 * 6, 16, 3}},
                                                 {"storm", {3 + 10 * 6, 21, 0}},
                                                 {"hybrid", {3 * 40 + 8 * 9, 24, 3}},
                                                 {"adam", {33, 11, 0}}};
    for (const std::string& text : short_epochs()) {
        const auto found = counts.find(Spec::parse(text).name());
        if (found == counts.end()) continue;
        Setting s = setting(40, 4);
        const auto method = make(text, {.problem = s.problem});
        Cost cost;
        for (int k = 0; k < 11; ++k) ASSERT_EQ(method->advance(cost), StepStatus::moved);
        EXPECT_EQ(cost.base_samples, found->second.samples) << text;
        EXPECT_EQ(cost.oracle_calls, found->second.calls) << text;
        EXPECT_EQ(cost.passes, found->second.passes) << text;
        EXPECT_EQ(cost.prox, 11U) << text;
    }
}

TEST(StochasticMethods, ContinueBitForBitFromAnyIteration) {
    constexpr int kIterations = 14;
    for (const std::string& text : short_epochs()) {
        for (const std::uint64_t components : {30U, 0U}) {
            Setting s = setting(components, 4);
            const MethodParts parts{.problem = s.problem, .epsilon = kEpsilon, .seed = 7};
            // The noise of an expectation would be measured for every method; it is given here for speed.
            const std::string spec = Spec::parse(text).name() == "reduction" ? text + ",sigma0=1" : text;
            const auto whole = make(spec, parts);
            Cost whole_cost;
            std::vector<std::string> saved;
            std::vector<Cost> costs;
            for (int k = 0; k < kIterations; ++k) {
                StateArchive archive;
                whole->serialise(archive);
                saved.push_back(archive.seal());
                costs.push_back(whole_cost);
                whole->advance(whole_cost);
            }
            for (int k = 0; k < kIterations; ++k) {
                const auto resumed = make(spec, parts);
                StateArchive archive(saved[static_cast<Index>(k)], "test");
                resumed->serialise(archive);
                archive.finish();
                Cost cost = costs[static_cast<Index>(k)];
                for (int i = k; i < kIterations; ++i) resumed->advance(cost);
                ASSERT_EQ(vector_of(resumed->point()), vector_of(whole->point())) << spec << ' ' << k;
                ASSERT_EQ(resumed->candidate(), whole->candidate());
                ASSERT_EQ(cost, whole_cost) << spec << ' ' << k;
            }
        }
    }
}

TEST(StochasticMethods, KeepTheLastPointThatHadALoss) {
    for (const std::string& text : short_epochs()) {
        // The first evaluation that fails is the first, the second, ...: all phases of an epoch.
        for (std::uint64_t call = 0; call < 12; ++call) {
            Setting s = setting(40, 4);
            const auto method = make(text + (text.starts_with("reduction") ? ",sigma0=1" : ""),
                                     {.problem = s.problem, .epsilon = kEpsilon});
            s.loss->broken_from = call;
            Cost cost;
            Vector before = s.problem.start, here = before;
            StepStatus status = StepStatus::moved;
            for (int k = 0; k < 40 && status == StepStatus::moved; ++k) {
                status = method->advance(cost);
                if (status == StepStatus::moved && vector_of(method->point()) != here) {
                    before = here;
                    here = vector_of(method->point());
                }
            }
            ASSERT_EQ(status, StepStatus::not_finite) << text << ' ' << call;
            EXPECT_EQ(vector_of(method->point()), before) << text << ' ' << call;
        }
    }
}

TEST(StochasticMethods, ScaleTheStepInUse) {
    for (const std::string& text : short_epochs()) {
        Setting s = setting(40, 4);
        const std::string spec = text.starts_with("reduction") ? text + ",sigma0=1" : text;
        const Real plain = make(spec, {.problem = s.problem, .epsilon = kEpsilon})->step();
        const auto longer = make(spec, {.problem = s.problem, .epsilon = kEpsilon, .step_scale = 1.5});
        EXPECT_NEAR(longer->step(), 1.5 * plain, 1e-15) << text;
        const auto given =
            make(spec + ",step=0.01", {.problem = s.problem, .epsilon = kEpsilon, .step_scale = 3});
        EXPECT_NEAR(given->step(), 0.03, 1e-15) << text;
        EXPECT_EQ(parameter(*given, "step"), format_short(0.01 * 3));
    }
}

TEST(StochasticMethods, RefuseInvalidParameters) {
    Setting sum = setting(40, 4);
    Setting expectation = setting(0, 4);
    for (const std::string text : {"prox-sgd:batch=0",
                                   "prox-sgd:batch=2.5",
                                   "prox-sgd:step=0",
                                   "prox-sgd:step=-1",
                                   "prox-sgd:step=inf",
                                   "prox-sgd:schedule=linear",
                                   "prox-sgd:schedule=sqrt,decay=-1",
                                   "prox-sgd:decay=1",
                                   "prox-sgd:sigma0=-1",
                                   "prox-sgd:momentum=0.9",
                                   "prox-svrg:epoch=0",
                                   "prox-svrg+:anchor=0",
                                   "spiderboost:epochs=3",
                                   "spiderboost:step=nan",
                                   "sarah:gamma=0",
                                   "sarah:gamma=1.5",
                                   "sarah-adaptive:gamma=0",
                                   "storm:beta=2",
                                   "storm:first=0",
                                   "hybrid:beta=-0.1",
                                   "hybrid:gamma=0",
                                   "adam:beta1=1",
                                   "adam:beta2=-0.1",
                                   "adam:floor=0",
                                   "reduction:parameters=best",
                                   "reduction:answers=many",
                                   "reduction:w=0",
                                   "reduction:delta=0",
                                   "reduction:filled=maybe",
                                   "reduction:sigma=-1",
                                   "reduction:step=2",
                                   "reduction:parameters=paper,step=0.4"}) {
        EXPECT_THROW(make(text, {.problem = sum.problem, .epsilon = kEpsilon}), ConfigError) << text;
    }
    EXPECT_THROW(make("reduction", {.problem = sum.problem}), ConfigError);
    EXPECT_THROW(make("reduction:w=3", {.problem = sum.problem}), ConfigError);
    EXPECT_THROW(make("reduction:sigma=0", {.problem = expectation.problem, .epsilon = kEpsilon}),
                 ConfigError);
    EXPECT_THROW(make("prox-sgd", {.problem = sum.problem, .step_scale = 0}), ConfigError);
    EXPECT_NO_THROW(make("reduction:w=3,delta=1", {.problem = sum.problem}));
}

TEST(StochasticMethods, HaveThePublishedDefaults) {
    Setting s = setting(10'000, 2);
    const auto value = [&s](const std::string& text, std::string_view name) {
        return parameter(*make(text, {.problem = s.problem}), name);
    };
    const auto number = [&value](const std::string& text, std::string_view name) {
        return parse_real(value(text, name), name);
    };
    EXPECT_EQ(number("prox-sgd", "step"), 1 / (2 * 2.0));
    EXPECT_EQ(value("spiderboost", "batch"), "100");
    EXPECT_EQ(value("spiderboost", "epoch"), "100");
    EXPECT_EQ(number("spiderboost", "step"), 1 / (2 * 5.0));
    EXPECT_EQ(value("prox-svrg", "batch"), "464");
    EXPECT_EQ(value("prox-svrg", "epoch"), "22");
    EXPECT_NEAR(number("prox-svrg", "step"), 1 / (3 * 8.0), 1e-15);
    EXPECT_EQ(value("prox-svrg+", "epoch"), "22");
    EXPECT_NEAR(number("prox-svrg+", "step"), 1 / (6 * 8.0), 1e-15);
    EXPECT_EQ(value("sarah", "epoch"), "101");
    const Real omega = 3 * 9900.0 / (2 * 100 * 9999.0);
    const Real gamma = 1 / std::sqrt(omega * 100);
    EXPECT_NEAR(number("sarah", "gamma"), gamma, 1e-14);
    EXPECT_NEAR(number("sarah", "step"), 2 / (4 + gamma) / 5, 1e-14);
    EXPECT_NEAR(number("sarah-adaptive", "step"), 1 / (0.99 * 5), 1e-14);
    EXPECT_EQ(number("storm", "step"), 1 / (8 * 5.0));
    EXPECT_NEAR(number("hybrid", "beta"), 1 - std::sqrt(100 / (1e4 * 100)), 1e-14);
    EXPECT_EQ(value("adam", "step"), "0.001");
    EXPECT_EQ(value("adam:step=0.25", "step"), "0.25");
    for (const OfflineMethodRow& row : offline_methods()) {
        if (!row.stochastic) continue;
        for (const MethodParameter& p :
             make(std::string(row.name), {.problem = s.problem, .epsilon = 1})->parameters()) {
            EXPECT_FALSE(p.source.empty()) << row.name << ' ' << p.name;
        }
    }
}

TEST(StochasticMethods, SizeBatchesOfAnExpectationByTheNoise) {
    Setting s = setting(0, 4);
    const MethodParts parts{.problem = s.problem, .epsilon = 0.1};
    const auto spider = make("spiderboost:sigma0=2", parts);
    EXPECT_EQ(parameter(*spider, "anchor"), "6960");  // 17.4 4/0.01
    EXPECT_EQ(parameter(*spider, "batch"), "59");     // sqrt(6960/2)
    EXPECT_EQ(spider->step(), 1 / (3 * 5.0));
    EXPECT_TRUE(s.loss->calls.empty());
    // 4 (1/c + 1) sigma_0^2/epsilon^2, c = 1 - 1/4.
    EXPECT_EQ(parameter(*make("prox-sgd:sigma0=1", parts), "batch"), "934");
    const auto measured = make("spiderboost", parts);
    const Real sigma0 = parse_real(parameter(*measured, "sigma0"), "sigma0");
    EXPECT_GT(sigma0, 0.1);
    EXPECT_EQ(parameter(*measured, "anchor"), format_short(std::ceil(17.4 * sigma0 * sigma0 / (0.1 * 0.1))));
}

TEST(StochasticMethods, PromiseWhatTheirParametersProve) {
    Setting s = setting(50, 4);
    const auto spider = make("spiderboost:batch=9,epoch=8,step=0.1", {.problem = s.problem});
    ASSERT_TRUE(spider->promise());
    const Real x = 0.1 * 5;
    EXPECT_NEAR(spider->promise()->per_gap, (2 + 2 * x * x) / (0.1 * (1 - 1.5 * x)), 1e-12);
    EXPECT_EQ(spider->promise()->floor, 0);
    EXPECT_EQ(spider->promise()->step, 0.1);
    EXPECT_FALSE(make("spiderboost:batch=7,epoch=8", {.problem = s.problem})->promise());
    EXPECT_FALSE(make("spiderboost:step=0.14", {.problem = s.problem})->promise());
    EXPECT_FALSE(make("spiderboost:anchor=20", {.problem = s.problem})->promise());
    EXPECT_FALSE(make("prox-sgd", {.problem = s.problem})->promise());
    const auto sgd = make("prox-sgd:step=0.5,batch=10,sigma0=3", {.problem = s.problem});  // eta = 1/L
    ASSERT_TRUE(sgd->promise());
    EXPECT_NEAR(sgd->promise()->per_gap, 4 * 2.0, 1e-12);
    EXPECT_NEAR(sgd->promise()->floor, 6 * 9.0 / 10, 1e-12);
    s.problem.smoothness.proved = false;
    EXPECT_FALSE(make("spiderboost", {.problem = s.problem})->promise());
    // G1: 13.34 Lb Delta/K + 8.67 sigma_0^2/B.
    Setting e = setting(0, 4);
    const auto online = make("spiderboost:sigma0=2,anchor=1000", {.problem = e.problem});
    ASSERT_TRUE(online->promise());
    EXPECT_NEAR(online->promise()->per_gap, 40.0 / 3 * 5, 1e-10);
    EXPECT_NEAR(online->promise()->floor, (2 + 20.0 / 3) * 4 / 1000, 1e-12);
}

TEST(StochasticMethods, TheMeanOfSpiderboostsSquaredGapsIsWithinItsPromise) {
    Setting s = setting(100, 6);
    Real worst = 0;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        const auto method = make("spiderboost", {.problem = s.problem, .seed = seed});
        s.problem.reference_step = method->promise()->step;
        Cost cost;
        Real squares = 0;
        constexpr int kIterations = 30;
        for (int k = 0; k < kIterations; ++k) {
            const Real r = gap(s.problem, vector_of(method->point()));
            squares += r * r;
            method->advance(cost);
        }
        // f, g >= 0: F(x_1) is at least the gap.
        Scratch scratch;
        const Real gap =
            s.loss->f(s.problem.start, {}, scratch) + s.problem.g.value(s.problem.start, scratch);
        worst = std::max(worst, squares / (method->promise()->per_gap * gap));
    }
    EXPECT_LE(worst, 1);
    EXPECT_GT(worst, 1e-3);
}

}  // namespace
}  // namespace proxstream
