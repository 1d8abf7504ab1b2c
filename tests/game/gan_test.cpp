#include "game/gan.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/core/linalg.hpp"

#include "game/built_in_games.hpp"
#include "game/play_batch.hpp"

#include <cmath>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

constexpr Index kSamples = 150;  // more than two tiles, and no multiple of one

GameDefinition small_gan(const std::string& more = "") {
    return make_gan_game(
        Spec::parse("gan:ring8,hidden=5/4,latent=3,samples=" + std::to_string(kSamples) + more));
}

std::vector<Real> moved(const std::vector<Real>& from, std::uint64_t seed) {
    std::vector<Real> out = from;
    for (Index i = 0; i < out.size(); ++i) out[i] += 0.3 * normal({.seed = seed, .sample = i});
    return out;
}

/// A player's costs against three plays of its opponent, the newest last.
struct Bench {
    explicit Bench(const GameDefinition& game, Index player) : batch(game.players[player].cost, 4) {
        Scratch scratch;
        for (std::uint64_t k = 0; k < 3; ++k) {
            std::vector<Real> joint = moved(game.players[0].start, 10 + k);
            const std::vector<Real> second = moved(game.players[1].start, 20 + k);
            joint.insert(joint.end(), second.begin(), second.end());
            std::vector<Real> record(game.players[player].cost->record_size());
            game.players[player].cost->condense(joint, record, scratch);
            opponents.push_back(record);
            RowBlock row;
            row.add_dense(record, 0);
            batch.push(row);
        }
        own = moved(game.players[player].start, 30);
    }

    PlayBatch batch;
    std::vector<std::vector<Real>> opponents;  // oldest first
    std::vector<Real> own;
};

std::vector<Real> through(const Perceptron& network, ConstView weights, ConstView input) {
    Scratch scratch;
    Scratch::Frame frame(scratch);
    Perceptron::Tile tile(network, 1, false, frame);
    copy(input, tile.input(0));
    const View out = tile.forward(weights, 1);
    return {out.begin(), out.end()};
}

Real softplus(Real z) {
    return std::log1p(std::exp(z));
}

/// The cost of one sample, from its definition.
Real definition(const Gan& gan, Index player, ConstView own, ConstView opponent, Index sample) {
    const ConstView generator = player == 0 ? opponent : own;
    const ConstView discriminator = player == 0 ? own : opponent;
    std::vector<Real> z(gan.options().latent);
    gan.code(sample, z);
    const Real fake = through(gan.discriminator(), discriminator, through(gan.generator(), generator, z))[0];
    if (player == 1) return gan.options().minimax ? -softplus(fake) : softplus(-fake);
    const PlanePoint point = gan.data_point(sample);
    const Real real = through(gan.discriminator(), discriminator, std::vector<Real>{point.x, point.y})[0];
    return softplus(-real) + softplus(fake);
}

TEST(Gans, CostsMatchTheirDefinitions) {
    for (const char* more : {"", ",loss=minimax"}) {
        const GameDefinition game = small_gan(more);
        for (const Index player : {0, 1}) {
            const Bench bench(game, player);
            Scratch scratch;
            Real mean = 0;
            for (Index j = 0; j < kSamples; ++j) {
                const Real one = definition(*game.gan, player, bench.own, bench.opponents.back(), j);
                mean += one / static_cast<Real>(kSamples);
                const WeightedPart part[] = {{0, j, 2}};
                std::vector<Real> gradient(bench.own.size());
                ASSERT_NEAR(bench.batch.parts_gradient(part, bench.own, gradient, scratch), 2 * one, 1e-12);
            }
            EXPECT_NEAR(bench.batch.value(0, bench.own, scratch), mean, 1e-12);
        }
    }
}

TEST(Gans, GradientsMatchDifferencesOfValues) {
    for (const char* more : {"", ",loss=minimax", ",activation=gelu"}) {
        const GameDefinition game = small_gan(more);
        for (const Index player : {0, 1}) {
            Bench bench(game, player);
            Scratch scratch;
            const Real weights[] = {0.5, 0, 0.3};
            std::vector<Real> gradient(bench.own.size());
            const Real value = bench.batch.weighted_value_and_gradient(weights, bench.own, gradient, scratch);
            EXPECT_EQ(bench.batch.weighted_value(weights, bench.own, scratch), value);
            constexpr Real kStep = 1e-5;
            for (Index i = 0; i < bench.own.size(); i += 3) {
                std::vector<Real> at = bench.own;
                at[i] += kStep;
                const Real above = bench.batch.weighted_value(weights, at, scratch);
                at[i] -= 2 * kStep;
                const Real below = bench.batch.weighted_value(weights, at, scratch);
                ASSERT_NEAR(gradient[i], (above - below) / (2 * kStep), 1e-8) << more << " coordinate " << i;
            }
        }
    }
}

TEST(Gans, PartsAddUpToTheWhole) {
    const GameDefinition game = small_gan();
    for (const Index player : {0, 1}) {
        const Bench bench(game, player);
        Scratch scratch;
        const Real weights[] = {0.2, 0.7, 0.1};
        std::vector<WeightedPart> parts;
        for (Index j = 0; j < kSamples; ++j) {
            for (Index age = 0; age < 3; ++age)  // opponents change from part to part
                parts.push_back({age, j, weights[age] / static_cast<Real>(kSamples)});
        }
        std::vector<Real> whole(bench.own.size());
        std::vector<Real> together(whole);
        std::vector<Real> single(whole);
        std::vector<Real> added(whole);
        const Real value = bench.batch.weighted_value_and_gradient(weights, bench.own, whole, scratch);
        EXPECT_NEAR(bench.batch.parts_gradient(parts, bench.own, together, scratch), value, 1e-12);
        Real total = 0;
        for (const WeightedPart& part : parts) {
            total += bench.batch.parts_gradient({&part, 1}, bench.own, single, scratch);
            axpy(1, single, added);
        }
        EXPECT_NEAR(total, value, 1e-12);
        for (Index i = 0; i < whole.size(); ++i) {
            ASSERT_NEAR(together[i], whole[i], 1e-13);
            ASSERT_NEAR(added[i], whole[i], 1e-13);
        }
        const Index warm = scratch.capacity();
        bench.batch.parts_gradient(parts, bench.own, together, scratch);
        EXPECT_EQ(scratch.capacity(), warm);
    }
}

TEST(Gans, MinimaxIsZeroSumInTheGenerator) {
    const GameDefinition game = small_gan(",loss=minimax");
    const std::vector<Real> discriminator = game.players[0].start;
    Scratch scratch;
    std::vector<Real> totals;
    for (const std::uint64_t seed : {1, 2}) {
        const std::vector<Real> generator = moved(game.players[1].start, seed);
        std::vector<Real> joint = discriminator;
        joint.insert(joint.end(), generator.begin(), generator.end());
        Real total = 0;
        for (const Index player : {0, 1}) {
            const auto& cost = game.players[player].cost;
            std::vector<Real> record(cost->record_size());
            cost->condense(joint, record, scratch);
            RowBlock row;
            row.add_dense(record, 0);
            PlayBatch batch(cost, 1);
            batch.push(row);
            total += batch.value(0, player == 0 ? discriminator : generator, scratch);
        }
        totals.push_back(total);
    }
    EXPECT_NEAR(totals[0], totals[1], 1e-12);
}

TEST(Gans, FreshCodesDifferFromTrainingCodes) {
    const GameDefinition game = small_gan();
    const Gan& gan = *game.gan;
    std::vector<Real> z(3);
    std::vector<Real> again(3);
    gan.code(7, z);
    gan.code(8, again);
    EXPECT_NE(z, again);
    gan.code(7, again);
    EXPECT_EQ(z, again);
    EXPECT_NE(z[0], z[1]);
    // Half of the points a mode gives lie within 1.18 deviations; all modes come.
    std::set<Index> modes;
    Index close = 0;
    constexpr Index kPoints = 2000;
    for (Index j = 0; j < kPoints; ++j) {
        const PlanePoint point = gan.data_point(j);
        const Index mode = gan.data().nearest(point);
        modes.insert(mode);
        const Real distance =
            std::hypot(point.x - gan.data().modes[mode].x, point.y - gan.data().modes[mode].y);
        close += distance < 1.17741 * gan.data().spread ? 1 : 0;
    }
    EXPECT_EQ(modes.size(), 8U);
    EXPECT_NEAR(static_cast<Real>(close) / kPoints, 0.5, 0.05);

    Scratch scratch;
    std::vector<PlanePoint> points(70);
    gan.generate(game.players[1].start, gan.options().seed, points, scratch);
    for (Index j = 0; j < points.size(); ++j) {
        gan.code(j, z);
        const std::vector<Real> trained = through(gan.generator(), game.players[1].start, z);
        EXPECT_NE(points[j].x, trained[0]);
    }
    std::vector<PlanePoint> others(70);
    gan.generate(game.players[1].start, gan.options().seed + 1, others, scratch);
    EXPECT_NE(points[69].x, others[69].x);
}

TEST(Gans, ReadsTexts) {
    const GameDefinition plain = make_gan_game(Spec::parse("gan"));
    check(plain);
    EXPECT_EQ(plain.players[0].name, "discriminator");
    EXPECT_EQ(plain.players[1].name, "generator");
    EXPECT_EQ(plain.gan->samples(), 1048576U);
    EXPECT_EQ(plain.gan->data().modes.size(), 8U);
    EXPECT_EQ(plain.players[0].cost->dimension(), 2U * 64 + 64 * 64 + 64 + 129);
    EXPECT_EQ(plain.players[1].cost->parts(), 1048576U);
    const PlaneMixture grid = make_gan_game(Spec::parse("gan:grid25,std=0.1,scale=0.5")).gan->data();
    EXPECT_EQ(grid.modes.size(), 25U);
    EXPECT_EQ(grid.spread, 0.05);
    EXPECT_EQ(grid.modes[7].x, -1);
    EXPECT_EQ(grid.modes[7].y, 0);
    const GameDefinition other = make_gan_game(Spec::parse("gan:seed=2"));
    EXPECT_NE(other.players[0].start, plain.players[0].start);
    EXPECT_NE(other.players[1].start[0], plain.players[1].start[0]);

    Scratch scratch;
    const GameDefinition boxed = small_gan(",weights=box:0.2");
    check(boxed);
    for (const GamePlayer& player : boxed.players) {
        EXPECT_EQ(player.set, "box:-0.2,0.2");
        EXPECT_EQ(max_abs(player.start), 0.2);
        EXPECT_EQ(player.g.value(std::vector<Real>(player.start.size(), 0.3), scratch), kInfinity);
    }
    const GameDefinition sparse = small_gan(",weights=l1:0.5");
    check(sparse);
    const GamePlayer& generator = sparse.players[1];
    std::vector<Real> x(generator.start.size(), 0);
    x.back() = 100;  // a bias
    EXPECT_EQ(generator.g.value(x, scratch), 0);
    x.front() = -2;
    EXPECT_EQ(generator.g.value(x, scratch), 1);

    for (const char* text :
         {"gan:ring9", "gan:hidden=0", "gan:hidden=2.5", "gan:loss=wasserstein", "gan:weights=simplex",
          "gan:weights=box:-1", "gan:weights=(box:-1,1)", "gan:std=-1", "gan:scale=0", "gan:samples=1",
          "gan:latent=0", "gan:activation=relu"}) {
        const auto make = [&] {
            const Spec spec = Spec::parse(text);
            make_gan_game(spec);
            spec.finish();
        };
        EXPECT_THROW(make(), ConfigError) << text;
    }
}

TEST(GanQuality, CountsModesQualityAndDivergence) {
    const PlaneMixture ring = PlaneMixture::named("ring8", 0.1);
    std::vector<PlanePoint> points;
    for (const PlanePoint& mode : ring.modes) points.insert(points.end(), 4, mode);
    GanQuality quality = measure_quality(ring, points);
    EXPECT_EQ(quality.modes, 8U);
    EXPECT_EQ(quality.high_quality, 1);
    EXPECT_NEAR(quality.reverse_kl, 0, 1e-15);

    // Everything at one mode.
    points.assign(10, {1.05, 0.05});
    quality = measure_quality(ring, points);
    EXPECT_EQ(quality.modes, 1U);
    EXPECT_EQ(quality.histogram[0], 10U);
    EXPECT_NEAR(quality.reverse_kl, std::log(8.0), 1e-15);

    // A poor point counts for its mode in the divergence, but covers nothing.
    points = {{1, 0}, {-0.6, 0}, {1.29, 0}, {1.31, 0}};
    quality = measure_quality(ring, points);
    EXPECT_EQ(quality.modes, 1U);
    EXPECT_EQ(quality.high_quality, 0.5);
    EXPECT_EQ(quality.histogram[4], 1U);
    EXPECT_NEAR(quality.reverse_kl, 0.75 * std::log(6.0) + 0.25 * std::log(2.0), 1e-15);

    points = {{std::nan(""), 0}, {0, kInfinity}};
    quality = measure_quality(ring, points);
    EXPECT_EQ(quality.modes, 0U);
    EXPECT_EQ(quality.high_quality, 0);
    EXPECT_EQ(quality.reverse_kl, 0);
    EXPECT_EQ(measure_quality(ring, {}).high_quality, 0);
}

TEST(GanQuality, UntrainedGeneratorHasPoorQuality) {
    const GameDefinition game = small_gan();
    Scratch scratch;
    const GanQuality quality = measure_quality(*game.gan, game.players[1].start, 5, scratch);
    EXPECT_EQ(quality.points, kQualityPoints);
    Index total = 0;
    for (const Index count : quality.histogram) total += count;
    EXPECT_EQ(total, kQualityPoints);
    EXPECT_LT(quality.high_quality, 0.2);
}

}  // namespace
}  // namespace proxstream
