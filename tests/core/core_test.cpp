// Draws, working memory, error texts and round reports.
#include "proxstream/core/draw.hpp"
#include "proxstream/core/error.hpp"
#include "proxstream/core/round_report.hpp"
#include "proxstream/core/scratch.hpp"
#include "proxstream/core/state_archive.hpp"

#include "core/cache_aligned.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

TEST(Draws, AreAFunctionOfTheirCoordinates) {
    const Draw here{.seed = 7, .round = 3, .record = 2, .step = 1, .sample = 9};
    const Real first = uniform(here);
    (void)normal({.seed = 1});
    EXPECT_EQ(uniform(here), first);
    // Philox 4x64-10 worked out by hand with whole numbers: a change of generator must be seen.
    EXPECT_EQ(uniform(Draw{}), 0x1.58c61968be73ep-1);
    EXPECT_DOUBLE_EQ(normal(Draw{.seed = 1, .round = 2, .record = 3, .step = 4, .sample = 5}),
                     -0x1.a041a7d4e287ap-1);
    EXPECT_EQ(uniform_below(Draw{.seed = 42}, 1000000), 866792U);
}

TEST(Draws, EveryCoordinateMatters) {
    // Neighbours in each coordinate, and in two that might be packed over one another.
    std::vector<Draw> places{Draw{}};
    for (std::uint32_t k = 1; k <= 64; ++k) {
        places.push_back({.seed = k});
        places.push_back({.round = k});
        places.push_back({.record = k});
        places.push_back({.step = k});
        places.push_back({.sample = k});
        places.push_back({.record = k, .step = k});
        places.push_back({.record = ~k});
        places.push_back({.step = ~k});
        places.push_back({.sample = std::uint64_t{k} << 32U});
        places.push_back({.seed = std::uint64_t{k} << 32U});
        places.push_back({.round = std::uint64_t{k} << 32U});
    }
    std::set<Real> seen;
    for (const Draw& draw : places) seen.insert(uniform(draw));
    EXPECT_EQ(seen.size(), places.size());
}

/// |mean of n draws - expected| in standard errors; fixed seeds, so a pass stays a pass.
Real deviations(Real total, Index n, Real expected, Real standard_deviation) {
    const auto count = static_cast<Real>(n);
    return std::abs(total / count - expected) / (standard_deviation / std::sqrt(count));
}

TEST(Draws, HaveTheRightMomentsAlongEveryCoordinate) {
    constexpr Index kCount = 20000;
    for (int coordinate = 0; coordinate < 5; ++coordinate) {
        std::array<Real, 4> uniforms{};
        std::array<Real, 4> normals{};
        Real product = 0;
        Real previous = 0;
        for (Index i = 0; i < kCount; ++i) {
            Draw draw{.seed = 11, .round = 12, .record = 13, .step = 14, .sample = 15};
            if (coordinate == 0) draw.seed = i;
            if (coordinate == 1) draw.round = i;
            if (coordinate == 2) draw.record = static_cast<std::uint32_t>(i);
            if (coordinate == 3) draw.step = static_cast<std::uint32_t>(i);
            if (coordinate == 4) draw.sample = i;
            const Real u = uniform(draw);
            const Real z = normal(draw);
            ASSERT_GT(u, 0);
            ASSERT_LT(u, 1);
            ASSERT_TRUE(std::isfinite(z));
            uniforms[0] += u;
            uniforms[1] += (u - 0.5) * (u - 0.5);
            normals[0] += z;
            normals[1] += z * z;
            normals[2] += z * z * z;
            normals[3] += z * z * z * z;
            product += z * previous;
            previous = z;
        }
        EXPECT_LT(deviations(uniforms[0], kCount, 0.5, std::sqrt(1.0 / 12)), 4) << coordinate;
        EXPECT_LT(deviations(uniforms[1], kCount, 1.0 / 12, std::sqrt(1.0 / 180)), 4) << coordinate;
        EXPECT_LT(deviations(normals[0], kCount, 0, 1), 4) << coordinate;
        EXPECT_LT(deviations(normals[1], kCount, 1, std::sqrt(2.0)), 4) << coordinate;
        EXPECT_LT(deviations(normals[2], kCount, 0, std::sqrt(15.0)), 4) << coordinate;
        EXPECT_LT(deviations(normals[3], kCount, 3, std::sqrt(96.0)), 4) << coordinate;
        // Neighbours along a coordinate are uncorrelated.
        EXPECT_LT(deviations(product, kCount, 0, 1), 4) << coordinate;
    }
}

TEST(Draws, IntegersStayBelowTheirBoundAndReachAll) {
    for (const std::uint64_t bound : {1ULL, 2ULL, 3ULL, 7ULL, 10ULL}) {
        std::vector<Real> hits(bound);
        constexpr Index kCount = 7000;
        for (Index i = 0; i < kCount; ++i) {
            const std::uint64_t k = uniform_below({.seed = 5, .sample = i}, bound);
            ASSERT_LT(k, bound);
            hits[k] += 1;
        }
        const Real p = 1 / static_cast<Real>(bound);
        for (const Real count : hits) {
            EXPECT_LE(std::abs(count - kCount * p), 4 * std::sqrt(kCount * p * (1 - p)));
        }
    }
    EXPECT_LT(uniform_below({.seed = 3}, ~std::uint64_t{0}), ~std::uint64_t{0});
}

TEST(ScratchMemory, FramesReturnTheirMemory) {
    Scratch scratch;
    const Real* first = nullptr;
    {
        Scratch::Frame frame(scratch);
        first = frame.take(100).data();
    }
    Scratch::Frame again(scratch);
    EXPECT_EQ(again.take(100).data(), first);
}

TEST(ScratchMemory, BuffersOfNestedFramesNeverOverlap) {
    Scratch scratch;
    Scratch::Frame outer(scratch);
    const auto a = outer.take(10);
    std::fill(a.begin(), a.end(), 1.0);
    {
        Scratch::Frame inner(scratch);
        const auto b = inner.take<std::uint8_t>(3);
        const auto c = inner.take(100000);  // does not fit the first block
        std::fill(b.begin(), b.end(), std::uint8_t{2});
        std::fill(c.begin(), c.end(), 3.0);
        EXPECT_TRUE(std::all_of(b.begin(), b.end(), [](std::uint8_t v) { return v == 2; }));
    }
    const auto d = outer.take(10);
    std::fill(d.begin(), d.end(), 4.0);
    EXPECT_TRUE(std::all_of(a.begin(), a.end(), [](Real v) { return v == 1; }));
}

TEST(ScratchMemory, EveryBufferIsAligned) {
    Scratch scratch;
    Scratch::Frame frame(scratch);
    for (const Index count : {1, 3, 64, 65, 5000, 1, 40000}) {
        const auto bytes = frame.take<std::uint8_t>(count);
        EXPECT_EQ(bytes.size(), count);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(bytes.data()) % 64, 0U);
    }
    EXPECT_TRUE(frame.take(0).empty());
}

TEST(ScratchMemory, StopsGrowingAfterTheFirstUse) {
    Scratch scratch;
    const auto work = [&] {
        Scratch::Frame frame(scratch);
        (void)frame.take(3000);
        Scratch::Frame inner(scratch);
        (void)inner.take(50000);
        (void)inner.take<std::uint32_t>(17);
    };
    work();
    const Index settled = scratch.capacity();
    EXPECT_GE(settled, 53000 * sizeof(Real));
    for (int i = 0; i < 100; ++i) work();
    EXPECT_EQ(scratch.capacity(), settled);
}

TEST(Errors, ConfigurationNamesEveryViolation) {
    const ConfigError error(std::vector<std::string>{"window must be positive", "step must be below 1"});
    EXPECT_STREQ(error.what(), "window must be positive\nstep must be below 1");
    EXPECT_EQ(error.violations().size(), 2U);
    EXPECT_EQ(ConfigError("one").violations(), std::vector<std::string>{"one"});
}

TEST(Errors, DataErrorsNamePlaceAndExpectation) {
    const DataError full({"rows.csv", 12, 3, "price"}, "'abc' is not a number", "a finite number");
    EXPECT_STREQ(full.what(),
                 "rows.csv:12, column 3 (price): 'abc' is not a number; expected a finite number");
    EXPECT_EQ(full.where().line, 12U);
    const DataError bare({"<stdin>", 0, 0, ""}, "no rows", "");
    EXPECT_STREQ(bare.what(), "<stdin>: no rows");
}

TEST(Errors, FilesNameTheReason) {
    const IoError error("/tmp/model.json", "cannot write", ENOSPC);
    EXPECT_STREQ(error.what(), "/tmp/model.json: cannot write: No space left on device");
    const Error& base = error;
    EXPECT_NE(dynamic_cast<const IoError*>(&base), nullptr);
}

TEST(RoundReports, EveryStatusHasANameOfItsOwn) {
    std::set<std::string_view> names;
    for (const RoundStatus status : {RoundStatus::quiet, RoundStatus::solved, RoundStatus::budget_exhausted,
                                     RoundStatus::moved, RoundStatus::refused})
        names.insert(name(status));
    EXPECT_EQ(names.size(), 5U);
}

TEST(RoundReports, CostsAdd) {
    const Cost a{.record_gradients = 1, .record_values = 2, .passes = 3, .prox = 4};
    const Cost b{.record_gradients = 10, .record_values = 20, .passes = 30, .prox = 40};
    EXPECT_EQ(a + b, (Cost{.record_gradients = 11, .record_values = 22, .passes = 33, .prox = 44}));
}

/// A part of a state with every kind of value.
struct StateSample {
    bool flag = true;
    Real number = 0.5;
    std::uint64_t count = 7;
    std::string text = "text";
    std::vector<Real> list = {1, 2};

    void serialise(StateArchive& archive) {
        archive.fields(Field{"flag", flag}, Field{"number", number}, Field{"count", count},
                       Field{"text", text}, Field{"list", list});
    }
    friend bool operator==(const StateSample&, const StateSample&) = default;
};

TEST(StateArchive, FieldsEqualsSingleCalls) {
    StateSample sample;
    StateArchive together, single;
    together.fields(Field{"sample", sample});
    single.section("sample", sample);
    EXPECT_EQ(together.seal(), single.seal());
    StateArchive plain, listed;
    sample.serialise(listed);
    plain.field("flag", sample.flag);
    plain.field("number", sample.number);
    plain.field("count", sample.count);
    plain.field("text", sample.text);
    plain.list("list", sample.list);
    EXPECT_EQ(plain.seal(), listed.seal());
}

TEST(StateArchive, ListsOfObjectsAreRestoredAndOtherLengthsAreRefused) {
    std::vector<StateSample> samples{{}, {.flag = false, .number = 3, .count = 0, .text = "", .list = {}}};
    StateArchive out;
    out.section("samples", samples);
    const std::string bytes = out.seal();
    std::vector<StateSample> restored(2), longer(3);
    StateArchive in(bytes, "memory"), again(bytes, "memory");
    in.section("samples", restored);
    EXPECT_EQ(restored, samples);
    EXPECT_THROW(again.section("samples", longer), DataError);
}

TEST(CacheAligned, LinesForSmallThingsAndLargePagesForLargeOnes) {
    for (const Index count : {Index{1}, Index{1000}, Index{1} << 21U}) {
        CacheAlignedVector<Real> numbers(count, 3);
        const Index alignment = count > 1000 ? Index{2} << 20U : 64;
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(numbers.data()) % alignment, 0U) << count;
        numbers.resize(count + 5, 4);  // moves, and frees what it was given
        EXPECT_EQ(numbers[count - 1], 3);
        EXPECT_EQ(numbers.back(), 4);
    }
}

}  // namespace
}  // namespace proxstream
