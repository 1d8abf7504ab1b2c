/// Order statistics against a sorted list: exact while the list is short, within the promised bound when it
/// is long. A saved and restored state gives the same.
#include "core/quantile_sketch.hpp"

#include "proxstream/core/draw.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

/// Distance in ranks between the sketch's answer and its place in the sorted list.
Real off_by(const std::vector<Real>& sorted, std::uint64_t rank, Real value) {
    const auto [low, high] = std::equal_range(sorted.begin(), sorted.end(), value);
    const auto first = static_cast<Real>(low - sorted.begin());
    const auto last = static_cast<Real>(high - sorted.begin()) - 1;
    const auto wanted = static_cast<Real>(rank);
    return wanted < first ? first - wanted : wanted > last ? wanted - last : 0;
}

TEST(QuantileSketch, ShortListsAreExact) {
    QuantileSketch sketch;
    std::vector<Real> all;
    for (Index i = 0; i + 1 < 2 * QuantileSketch::kRoom; ++i) {
        all.push_back(uniform({.seed = 3, .round = i}));
        sketch.add(all.back());
    }
    EXPECT_TRUE(sketch.exact());
    EXPECT_EQ(sketch.last(), all.back());
    std::sort(all.begin(), all.end());
    for (const std::uint64_t rank : {std::uint64_t{0}, std::uint64_t{1}, all.size() / 2, all.size() - 1})
        EXPECT_EQ(sketch.at_rank(rank), all[rank]);
}

TEST(QuantileSketch, LongListsAreOffByNoMoreThanPromised) {
    // In order, backwards, at random, and with a period that is a power of two.
    for (int kind = 0; kind < 4; ++kind) {
        QuantileSketch sketch;
        std::vector<Real> all;
        const Index n = 300'000;
        for (Index i = 0; i < n; ++i) {
            const auto t = static_cast<Real>(i);
            const Real value = kind == 0   ? t
                               : kind == 1 ? -t
                               : kind == 2
                                   ? uniform({.seed = 4, .round = i})
                                   : std::sin(2 * 3.14159 * static_cast<Real>(i % 64) / 64) + 1e-9 * t;
            all.push_back(value);
            sketch.add(value);
        }
        std::sort(all.begin(), all.end());
        EXPECT_FALSE(sketch.exact());
        EXPECT_EQ(sketch.smallest(), all.front());
        EXPECT_EQ(sketch.largest(), all.back());
        const Real levels = std::ceil(std::log2(static_cast<Real>(n) / (2.0 * QuantileSketch::kRoom))) + 1;
        const Real allowed = static_cast<Real>(n) * levels / (2.0 * QuantileSketch::kRoom) + 1;
        for (const Real share : {0.01, 0.25, 0.5, 0.75, 0.95}) {
            const auto rank = static_cast<std::uint64_t>(share * static_cast<Real>(n));
            EXPECT_LE(off_by(all, rank, sketch.at_rank(rank)), allowed) << kind << " " << share;
        }
    }
}

TEST(QuantileSketch, ContinuesFromItsState) {
    QuantileSketch whole;
    QuantileSketch first;
    const Index n = 50'000;
    for (Index i = 0; i < n; ++i) {
        const Real value = uniform({.seed = 5, .round = i});
        whole.add(value);
        if (i < 20'000) first.add(value);
    }
    StateArchive saved;
    first.serialise(saved);
    StateArchive back(saved.seal(), "test");
    QuantileSketch second;
    second.serialise(back);
    back.finish();
    for (Index i = 20'000; i < n; ++i) second.add(uniform({.seed = 5, .round = i}));
    for (std::uint64_t rank = 0; rank < n; rank += 997) EXPECT_EQ(second.at_rank(rank), whole.at_rank(rank));
    StateArchive here;
    StateArchive there;
    whole.serialise(here);
    second.serialise(there);
    EXPECT_EQ(here.seal(), there.seal());
}

}  // namespace
}  // namespace proxstream
