/// A run of 60 rounds against 25, saved, loaded into a fresh learner, and 35 more: every report and every
/// decision bit for bit.
#include "proxstream/core/draw.hpp"
#include "proxstream/core/state_archive.hpp"
#include "proxstream/loss/function_family.hpp"
#include "proxstream/prox/regulariser_table.hpp"
#include "proxstream/prox/separable.hpp"
#include "proxstream/window/record_ring.hpp"

#include "loss/linear_model.hpp"
#include "loss/loss_table.hpp"
#include "online/learner_table.hpp"
#include "online/time_smoothed.hpp"
#include "regret/ledger_format.hpp"
#include "solve/prox_grad.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

constexpr Index kSavedFeatures = 5;
constexpr Round kSplit = 25;

struct Case {
    std::string learner;
    std::string window = "7";
    std::string model = "auto";
    std::string inner = "auto";
    std::string loss = "cauchy:0.5";
    std::string oracle = "exact";
    std::string variant = "fresh";
    Real switching = 0;
    Real effort = kInfinity;
    bool sparse = false;
    bool plain_ring = false;  // records kept by RecordRing, not by the family's own store
    Round split = kSplit;
    Round rounds = 60;
};

/// A drifting linear model; now and then a row that every learner refuses.
RowBlock record_at(Round t, const Case& setup) {
    RowBlock record(setup.sparse);
    const Index rows = setup.oracle == "exact" ? 1 + t % 3 : 6;
    std::vector<Real> values;
    std::vector<FeatureIndex> indices;
    for (Index row = 0; row < rows; ++row) {
        values.clear();
        indices.clear();
        Real score = 0;
        for (Index i = 0; i < kSavedFeatures; ++i) {
            if (setup.sparse && (i + t) % 3 == 0) continue;
            values.push_back(
                normal({.seed = 3, .round = t, .record = static_cast<std::uint32_t>(row), .sample = i}));
            indices.push_back(static_cast<FeatureIndex>(i));
            score += values.back() * std::sin(0.1 * static_cast<Real>(t) + static_cast<Real>(i));
        }
        const bool bad = t == 11 || t == kSplit || t == 40;
        const Real target = bad ? std::numeric_limits<Real>::quiet_NaN()
                                : score + 0.1 * normal({.seed = 4, .round = t, .sample = row});
        setup.sparse ? record.add_sparse(indices, values, target) : record.add_dense(values, target);
    }
    return record;
}

/// Keeps a row family's records one by one.
class PlainFamily {
  public:
    using Record = RowBlock;
    explicit PlainFamily(std::shared_ptr<const RowFamily> family) : family_(std::move(family)) {}
    Index dimension() const { return family_->dimension(); }
    Real value(const RowBlock& record, ConstView x, Scratch& scratch) const {
        return family_->value(record, x, scratch);
    }
    Real value_and_gradient(const RowBlock& record, ConstView x, View gradient, Scratch& scratch) const {
        return family_->value_and_gradient(record, x, gradient, scratch);
    }

  private:
    std::shared_ptr<const RowFamily> family_;
};

std::unique_ptr<AnyLearner> make(const Case& setup) {
    const std::shared_ptr<const RowFamily> family = parse_loss(setup.loss, {.features = kSavedFeatures});
    BatchFactory make_batch = [family](Index capacity) { return family->make_batch(capacity); };
    if (setup.plain_ring) {
        make_batch = [family](Index capacity) { return AnyBatch(RecordRing(PlainFamily(family), capacity)); };
    }
    LearnerConfig parts{.g = parse_regulariser("l1:0.02"),
                        .make_batch = make_batch,
                        .make_forecasts = [family] { return family->make_batch(2); },
                        .start = std::vector<Real>(family->dimension(), 0.25),
                        .window = setup.window,
                        .linear = linear_model(*family),
                        .last_value = 0,
                        .model = ForecastRule::parse(setup.model),
                        .switching = setup.switching,
                        .step = 0.05,
                        .smoothness = 10,
                        .tolerance = setup.oracle == "exact" ? Tolerance::automatic() : Tolerance::fixed(2),
                        .budget = {.max_steps = 30},
                        .effort = setup.effort,
                        .inner = setup.inner,
                        .seed = 9};
    parts.noise.oracle = setup.oracle;
    parts.noise.variant = setup.variant;
    parts.noise.force = true;
    return make_learner(setup.learner, std::move(parts));
}

struct Trace {
    std::vector<std::string> rounds;  // as a ledger keeps them
    std::vector<std::vector<Real>> points;
};

void play(AnyLearner& learner, const Case& setup, Round first, Round last, Trace& trace) {
    for (Round t = first; t <= last; ++t) {
        if (setup.model == "forecast") learner.expect(record_at(t + 100, setup));
        const RoundReport report = learner.observe(record_at(t, setup));
        std::string row;
        append_row(row, report,
                   {.other_gaps = {},
                    .prediction_loss = {},
                    .ensemble = report.status == RoundStatus::refused ? nullptr : learner.ensemble()});
        trace.rounds.push_back(std::move(row));
        trace.points.emplace_back(learner.decide().begin(), learner.decide().end());
    }
}

std::string save(AnyLearner& learner) {
    StateArchive archive;
    archive.section("learner", learner);
    return archive.seal();
}

void load(AnyLearner& learner, const std::string& bytes) {
    StateArchive archive(bytes, "state");
    archive.section("learner", learner);
    archive.finish();
}

void expect_same_run(const Case& setup) {
    SCOPED_TRACE(setup.learner + " window " + setup.window + " model " + setup.model + " inner " +
                 setup.inner + " oracle " + setup.oracle);
    const auto whole = make(setup);
    Trace one;
    play(*whole, setup, 1, setup.split, one);
    const auto first = make(setup);
    Trace two;
    play(*first, setup, 1, setup.split, two);
    const std::string bytes = save(*first);
    EXPECT_EQ(save(*whole).size(), bytes.size());
    const auto second = make(setup);
    play(*second, setup, 200, 207, two);  // of no consequence: loading replaces everything
    two.rounds.resize(setup.split);
    two.points.resize(setup.split);
    load(*second, bytes);
    EXPECT_TRUE(std::equal(first->decide().begin(), first->decide().end(), second->decide().begin()));
    EXPECT_EQ(save(*second), bytes);
    play(*whole, setup, setup.split + 1, setup.rounds, one);
    play(*second, setup, setup.split + 1, setup.rounds, two);
    EXPECT_EQ(one.rounds, two.rounds);
    EXPECT_EQ(one.points, two.points);
    const Closing a = whole->close();
    const Closing b = second->close();
    EXPECT_EQ(a.losses, b.losses);
    EXPECT_EQ(a.regulariser, b.regulariser);
}

/// Every row of the learner table.
std::vector<Case> table_cases() {
    return {
        {.learner = "time-smoothed"},
        {.learner = "ensemble:windows=1/4/16"},
        {.learner = "ensemble:windows=2/8,selection=leader,also=adam/full-history"},
        {.learner = "ensemble:windows=2/8,selection=mean,also=momentum"},
        {.learner =
             "ensemble:windows=1/4/16,selection=mean,also=rls/(rls:20)/coin/last-value/(adagrad:1)/ftrl"},
        {.learner = "ensemble:windows=2/8,selection=(mean:mixers=losses/"
                    "tracking,switches=2),also=(prox-sgd:0.1)/adam"},
        {.learner = "prox-gradient"},
        {.learner = "prox-sgd:0.05,replay=2"},
        {.learner = "momentum"},
        {.learner = "adam"},
        {.learner = "adagrad:replay=3"},
        {.learner = "ftrl"},
        {.learner = "rls"},
        {.learner = "rls:30", .loss = "logistic"},
        {.learner = "coin"},
        {.learner = "last-value"},
        {.learner = "optimistic"},
        {.learner = "extragradient"},
        {.learner = "sampled-steps:rule=adam,samples=3"},
        {.learner = "sampled-steps:rule=optimistic-adam,samples=2,window=(season:3,2)"},
        {.learner = "sampled-steps:rule=optimistic,samples=2,window=(mean:9,keep=2)"},
        {.learner = "sampled-steps:rule=extragradient,samples=4,steps=3"},
        {.learner = "window-steps:steps=2"},
        {.learner = "full-history"},
        {.learner = "re-solve:steps=3"},
    };
}

TEST(Checkpoints, EveryLearnerContinuesBitForBit) {
    std::set<std::string> covered;
    for (const Case& setup : table_cases()) {
        covered.insert(Spec::parse(setup.learner).name());
        expect_same_run(setup);
    }
    for (const LearnerRow& row : learners()) EXPECT_TRUE(covered.contains(std::string(row.name))) << row.name;
}

TEST(Checkpoints, WindowsForecastsAndSolversContinueBitForBit) {
    for (const char* window : {"1", "9", "40", "exp:6,length=15", "triangle:9", "mean:16,keep=4",
                               "season:5,3", "weights:0.5,0.3,0,0.2"}) {
        for (const char* model : {"previous", "mean", "zero", "season:5", "forecast"}) {
            const std::string kind = Spec::parse(model).name();
            const std::string judge = window;
            if (judge == "1" && (kind == "zero" || kind == "forecast")) continue;
            if (judge.starts_with("mean") && kind == "season") continue;  // a running mean has no season
            expect_same_run({.learner = "time-smoothed", .window = window, .model = model});
        }
    }
    for (const char* inner : {"prox-grad", "backtracking", "panoc", "blocks", "auto"}) {
        expect_same_run({.learner = "time-smoothed", .window = "24", .inner = inner});
    }
    expect_same_run({.learner = "time-smoothed", .switching = 0.5});
    expect_same_run({.learner = "time-smoothed:proximal=0.3", .window = "2"});
    expect_same_run({.learner = "time-smoothed", .window = "20", .effort = 30});
    expect_same_run({.learner = "ensemble:windows=4/16,effort=5"});
    // Longer than the automatic tolerance remembers.
    expect_same_run({.learner = "time-smoothed", .window = "3", .split = 230, .rounds = 290});
    expect_same_run({.learner = "time-smoothed", .loss = "mlp:hidden=3"});
    expect_same_run({.learner = "time-smoothed", .sparse = true});
    expect_same_run({.learner = "full-history", .sparse = true});
    expect_same_run({.learner = "time-smoothed", .plain_ring = true});
    expect_same_run({.learner = "time-smoothed", .window = "auto:longest=16"});
}

TEST(Checkpoints, SampledGradientsContinueBitForBit) {
    for (const char* oracle : {"minibatch:2", "sphere:0.1", "gaussian:0.2,noise=shared", "dropout:0.3"}) {
        expect_same_run({.learner = "time-smoothed", .oracle = oracle});
        expect_same_run({.learner = "time-smoothed", .oracle = oracle, .variant = "paper"});
    }
    expect_same_run({.learner = "time-smoothed:confirm=2", .window = "exp:6", .oracle = "gaussian:0.1"});
    expect_same_run({.learner = "time-smoothed",
                     .inner = "spider:batch=12,samples=3,restart=2",
                     .oracle = "minibatch:2"});
}

TEST(Checkpoints, ARoundThatWasRolledBackIsNotSaved) {
    std::vector<Case> cases = table_cases();
    for (const char* window : {"triangle:9", "mean:16,keep=4"}) {
        for (const char* model : {"previous", "forecast"})
            cases.push_back({.learner = "time-smoothed", .window = window, .model = model});
    }
    cases.push_back({.learner = "time-smoothed", .window = "20", .effort = 30});
    cases.push_back({.learner = "time-smoothed", .window = "24", .inner = "panoc"});
    cases.push_back({.learner = "time-smoothed", .window = "2", .split = 230});
    cases.push_back({.learner = "time-smoothed", .oracle = "gaussian:0.1", .variant = "paper"});
    cases.push_back({.learner = "time-smoothed", .oracle = "minibatch:2"});
    for (const Case& setup : cases) {
        const auto whole = make(setup);
        Trace one;
        play(*whole, setup, 1, setup.split - 5, one);
        whole->rollback();
        const auto second = make(setup);
        load(*second, save(*whole));
        Trace two = one;
        play(*whole, setup, 26, 39, one);
        play(*second, setup, 26, 39, two);
        EXPECT_EQ(one.rounds.size(), setup.split - 5 + 14);
        EXPECT_EQ(one.rounds, two.rounds) << setup.learner;
        EXPECT_EQ(one.points, two.points) << setup.learner;
    }
}

std::string refusal(const Case& setup, const std::string& bytes) {
    const auto learner = make(setup);
    try {
        load(*learner, bytes);
    } catch (const DataError& error) {
        return error.what();
    }
    return "";
}

std::string saved(const Case& setup) {
    const auto learner = make(setup);
    Trace trace;
    play(*learner, setup, 1, 8, trace);
    return save(*learner);
}

TEST(Checkpoints, ErrorsNameTheFirstDifference) {
    const Case smoothed{.learner = "time-smoothed"};
    const std::string bytes = saved(smoothed);
    EXPECT_EQ(refusal(smoothed, bytes), "");
    const auto names = [](const std::string& text, const std::string& what) {
        return text.starts_with("state") && text.find(what) != std::string::npos;
    };
    EXPECT_PRED2(names, refusal({.learner = "adam"}, bytes), "learner/rule");
    EXPECT_PRED2(names, refusal({.learner = "time-smoothed", .loss = "mlp:hidden=3"}, bytes), "gradient");
    EXPECT_PRED2(names, refusal({.learner = "time-smoothed", .window = "2"}, bytes), "count");
    EXPECT_PRED2(names, refusal({.learner = "ensemble:windows=2/8"}, bytes), "points");
    EXPECT_PRED2(
        names,
        refusal({.learner = "ensemble:windows=2/8,also=none"}, saved({.learner = "ensemble:windows=2/8"})),
        "windows");
    EXPECT_PRED2(names, refusal({.learner = "time-smoothed", .inner = "panoc"}, bytes), "inner");
}

TEST(Checkpoints, TruncatedAndDamagedStatesAreRefused) {
    const Case setup{.learner = "time-smoothed"};
    const std::string bytes = saved(setup);
    for (std::size_t length = 0; length < bytes.size(); length += 1 + length / 16) {
        EXPECT_NE(refusal(setup, bytes.substr(0, length)), "") << length;
    }
    EXPECT_NE(refusal(setup, bytes + "x").find("content after"), std::string::npos);
    EXPECT_NE(refusal(setup, "{\"format\"").find("not a saved state"), std::string::npos);
    EXPECT_NE(refusal(setup, bytes.substr(0, bytes.size() / 2)).find("cut short"), std::string::npos);
    for (std::size_t place = 0; place < bytes.size(); place += 7) {
        std::string damaged = bytes;
        damaged[place] = static_cast<char>(damaged[place] ^ (1 << place % 8));
        EXPECT_NE(refusal(setup, damaged), "") << place;
    }
    std::string later = bytes;
    later[std::string_view("proxstream checkpoint\n").size()] = 2;
    EXPECT_NE(refusal(setup, later).find("version 2"), std::string::npos);
}

TEST(Checkpoints, LearnersOnClosuresCannotBeSaved) {
    using Ring = RecordRing<FunctionFamily>;
    TimeSmoothed learner(L1Norm(0.1), AnyBatch(Ring(FunctionFamily(1), 3)), {0.5},
                         {.window = 2, .budget = {}}, ProxGrad(1));
    StateArchive archive;
    EXPECT_THROW(learner.serialise(archive), Error);
}

}  // namespace
}  // namespace proxstream
