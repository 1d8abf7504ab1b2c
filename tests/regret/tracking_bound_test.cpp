/// C8 against enumeration, and against weights that are not what they claim.
#include "regret/tracking_bound.hpp"

#include "proxstream/core/draw.hpp"

#include "regret/naive_ensemble.hpp"

#include <gtest/gtest.h>

namespace proxstream {
namespace {

using naive::Losses;

struct Rule {
    Real share = 0.05;
    Real rate = 0;  // 0: falls as the gap grows
    Real scale = 1;
};

struct Weighted {
    std::vector<std::vector<Real>> weights;
    std::vector<Real> rates;
    std::vector<Real> shares;
};

Losses draw_losses(std::uint64_t seed, Index members, Round rounds, Real scale, Real shift) {
    Losses losses;
    for (Round t = 0; t < rounds; ++t) {
        std::vector<Real>& l = losses.emplace_back();
        for (std::uint32_t k = 0; k < members; ++k) {
            const Real favour = (t / 8 + k) % members == 0 ? 0.3 : 1;  // the best member changes
            l.push_back(scale * (favour * uniform({seed, t, k, 0, 0}) - 0.4) + shift);
        }
    }
    return losses;
}

Weighted weigh(const Losses& losses, const Rule& rule) {
    Weighted out;
    const Index members = losses[0].size();
    std::vector<Real> p(members, 1 / static_cast<Real>(members));
    Real gap = 0, inverse = 0;
    for (Index t = 0; t < losses.size(); ++t) {
        const Real share = rule.share / static_cast<Real>(t + 1);
        inverse = rule.rate > 0 ? 1 / rule.rate : std::max({inverse, gap / 20, 1e-3 * rule.scale});
        out.weights.push_back(p);
        out.rates.push_back(1 / inverse);
        out.shares.push_back(share);
        gap += static_cast<Real>(naive::next_weights(p, losses[t], 1 / inverse, share));
    }
    return out;
}

TrackingBound measure(const Losses& losses, const Weighted& weighted) {
    TrackingBound bound(losses[0].size());
    for (Index t = 0; t < losses.size(); ++t) {
        bound.add(t + 1, {weighted.weights[t], losses[t], weighted.rates[t], weighted.shares[t]});
    }
    return bound;
}

/// min over all K^T sequences with at most S switches.
long double enumerate(const Losses& losses, Index switches) {
    const Index members = losses[0].size();
    std::vector<Index> sequence(losses.size());
    long double least = std::numeric_limits<long double>::infinity();
    for (;;) {
        Index changes = 0;
        long double sum = 0;
        for (Index t = 0; t < losses.size(); ++t) {
            changes += t > 0 && sequence[t] != sequence[t - 1] ? 1 : 0;
            sum += losses[t][sequence[t]];
        }
        if (changes <= switches) least = std::min(least, sum);
        Index t = 0;
        while (t < losses.size() && ++sequence[t] == members) sequence[t++] = 0;
        if (t == losses.size()) return least;
    }
}

bool holds(const TrackingBound& bound) {
    const auto side = bound.tightest();
    return side && bound.weighted_loss() <= side->best + side->price + bound.slack();
}

TEST(TrackingBound, BestSequencesAreThoseOfEnumeration) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const Index members = 1 + seed % 4;
        const Losses losses = draw_losses(seed, members, 1 + seed % 7, 3, -1);
        const TrackingBound bound = measure(losses, weigh(losses, {}));
        for (Index s = 0; s <= TrackingBound::kMostSwitches; ++s)
            EXPECT_NEAR(bound.best(s), static_cast<Real>(enumerate(losses, s)), 1e-13) << seed << " " << s;
    }
}

TEST(TrackingBound, HoldsForEveryScaleSignAndRule) {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        for (const Real scale : {1e-12, 1.0, 1e12, 1e150}) {
            for (const Real shift : {0.0, -1e3, 1e9}) {
                const Index members = 1 + seed % 6;
                const Losses losses = draw_losses(seed, members, 120, scale, shift * scale);
                const Rule rule{.share = seed % 2 == 0 ? 0.3 : 1e-4, .rate = 0, .scale = scale};
                const TrackingBound bound = measure(losses, weigh(losses, rule));
                EXPECT_FALSE(bound.off_rule) << seed << " " << scale << " " << shift;
                EXPECT_FALSE(bound.rising);
                ASSERT_TRUE(holds(bound)) << seed << " " << scale << " " << shift;
                // The theorem with every S, not only the one shown.
                const Real last = 1 / weigh(losses, rule).rates.back();
                for (Index s = 0; s <= TrackingBound::kMostSwitches; ++s) {
                    const Real price = static_cast<Real>(s + 1) * last *
                                       std::log(static_cast<Real>(members) / (rule.share / 120));
                    EXPECT_LE(bound.weighted_loss(),
                              bound.best(s) + price + bound.gap() + bound.slack() + price);
                }
                EXPECT_GE(bound.gap(), -1e-9 * scale);
            }
        }
    }
}

TEST(TrackingBound, HedgeIsTheMixLossIdentity) {
    // No share, one rate: sum m_t = -(1/eps) ln (1/K) sum e^{-eps L_k}, so the price is known exactly.
    const Losses losses = draw_losses(3, 4, 200, 1, 0);
    const Real rate = 0.7;
    const TrackingBound bound = measure(losses, weigh(losses, {.share = 0, .rate = rate}));
    long double all = 0;
    for (Index k = 0; k < 4; ++k) {
        long double sum = 0;
        for (const auto& l : losses) sum += l[k];
        all += std::exp(-rate * sum) / 4;
    }
    EXPECT_NEAR(bound.weighted_loss() - bound.gap(), static_cast<Real>(-std::log(all) / rate), 1e-10);
    const auto side = bound.tightest();
    ASSERT_TRUE(side);
    EXPECT_EQ(side->switches, 0U);
    EXPECT_NEAR(side->price, std::log(4.0) / rate + bound.gap(), 1e-12);
    EXPECT_TRUE(holds(bound));
    // A rate that changes bounds nothing when nothing is shared.
    EXPECT_FALSE(measure(losses, weigh(losses, {.share = 0, .rate = 0, .scale = 1})).tightest());
}

TEST(TrackingBound, RemembersWeightsThatADoubleCannotHold) {
    // Hedge at a high rate: member 1 falls behind by more than a double can say, and comes back.
    const Real rate = 100;
    Losses losses(60, {0.0, 1.0});
    for (Index t = 30; t < 60; ++t) losses[t] = {1.5, 0.0};
    Weighted exact;
    Weighted forgetful;
    long double ahead = 0;  // L_1 - L_0
    for (const auto& l : losses) {
        const long double behind = std::exp(-rate * std::abs(ahead));
        const auto less = static_cast<Real>(behind / (1 + behind)),
                   more = static_cast<Real>(1 / (1 + behind));
        exact.weights.push_back(ahead >= 0 ? std::vector{more, less} : std::vector{less, more});
        exact.rates.push_back(rate);
        exact.shares.push_back(0);
        ahead += static_cast<long double>(l[1]) - l[0];
    }
    forgetful = exact;
    for (Index t = 31; t < 60; ++t) forgetful.weights[t] = {1, 0};
    EXPECT_EQ(exact.weights[25][1], 0);
    EXPECT_GT(exact.weights[59][1], 0.99);
    EXPECT_FALSE(measure(losses, exact).off_rule);
    EXPECT_TRUE(holds(measure(losses, exact)));
    EXPECT_TRUE(measure(losses, forgetful).off_rule);
}

TEST(TrackingBound, FindsWeightsThatAreNotTheRules) {
    const Losses losses = draw_losses(5, 3, 40, 1, 0);
    const Weighted honest = weigh(losses, {});
    ASSERT_FALSE(measure(losses, honest).off_rule);
    Weighted spoilt = honest;
    std::swap(spoilt.weights[10][0], spoilt.weights[10][1]);
    EXPECT_EQ(measure(losses, spoilt).off_rule.first, 11U);
    spoilt = honest;
    spoilt.weights[0] = {0.5, 0.25, 0.25};  // may be a start with weights from before
    EXPECT_FALSE(measure(losses, spoilt).off_rule);
    spoilt = honest;
    spoilt.weights[0] = {1, 0, 0};  // less than every member's share
    EXPECT_EQ(measure(losses, spoilt).off_rule.first, 1U);
    spoilt = honest;
    spoilt.weights[20][0] += 1e-8;
    spoilt.weights[20][1] -= 1e-8;
    EXPECT_EQ(measure(losses, spoilt).off_rule.first, 21U);
    spoilt = honest;
    spoilt.rates[20] *= 2;
    EXPECT_TRUE(measure(losses, spoilt).rising);
    EXPECT_EQ(measure(losses, spoilt).off_rule.first, 22U);
    spoilt = honest;
    spoilt.rates[7] = 0;
    EXPECT_EQ(measure(losses, spoilt).unrated.count, 1U);
    Losses infinite = losses;
    infinite[3][1] = kInfinity;
    EXPECT_EQ(measure(infinite, honest).outside.first, 4U);
}

TEST(TrackingBound, IsBrokenByForeignWeights) {
    // Weights that hold on to the worst member break the inequality itself, not only the recursion.
    const Losses losses = draw_losses(6, 2, 400, 1, 0);
    Losses unfair = losses;
    for (auto& l : unfair) l = {0, 1};
    Weighted weighted = weigh(losses, {});
    for (Index t = 0; t < unfair.size(); ++t) {
        weighted.weights[t] = {0.01, 0.99};
        weighted.rates[t] = 1e3;
    }
    EXPECT_FALSE(holds(measure(unfair, weighted)));
}

}  // namespace
}  // namespace proxstream
