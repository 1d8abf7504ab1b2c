// The weights of an ensemble that plays a mean, against the formulas in extended precision. The price of the
// weights against every member is found by brute force.

#include "core/mixture.hpp"

#include "proxstream/core/draw.hpp"
#include "proxstream/core/error.hpp"
#include "proxstream/core/spec.hpp"
#include "proxstream/core/state_archive.hpp"

#include "support/naive_mixture.hpp"
#include "support/refusal.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

using mixing::Long;
using mixing::longs;
using mixing::Longs;
using mixing::MixtureTwin;

/// Reproducible numbers of one run.
struct Numbers {
    std::uint64_t run;
    std::uint64_t next = 0;

    Real uniform() { return proxstream::uniform({71, run, 0, 0, next++}); }
    Real normal() { return proxstream::normal({72, run, 0, 0, next++}); }
    Index below(Index n) { return uniform_below({73, run, 0, 0, next++}, n); }
};

/// Losses that are hard on weights: heavy tails, ties, constants.
struct Stream {
    const char* name;
    std::function<Real(Numbers&, Round, Index)> loss;
};

const std::vector<Stream>& streams() {
    static const std::vector<Stream> all{
        {"normal", [](Numbers& draw, Round, Index k) { return draw.normal() + 0.1 * static_cast<Real>(k); }},
        {"drift",
         [](Numbers& draw, Round t, Index k) {
             return std::sin(0.01 * static_cast<Real>(t) + static_cast<Real>(k)) + 0.3 * draw.normal();
         }},
        {"heavy tails",
         [](Numbers& draw, Round, Index) {
             const Real size = std::pow(draw.uniform(), -1.5);
             return draw.uniform() < 0.3 ? -size : size;
         }},
        {"ties in pairs",
         [](Numbers& draw, Round t, Index k) {
             Numbers same{draw.run, 1000 * t + k / 2};
             return same.normal();
         }},
        {"constant", [](Numbers&, Round, Index k) { return 0.25 * static_cast<Real>(k * k); }},
        {"rarely different",
         [](Numbers& draw, Round t, Index k) {
             return t % 37 == 0 ? draw.uniform() + static_cast<Real>(k) : 1.5;
         }},
    };
    return all;
}

Real difference(ConstView weights, const Longs& expected) {
    Long most = 0;
    for (Index k = 0; k < weights.size(); ++k) most = std::max(most, std::abs(weights[k] - expected[k]));
    return static_cast<Real>(most);
}

Longs excess(const Longs& weights, const Longs& losses) {
    const Long mean = mixing::mean_of(weights, losses);
    Longs r;
    for (const Long loss : losses) r.push_back(mean - loss);
    return r;
}

std::vector<Real> reals(const Longs& values) {
    return {values.begin(), values.end()};
}

std::vector<Real> draw_losses(const Stream& stream, Real scale, Round t, Index count, Numbers& draw) {
    std::vector<Real> losses;
    for (Index k = 0; k < count; ++k) losses.push_back(scale * stream.loss(draw, t, k));
    return losses;
}

/// Where every regret is 0 but for rounding, the weights jump with its sign.
bool decided(const MixtureTwin& twin) {
    return std::abs(twin.losses.lead()) >= 1e-4 && std::abs(twin.slopes.lead()) >= 1e-4 &&
           std::abs(twin.cut.lead()) >= 1e-4;
}

void expect_weights_of(const MixtureTwin& twin, const Mixture& mixture, Round t) {
    ASSERT_LE(difference(mixture.losses().weights(), twin.losses.p), 1e-9) << t;
    ASSERT_LE(difference(mixture.gradients()->weights(), twin.slopes.p), 1e-9) << t;
    ASSERT_LE(difference(mixture.mixer(2), twin.cut.p), 1e-9) << t;
    ASSERT_LE(difference(mixture.weights(), twin.weights()), 1e-9) << t;
    for (Index k = 0; k < mixture.members(); ++k) {
        const auto price = static_cast<Real>(twin.losses.price(k));
        ASSERT_NEAR(mixture.losses().price(k), price, 1e-9 * price) << t;
    }
}

/// Compares a run with its twin; returns the number of rounds in which all weights could be compared.
Round compare_with_twin(const Stream& stream, Real scale, bool tracking, Round rounds) {
    constexpr Index kMembers = 6;
    Mixture::Options options;
    options.tracking = tracking;
    Mixture mixture(options, kMembers);
    MixtureTwin twin(MixtureTwin::even(kMembers), true, true, tracking, 4);
    Numbers draw{std::hash<std::string>{}(stream.name) % 1000};
    Round compared = 0;
    for (Round t = 0; t < rounds && !testing::Test::HasFatalFailure(); ++t) {
        const std::vector<Real> losses = draw_losses(stream, scale, t, kMembers, draw);
        std::vector<Real> slopes = draw_losses(stream, scale, t, kMembers, draw);
        // As at a point of its own: the mean over the weights is 0.
        slopes = reals(excess(twin.slopes.p, longs(slopes)));
        const std::vector<Real> mixers = draw_losses(stream, scale, t, mixture.mixers(), draw);
        mixture.update({losses, slopes, mixers});
        twin.learn(longs(losses), longs(slopes), longs(mixers));
        EXPECT_LE(difference(mixture.top().weights(), twin.top.p), 1e-9) << t;
        if (tracking) {
            EXPECT_LE(difference(mixture.tracking()->weights(), twin.tracked.p), 1e-9) << t;
        }
        if (!decided(twin)) continue;
        ++compared;
        expect_weights_of(twin, mixture, t);
    }
    return compared;
}

TEST(Mixture, IsTheFormulasInExtendedPrecision) {
    constexpr Round kRounds = 3000;
    Round compared = 0;
    Round all = 0;
    for (const Stream& stream : streams()) {
        for (const Real scale : {1.0, 1e-100, 1e100}) {
            for (const bool tracking : {false, true}) {
                SCOPED_TRACE(std::string(stream.name) + ", scale " + std::to_string(std::log10(scale)));
                compared += compare_with_twin(stream, scale, tracking, kRounds);
                ASSERT_FALSE(HasFailure());
                all += kRounds;
            }
        }
    }
    EXPECT_GT(compared, all * 8 / 10);
}

TEST(Mixture, WeightsAreAlwaysWeights) {
    for (const Real scale : {1e-300, 1e-160, 1e-5, 1e140, 1e150}) {
        Mixture mixture({.tracking = true}, 4);
        Numbers draw{3};
        for (Round t = 0; t < 600; ++t) {
            std::vector<Real> figures[3];
            for (auto& each : figures) {
                for (Index k = 0; k < 4; ++k)
                    each.push_back(std::clamp(scale * std::pow(draw.normal(), 3), -kAbsurd, kAbsurd));
            }
            mixture.update({figures[0], figures[1], figures[2]});
            Real sum = 0;
            for (const Real weight : mixture.weights()) {
                ASSERT_GE(weight, 0) << scale;
                sum += weight;
            }
            ASSERT_NEAR(sum, 1, 1e-12) << scale << " round " << t;
        }
    }
}

/// Losses that see the weights first.
enum class Adversary { none, heaviest, lightest, follow, explode };

std::vector<Real> against(Adversary adversary, ConstView p, Numbers& draw, Round t) {
    std::vector<Real> losses(p.size());
    const auto heaviest = static_cast<Index>(std::max_element(p.begin(), p.end()) - p.begin());
    const auto lightest = static_cast<Index>(std::min_element(p.begin(), p.end()) - p.begin());
    for (Real& loss : losses) loss = draw.normal();
    switch (adversary) {
        case Adversary::none:
            break;
        case Adversary::heaviest:
            losses.assign(p.size(), 0);
            losses[heaviest] = 1;
            break;
        case Adversary::lightest:
            losses.assign(p.size(), 1);
            losses[lightest] = 0;
            break;
        case Adversary::follow:
            for (Index k = 0; k < p.size(); ++k) losses[k] = p[k] + 0.01 * draw.normal();
            break;
        case Adversary::explode:
            losses[heaviest] = std::pow(1.1, static_cast<Real>(t));
            break;
    }
    return losses;
}

std::vector<Real> draw_prior(Index members, bool even, Numbers& draw) {
    std::vector<Real> prior(members);
    Real total = 0;
    for (Real& each : prior) total += each = 0.01 + std::pow(draw.uniform(), 4);
    for (Real& each : prior) each = even ? 1 / static_cast<Real>(members) : each / total;
    return prior;
}

TEST(PolyWeights, PriceBoundsTheRegretAgainstEveryMember) {
    constexpr Adversary kAll[] = {Adversary::none, Adversary::heaviest, Adversary::lightest,
                                  Adversary::follow, Adversary::explode};
    Real closest = 0;
    for (std::uint64_t run = 0; run < 1500; ++run) {
        Numbers draw{run};
        const Index members = 1 + draw.below(9);
        const std::vector<Real> prior = draw_prior(members, run % 2 == 0, draw);
        const Adversary adversary = kAll[run % 5];
        const Real scale = std::pow(10, 20 * draw.normal());
        PolyWeights weights(prior);
        Longs regrets(members);
        std::vector<Real> changes(members);
        const Round rounds = 1 + draw.below(400);
        for (Round t = 0; t < rounds; ++t) {
            std::vector<Real> losses = against(adversary, weights.weights(), draw, t);
            for (Real& loss : losses) loss *= scale;
            Real mean = 0;
            for (Index k = 0; k < members; ++k) mean += weights.weights()[k] * losses[k];
            Long exact = 0;
            for (Index k = 0; k < members; ++k) exact += static_cast<Long>(weights.weights()[k]) * losses[k];
            for (Index k = 0; k < members; ++k) {
                changes[k] = mean - losses[k];
                regrets[k] += exact - losses[k];
            }
            weights.update(changes);
        }
        for (Index k = 0; k < members; ++k) {
            const Real price = weights.price(k);
            ASSERT_LE(regrets[k], price * (1 + 1e-9) + 1e-12 * scale)
                << "run " << run << ", member " << k << " of " << members << ", " << rounds << " rounds";
            if (price > 0) closest = std::max(closest, static_cast<Real>(regrets[k]) / price);
        }
    }
    EXPECT_GT(closest, 0.3);  // the price is not out of all proportion
    RecordProperty("closest", std::to_string(closest));
}

TEST(PolyWeights, PriceHoldsForRegretsThatDoNotAverageToZero) {
    // As the slopes at a point that is not quite the mean.
    for (std::uint64_t run = 0; run < 300; ++run) {
        Numbers draw{run};
        const std::vector<Real> prior(5, 0.2);
        PolyWeights weights(prior);
        Longs sums(5);
        for (Round t = 0; t < 200; ++t) {
            std::vector<Real> regrets(5);
            for (Index k = 0; k < 5; ++k) sums[k] += regrets[k] = draw.normal() + 0.2;
            weights.update(regrets);
        }
        for (Index k = 0; k < 5; ++k) ASSERT_LE(sums[k], weights.price(k)) << run;
    }
}

TEST(Mixture, RestartsFromItsWeightsWithASmallShareForEveryMember) {
    Mixture mixture({.tracking = true}, 5);
    Numbers draw{9};
    for (Round t = 0; t < 300; ++t) {
        std::vector<Real> losses;
        for (Index k = 0; k < 5; ++k) losses.push_back(draw.normal() + (k == 3 ? -2 : 0));
        mixture.update({losses, losses, std::vector<Real>{1, 1, 1, 1}});
    }
    const Mixture anew = mixture.begun_anew();
    Real sum = 0;
    for (Index k = 0; k < 5; ++k) {
        EXPECT_NEAR(anew.weights()[k], 0.95 * mixture.weights()[k] + 0.01, 1e-12);
        EXPECT_GE(anew.weights()[k], AdaShare::kFirstShare / 5);
        sum += anew.weights()[k];
    }
    EXPECT_NEAR(sum, 1, 1e-12);
    EXPECT_EQ(anew.losses().price(0), 0);
    for (Index j = 0; j < anew.mixers(); ++j) {
        EXPECT_TRUE(std::ranges::equal(anew.mixer(j), anew.weights())) << j;
        EXPECT_EQ(anew.top().weights()[j], 0.25);
    }
    // A referee that gets the first weights alone has the same weights ever after, to the last bit.
    Mixture one = anew;
    Mixture other({.tracking = true}, anew.weights());
    for (Round t = 0; t < 200; ++t) {
        const Real tie = draw.normal();
        const std::vector<Real> losses{tie, tie, draw.normal(), tie, tie};
        const std::vector<Real> mixers{draw.normal(), tie, tie, tie};
        one.update({losses, losses, mixers});
        other.update({losses, losses, mixers});
        ASSERT_TRUE(std::ranges::equal(one.weights(), other.weights())) << t;
    }
}

TEST(Mixture, FollowsItsPrior) {
    // The prior counts for ever: of two members with the same losses, the one with more of it has more
    // weight.
    const std::vector<Real> prior{0.1, 0.3, 0.6};
    Mixture mixture({.gradients = false, .clipped = false}, prior);
    MixtureTwin twin(longs(prior), false, false, false, 4);
    Numbers draw{4};
    for (Round t = 0; t < 400; ++t) {
        const Real same = draw.normal();
        const std::vector<Real> losses{same, same, draw.normal() + 0.2};
        const std::vector<Real> mixers{0.5};
        mixture.update({losses, {}, mixers});
        twin.learn(longs(losses), {}, longs(mixers));
        if (std::abs(twin.losses.lead()) < 1e-4) continue;
        ASSERT_LE(difference(mixture.weights(), twin.weights()), 1e-9) << t;
        ASSERT_NEAR(mixture.weights()[1], 3 * mixture.weights()[0], 1e-9) << t;
    }
}

TEST(Mixture, RestoredStateContinuesBitForBit) {
    for (const bool tracking : {false, true}) {
        for (const Round cut : {0U, 1U, 7U, 255U, 256U, 300U}) {
            Mixture whole({.tracking = tracking}, 4);
            const auto play = [&](Mixture& mixture, Round t) {
                Numbers own{t};
                std::vector<Real> figures[3];
                for (auto& each : figures) {
                    for (Index k = 0; k < 4; ++k) each.push_back(own.normal());
                }
                figures[2].resize(mixture.mixers());
                mixture.update({figures[0], figures[1], figures[2]});
            };
            for (Round t = 0; t < cut; ++t) play(whole, t);
            StateArchive saved;
            saved.section("mixture", whole);
            const std::string bytes = saved.seal();
            Mixture other({.tracking = tracking}, 4);
            for (Round t = 500; t < 520; ++t) play(other, t);
            StateArchive read(bytes, "state");
            read.section("mixture", other);
            read.finish();
            for (Round t = cut; t < cut + 300; ++t) {
                ASSERT_TRUE(std::ranges::equal(whole.weights(), other.weights())) << cut << " " << t;
                ASSERT_EQ(whole.losses().price(1), other.losses().price(1));
                play(whole, t);
                play(other, t);
            }
        }
    }
}

TEST(Mixture, TextParsesBackToTheSameOptions) {
    const auto parsed = [](const char* text) { return Mixture::Options::parse(Spec::parse(text)); };
    EXPECT_EQ(parsed("mean").text(), "mean:mixers=losses/gradients/clipped");
    for (const char* text : {"mean:mixers=losses", "mean:mixers=losses/tracking,switches=2",
                             "mean:mixers=losses/gradients/clipped/tracking"}) {
        EXPECT_EQ(parsed(text).text(), text);
        EXPECT_EQ(parsed(parsed(text).text().c_str()).text(), text);
    }
    const auto refusal = [&](const char* text) { return tests::refusal([&] { parsed(text); }); };
    EXPECT_NE(refusal("mean:mixers=gradients").find("'losses' is always one of them"), std::string::npos);
    EXPECT_NE(refusal("mean:mixers=losses/losts").find("unknown mixer 'losts'"), std::string::npos);
    EXPECT_NE(refusal("mean:switches=-1").find("switches"), std::string::npos);
    EXPECT_NE(refusal("mean:switches=1e7").find("switches"), std::string::npos);
    EXPECT_NE(refusal("mean:switches=nan").find("switches"), std::string::npos);
    EXPECT_EQ(Mixture({.gradients = false, .clipped = false}, 3).mixers(), 1U);
    EXPECT_EQ(Mixture({.tracking = true}, 3).mixers(), 4U);
}

TEST(AdaShare, IsTheFormulaInExtendedPrecision) {
    for (const Stream& stream : streams()) {
        for (const Real scale : {1.0, 1e-100, 1e100}) {
            for (const Real switches : {0.0, 4.0}) {
                AdaShare share(Index{5}, switches);
                mixing::Sharing twin(MixtureTwin::even(5), switches);
                Numbers draw{11};
                for (Round t = 0; t < 3000; ++t) {
                    std::vector<Real> losses;
                    for (Index k = 0; k < 5; ++k) losses.push_back(scale * stream.loss(draw, t, k));
                    share.update(losses);
                    twin.learn(longs(losses));
                    ASSERT_LE(difference(share.weights(), twin.p), 1e-9)
                        << stream.name << " " << scale << " " << t;
                    const auto inverse_rate = static_cast<Real>(twin.scale);
                    ASSERT_NEAR(1 / share.rate(), inverse_rate, 1e-9 * inverse_rate)
                        << stream.name << " " << t;
                }
            }
        }
    }
}

TEST(AdaShare, KeepsItsTheoremAgainstAdaptiveLosses) {
    for (std::uint64_t run = 0; run < 200; ++run) {
        Numbers draw{run};
        const Index members = 2 + draw.below(5);
        AdaShare share(members, 4);
        mixing::Sharing twin(MixtureTwin::even(members), 4);
        std::vector<Longs> rows;
        for (Round t = 0; t < 150; ++t) {
            const auto losses = against(static_cast<Adversary>(run % 5), share.weights(), draw, t);
            share.update(losses);
            twin.learn(longs(losses));
            rows.push_back(longs(losses));
        }
        // The best sequences, by dynamic programming.
        for (Index switches = 0; switches <= 4; ++switches) {
            std::vector<Longs> best(switches + 1, Longs(members));
            for (const Longs& row : rows) {
                for (Index s = switches + 1; s-- > 0;) {
                    const Long other =
                        s > 0 ? *std::min_element(best[s - 1].begin(), best[s - 1].end()) : INFINITY;
                    for (Index k = 0; k < members; ++k) best[s][k] = std::min(best[s][k], other) + row[k];
                }
            }
            const Long least = *std::min_element(best[switches].begin(), best[switches].end());
            ASSERT_LE(twin.weighted, least + twin.price(switches) + 1e-9L * std::abs(least)) << run;
        }
    }
}

}  // namespace
}  // namespace proxstream
