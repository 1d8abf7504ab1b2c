// Ensembles that play the mean of their members. The decision is worked out again from members that run
// alone. Members that diverge do not spoil the run.

#include "proxstream/core/draw.hpp"
#include "proxstream/prox/regulariser_table.hpp"
#include "proxstream/window/record_ring.hpp"

#include "loss/linear_family.hpp"
#include "online/learner_table.hpp"
#include "regret/ledger_format.hpp"
#include "regret/tally.hpp"
#include "support/naive_mixture.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace proxstream {
namespace mean_ensemble {
namespace {

using mixing::Long;
using mixing::Longs;
using mixing::longs;

struct Setting {
    ScalarLoss loss = {ScalarFormula::cauchy, 1};
    Index features = 4;
    std::string g = "l1:0.01";
    std::uint64_t seed = 5;
    std::optional<Index> last_value = {};
    Real start = 0;
    BatchFactory make_batch = {};  // empty: those of linear models
};

std::unique_ptr<AnyLearner> make(const std::string& text, const Setting& setting = {}) {
    const auto family = std::make_shared<LinearFamily>(setting.loss, setting.features, false);
    return make_learner(
        text,
        {.g = parse_regulariser(setting.g),
         .make_batch = setting.make_batch ? setting.make_batch
                                          : [family](Index capacity) { return family->make_batch(capacity); },
         .start = std::vector<Real>(setting.features, setting.start),
         .window = "16",
         .linear = LinearModel{setting.loss, setting.features, false},
         .last_value = setting.last_value,
         .averages = true,
         .step = 0.3,
         .smoothness = 4,
         .tolerance = Tolerance::fixed(0.1),
         .budget = {.max_steps = 50},
         .inner = "backtracking",
         .seed = setting.seed});
}

RowBlock row(std::uint64_t seed, Round t, const Setting& setting = {}, Index rows = 1) {
    RowBlock record;
    const Round drift = t / 80 * 3;
    std::vector<Real> a(setting.features);
    for (Index r = 0; r < rows; ++r) {
        Real score = 0;
        for (Index i = 0; i < a.size(); ++i) {
            a[i] = normal({seed, t, static_cast<std::uint32_t>(i), 0, r}) / 2;
            score += a[i] * std::cos(static_cast<Real>(drift + i));
        }
        const Real noisy = score + 0.1 * normal({seed, t, 0, 1, r});
        record.add_dense(
            a, target_kind(setting.loss.formula) == TargetKind::sign ? (noisy < 0 ? -1 : 1) : noisy);
    }
    return record;
}

std::vector<Real> copy_of(ConstView x) {
    return {x.begin(), x.end()};
}

/// f + g at a point, and the gradient of f.
struct Losses {
    const Setting& setting;
    AnyRegulariser g = parse_regulariser(setting.g);
    LinearFamily family{setting.loss, setting.features, false};
    Scratch scratch = {};

    Real at(const RowBlock& record, ConstView x) {
        return family.value(record, x, scratch) + g.value(x, scratch);
    }
    std::vector<Real> gradient(const RowBlock& record, ConstView x) {
        std::vector<Real> out(x.size());
        family.value_and_gradient(record, x, out, scratch);
        return out;
    }
};

Longs mean_point(const Longs& weights, const std::vector<std::vector<Real>>& points) {
    Longs z(points[0].size());
    for (Index k = 0; k < points.size(); ++k) {
        for (Index i = 0; i < z.size(); ++i) z[i] += weights[k] * points[k][i];
    }
    return z;
}

Real farthest(ConstView x, const Longs& expected) {
    Long most = 0;
    for (Index i = 0; i < x.size(); ++i) most = std::max(most, std::abs(x[i] - expected[i]));
    return static_cast<Real>(most);
}

std::vector<Real> reals(const Longs& values) {
    return {values.begin(), values.end()};
}

TEST(MeanEnsemble, PlaysTheWeightedMeanOfItsMembers) {
    struct Form {
        Setting setting;
        Index rows;
        const char* mixers;
    };
    const Form forms[] = {
        {{}, 1, "losses/gradients/clipped"},
        {{.loss = {ScalarFormula::squared, 1}, .last_value = 1}, 3, "losses/gradients/clipped/tracking"},
        {{.loss = {ScalarFormula::logistic, 1}, .g = "l2sq:0.01"}, 1, "losses/gradients"},
        {{.g = "simplex", .start = 0.25}, 2, "losses/tracking"},
    };
    for (const auto& [setting, rows, mixers] : forms) {
        SCOPED_TRACE(mixers);
        std::vector<std::string> points{"adagrad:0.3", "rls:inf", "rls:50", "coin", "momentum:0.1", "adam"};
        if (setting.last_value) points.emplace_back("last-value");
        std::string also;
        std::vector<std::unique_ptr<AnyLearner>> alone;
        for (const std::string& text : points) {
            also += (also.empty() ? "(" : "/(") + text + ")";
            alone.push_back(
                make(text + (text.find(':') == std::string::npos ? ":" : ",") + "window=1", setting));
        }
        for (const char* window : {"2", "8", "32"})
            alone.push_back(make(std::string("time-smoothed:window=") + window, setting));
        const auto ensemble = make("ensemble:windows=2/8/32,also=" + also +
                                       ",cross=no,steps=50,effort=inf,selection=(mean:mixers=" + mixers + ")",
                                   setting);
        const Index members = alone.size();
        const std::string names(mixers);
        const auto has = [&](const char* name) { return names.find(name) != std::string::npos; };
        mixing::MixtureTwin twin(mixing::MixtureTwin::even(members), has("gradients"), has("clipped"),
                                 has("tracking"), 4);
        Losses losses{setting};
        Round gaps = 0;
        std::vector<RowBlock> records;
        for (Round t = 1; t <= 300; ++t) {
            records.push_back(row(5, t, setting, rows));
            const RowBlock& record = records.back();
            const std::vector<Real> played = copy_of(ensemble->decide());
            std::vector<std::vector<Real>> at;
            for (const auto& learner : alone) at.push_back(copy_of(learner->decide()));
            ASSERT_LE(farthest(played, mean_point(twin.weights(), at)), 1e-9) << t;

            const RoundReport report = ensemble->observe(record);
            const EnsembleRound& round = *ensemble->ensemble();
            ASSERT_NE(report.status, RoundStatus::refused);
            ASSERT_LE(farthest(played, mean_point(longs(round.weights), at)), 1e-12) << t;
            ASSERT_NEAR(report.loss + report.regulariser, losses.at(record, played), 1e-12) << t;
            ASSERT_EQ(round.points(), points.size());
            ASSERT_EQ(round.members.size(), 3U);
            std::vector<Real> own;
            for (Index k = 0; k < members; ++k) {
                own.push_back(losses.at(record, at[k]));
                ASSERT_NEAR(round.losses[k], own[k], 1e-12 * (1 + std::abs(own[k]))) << k;
                ASSERT_NEAR(round.weights[k], static_cast<Real>(twin.weights()[k]), 1e-9) << k << " " << t;
                const RoundReport single = alone[k]->observe(record);
                if (k < points.size()) continue;
                ASSERT_EQ(round.report(k).entry_gap, single.entry_gap) << k << " " << t;
                ASSERT_EQ(round.report(k).exit_gap, single.exit_gap);
                ASSERT_EQ(round.report(k).cost, single.cost);
            }
            // The member that leads has the largest weight of those with a window.
            for (Index k = points.size(); k < members; ++k)
                ASSERT_LE(round.weights[k], round.weights[round.active_member]);
            ASSERT_EQ(report.entry_gap, round.report(round.active_member).entry_gap);
            std::vector<Real> slopes, mixer_losses;
            for (const Longs& p : twin.mixers()) {
                const std::vector<Real> z = reals(mean_point(p, at));
                mixer_losses.push_back(losses.at(record, z));
                if (mixer_losses.size() != 2 || !has("gradients")) continue;
                const std::vector<Real> gradient = losses.gradient(record, z);
                for (Index k = 0; k < members; ++k) slopes.push_back(dot(gradient, z) - dot(gradient, at[k]));
            }
            ASSERT_EQ(round.mixer_losses.size(), mixer_losses.size());
            ASSERT_EQ(round.slopes.size(), slopes.size());
            for (Index j = 0; j < mixer_losses.size(); ++j)
                ASSERT_NEAR(round.mixer_losses[j], mixer_losses[j], 1e-8) << j << " " << t;
            for (Index k = 0; k < slopes.size(); ++k) ASSERT_NEAR(round.slopes[k], slopes[k], 1e-8) << k;
            if (round.mean_gap) {
                ++gaps;
                const Index length = Index{2} << (2 * (round.active_member - points.size()));
                ASSERT_EQ(t % length, 0U);
                std::vector<Real> gradient(played.size());
                for (Index age = 0; age < length; ++age)
                    axpy(1 / static_cast<Real>(length), losses.gradient(records[t - 1 - age], played),
                         gradient);
                std::vector<Real> next(played.size());
                for (Index i = 0; i < next.size(); ++i) next[i] = played[i] - 0.3 * gradient[i];
                losses.g.prox(next, 0.3, next, losses.scratch);
                ASSERT_NEAR(*round.mean_gap, distance(next, played) / 0.3, 1e-10) << t;
            }
            twin.learn(longs(round.losses), longs(round.slopes), longs(round.mixer_losses));
        }
        EXPECT_GT(gaps, 5U);
    }
}

TEST(MeanEnsemble, DoesNotDependOnTheSeed) {
    Setting other;
    other.seed = 77;
    const auto one = make("ensemble");
    const auto two = make("ensemble", other);
    EXPECT_EQ(one->facts().selection, "mean:mixers=losses/gradients/clipped");
    for (Round t = 1; t <= 300; ++t) {
        one->observe(row(6, t));
        two->observe(row(6, t));
        ASSERT_TRUE(std::ranges::equal(one->decide(), two->decide())) << t;
    }
}

TEST(MeanEnsemble, OmitsMembersTooCostlyForTheDimension) {
    const auto names = [](const Setting& setting, const std::string& text = "ensemble") {
        std::string all;
        for (const RunHeader& member : make(text, setting)->facts().members) all += member.name + " ";
        return all;
    };
    EXPECT_EQ(names({.features = 85}), "adagrad:0.1 coin rls:inf rls:500 rls:100 1 4 16 64 256 1024 ");
    EXPECT_EQ(names({.features = 86}), "adagrad:0.1 coin 1 4 16 64 256 1024 ");
    EXPECT_EQ(names({.last_value = 2}),
              "adagrad:0.1 coin rls:inf rls:500 rls:100 last-value 1 4 16 64 256 1024 ");
    EXPECT_EQ(names({.features = 86}, "ensemble:also=(rls:9),windows=4"), "rls:9 4 ");  // named by hand
    EXPECT_EQ(names({}, "ensemble:selection=draw"), "adagrad:0.1 adagrad:1 1 4 16 64 256 1024 ");
    const RunHeader facts = make("ensemble")->facts();
    for (Index k = 0; k < facts.members.size(); ++k) EXPECT_EQ(facts.members[k].measured, k >= 5) << k;
}

// ---- members that go astray

/// A squared loss that is NaN outside a box, as a logarithm would be.
class Fenced {
  public:
    using Record = RowBlock;
    explicit Fenced(Index dimension, Real fence) : dimension_(dimension), fence_(fence) {}
    Index dimension() const { return dimension_; }
    Real value(const RowBlock& record, ConstView x, Scratch& /*scratch*/) const {
        for (const Real each : x) {
            if (!(std::abs(each) <= fence_)) return std::numeric_limits<Real>::quiet_NaN();
        }
        const Real off = dot(record.values(0), x) - record.target(0);
        return off * off / 2;
    }
    Real value_and_gradient(const RowBlock& record, ConstView x, View gradient, Scratch& scratch) const {
        scaled(dot(record.values(0), x) - record.target(0), record.values(0), gradient);
        return value(record, x, scratch);
    }

  private:
    Index dimension_;
    Real fence_;
};

Setting fenced(Real fence) {
    Setting setting{.loss = {ScalarFormula::squared, 1}};
    setting.make_batch = [fence](Index capacity) { return AnyBatch(RecordRing(Fenced(4, fence), capacity)); };
    return setting;
}

struct Astray {
    Round refused = 0;
    Real loss = 0;
    std::uint64_t restarted = 0;
    std::vector<std::vector<Real>> points;
    Certificate certificate;
};

Astray play(AnyLearner& learner, Round rounds) {
    Astray run;
    Tally tally(learner.facts());
    for (Round t = 1; t <= rounds; ++t) {
        const RoundReport report = learner.observe(row(8, t));
        RowExtras extras;
        extras.ensemble = report.status == RoundStatus::refused ? nullptr : learner.ensemble();
        tally.add(report, extras);
        run.refused += report.status == RoundStatus::refused ? 1 : 0;
        run.loss += report.loss;
        run.points.push_back(copy_of(learner.decide()));
    }
    run.certificate = tally.certificate(tally.footer(learner.close(), RunEnding::finished, 0));
    run.restarted = run.certificate.summary.ensemble->restarted;
    return run;
}

TEST(MeanEnsemble, ContinuesWhenMembersLeaveTheDomainOfTheLoss) {
    for (const char* selection : {"mean", "(mean:mixers=losses/tracking)", "draw", "leader"}) {
        const std::string others = std::string(",selection=") + selection;
        const auto sane = make("ensemble:windows=1/4/16,also=(adagrad:0.1)" + others, fenced(4));
        const auto wild = make(
            "ensemble:windows=1/4/16,also=(adagrad:0.1)/(prox-gradient:30)/(prox-sgd:9)/"
            "(adagrad:20)/(momentum:40)" +
                others,
            fenced(4));
        const Astray good = play(*sane, 400);
        const Astray run = play(*wild, 400);
        const bool mean = std::string(selection).find("mean") != std::string::npos;
        if (mean) {
            EXPECT_EQ(run.refused, 0U) << selection;
            EXPECT_LT(run.loss, 1.5 * good.loss + 1) << selection;
        }
        EXPECT_GT(run.restarted, 10U) << selection;
        EXPECT_TRUE(run.certificate.sound()) << to_text(run.certificate);
        if (mean) {
            EXPECT_TRUE(kept(run.certificate.at("C8").verdict)) << to_text(run.certificate);
        }
        EXPECT_NE(to_text(run.certificate).find("because its loss was not finite"), std::string::npos);
    }
}

TEST(MeanEnsemble, ContinuesWhenMembersOverflow) {
    const Setting squared{.loss = {ScalarFormula::squared, 1}};
    const auto sane = make("ensemble:windows=1/4/16,also=(adagrad:0.1)", squared);
    const auto wild = make(
        "ensemble:windows=1/4/16,also=(adagrad:0.1)/(adagrad:1e160)/(momentum:1e200)/"
        "(adam:1e300)",
        squared);
    const Astray good = play(*sane, 400);
    const Astray run = play(*wild, 400);
    EXPECT_EQ(run.refused, 0U);
    EXPECT_LT(run.loss, 1.5 * good.loss + 1);
    EXPECT_TRUE(run.certificate.sound()) << to_text(run.certificate);
    EXPECT_TRUE(kept(run.certificate.at("C8").verdict));
    // A member that grows a step at a time has finite losses on its way, and the run continues.
    const auto growing =
        make("ensemble:windows=1/4/16,also=(adagrad:0.1)/(prox-gradient:1e9)/(momentum:1e6)", squared);
    const Astray grown = play(*growing, 400);
    EXPECT_EQ(grown.refused, 0U);
    EXPECT_TRUE(grown.certificate.sound()) << to_text(grown.certificate);
}

TEST(MeanEnsemble, KeepsItsDecisionWhenAllMembersAreBad) {
    for (const char* selection : {"mean", "draw", "leader"}) {
        const std::string text = std::string("ensemble:windows=1/4/16,selection=") + selection;
        const auto calm = make(text);
        const auto vexed = make(text);
        for (Round t = 1; t <= 120; ++t) {
            if (t % 10 == 5) {
                RowBlock bad;
                bad.add_dense(std::vector<Real>{1, 2, 3, 4},
                              t % 20 == 5 ? kInfinity : std::numeric_limits<Real>::quiet_NaN());
                const std::vector<Real> before = copy_of(vexed->decide());
                const RoundReport report = vexed->observe(bad);
                ASSERT_EQ(report.status, RoundStatus::refused);
                ASSERT_TRUE(std::ranges::equal(before, vexed->decide()));
            }
            std::string one, other;
            append_row(one, calm->observe(row(9, t)),
                       {.other_gaps = {}, .prediction_loss = {}, .ensemble = calm->ensemble()});
            append_row(other, vexed->observe(row(9, t)),
                       {.other_gaps = {}, .prediction_loss = {}, .ensemble = vexed->ensemble()});
            ASSERT_EQ(one, other) << selection << " " << t;
            ASSERT_TRUE(std::ranges::equal(calm->decide(), vexed->decide())) << selection << " " << t;
        }
    }
}

TEST(MeanEnsemble, RollsBackRoundsInWhichMembersWereRestarted) {
    for (const char* selection : {"mean", "(mean:mixers=losses/tracking)", "draw"}) {
        for (const bool halfway : {false, true}) {
            const std::string text =
                "ensemble:windows=1/4/16,also=(adagrad:0.1)/(prox-gradient:30)/(adagrad:20)/"
                "(momentum:40),selection=" +
                std::string(selection);
            const auto calm = make(text, fenced(4));
            const auto vexed = make(text, fenced(4));
            Round restarted = 0;
            for (Round t = 1; t <= 150; ++t) {
                const std::vector<Real> before = copy_of(vexed->decide());
                RoundReport report;
                const RowBlock other = row(10, t);
                if (vexed->enter(other, report)) {
                    if (!halfway) {
                        vexed->advance(report, {});
                        for (const RoundReport& member : vexed->ensemble()->members)
                            restarted += member.status == RoundStatus::refused ? 1 : 0;
                    }
                    if (report.status != RoundStatus::refused || halfway) vexed->rollback();
                }
                ASSERT_TRUE(std::ranges::equal(before, vexed->decide())) << selection << " " << t;
                const RoundReport one = calm->observe(row(8, t));
                const RoundReport two = vexed->observe(row(8, t));
                ASSERT_EQ(one.status, two.status) << selection << " " << t;
                ASSERT_EQ(one.loss, two.loss);
                ASSERT_TRUE(std::ranges::equal(calm->decide(), vexed->decide())) << selection << " " << t;
                if (one.status == RoundStatus::refused) continue;
                ASSERT_TRUE(std::ranges::equal(calm->ensemble()->weights, vexed->ensemble()->weights));
                ASSERT_TRUE(std::ranges::equal(calm->ensemble()->losses, vexed->ensemble()->losses));
            }
            if (!halfway) {
                EXPECT_GT(restarted, 10U) << selection;
            }
        }
    }
}

TEST(MeanEnsemble, ResumesBitForBitAroundRestarts) {
    const std::string text =
        "ensemble:windows=1/4/16,also=(adagrad:0.1)/(prox-gradient:30)/(adagrad:20)/(momentum:40)";
    const auto whole = make(text, fenced(4));
    for (Round t = 1; t <= 120; ++t) {
        if (t > 1 && t % 3 == 0) whole->rollback();
        StateArchive saved;
        saved.section("learner", *whole);
        const std::string bytes = saved.seal();
        const auto second = make(text, fenced(4));
        StateArchive read(bytes, "state");
        read.section("learner", *second);
        read.finish();
        ASSERT_TRUE(std::ranges::equal(whole->decide(), second->decide())) << t;
        for (Round u = t; u < t + 2; ++u) {
            const auto& record = row(8, u);
            if (u > t) {
                second->observe(record);
                continue;
            }
            std::string one, other;
            append_row(one, whole->observe(record),
                       {.other_gaps = {}, .prediction_loss = {}, .ensemble = whole->ensemble()});
            append_row(other, second->observe(record),
                       {.other_gaps = {}, .prediction_loss = {}, .ensemble = second->ensemble()});
            ASSERT_EQ(one, other) << t;
            ASSERT_TRUE(std::ranges::equal(whole->decide(), second->decide())) << t;
        }
    }
}

TEST(MeanEnsemble, RevisedRunsStartASoundCertificate) {
    for (const char* text :
         {"ensemble:windows=1/4/16",
          "ensemble:windows=2/8,also=rls/adam,selection=(mean:mixers=losses/tracking)",
          "ensemble:windows=4,also=none", "ensemble:windows=1/4/16,also=(adagrad:20)/(prox-gradient:30)"}) {
        const auto learner =
            make(text, std::string(text).find("30") == std::string::npos ? Setting{} : fenced(4));
        Round t = 0;
        for (const Round rounds : {40U, 1U, 3U, 60U}) {
            const RunHeader facts = learner->facts();
            EXPECT_EQ(facts.initial_records > 0, t > 0);
            Tally tally(facts);
            for (Round i = 0; i < rounds; ++i) {
                const RoundReport report = learner->observe(row(11, ++t));
                ASSERT_EQ(report.round, i + 1);
                RowExtras extras;
                extras.ensemble = learner->ensemble();
                tally.add(report, extras);
            }
            const Certificate certificate =
                tally.certificate(tally.footer(learner->close(), RunEnding::finished, 0));
            ASSERT_TRUE(certificate.sound()) << to_text(certificate);
            ASSERT_TRUE(kept(certificate.at("C8").verdict)) << to_text(certificate);
            std::vector<Real> sums(facts.members.size());
            ASSERT_NE(learner
                          ->revise([](View x) {
                              for (Real& each : x) each *= 0.9;
                          })
                          .status,
                      RoundStatus::refused);
        }
    }
}

}  // namespace
}  // namespace mean_ensemble
}  // namespace proxstream
