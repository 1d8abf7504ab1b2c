/// Networks that change under a learner: its figures afterwards against sums from scratch, the certificates
/// that begin there, and checkpoints across the change.
#include "proxstream/core/linalg.hpp"
#include "proxstream/core/state_archive.hpp"
#include "proxstream/prox/prox_gradient_step.hpp"

#include "regret/ledger_format.hpp"
#include "regret/tally.hpp"
#include "support/route_learner.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

using test::Chance;
using test::Routed;
using Vector = std::vector<Real>;

constexpr Index kPairs = 9;
constexpr Index kBefore = 12;
constexpr Index kAfter = 18;

/// A learner on a network of its own, the demands it has seen, and the changes of that network.
class Road {
  public:
    Road(std::string text, std::string window, std::uint64_t seed, const char* objective = "system")
        : text_(std::move(text)), window_(std::move(window)), chance_(seed) {
        routed_ =
            test::random_routing({.pairs = kPairs, .k = 3, .spare = 2, .objective = objective}, chance_);
        stream_ = test::demand_stream(kPairs, kBefore + kAfter, chance_);
        test::set_unit(*routed_.routing, stream_.front());
        learner_ = fresh();
    }

    std::unique_ptr<AnyLearner> fresh() const {
        LearnerConfig parts = test::route_parts(routed_.routing);
        parts.window = window_;
        parts.tolerance = Tolerance::fixed(0.02);
        return make_learner(text_, std::move(parts));
    }

    /// Narrows a link, takes a path away and finds another one, as incidents do.
    void disturb() {
        Routing& routing = *routed_.routing;
        PathSet& paths = routing.paths;
        routing.costs.scale_capacity(paths.links(paths.first_slot(2)).front(), 0.4);
        std::vector<PathChange> changes;
        const SlotIndex busy = paths.first_slot(0) + disturbances_++;
        if (paths.live(busy) && paths.live(busy + 1)) changes.push_back({busy, false, {}});
        // The fourth path of the last pair, into its first spare slot.
        const Index last = paths.pairs() - 1;
        Vector times;
        for (LinkIndex link = 0; link < routing.costs.links(); ++link)
            times.push_back(routing.costs.time(link, 0).time);
        const Pair pair = paths.pair(last);
        const PathLists lists = k_shortest(*routed_.network, {&pair, 1}, times, 4);
        const auto links = lists.links(lists.end_path(0) - 1);
        changes.push_back({paths.end_slot(last) - 2, true, {links.begin(), links.end()}});
        paths.change(changes);
    }
    void repair(View x) const { repair_splits(routed_.routing->paths, x); }
    RoundReport revise() {
        return learner_->revise([&](View x) { repair(x); });
    }

    RoundReport observe(Index t) {
        seen_.push_back(stream_[t]);
        return learner_->observe(test::record_of(stream_[t]));
    }
    Vector decision() const { return {learner_->decide().begin(), learner_->decide().end()}; }

    /// Of the box of the newest `length` demands, as the network is now, at x.
    test::NaiveLoss window_at(Index length, const Vector& x) const {
        const Vector weights(std::min(length, seen_.size()), 1 / static_cast<Real>(length));
        return test::naive_window(*routed_.routing, seen_, weights, x);
    }
    Real gap_of(Index length, const Vector& x, Real step) const {
        Vector forward(x.size()), gap(x.size());
        Scratch scratch;
        return prox_gradient_step(SplitSet(routed_.routing), x, window_at(length, x).gradient, step,
                                  {forward, gap}, scratch)
            .norm;
    }

    AnyLearner& learner() { return *learner_; }
    void replace(std::unique_ptr<AnyLearner> learner) { learner_ = std::move(learner); }
    const Routed& routed() const { return routed_; }
    const std::vector<Vector>& stream() const { return stream_; }

  private:
    std::string text_, window_;
    Chance chance_;
    Routed routed_;
    std::vector<Vector> stream_;
    std::vector<Vector> seen_;
    SlotIndex disturbances_ = 0;
    std::unique_ptr<AnyLearner> learner_;
};

/// The facts of a learner on a box, or of every member of an ensemble of them.
void expect_facts(const Road& road, const RunHeader& facts, const Vector& x) {
    const Real wanted = road.gap_of(facts.window, x, facts.reference_step);
    EXPECT_NEAR(facts.initial_gap, wanted, 1e-11 * (1 + wanted)) << facts.window_text;
    const Real objective = road.window_at(facts.window, x).value;
    EXPECT_NEAR(facts.initial_objective, objective, 1e-12 * objective) << facts.window_text;
    EXPECT_EQ(facts.initial_records, std::min<Index>(kBefore, facts.initial_records));
    EXPECT_GE(facts.initial_records, std::min<Index>(kBefore, facts.window));
}

constexpr const char* kSingle[] = {"time-smoothed",
                                   "time-smoothed:switching=0.1",
                                   "time-smoothed:proximal=0.2",
                                   "window-steps:steps=2",
                                   "adagrad:replay=3",
                                   "adam",
                                   "momentum",
                                   "prox-sgd:0.05,replay=2",
                                   "prox-gradient",
                                   "re-solve:steps=3",
                                   "full-history"};

TEST(Revise, FactsDescribeTheChangedNetwork) {
    for (const char* text : kSingle) {
        for (const char* window : {"1", "5", "40"}) {
            SCOPED_TRACE(std::string(text) + ", window " + window);
            Road road(text, window, 3);
            for (Index t = 0; t < kBefore; ++t) road.observe(t);
            road.disturb();
            Vector repaired = road.decision();
            road.repair(repaired);
            const RoundReport report = road.revise();
            EXPECT_NE(report.status, RoundStatus::refused);
            Scratch scratch;
            EXPECT_EQ(SplitSet(road.routed().routing).value(road.decision(), scratch), 0);
            const RunHeader facts = road.learner().facts();
            if (facts.exit_test) {
                // (P-mu): a proximal term around the repaired point holds it back.
                const Vector moved = road.decision();
                EXPECT_LE(facts.initial_gap, (1 + facts.reference_step * facts.proximal) * report.tolerance +
                                                 facts.proximal * distance(moved, repaired));
            } else if (std::string(text) != "window-steps:steps=2" &&
                       std::string(text) != "re-solve:steps=3") {
                EXPECT_EQ(road.decision(), repaired) << "it moves with its own rounds only";
            }
            expect_facts(road, facts, road.decision());
        }
    }
}

TEST(Revise, EveryEnsembleMemberIsRevisedForItsWindow) {
    for (const char* text :
         {"ensemble:windows=1/4/16", "ensemble:windows=2/8,selection=leader,also=adam/adagrad"}) {
        Road road(text, "1", 4);
        for (Index t = 0; t < kBefore; ++t) road.observe(t);
        road.disturb();
        EXPECT_NE(road.revise().status, RoundStatus::refused);
        const RunHeader facts = road.learner().facts();
        // The report has the members' values, but not their points: each value is that of its own window.
        const Closing closing = road.learner().close();
        ASSERT_EQ(closing.members.size(), facts.members.size());
        for (Index k = 0; k < facts.members.size(); ++k) {
            Real value = closing.members[k].regulariser;
            for (Index i = 0; i < closing.members[k].losses.size(); ++i)
                value += closing.members[k].weights[i] * closing.members[k].losses[i];
            EXPECT_NEAR(facts.members[k].initial_objective, value, 1e-12 * value) << k;
        }
        Index active_member = facts.members.size();
        for (Index k = 0; k < facts.members.size(); ++k)
            if (std::abs(facts.members[k].initial_objective -
                         road.window_at(facts.members[k].window, road.decision()).value) < 1e-13)
                active_member = k;
        ASSERT_LT(active_member, facts.members.size());
        expect_facts(road, facts.members[active_member], road.decision());
    }
}

TEST(Revise, ClosingValuesAreThoseOfTheRecordsOnTheNewNetwork) {
    for (const char* window : {"5", "exp:4,length=8", "triangle:6", "mean:8,keep=2"}) {
        Road road("time-smoothed", window, 5);
        for (Index t = 0; t < kBefore; ++t) road.observe(t);
        road.disturb();
        road.revise();
        const Closing closing = road.learner().close();
        Real value = closing.regulariser;
        for (Index i = 0; i < closing.losses.size(); ++i) {
            value += closing.weights[i] * closing.losses[i];
            const Vector& demand = road.stream()[kBefore - closing.losses.size() + i];
            const Real wanted = test::naive_loss(*road.routed().routing, demand, road.decision()).value;
            EXPECT_NEAR(closing.losses[i], wanted, 1e-12 * wanted) << window;
        }
        EXPECT_NEAR(road.learner().facts().initial_objective, value, 1e-12 * value) << window;
    }
}

TEST(Revise, LaterRoundsMatchANaiveWindowOnTheNewNetwork) {
    for (const char* text :
         {"time-smoothed", "time-smoothed:switching=0.1", "time-smoothed:proximal=0.2", "adagrad:replay=3"}) {
        for (const Index length : {1U, 5U, 20U}) {
            Road road(text, std::to_string(length), 6);
            for (Index t = 0; t < kBefore; ++t) road.observe(t);
            road.disturb();
            road.revise();
            for (Index t = kBefore; t < kBefore + kAfter; ++t) {
                const Vector x = road.decision();
                const RoundReport report = road.observe(t);
                EXPECT_EQ(report.round, t - kBefore + 1);
                const Real wanted = road.gap_of(length, x, 0.3);
                EXPECT_NEAR(report.entry_gap, wanted, 1e-10 * (1 + wanted)) << text << ", round " << t;
                const Real loss = test::naive_loss(*road.routed().routing, road.stream()[t], x).value;
                EXPECT_NEAR(report.loss, loss, 1e-12 * loss);
                const Vector y = road.decision();
                EXPECT_NEAR(report.exit_gap, road.gap_of(length, y, 0.3), 1e-10) << text;
                EXPECT_NEAR(report.objective_exit, road.window_at(length, y).value, 1e-11) << text;
            }
        }
    }
}

TEST(Revise, ANewCertificateStartsAndHolds) {
    std::vector<std::string> texts(std::begin(kSingle), std::end(kSingle));
    for (const char* ensemble :
         {"ensemble:windows=1/4/16", "ensemble:windows=2/8,also=adam/adagrad", "time-smoothed:window=auto",
          "time-smoothed:window=(mean:8,keep=2)", "time-smoothed:window=(season:3,3),model=(season:3)",
          "time-smoothed:window=(triangle:6)", "time-smoothed:window=(exp:5),model=mean,hysteresis=0.5"})
        texts.emplace_back(ensemble);
    for (const std::string& text : texts) {
        for (const char* objective : {"system", "unweighted"}) {
            SCOPED_TRACE(text + ", " + objective);
            Road road(text, "6", 7, objective);
            Index t = 0;
            for (const Index until : {kBefore, kBefore + 7, kBefore + kAfter}) {
                Tally tally(road.learner().facts());
                Real potential = 0;
                for (; t < until; ++t) {
                    const RoundReport report = road.observe(t);
                    tally.add(
                        report,
                        {.other_gaps = {}, .prediction_loss = {}, .ensemble = road.learner().ensemble()});
                    potential += std::abs(report.objective_entry) + std::abs(report.objective_exit);
                }
                const Certificate certificate =
                    tally.certificate(tally.footer(road.learner().close(), RunEnding::finished, 0));
                EXPECT_TRUE(certificate.sound()) << to_text(certificate);
                for (const char* id : {"C2", "C3a", "C3b"})
                    EXPECT_TRUE(kept(certificate.at(id).verdict)) << id;
                if (certificate.members.empty()) {
                    const Inequality& identity = certificate.at("C5");
                    EXPECT_TRUE(kept(identity.verdict));
                    EXPECT_LE(std::abs(identity.left - identity.right), 1e-10 * potential);
                } else {
                    EXPECT_TRUE(kept(certificate.at("C8").verdict));
                    for (const Certificate& member : certificate.members)
                        EXPECT_TRUE(kept(member.at("C5").verdict));
                }
                EXPECT_EQ(certificate.summary.totals.rounds, until == kBefore       ? kBefore
                                                             : until == kBefore + 7 ? 7
                                                                                    : kAfter - 7);
                road.disturb();
                EXPECT_NE(road.revise().status, RoundStatus::refused);
            }
        }
    }
}

TEST(Revise, AnEmptyRevisionMovesNothing) {
    for (const char* text : {"time-smoothed", "adam", "ensemble:windows=1/4/16"}) {
        Road road(text, "5", 8);
        for (Index t = 0; t < kBefore; ++t) road.observe(t);
        const Vector before = road.decision();
        const RoundReport report = road.revise();
        EXPECT_EQ(road.decision(), before) << text;
        EXPECT_EQ(report.steps, 0U) << text;
        EXPECT_TRUE(report.status == RoundStatus::quiet || report.status == RoundStatus::moved) << text;
    }
}

TEST(Revise, BeforeTheFirstRoundThePointIsRepaired) {
    Road road("time-smoothed", "5", 9);
    road.disturb();
    const RoundReport report = road.revise();
    EXPECT_EQ(report.status, RoundStatus::quiet);
    Scratch scratch;
    EXPECT_EQ(SplitSet(road.routed().routing).value(road.decision(), scratch), 0);
    EXPECT_EQ(road.learner().facts().initial_records, 0U);
    EXPECT_EQ(road.learner().facts().initial_objective, 0);
    EXPECT_EQ(road.observe(0).round, 1U);
}

TEST(Revise, LossesThatAreNotFiniteAreRefused) {
    for (const char* text : {"time-smoothed", "adam", "ensemble:windows=1/4"}) {
        Road road(text, "5", 10);
        for (Index t = 0; t < 4; ++t) road.observe(t);
        for (LinkIndex link = 0; link < road.routed().network->links(); ++link)
            road.routed().routing->costs.scale_capacity(link, 1e-200);
        EXPECT_EQ(road.revise().status, RoundStatus::refused) << text;
    }
}

TEST(Revise, ALaterRefusedRoundChangesNothing) {
    for (const char* text : {"time-smoothed", "adagrad:replay=3", "ensemble:windows=1/4/16"}) {
        Road calm(text, "5", 11);
        Road vexed(text, "5", 11);
        for (Road* road : {&calm, &vexed}) {
            for (Index t = 0; t < kBefore; ++t) road->observe(t);
            road->disturb();
            road->revise();
        }
        const Vector bad(kPairs, std::numeric_limits<Real>::quiet_NaN());
        EXPECT_EQ(vexed.learner().observe(test::record_of(bad)).status, RoundStatus::refused);
        for (Index t = kBefore; t < kBefore + 6; ++t) {
            const RoundReport one = calm.observe(t);
            const RoundReport other = vexed.observe(t);
            EXPECT_EQ(one.entry_gap, other.entry_gap);
            EXPECT_EQ(one.round, other.round);
            EXPECT_EQ(calm.decision(), vexed.decision()) << text;
        }
    }
}

std::string saved_learner(AnyLearner& learner) {
    StateArchive archive;
    archive.section("learner", learner);
    return archive.seal();
}

void load_learner(AnyLearner& learner, const std::string& bytes) {
    StateArchive archive(bytes, "state");
    archive.section("learner", learner);
    archive.finish();
}

TEST(Revise, RestoredStatesContinueBitForBit) {
    for (const char* text :
         {"time-smoothed", "time-smoothed:switching=0.1", "adagrad:replay=3", "re-solve:steps=3",
          "ensemble:windows=1/4/16", "ensemble:windows=2/8,also=adam"}) {
        for (const Index pause : {0U, 3U}) {  // rounds between the change and the checkpoint
            SCOPED_TRACE(std::string(text) + ", " + std::to_string(pause) + " rounds later");
            Road whole(text, "5", 12);
            Road resumed(text, "5", 12);
            for (Road* road : {&whole, &resumed}) {
                for (Index t = 0; t < kBefore; ++t) road->observe(t);
                road->disturb();
                road->revise();
                for (Index t = 0; t < pause; ++t) road->observe(kBefore + t);
            }
            auto learner = resumed.fresh();
            const std::string bytes = saved_learner(resumed.learner());
            load_learner(*learner, bytes);
            resumed.replace(std::move(learner));
            EXPECT_EQ(saved_learner(resumed.learner()), bytes);
            EXPECT_EQ(whole.learner().facts().initial_gap, resumed.learner().facts().initial_gap);
            EXPECT_EQ(whole.learner().facts().initial_objective, resumed.learner().facts().initial_objective);
            EXPECT_EQ(whole.learner().facts().initial_records, resumed.learner().facts().initial_records);
            for (Index t = kBefore + pause; t < kBefore + kAfter; ++t) {
                if (t == kBefore + 9) {
                    for (Road* road : {&whole, &resumed}) {
                        road->disturb();
                        road->revise();
                    }
                }
                std::string one;
                std::string other;
                append_row(one, whole.observe(t),
                           {.other_gaps = {}, .prediction_loss = {}, .ensemble = whole.learner().ensemble()});
                append_row(
                    other, resumed.observe(t),
                    {.other_gaps = {}, .prediction_loss = {}, .ensemble = resumed.learner().ensemble()});
                ASSERT_EQ(one, other);
                ASSERT_EQ(whole.decision(), resumed.decision());
            }
        }
    }
}

}  // namespace
}  // namespace proxstream
