/// The automatic tolerance: what it asks for from round to round, against its definition on a plain list of
/// changes.
#include "online/tolerance.hpp"

#include "proxstream/core/draw.hpp"
#include "proxstream/core/state_archive.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

using Vector = std::vector<Real>;

Real twin_factor(Real length) {
    if (length <= 8) return 0.3;
    if (length < 16) return 0.3 * std::pow(2 / 0.3, (length - 8) / 8);
    return std::max<Real>(2, std::sqrt(length) / 4);
}

using Start = Tolerance::Start;

Tolerance solving() {
    return Tolerance::automatic().starting(Start::solve);
}

/// docs/concepts/exit-test-and-budget.md on all changes so far, at least one, none of them 0.
Real twin(Vector changes, Real length, Start start) {
    if (start == Start::solve) {
        if (changes.size() == 1) return 0.003 * changes.front();
        changes.erase(changes.begin());
        length = std::min(length, static_cast<Real>(changes.size()));
    }
    const Index memory = std::min<Index>(200, changes.size());
    Vector recent(changes.end() - static_cast<std::ptrdiff_t>(memory), changes.end());
    std::sort(recent.begin(), recent.end());
    const Real mean = std::accumulate(recent.begin(), recent.end(), Real{0}) / static_cast<Real>(memory);
    return twin_factor(length) * std::max(recent[memory / 2], mean / 4);
}

/// Changes over ten orders of magnitude, with shocks.
Vector drawn_changes(std::uint64_t seed, Index count) {
    Vector all;
    for (Index t = 0; t < count; ++t) {
        const Draw draw{.seed = seed, .round = t, .record = 0, .step = 0, .sample = 0};
        const Real size = std::exp(normal(draw));
        all.push_back(t % 97 == 5 ? 1e10 * size : size);
    }
    return all;
}

TEST(Tolerance, IsItsDefinitionInEveryRound) {
    for (const Start start : {Start::gradual, Start::solve}) {
        for (const Real length : {1.0, 12.0, 64.0, 1024.0}) {
            Tolerance tolerance = Tolerance::automatic().starting(start);
            EXPECT_EQ(tolerance.current(length), 0);
            Vector seen;
            for (const Real change : drawn_changes(3, 900)) {
                seen.push_back(change);
                const Real wanted = twin(seen, length, start);
                ASSERT_NEAR(tolerance.next(length, change), wanted, 1e-12 * wanted)
                    << seen.size() << " changes, length " << length;
                ASSERT_NEAR(tolerance.current(length), wanted, 1e-12 * wanted);
            }
        }
    }
}

TEST(Tolerance, TheFirstRoundIsActiveAfterASolvedStart) {
    // The first change is the stationarity gap itself: any factor of 1 or more would be passed at once.
    for (const Real length : {1.0, 16.0, 256.0, 4096.0}) {
        Tolerance tolerance = solving();
        EXPECT_LE(tolerance.next(length, 7), 0.003 * 7);
        // A second loss like the first one moves a window of two by half as much.
        EXPECT_LT(tolerance.next(length, 3.5), 3.5) << length;
    }
}

TEST(Tolerance, EarlyShocksAreForgotten) {
    for (const Index shocks : {1, 2, 3}) {
        Tolerance tolerance = Tolerance::automatic();
        for (Index t = 0; t < shocks; ++t) tolerance.next(64, 1e6);
        Real now = 0;
        for (Index t = 0; t < 200; ++t) now = tolerance.next(64, 1);
        EXPECT_EQ(now, 2) << shocks;
    }
    // The first one is not remembered at all where the start is solved.
    Tolerance other = solving();
    other.next(64, 1e6);
    other.next(64, 1);
    EXPECT_EQ(other.next(64, 1), 0.3);
}

TEST(Tolerance, ANumberOfItsOwnIsKept) {
    Tolerance tight = Tolerance::parse("auto:0.001").starting(Start::solve);
    EXPECT_EQ(tight.next(64, 5), 0.001 * 5);
    EXPECT_EQ(tight.next(64, 3), 0.001 * 3);
    Tolerance gradual = Tolerance::parse("auto:9");
    EXPECT_EQ(gradual.next(64, 5), 9.0 * 5);
    Tolerance loose = Tolerance::parse("auto:9").starting(Start::solve);
    EXPECT_EQ(loose.next(64, 5), 0.003 * 5) << "the first round has to work";
    EXPECT_EQ(loose.next(64, 3), 9.0 * 3);
    Tolerance fixed = Tolerance::parse("6");
    EXPECT_EQ(fixed.next(64, 5), 6.0 / 64);
    EXPECT_EQ(Tolerance::none().next(64, 5), 0);
}

TEST(Tolerance, RoundsWithoutAChangeAreNotCounted) {
    Tolerance with = solving();
    Tolerance without = solving();
    EXPECT_EQ(with.next(64, 0), 0);
    for (const Real change : drawn_changes(4, 300)) {
        const Real now = with.next(64, change);
        EXPECT_EQ(now, without.next(64, change));
        EXPECT_EQ(with.next(64, 0), now);
        with.rollback();
        EXPECT_EQ(with.current(64), now);
    }
}

TEST(Tolerance, ARefusedRoundLeavesTheSameBits) {
    const Vector changes = drawn_changes(5, 700);
    for (const Start start : {Start::gradual, Start::solve}) {
        Tolerance plain = Tolerance::automatic().starting(start);
        Tolerance tried = plain;
        for (Index t = 0; t < changes.size(); ++t) {
            const Real before = tried.current(64);
            tried.next(64, 1e12 / (1 + static_cast<Real>(t)));
            tried.rollback();
            ASSERT_EQ(tried.current(64), before) << t;
            ASSERT_EQ(tried.next(64, changes[t]), plain.next(64, changes[t])) << t;
        }
    }
}

TEST(Tolerance, RestoredStatesContinueBitForBit) {
    const Vector changes = drawn_changes(6, 700);
    for (const Index cut : {0, 1, 2, 150, 201, 202, 450}) {
        Tolerance whole = solving();
        for (Index t = 0; t < cut; ++t) whole.next(64, changes[t]);
        StateArchive out;
        out.section("tolerance", whole);
        Tolerance read = solving();
        StateArchive in(out.seal(), "memory");
        in.section("tolerance", read);
        in.finish();
        EXPECT_EQ(read.current(64), whole.current(64)) << cut;
        for (Index t = cut; t < changes.size(); ++t)
            ASSERT_EQ(read.next(64, changes[t]), whole.next(64, changes[t])) << cut << ", " << t;
    }
}

}  // namespace
}  // namespace proxstream
