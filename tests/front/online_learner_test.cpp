#include "proxstream/online_learner.hpp"

#include "front/front_fixtures.hpp"
#include "online/learner_table.hpp"
#include "regret/tally.hpp"

#include <cstdio>
#include <sstream>

#include <gtest/gtest.h>

namespace proxstream::front_test {
namespace {

constexpr Round kRounds = 120;

auto closure(Round t) {
    return [at = target(t).at](ConstView x, View gradient) { return track(at, x, gradient); };
}

Trace play(OnlineLearner& learner, const std::function<void(Round)>& observe, Round rounds = kRounds) {
    Trace trace;
    for (Round t = 1; t <= rounds; ++t) {
        observe(t);
        trace.add(learner);
    }
    trace.certificate = timeless(learner.certificate());
    return trace;
}

TEST(OnlineLearner, PlaysAnEnsembleByDefaultAndCertifiesIt) {
    OnlineLearner learner({.dimension = kDimension, .regulariser = Simplex()});
    EXPECT_EQ(learner.rounds(), 0U);
    EXPECT_NEAR(learner.decision()[0], 1.0 / 3, 1e-15);
    const Trace trace = play(learner, [&](Round t) { learner.observe(closure(t)); });
    EXPECT_TRUE(trace.certificate.sound());
    EXPECT_EQ(trace.certificate.members.size(), 8U);
    EXPECT_EQ(trace.certificate.summary.totals.rounds, kRounds);
    Real total = 0;
    for (const Real each : learner.decision()) total += each;
    EXPECT_NEAR(total, 1, 1e-12);
    std::ostringstream text;
    text << learner.certificate();
    EXPECT_NE(text.str().find("Proved on this run"), std::string::npos) << text.str();
}

TEST(OnlineLearner, IsTheLearnerOfTheTable) {
    for (const char* window : {"auto", "16", "exp:8"}) {
        OnlineLearner front(
            {.dimension = kDimension, .regulariser = L1Norm(0.01), .window = window, .step = 0.5});
        const Trace trace = play(front, [&](Round t) { front.observe(closure(t)); });
        auto table = make_learner(
            "time-smoothed",
            {.g = L1Norm(0.01),
             .make_batch =
                 [](Index capacity) { return AnyBatch(make_batch(FunctionFamily(kDimension), capacity)); },
             .start = std::vector<Real>(kDimension),
             .window = window,
             .model = ForecastRule::parse("auto"),
             .step = 0.5,
             .smoothness = 2,
             .tolerance = Tolerance::automatic(),
             .budget = {.max_steps = 1000},
             .seed = 1});
        Tally tally(table->facts());
        for (Round t = 1; t <= kRounds; ++t) {
            const RoundReport report = table->observe(FunctionFamily::Record(closure(t)));
            tally.add(report, {.other_gaps = {}, .prediction_loss = {}, .ensemble = table->ensemble()});
        }
        const ConstView expected = table->decide();
        EXPECT_TRUE(std::equal(expected.begin(), expected.end(), front.decision().begin())) << window;
        EXPECT_EQ(trace.certificate.summary.regret, tally.regret()) << window;
    }
}

TEST(OnlineLearner, GivesTheSameRunForFunctionsRecordsAndBatches) {
    const OnlineOptions options{.dimension = kDimension, .regulariser = Box(-1, 1)};
    OnlineLearner functions(options);
    OnlineLearner records(options, TargetFamily{});
    OnlineLearner batches(options, batched(std::make_shared<Calls>()));
    const Trace expected = play(functions, [&](Round t) { functions.observe(closure(t)); });
    const Trace of_records = play(records, [&](Round t) { records.observe(target(t)); });
    const Trace of_batches = play(batches, [&](Round t) { batches.observe(target(t)); });
    EXPECT_EQ(of_records.figures, expected.figures);
    ASSERT_EQ(of_batches.figures.size(), expected.figures.size());
    EXPECT_NEAR(of_batches.figures.back(), expected.figures.back(), 1e-9);
}

TEST(OnlineLearner, EvaluatesAWindowByOneCallOfABatchedLoss) {
    const auto calls = std::make_shared<Calls>();
    OnlineLearner batches({.window = 50, .check_gradients = false}, batched(calls));
    OnlineLearner records({.window = 50, .check_gradients = false}, TargetFamily{calls});
    play(records, [&](Round t) { records.observe(target(t)); });
    const std::uint64_t one_by_one = std::exchange(calls->made, 0);
    play(batches, [&](Round t) { batches.observe(target(t)); });
    EXPECT_LT(calls->made * 3, one_by_one);
}

TEST(OnlineLearner, TakesTheStepFromTheFirstLoss) {
    // f = (x - 1)^2 * 2: L = 4.
    OnlineLearner curved({.dimension = 2, .window = 4});
    const auto quadratic = [](ConstView x, View gradient) {
        Real total = 0;
        for (Index i = 0; i < x.size(); ++i) {
            gradient[i] = 4 * (x[i] - 1);
            total += 2 * (x[i] - 1) * (x[i] - 1);
        }
        return total;
    };
    EXPECT_EQ(curved.step(), 0);
    curved.observe(quadratic);
    EXPECT_NEAR(curved.step(), 0.25, 1e-6);

    OnlineLearner flat({.dimension = 2, .regulariser = Box(-1, 1), .window = 4});
    flat.observe([](ConstView x, View gradient) {
        gradient[0] = gradient[1] = 1;
        return x[0] + x[1];
    });
    EXPECT_EQ(flat.step(), 1);

    OnlineLearner given({.dimension = 2, .window = 4, .step = 0.125});
    given.observe(quadratic);
    EXPECT_EQ(given.step(), 0.125);
    OnlineLearner smooth({.dimension = 2, .window = 4, .smoothness = 10});
    smooth.observe(quadratic);
    EXPECT_EQ(smooth.step(), 0.1);
}

TEST(OnlineLearner, ARefusedFirstLossChangesNothing) {
    const auto nan = [](ConstView, View gradient) {
        std::fill(gradient.begin(), gradient.end(), 0);
        return std::numeric_limits<Real>::quiet_NaN();
    };
    const auto absurd = [](ConstView x, View gradient) {
        std::fill(gradient.begin(), gradient.end(), 1e200);
        return 1e200 * (x[0] + x[1] + x[2]);
    };
    for (const char* window : {"auto", "8"}) {
        const OnlineOptions options{.dimension = kDimension, .window = window};
        OnlineLearner learner(options), undisturbed(options);
        EXPECT_EQ(learner.observe(nan).status, RoundStatus::refused);
        EXPECT_EQ(learner.observe(absurd).status, RoundStatus::refused);
        EXPECT_EQ(learner.step(), 0);
        const Trace trace = play(learner, [&](Round t) { learner.observe(closure(t)); });
        const Trace expected = play(undisturbed, [&](Round t) { undisturbed.observe(closure(t)); });
        EXPECT_EQ(trace.figures, expected.figures);
        EXPECT_EQ(trace.certificate.summary.totals.refused, 2U);
        EXPECT_EQ(trace.certificate.summary.regret, expected.certificate.summary.regret);
    }
}

TEST(OnlineLearner, RefusesALaterLossThatIsNotFinite) {
    for (const char* window : {"auto", "8"}) {
        const OnlineOptions options{.dimension = kDimension, .window = window};
        OnlineLearner learner(options), undisturbed(options);
        const Trace expected = play(undisturbed, [&](Round t) { undisturbed.observe(closure(t)); });
        const Trace trace = play(learner, [&](Round t) {
            if (t % 7 == 3) {
                const RoundReport& report = learner.observe([](ConstView, View gradient) {
                    std::fill(gradient.begin(), gradient.end(), 0);
                    return kInfinity;
                });
                EXPECT_EQ(report.status, RoundStatus::refused);
                EXPECT_EQ(report.round, t);
            }
            learner.observe(closure(t));
        });
        EXPECT_EQ(trace.figures, expected.figures);
        EXPECT_EQ(trace.certificate.summary.totals.refused, 17U);
    }
}

TEST(OnlineLearner, LearnsRowsAndPredicts) {
    OnlineLearner learner({.regulariser = L1Norm(0.001)}, make_row_family("huber:1", {.features = 2}));
    Real first = 0, last = 0;
    for (Round t = 1; t <= 400; ++t) {
        const Real row[] = {normal({.seed = 2, .round = t}), normal({.seed = 2, .round = t, .sample = 1})};
        const Real truth = 2 * row[0] - row[1] + 0.5;
        const Real miss = std::abs(learner.predict(row) - truth);
        (t <= 20 ? first : last) += t <= 20 || t > 380 ? miss : 0;
        RowBlock record;
        record.add_dense(row, truth);
        learner.observe(record);
    }
    EXPECT_LT(last, first / 20);
    EXPECT_TRUE(learner.certificate().sound());
    RowBlock two;
    const Real rows[2][2] = {{1, 0}, {0, 1}};
    two.add_dense(rows[0], 0);
    two.add_dense(rows[1], 0);
    const std::vector<Real> both = learner.predict(two);
    EXPECT_NEAR(both[0], 2.5, 0.1);
    EXPECT_NEAR(both[1], -0.5, 0.1);
}

TEST(OnlineLearner, DoesNotPenaliseIntercepts) {
    // One feature that is always 0 and targets of 3: only the intercept can fit them.
    OnlineLearner learner({.regulariser = Box(-1, 1), .window = 8},
                          make_row_family("squared", {.features = 1}));
    RowBlock row;
    const Real feature[] = {0};
    row.add_dense(feature, 3);
    for (Round t = 1; t <= 50; ++t) learner.observe(row);
    EXPECT_NEAR(learner.predict(feature), 3, 0.1);
    EXPECT_THROW(OnlineLearner({.regulariser = L1Norm(std::vector<Real>{1, 1})},
                               make_row_family("squared", {.features = 1})),
                 ConfigError);
}

TEST(OnlineLearner, UsesForecasts) {
    const OnlineOptions with{.window = 2, .forecast = "forecast", .tolerance = 1e-6};
    OnlineLearner informed(with, TargetFamily{});
    OnlineLearner guesses({.window = 2, .tolerance = 1e-6}, TargetFamily{});
    Real known = 0, guessed = 0;
    for (Round t = 1; t <= 60; ++t) {
        informed.expect(target(t + 1));
        known += informed.observe(target(t)).loss;
        guessed += guesses.observe(target(t)).loss;
    }
    EXPECT_LT(known, guessed);
    EXPECT_TRUE(informed.certificate().sound());
}

TEST(OnlineLearner, LearnsFromASamplerOfGradients) {
    OnlineLearner learner({.window = 8,
                           .smoothness = 1,
                           .max_steps = 200,
                           .sampler = GradientSampler{.sample =
                                                          [](Round t, ConstView x, const Draw& draw,
                                                             std::vector<Real>& gradient) {
                                                              track(target(t).at, x, gradient);
                                                              gradient[0] += 0.05 * normal(draw);
                                                          },
                                                      .noise = 0.05,
                                                      .name = "shaky"}},
                          TargetFamily{});
    for (Round t = 1; t <= 40; ++t) learner.observe(target(t));
    const Certificate certificate = learner.certificate();
    EXPECT_TRUE(certificate.sound());
    ASSERT_TRUE(certificate.header.noise);
    EXPECT_EQ(certificate.header.noise->oracle, "shaky");
    EXPECT_EQ(certificate.header.noise->sigma.has_value(), true);
}

TEST(OnlineLearner, CanDoWithoutLosses) {
    const std::string ledger = testing::TempDir() + "front_unknown.jsonl";
    const GradientSampler sampler{
        .sample =
            [](Round t, ConstView x, const Draw& draw, std::vector<Real>& gradient) {
                track(target(t).at, x, gradient);
                gradient[0] += 0.05 * normal(draw);
            },
        .noise = 0.05};
    const OnlineOptions options{.dimension = kDimension,
                                .window = 8,
                                .smoothness = 1,
                                .sampler = sampler,
                                .referee = false,
                                .ledger = ledger};
    OnlineLearner learner(options);
    for (Round t = 1; t <= 20; ++t) learner.observe();
    EXPECT_THROW(learner.observe(closure(21)), ConfigError);
    EXPECT_EQ(learner.rounds(), 20U);
    const Certificate certificate = learner.finish();
    EXPECT_TRUE(certificate.sound());
    EXPECT_NE(to_text(certificate).find("mean loss f      not known"), std::string::npos)
        << to_text(certificate);
    EXPECT_EQ(timeless(certify(ledger)), timeless(certificate));
    std::remove(ledger.c_str());

    OnlineLearner known(options);
    known.observe(closure(1));
    EXPECT_THROW(known.observe(), ConfigError);
    OnlineLearner exact({.dimension = kDimension});
    EXPECT_THROW(exact.observe(), ConfigError);
}

TEST(OnlineLearner, HasACertificateBeforeTheFirstRound) {
    OnlineLearner learner({.dimension = 2});
    const Certificate certificate = learner.certificate();
    EXPECT_EQ(certificate.summary.totals.rounds, 0U);
    EXPECT_TRUE(certificate.sound());
}

TEST(OnlineLearner, TakesFunctionsThatChangeThemselves) {
    OnlineLearner learner({.dimension = 1, .window = 2, .check_gradients = false});
    learner.observe([calls = 0](ConstView x, View gradient) mutable {
        ++calls;
        gradient[0] = x[0];
        return x[0] * x[0] / 2;
    });
    EXPECT_EQ(learner.rounds(), 1U);
}

TEST(OnlineLearner, CanBeMoved) {
    OnlineLearner learner({.dimension = kDimension});
    learner.observe(closure(1));
    OnlineLearner moved = std::move(learner);
    moved.observe(closure(2));
    EXPECT_EQ(moved.rounds(), 2U);
}

/// The text of the ConfigError that `run` throws.
template <class Run>
std::string refusal(const Run& run) {
    try {
        run();
    } catch (const ConfigError& error) {
        return error.what();
    }
    return "";
}

TEST(OnlineLearnerMisuse, OneErrorNamesEveryWrongOption) {
    try {
        OnlineLearner made({.dimension = 3,
                            .start = {1, 2},
                            .window = "0",
                            .forecast = "crystal",
                            .step = -1,
                            .tolerance = "loose",
                            .inner = "magic",
                            .hysteresis = 2,
                            .max_steps = 0,
                            .referee = false});
        FAIL() << "nothing was refused";
    } catch (const ConfigError& error) {
        EXPECT_EQ(error.violations().size(), 9U) << error.what();
        for (const char* name : {"start", "window", "forecast", "step", "tolerance", "inner", "hysteresis",
                                 "max_steps", "referee"}) {
            EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << name << "\n"
                                                                               << error.what();
        }
    }
}

TEST(OnlineLearnerMisuse, SizesThatDoNotFitAreRefused) {
    EXPECT_NE(refusal([] { OnlineLearner learner({}); }).find("dimension"), std::string::npos);
    EXPECT_NE(refusal([] { OnlineLearner({.dimension = 4}, TargetFamily{}); }).find("3 coordinates"),
              std::string::npos);
    EXPECT_NE(refusal([] {
                  OnlineLearner({.dimension = 3, .regulariser = L1Norm(std::vector<Real>{1, 1})});
              }).find("regulariser"),
              std::string::npos);
    EXPECT_NE(refusal([] {
                  OnlineLearner({.regulariser = Simplex(), .start = {1, 1, 1}});
              }).find("domain"),
              std::string::npos);
    EXPECT_NE(refusal([] { OnlineLearner({.start = {0, NAN}}); }).find("finite"), std::string::npos);
    EXPECT_NE(refusal([] { OnlineLearner({.dimension = 2, .step = NAN}); }).find("step"), std::string::npos);
    EXPECT_NE(refusal([] { OnlineLearner({.dimension = 2, .window = -3}); }).find("window"),
              std::string::npos);

    OnlineLearner rows({}, make_row_family("squared", {.features = 2}));
    RowBlock good, bad;
    const Real features[] = {1, 2, 3};
    good.add_dense(ConstView(features).first(2), 1);
    bad.add_dense(features, 1);
    EXPECT_NE(refusal([&] { rows.observe(bad); }).find("3 features"), std::string::npos);
    rows.observe(good);
    EXPECT_NE(refusal([&] { rows.observe(bad); }).find("3 features"), std::string::npos);
    EXPECT_NE(refusal([&] { rows.predict(features); }).find("3 features"), std::string::npos);
    EXPECT_NE(refusal([&] { rows.observe(RowBlock()); }).find("at least one row"), std::string::npos);
    EXPECT_EQ(rows.rounds(), 1U);
}

TEST(OnlineLearnerMisuse, RecordsOfAnotherTypeAreRefusedAndChangeNothing) {
    OnlineLearner learner({.window = 4}, TargetFamily{});
    EXPECT_NE(refusal([&] { learner.observe(RowBlock()); }).find("RowBlock"), std::string::npos);
    learner.observe(target(1));
    EXPECT_NE(refusal([&] { learner.observe(RowBlock()); }).find("Target"), std::string::npos);
    EXPECT_NE(refusal([&] { learner.observe(closure(1)); }).find("function"), std::string::npos);
    EXPECT_NE(refusal([&] { learner.expect(target(1)); }).find("forecast"), std::string::npos);
    EXPECT_NE(refusal([&] { learner.predict(std::vector<Real>{1}); }).find("data rows"), std::string::npos);
    EXPECT_EQ(learner.rounds(), 1U);
    learner.finish();
    EXPECT_NE(refusal([&] { learner.observe(target(2)); }).find("finished"), std::string::npos);
}

TEST(OnlineLearnerMisuse, AnEmptyFunctionThrowsAndChangesNothing) {
    OnlineLearner learner({.dimension = 1, .window = 2});
    EXPECT_THROW(learner.observe(std::function<Real(ConstView, View)>()), std::bad_function_call);
    EXPECT_EQ(learner.rounds(), 0U);
}

}  // namespace
}  // namespace proxstream::front_test
