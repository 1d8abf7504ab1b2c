#include "route/alarms.hpp"

#include "proxstream/core/draw.hpp"

#include "route/robust_range.hpp"
#include "route/small_run.hpp"

#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace proxstream {
namespace {

const std::vector<Pair> kAlarmPairs{{0, 3}, {0, 4}, {1, 3}};

/// Alarms on the small network, fed with one quantity.
class Feed {
  public:
    explicit Feed(AlarmOptions options)
        : network_(testing::small_network()), queue_(options, network_, kAlarmPairs) {}

    const AlarmMonitor& utilisation(Real value) {
        std::vector<Real> all(network_.links(), 0);
        all[3] = value;
        return observe({.utilisation = all});
    }
    const AlarmMonitor& demand(Real first, Real third, std::vector<Index> unroutable = {}) {
        const std::vector<Real> all{first, 0, third};
        return observe({.demand = all, .unroutable = unroutable});
    }
    const AlarmMonitor& observe(AlarmInput input) {
        input.period = ++period_;
        queue_.observe(input);
        return queue_;
    }
    const AlarmMonitor& queue() const { return queue_; }

  private:
    Network network_;
    AlarmMonitor queue_;
    Index period_ = 0;
};

TEST(Alarms, UtilisationIsRaisedAndClearedAfterAWhile) {
    Feed feed({.sustain = 3});
    for (const Real value : {0.95, 0.97, 0.85, 0.95, 0.95})
        EXPECT_TRUE(feed.utilisation(value).open().empty());
    const AlarmMonitor& queue = feed.utilisation(0.93);
    ASSERT_EQ(queue.raised_now().size(), 1U);
    EXPECT_EQ(queue.raised_now()[0].kind, AlarmKind::utilisation);
    EXPECT_EQ(queue.raised_now()[0].subject, "B, north-D");
    EXPECT_EQ(queue.raised_now()[0].period, 6U);
    for (const Real value : {1.25, 0.7, 0.7, 0.85, 0.7, 0.7}) {
        EXPECT_TRUE(feed.utilisation(value).raised_now().empty());
        ASSERT_EQ(queue.open().size(), 1U);
    }
    feed.utilisation(0.7);
    ASSERT_EQ(queue.cleared_now().size(), 1U);
    EXPECT_EQ(queue.cleared_now()[0].value, 1.25) << "at its worst";
    EXPECT_EQ(queue.cleared_now()[0].cleared, std::optional<Index>(13));
    EXPECT_TRUE(queue.open().empty());
    EXPECT_EQ(queue.all().size(), 1U);
}

/// For every input: between two changes of an alarm lie at least `sustain` periods that ask for the second.
RC_GTEST_PROP(AlarmProperties, UtilisationNeverFlaps, ()) {
    const auto sustain = *rc::gen::inRange<Index>(1, 5);
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    const AlarmOptions options{.sustain = sustain};
    Feed feed(options);
    Index above = 0;
    Index below = 0;
    bool open = false;
    for (Index t = 0; t < 120; ++t) {
        const Real value = 0.7 + 0.3 * uniform({.seed = seed, .round = t / (1 + seed % 4)});
        above = value > options.alarm_utilisation ? above + 1 : 0;
        below = value < options.clear_utilisation ? below + 1 : 0;
        const bool was = open;
        if (!open && above >= sustain) open = true;
        if (was && below >= sustain) open = false;
        const AlarmMonitor& queue = feed.utilisation(value);
        RC_ASSERT(queue.open().size() == (open ? 1U : 0U));
        RC_ASSERT(queue.raised_now().size() == (open && !was ? 1U : 0U));
        RC_ASSERT(queue.cleared_now().size() == (!open && was ? 1U : 0U));
    }
}

/// Around either threshold, by less than the distance of the two: one alarm at most.
RC_GTEST_PROP(AlarmProperties, SwingsAroundAThresholdRaiseOneAlarm, ()) {
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    const bool upper = *rc::gen::arbitrary<bool>();
    Feed feed({.sustain = 1});
    feed.utilisation(upper ? 0.5 : 1.0);
    for (Index t = 0; t < 200; ++t) {
        feed.utilisation((upper ? 0.9 : 0.8) + 0.19 * (uniform({.seed = seed, .round = t}) - 0.5));
    }
    RC_ASSERT(feed.queue().total() <= 1U);
}

TEST(Alarms, StaleFeedNeedsAWhileToBeTrustedAgain) {
    Feed feed({.sustain = 2, .stale_seconds = 10});
    EXPECT_TRUE(feed.observe({.waited = 9}).open().empty());
    const AlarmMonitor& queue = feed.observe({.waited = 30});
    ASSERT_EQ(queue.open().size(), 1U);
    EXPECT_EQ(queue.open()[0].kind, AlarmKind::stale_feed);
    EXPECT_EQ(queue.open()[0].value, 30);
    feed.observe({.waited = 1});
    feed.observe({.problem = "line 9: not a number"});
    feed.observe({.waited = 1});
    EXPECT_EQ(queue.open().size(), 1U);
    feed.observe({.waited = 1});
    EXPECT_TRUE(queue.open().empty());
    feed.observe({.problem = "line 9: not a number"});
    ASSERT_EQ(queue.open().size(), 1U);
    EXPECT_NE(queue.open()[0].text.find("line 9"), std::string::npos);
}

TEST(Alarms, UnroutablePairsAreNamed) {
    Feed feed({.sustain = 2});
    const AlarmMonitor& queue = feed.demand(5, 5, {1});
    ASSERT_EQ(queue.raised_now().size(), 1U);
    EXPECT_EQ(queue.raised_now()[0].subject, "A->island");
    feed.demand(5, 5, {1, 2});
    ASSERT_EQ(queue.raised_now().size(), 1U) << "the first one is open already";
    EXPECT_EQ(queue.raised_now()[0].subject, "B, north->D");
    EXPECT_EQ(queue.raised_now()[0].value, 5);
    feed.demand(5, 5);
    feed.observe({});  // demand not known: no news
    EXPECT_EQ(queue.open().size(), 2U);
    feed.demand(5, 5);
    EXPECT_TRUE(queue.open().empty());
}

TEST(Alarms, DemandFarOutsideItsRangeIsNoticedForTotalAndOrigin) {
    Feed feed({.sustain = 2, .anomaly = 6, .anomaly_periods = 24});
    const auto usual = [](Index t) { return 100 + 5 * std::sin(static_cast<Real>(t)); };
    for (Index t = 0; t < 40; ++t) EXPECT_EQ(feed.demand(usual(t), 50).total(), 0U) << t;
    const AlarmMonitor& queue = feed.demand(usual(40), 150);
    ASSERT_EQ(queue.raised_now().size(), 2U);
    EXPECT_EQ(queue.raised_now()[0].subject, "from B, north");
    EXPECT_EQ(queue.raised_now()[1].subject, "total");
    feed.demand(usual(41), 50);
    EXPECT_EQ(queue.open().size(), 2U);
    feed.demand(usual(42), 50);
    EXPECT_TRUE(queue.open().empty());
    // A new level is unusual until it is the usual one.
    for (Index t = 43; t < 80; ++t) feed.demand(usual(t), 150);
    EXPECT_TRUE(queue.open().empty());
    EXPECT_EQ(queue.total(), 4U);
}

TEST(Alarms, ARisingGapRaisesOneAlarm) {
    Feed feed({.sustain = 2, .gap_factor = 3});
    const auto gap = [&](Real value) -> const AlarmMonitor& { return feed.observe({.entry_gap = value}); };
    for (Index t = 0; t < 100; ++t) gap(t % 2 == 0 ? 1 : 1.5);
    EXPECT_EQ(feed.queue().total(), 0U);
    for (Index t = 0; t < 10; ++t) gap(12);
    EXPECT_EQ(feed.queue().total(), 1U);
    EXPECT_EQ(feed.queue().all()[0].kind, AlarmKind::gap);
    for (Index t = 0; t < 30; ++t) gap(1);
    EXPECT_TRUE(feed.queue().open().empty());
}

TEST(Alarms, OldAlarmsAreDroppedAndCounted) {
    Feed feed({.sustain = 1, .alarms_kept = 5});
    for (Index t = 0; t < 20; ++t) {
        feed.utilisation(1.5);
        feed.utilisation(0.1);
    }
    feed.utilisation(1.5);
    const std::vector<Alarm> all = feed.queue().all();
    ASSERT_EQ(all.size(), 5U);
    EXPECT_EQ(all.front().number, 17U);
    EXPECT_EQ(all.back().number, 21U);
    EXPECT_FALSE(all.back().cleared.has_value());
    EXPECT_EQ(feed.queue().total(), 21U);
    EXPECT_EQ(feed.queue().dropped(), 16U);
}

TEST(RobustRange, IsMovedByNoFewValues) {
    std::vector<Real> scratch;
    const std::vector<Real> values{9, 10, 11, 10, 9, 11, 10, 1e9};
    const RobustRange range = robust_range(std::vector<Real>(values.begin(), values.end() - 1), scratch);
    EXPECT_EQ(range.median, 10);
    EXPECT_NEAR(range.spread, 1.4826, 1e-9);
    EXPECT_EQ(robust_range(values, scratch).median, 10);
    EXPECT_EQ(robust_range({0, 0, 0}, scratch).deviations(1), 1e6);
    EXPECT_EQ(robust_range({0, 0, 0}, scratch).deviations(0), 0);
    EXPECT_NEAR(robust_range({5, 5, 5}, scratch).deviations(6), 10, 1e-9) << "2 % of the median";
}

}  // namespace
}  // namespace proxstream
