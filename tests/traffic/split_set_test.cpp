/// The splits of all pairs as a set to project on, against products of simplices, against a slow projection
/// of the live slots alone, and against the definition of a prox.
#include "traffic/split_set.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/core/linalg.hpp"
#include "proxstream/core/parallel.hpp"
#include "proxstream/prox/simplex.hpp"

#include "prox/anchored.hpp"
#include "prox/simplex_projection.hpp"
#include "support/routing_twin.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

using test::Chance;
using test::Routed;
using Vector = std::vector<Real>;

constexpr Real kNaN = std::numeric_limits<Real>::quiet_NaN();

Vector draw(Index n, Chance& chance, Index kind) {
    constexpr Real kScales[] = {1, 0.1, 100, 1e-4};
    Vector v(n);
    for (Real& entry : v) {
        entry = kScales[kind % 4] * chance.gauss();
        if (kind % 5 == 4) entry = std::round(entry);
    }
    return v;
}

/// Random path sets with holes and without.
void for_each_set(const std::function<void(const Routed&, const SplitSet&, Chance&)>& body) {
    for (std::uint64_t seed = 1; seed <= 24; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Chance chance(seed);
        const Routed routed = test::random_routing({.pairs = 12,
                                                    .k = 1 + seed % 4,
                                                    .spare = seed % 3,
                                                    .holes = seed % 2 == 0,
                                                    .slack = seed % 5 == 0},
                                                   chance);
        body(routed, SplitSet(routed.routing), chance);
    }
}

std::vector<SlotIndex> live_slots(const PathSet& paths, Index pair) {
    std::vector<SlotIndex> live;
    for (SlotIndex slot = paths.first_slot(pair); slot < paths.end_slot(pair); ++slot)
        if (paths.live(slot)) live.push_back(slot);
    return live;
}

/// Projection of one pair's live entries by bisection for the multiplier; with a price `pull` on leaving
/// `centre`.
void project_slowly(const PathSet& paths, const Vector& v, Real pull, const Vector& centre, Vector& out) {
    out.assign(v.size(), 0);
    for (Index pair = 0; pair < paths.pairs(); ++pair) {
        const std::vector<SlotIndex> live = live_slots(paths, pair);
        if (live.empty()) continue;
        Real low = kInfinity;
        Real high = -kInfinity;
        for (const SlotIndex slot : live) {
            low = std::min(low, v[slot] - pull - 2);
            high = std::max(high, v[slot] + pull + 1);
        }
        const auto share = [&](SlotIndex slot, Real tau) {
            const Real up = std::max<Real>(v[slot] - tau - pull, 0);
            const Real down = std::max<Real>(v[slot] - tau + pull, 0);
            return up > centre[slot] ? up : down < centre[slot] ? down : centre[slot];
        };
        for (int i = 0; i < 200; ++i) {
            const Real tau = (low + high) / 2;
            Real total = 0;
            for (const SlotIndex slot : live) total += share(slot, tau);
            (total > 1 ? low : high) = tau;
        }
        for (const SlotIndex slot : live) out[slot] = share(slot, high);
    }
}

void expect_inside(const PathSet& paths, const Vector& x) {
    for (Index pair = 0; pair < paths.pairs(); ++pair) {
        Real total = 0;
        Index live = 0;
        for (SlotIndex slot = paths.first_slot(pair); slot < paths.end_slot(pair); ++slot) {
            ASSERT_GE(x[slot], 0);
            ASSERT_TRUE(paths.live(slot) || x[slot] == 0);
            live += paths.live(slot) ? 1 : 0;
            total += x[slot];
        }
        ASSERT_NEAR(total, live > 0 ? 1 : 0, 1e-14 * 8);
    }
}

TEST(SplitSet, IsAProductOfSimplicesWhereEverySlotHasAPath) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        Chance chance(seed);
        const Routed routed = test::random_routing({.k = 4, .spare = 0}, chance);
        const PathSet& paths = routed.routing->paths;
        std::vector<Index> sizes;
        for (Index pair = 0; pair < paths.pairs(); ++pair)
            sizes.push_back(paths.end_slot(pair) - paths.first_slot(pair));
        const SimplexProduct product(BlockLayout::of_sizes(sizes), Coefficients(1));
        const SplitSet splits(routed.routing);
        Scratch scratch;
        Vector one(paths.slots()), other(paths.slots());
        for (Index kind = 0; kind < 20; ++kind) {
            const Vector v = draw(paths.slots(), chance, kind);
            EXPECT_EQ(splits.prox(v, 0.7, one, scratch), product.prox(v, 0.7, other, scratch));
            EXPECT_EQ(one, other);
            const Vector centre = test::random_splits(paths, chance);
            splits.switching_prox(v, 0.7, {0.2, centre}, one, scratch);
            product.switching_prox(v, 0.7, {0.2, centre}, other, scratch);
            EXPECT_EQ(one, other);
            Vector d = v;
            Vector e = v;
            splits.project_direction(d);
            product.project_direction(e);
            for (Index i = 0; i < d.size(); ++i) EXPECT_NEAR(d[i], e[i], 1e-14 * norm(v));
        }
    }
}

TEST(SplitSet, ProjectsTheLiveSlotsOfEachPair) {
    for_each_set([](const Routed& routed, const SplitSet& splits, Chance& chance) {
        const PathSet& paths = routed.routing->paths;
        Scratch scratch;
        Vector found(paths.slots()), wanted;
        for (Index kind = 0; kind < 10; ++kind) {
            const Vector v = draw(paths.slots(), chance, kind);
            const Vector centre = test::random_splits(paths, chance);
            EXPECT_EQ(splits.prox(v, 0.3, found, scratch), 0);
            expect_inside(paths, found);
            project_slowly(paths, v, 0, centre, wanted);
            EXPECT_LE(test::relative_error(found, wanted), 1e-12);
            for (const Real kappa : {0.01, 0.5, 10.0}) {
                EXPECT_EQ(splits.switching_prox(v, 0.3, {0.3 * kappa, centre}, found, scratch), 0);
                expect_inside(paths, found);
                project_slowly(paths, v, 0.3 * kappa, centre, wanted);
                EXPECT_LE(test::relative_error(found, wanted), 1e-11);
            }
            // What it says of points: inside, or not.
            EXPECT_EQ(splits.value(found, scratch), 0);
            EXPECT_EQ(splits.value(v, scratch), kInfinity);
        }
    });
}

/// Pair by pair, with one projection each.
void project_pair_by_pair(const PathSet& paths, const Vector& v, Vector& out) {
    Scratch scratch;
    out.assign(v.size(), 0);
    for (Index pair = 0; pair < paths.pairs(); ++pair) {
        Vector live;
        for (SlotIndex slot = paths.first_slot(pair); slot < paths.end_slot(pair); ++slot)
            if (paths.live(slot)) live.push_back(v[slot]);
        if (live.size() > 1) project_onto_simplex(live, 1, live, scratch);
        if (live.size() == 1) live[0] = 1;
        Index k = 0;
        for (SlotIndex slot = paths.first_slot(pair); slot < paths.end_slot(pair); ++slot)
            if (paths.live(slot)) out[slot] = live[k++];
    }
}

TEST(SplitSet, BatchesEqualSinglePairsBitForBit) {
    Chance chance(31);
    for (const bool holes : {false, true}) {
        const Routed routed = test::random_routing(
            {.nodes = 60, .chords = 500, .pairs = 3400, .k = 5, .spare = 2, .holes = holes}, chance);
        const PathSet& paths = routed.routing->paths;
        const SplitSet splits(routed.routing);
        Scratch scratch;
        Vector found(paths.slots()), wanted;
        for (Index kind = 0; kind < 5; ++kind) {
            Vector v = draw(paths.slots(), chance, kind);
            project_pair_by_pair(paths, v, wanted);
            for (const Index threads : {1U, 2U, 3U}) {
                set_threads(threads);
                EXPECT_EQ(splits.prox(v, 0.3, found, scratch), 0);
                EXPECT_EQ(found, wanted);
            }
            EXPECT_EQ(splits.prox(v, 0.3, v, scratch), 0);
            set_threads(1);
            EXPECT_EQ(v, wanted) << "in place";
        }
    }
}

TEST(SplitSet, IsTheMinimiserAndFirmlyNonExpansive) {
    for_each_set([](const Routed& routed, const SplitSet& splits, Chance& chance) {
        const PathSet& paths = routed.routing->paths;
        const Index n = paths.slots();
        Scratch scratch;
        Vector p(n), q(n);
        for (Index kind = 0; kind < 8; ++kind) {
            const Vector v = draw(n, chance, kind);
            Vector w = draw(n, chance, kind / 2);
            if (kind % 2 == 0) step_along(v, 1e-2, w, w);
            splits.prox(v, 1, p, scratch);
            splits.prox(w, 1, q, scratch);
            // p is the projection iff no point z of the set lies on v's side: <v - p, z - p> <= 0. Empty
            // slots are no coordinates of the set: what v has there does not count.
            for (int other = 0; other < 10; ++other) {
                const Vector z = test::random_splits(paths, chance);
                Real slope = 0;
                for (Index i = 0; i < n; ++i)
                    slope += routed.routing->paths.live(static_cast<SlotIndex>(i))
                                 ? (v[i] - p[i]) * (z[i] - p[i])
                                 : 0;
                EXPECT_LE(slope, 1e-12 * (1 + norm(v)));
            }
            Real moved = 0;
            Real along = 0;
            for (Index i = 0; i < n; ++i) {
                moved += (p[i] - q[i]) * (p[i] - q[i]);
                along += (p[i] - q[i]) * (v[i] - w[i]);
            }
            EXPECT_LE(moved, along + 1e-12 * (1 + norm(v)) * (1 + distance(v, w)));
            Vector again = p;
            splits.prox(again, 5, again, scratch);
            for (Index i = 0; i < n; ++i) EXPECT_NEAR(again[i], p[i], 1e-15);
        }
    });
}

TEST(SplitSet, WorksInPlaceAndWithoutNewMemory) {
    for_each_set([](const Routed& routed, const SplitSet& splits, Chance& chance) {
        const Index n = routed.routing->paths.slots();
        Scratch scratch;
        const Vector centre = test::random_splits(routed.routing->paths, chance);
        const auto both = [&](Index kind) {
            const Vector v = draw(n, chance, kind);
            Vector out(n, -7);
            Vector same = v;
            EXPECT_EQ(splits.prox(v, 1, out, scratch), splits.prox(same, 1, same, scratch));
            EXPECT_EQ(out, same);
            same = v;
            splits.switching_prox(v, 1, {0.1, centre}, out, scratch);
            splits.switching_prox(same, 1, {0.1, centre}, same, scratch);
            EXPECT_EQ(out, same);
        };
        both(0);
        const Index capacity = scratch.capacity();
        for (Index kind = 1; kind < 8; ++kind) both(kind);
        EXPECT_EQ(scratch.capacity(), capacity);
    });
}

TEST(SplitSet, IgnoresRemovedDirections) {
    for_each_set([](const Routed& routed, const SplitSet& splits, Chance& chance) {
        const Index n = routed.routing->paths.slots();
        Scratch scratch;
        for (Index kind = 0; kind < 4; ++kind) {
            const Vector x = test::random_splits(routed.routing->paths, chance);
            const Vector d = draw(n, chance, kind);
            Vector seen = d;
            splits.project_direction(seen);
            Vector twice = seen;
            splits.project_direction(twice);
            EXPECT_LE(norm(seen), norm(d) * (1 + 1e-12));
            for (Index i = 0; i < n; ++i) EXPECT_NEAR(seen[i], twice[i], 1e-13 * norm(d));
            Vector with(n), without(n);
            step_along(x, -0.7, d, with);
            step_along(x, -0.7, seen, without);
            splits.prox(with, 0.7, with, scratch);
            splits.prox(without, 0.7, without, scratch);
            for (Index i = 0; i < n; ++i) EXPECT_NEAR(with[i], without[i], 1e-12 * (1 + norm(d)));
        }
    });
}

TEST(SplitSet, NaNPropagatesToEveryPath) {
    for_each_set([](const Routed& routed, const SplitSet& splits, Chance& chance) {
        const PathSet& paths = routed.routing->paths;
        Scratch scratch;
        const Vector x = test::random_splits(paths, chance);
        for (SlotIndex at = 0; at < paths.slots(); ++at) {
            Vector v = x;
            v[at] = kNaN;
            EXPECT_TRUE(std::isnan(splits.value(v, scratch)));
            const Real value = splits.prox(v, 0.5, v, scratch);
            // With one path there is nothing to choose: the value tells of it, where the point cannot.
            EXPECT_EQ(paths.live(at), std::isnan(value) || std::isnan(v[at])) << at;
        }
    });
}

TEST(SplitSet, TheL1NormIsAConstant) {
    Chance chance(3);
    const Routed routed = test::random_routing({}, chance);
    const SplitSet plain(routed.routing);
    const SplitSet weighted(routed.routing, 5);
    Scratch scratch;
    const Index n = routed.routing->paths.slots();
    Vector one(n), other(n);
    for (Index kind = 0; kind < 8; ++kind) {
        const Vector v = draw(n, chance, kind);
        EXPECT_EQ(plain.prox(v, 0.5, one, scratch), 0);
        EXPECT_EQ(weighted.prox(v, 0.5, other, scratch), 5 * 9);
        EXPECT_EQ(one, other);
        EXPECT_EQ(weighted.value(one, scratch), 5 * 9);
        EXPECT_EQ(weighted.infimum(), 5 * 9);
    }
}

TEST(SplitSet, FollowsAddedAndRemovedPaths) {
    Chance chance(4);
    const Routed routed = test::random_routing({.k = 3, .spare = 1}, chance);
    Routing& routing = *routed.routing;
    const SplitSet splits(routed.routing);
    Scratch scratch;
    Vector x = even_splits(routing.paths);
    EXPECT_EQ(splits.value(x, scratch), 0);
    routing.paths.change(std::vector<PathChange>{{routing.paths.first_slot(2), false, {}}});
    EXPECT_EQ(splits.value(x, scratch), kInfinity) << "a share on a path that is gone";
    repair_splits(routing.paths, x);
    EXPECT_EQ(splits.value(x, scratch), 0);
    splits.prox(draw(x.size(), chance, 0), 1, x, scratch);
    expect_inside(routing.paths, x);
    EXPECT_NO_THROW(splits.check_dimension(x.size()));
    EXPECT_THROW(splits.check_dimension(x.size() + 1), ConfigError);
}

TEST(RepairSplits, RedistributesInProportionAndKeepsCompletePairs) {
    Network network;
    network.node("a");
    network.node("b");
    for (int i = 0; i < 4; ++i) network.add_link({.from = 0, .to = 1});
    for (int i = 0; i < 4; ++i) network.add_link({.from = 1, .to = 0});
    const std::vector<Index> slots = {4, 4};
    PathSet paths(network, {{0, 1}, {1, 0}}, slots);
    std::vector<PathChange> all;
    for (SlotIndex slot = 0; slot < 8; ++slot) all.push_back({slot, true, {slot}});
    paths.change(all);
    const Vector start = {0.1, 0.2, 0.3, 0.4, 0.25, 0.25, 0.5, 0};
    const auto repaired = [&](const std::vector<SlotIndex>& gone, const Vector& from) {
        std::vector<PathChange> changes;
        for (const SlotIndex slot : gone) changes.push_back({slot, false, {}});
        paths.change(changes);
        Vector x = from;
        repair_splits(paths, x);
        paths.change(all);
        return x;
    };
    EXPECT_EQ(repaired({}, start), start);
    const Vector without_last = repaired({3}, start);
    for (SlotIndex slot = 0; slot < 3; ++slot) EXPECT_DOUBLE_EQ(without_last[slot], start[slot] / 0.6);
    EXPECT_EQ(without_last[3], 0);
    EXPECT_EQ(Vector(without_last.begin() + 4, without_last.end()), Vector(start.begin() + 4, start.end()));
    // Those that are left had nothing: evenly.
    EXPECT_EQ(repaired({4, 5, 6}, start), (Vector{0.1, 0.2, 0.3, 0.4, 0, 0, 0, 1}));
    EXPECT_EQ(repaired({0, 1}, {0.5, 0.5, 0, 0, 0, 0, 0, 1}), (Vector{0, 0, 0.5, 0.5, 0, 0, 0, 1}));
    // Nothing left: nothing to give.
    EXPECT_EQ(repaired({0, 1, 2, 3}, start), (Vector{0, 0, 0, 0, 0.25, 0.25, 0.5, 0}));
    // A pair that had no path gets one.
    EXPECT_EQ(repaired({1, 2, 3}, {0, 0, 0, 0, 0, 0, 1, 0}), (Vector{1, 0, 0, 0, 0, 0, 1, 0}));
}

TEST(EvenSplits, LeaveSlackAndEmptySlotsOut) {
    for_each_set([](const Routed& routed, const SplitSet& splits, Chance&) {
        const PathSet& paths = routed.routing->paths;
        const Vector x = even_splits(paths);
        Scratch scratch;
        EXPECT_EQ(splits.value(x, scratch), 0);
        for (Index pair = 0; pair < paths.pairs(); ++pair) {
            Vector shares;
            bool slack = false;
            for (SlotIndex slot = paths.first_slot(pair); slot < paths.end_slot(pair); ++slot) {
                if (!paths.live(slot)) continue;
                if (paths.links(slot).empty()) {
                    slack = true;
                } else {
                    shares.push_back(x[slot]);
                }
            }
            for (const Real share : shares) EXPECT_EQ(share, 1 / static_cast<Real>(shares.size()));
            // Slack only where there is nothing else.
            if (shares.empty() && slack) {
                EXPECT_EQ(x[paths.end_slot(pair) - 1], 1);
            }
        }
    });
}

}  // namespace
}  // namespace proxstream
