/// Many small simplices side by side against the same blocks projected one by one: bit for bit, on input that
/// breaks fast methods.
#include "prox/simplex_batch.hpp"

#include "proxstream/prox/simplex.hpp"

#include "prox/simplex_projection.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

using Vector = std::vector<Real>;
constexpr Real kNaN = std::numeric_limits<Real>::quiet_NaN();
constexpr Real kLargestReal = std::numeric_limits<Real>::max();

std::vector<std::uint64_t> bits_of(const Vector& v) {
    std::vector<std::uint64_t> bits;
    for (const Real entry : v) bits.push_back(std::bit_cast<std::uint64_t>(entry));
    return bits;
}

/// The naive twin.
Real one_by_one(const Vector& v, const std::vector<Index>& sizes, const Vector& radii, Vector& out) {
    Scratch scratch;
    Real total = 0;
    Index begin = 0;
    for (Index k = 0; k < sizes.size(); ++k) {
        total += project_onto_simplex({v.data() + begin, sizes[k]}, radii[k], {out.data() + begin, sizes[k]},
                                      scratch);
        begin += sizes[k];
    }
    return total;
}

struct Blocks {
    std::string name;
    /// Fills one block of a radius; z draws standard normals.
    std::function<void(std::span<Real>, Real radius, const std::function<Real()>& z)> draw;
};

const std::vector<Blocks>& blocks() {
    const auto each = [](auto entry) {
        return [entry](std::span<Real> block, Real radius, const std::function<Real()>& z) {
            for (Real& value : block) value = entry(radius, z());
        };
    };
    static const std::vector<Blocks> all = {
        {"normal", each([](Real, Real z) { return z; })},
        {"ties", each([](Real, Real) { return 0.25; })},
        {"two levels", each([](Real, Real z) { return z > 0 ? 1 : 0.999; })},
        {"whole numbers", each([](Real, Real z) { return std::round(z); })},
        {"zeros", each([](Real, Real) { return 0.0; })},
        {"zeros of both signs", each([](Real, Real z) { return std::copysign(0.0, z); })},
        {"all negative", each([](Real, Real z) { return -std::abs(z) - 3; })},
        {"far away", each([](Real, Real z) { return 1e15 + z; })},
        {"heavy tails", each([](Real, Real z) { return std::exp(30 * z); })},
        {"denormal", each([](Real, Real z) { return 1e-310 * z; })},
        {"of the radius", each([](Real radius, Real z) { return radius * z; })},
        // Sums that overflow although every entry is finite.
        {"huge", each([](Real, Real z) { return z > 0 ? kLargestReal : -kLargestReal / 3; })},
        {"feasible",
         [](std::span<Real> block, Real radius, const std::function<Real()>& z) {
             Real total = 0;
             for (Real& value : block) total += value = z() > 0 ? std::abs(z()) : -0.0;
             if (total == 0) total = block[0] = 1;
             for (Real& value : block) value *= radius / total;
         }},
        {"a vertex",
         [](std::span<Real> block, Real radius, const std::function<Real()>& z) {
             std::fill(block.begin(), block.end(), -0.0);
             block[static_cast<Index>(std::abs(1000 * z())) % block.size()] = radius;
         }},
        // Newton's method drops one candidate a step for as long as it can.
        {"geometric",
         [](std::span<Real> block, Real radius, const std::function<Real()>&) {
             for (Index i = 0; i < block.size(); ++i)
                 block[i] = -radius * std::ldexp(1.0, -static_cast<int>(i));
         }},
    };
    return all;
}

/// Every kind of block by itself, and all kinds mixed with one another.
TEST(SimplexBatch, EqualsOneByOneBitForBit) {
    std::mt19937_64 random(1);
    std::normal_distribution<Real> normal;
    const std::function<Real()> z = [&] { return normal(random); };
    for (Index kind = 0; kind <= blocks().size(); ++kind) {
        const bool mixed = kind == blocks().size();
        SCOPED_TRACE(mixed ? "mixed" : blocks()[kind].name);
        for (Index size = 0; size <= SimplexBatch::kLargest + 1; ++size) {  // 0: ragged
            std::vector<Index> sizes;
            Vector radii;
            for (Index k = 0; k < 203; ++k) {
                sizes.push_back(size > 0 ? size : 1 + random() % 16);
                constexpr Real kRadii[] = {1, 1, 0.3, 1e-6, 50, 1e9, 1e-300, 5e-324};
                radii.push_back(kRadii[random() % 8]);
            }
            const Index n = std::accumulate(sizes.begin(), sizes.end(), Index{0});
            Vector v(n);
            Index begin = 0;
            for (Index k = 0; k < sizes.size(); ++k) {
                blocks()[mixed ? random() % blocks().size() : kind].draw({v.data() + begin, sizes[k]},
                                                                         radii[k], z);
                begin += sizes[k];
            }
            Vector wanted(n), found(n), again = v;
            const SimplexProduct product(BlockLayout::of_sizes(sizes), radii);
            Scratch scratch;
            ASSERT_EQ(one_by_one(v, sizes, radii, wanted), 0);
            ASSERT_EQ(product.prox(v, 1, found, scratch), 0);
            ASSERT_EQ(bits_of(found), bits_of(wanted));
            ASSERT_EQ(product.prox(again, 1, again, scratch), 0);
            ASSERT_EQ(bits_of(again), bits_of(wanted)) << "in place";
            // What is projected already stays where it is.
            ASSERT_EQ(product.prox(found, 1, again, scratch), 0);
            one_by_one(wanted, sizes, radii, found);
            ASSERT_EQ(bits_of(again), bits_of(found)) << "twice";
        }
    }
}

TEST(SimplexBatch, NonFiniteValuesAffectTheirBlockOnly) {
    for (Index size = 1; size <= SimplexBatch::kLargest + 1; ++size) {
        for (const Real bad : {kNaN, kInfinity, -kInfinity}) {
            std::mt19937_64 random(size);
            std::normal_distribution<Real> normal;
            const std::vector<Index> sizes(29, size);
            const Vector radii(sizes.size(), 1);
            Vector v(size * sizes.size());
            for (Real& entry : v) entry = normal(random);
            for (const Index block : {3U, 20U, 28U}) v[block * size + random() % size] = bad;
            Vector wanted(v.size()), found(v.size());
            const SimplexProduct product(BlockLayout::uniform(size), 1);
            Scratch scratch;
            EXPECT_TRUE(std::isnan(product.prox(v, 1, found, scratch)));
            EXPECT_TRUE(std::isnan(one_by_one(v, sizes, radii, wanted)));
            for (Index i = 0; i < v.size(); ++i) {
                const Index block = i / size;
                if (block == 3 || block == 20 || block == 28) {
                    ASSERT_TRUE(std::isnan(found[i])) << i;
                } else {
                    ASSERT_EQ(found[i], wanted[i]) << i;
                }
            }
        }
    }
}

/// Optimality of the batch itself: entries above tau lose tau, the others vanish, the sum is the radius.
TEST(SimplexBatch, MeetsTheOptimalityConditions) {
    std::mt19937_64 random(5);
    std::normal_distribution<Real> normal;
    constexpr Index kBlocks = 800;
    for (Index size = 1; size <= SimplexBatch::kLargest; ++size) {
        Vector v(kBlocks * size), p(v.size());
        for (Real& entry : v) entry = normal(random);
        const SimplexProduct product(BlockLayout::uniform(size), 1);
        Scratch scratch;
        product.prox(v, 1, p, scratch);
        for (Index begin = 0; begin < v.size(); begin += size) {
            Real total = 0;
            Real tau = -kInfinity;
            for (Index i = begin; i < begin + size; ++i) {
                ASSERT_GE(p[i], 0);
                total += p[i];
                if (p[i] > 0) tau = std::max(tau, v[i] - p[i]);
            }
            ASSERT_NEAR(total, 1, 1e-14);
            for (Index i = begin; i < begin + size; ++i) {
                ASSERT_LE(v[i] - p[i], tau + 1e-14);
                if (p[i] > 0) {
                    ASSERT_GE(v[i] - p[i], tau - 1e-14);
                }
            }
        }
    }
}

TEST(SimplexBatch, TakesNoMemory) {
    const Vector v(5000, 0.5);
    Vector out(v.size());
    const SimplexProduct product(BlockLayout::uniform(5), 1);
    Scratch scratch;
    product.prox(v, 1, out, scratch);
    EXPECT_EQ(scratch.capacity(), 0U);
}

}  // namespace
}  // namespace proxstream
