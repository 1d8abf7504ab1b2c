// Who plays: the inequality behind AdaShare against the best sequence in hindsight, the coupling, the leader.

#include "online/selector.hpp"

#include "proxstream/core/draw.hpp"
#include "proxstream/core/error.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

using Losses = std::vector<std::vector<Real>>;

Selector::Options selector_options(const char* text) {
    return Selection::parse(text).member;
}

/// Losses of K members whose best one changes now and then, at a given scale.
Losses streaky(Index members, Round rounds, Real scale, std::uint64_t seed) {
    Losses losses;
    for (Round t = 0; t < rounds; ++t) {
        std::vector<Real> row(members);
        const Index best = (t / 97 + seed) % members;
        for (Index k = 0; k < members; ++k) {
            row[k] =
                scale * (normal({seed, t, static_cast<std::uint32_t>(k), 0, 0}) + (k == best ? -0.5 : 0));
        }
        losses.push_back(row);
    }
    return losses;
}

/// The least total loss of a sequence of members with at most `switches` changes.
Real best_sequence(const Losses& losses, Index switches) {
    const Index members = losses.front().size();
    std::vector<std::vector<Real>> best(switches + 1, std::vector<Real>(members, 0));
    for (const auto& row : losses) {
        const auto before = best;
        for (Index s = 0; s <= switches; ++s) {
            const Real other = s > 0 ? *std::min_element(before[s - 1].begin(), before[s - 1].end())
                                     : std::numeric_limits<Real>::infinity();
            for (Index k = 0; k < members; ++k) best[s][k] = std::min(before[s][k], other) + row[k];
        }
    }
    return *std::min_element(best[switches].begin(), best[switches].end());
}

TEST(AdaShare, KeepsItsInequalityAgainstEveryNumberOfSwitches) {
    for (const Real scale : {1e-8, 1.0, 1e12}) {
        for (std::uint64_t seed = 1; seed <= 5; ++seed) {
            const Index members = 1 + seed;
            const Losses losses = streaky(members, 800, scale, seed);
            Selector selector({}, members, seed);
            Real mixed = 0;       // sum <p, l>
            Real mixability = 0;  // D_T
            Real sharing = 0;     // sum kappa ln 1/(1 - al)
            Real last_scale = 0;
            Real least_share = 1;
            for (const auto& row : losses) {
                const std::vector<Real> p(selector.weights().begin(), selector.weights().end());
                selector.update(row);
                const Real rate = selector.rate();
                Real average = 0;
                Real exponential = 0;
                const Real least = *std::min_element(row.begin(), row.end());
                for (Index k = 0; k < members; ++k) {
                    average += p[k] * row[k];
                    exponential += p[k] * std::exp(-rate * (row[k] - least));
                }
                mixed += average;
                mixability += average - (least - std::log(exponential) / rate);
                ASSERT_GE(1 / rate, last_scale * (1 - 1e-12)) << "1/eps must not fall";
                last_scale = 1 / rate;
                sharing += last_scale * std::log(1 / (1 - selector.share()));
                least_share = std::min(least_share, selector.share());
            }
            for (Index switches = 0; switches <= 10; ++switches) {
                const Real bound = best_sequence(losses, switches) +
                                   static_cast<Real>(switches + 1) *
                                       std::log(static_cast<Real>(members) / least_share) * last_scale +
                                   sharing + mixability;
                ASSERT_LE(mixed, bound + 1e-9 * std::abs(bound))
                    << "scale " << scale << ", switches " << switches;
            }
        }
    }
}

TEST(Hedge, AddsUpItsMixLosses) {
    // Without shares: sum m_t = -(1/eps) ln mean_k exp(-eps L_k), an identity.
    const Losses losses = streaky(4, 300, 1, 3);
    Selector selector(selector_options("hedge:rate=0.3"), 4, 1);
    Real mix = 0;
    std::vector<Real> total(4);
    for (const auto& row : losses) {
        Real exponential = 0;
        for (Index k = 0; k < 4; ++k) {
            exponential += selector.weights()[k] * std::exp(-0.3 * row[k]);
            total[k] += row[k];
        }
        mix -= std::log(exponential) / 0.3;
        selector.update(row);
    }
    Real sum = 0;
    for (const Real loss : total) sum += std::exp(-0.3 * loss) / 4;
    EXPECT_NEAR(mix, -std::log(sum) / 0.3, 1e-8);
}

TEST(Hedge, RecoversMembersWithTinyWeights) {
    // Weights below the smallest double are still weights: what one member lost by, the other loses by later.
    Selector selector(selector_options("hedge:rate=1000"), 2, 1);
    for (int t = 0; t < 3; ++t) selector.update(std::vector<Real>{1, 0});
    EXPECT_EQ(selector.weights()[0], 0);
    EXPECT_EQ(selector.active(), 1U);
    for (int t = 0; t < 3; ++t) selector.update(std::vector<Real>{0, 1});
    EXPECT_NEAR(selector.weights()[0], 0.5, 1e-9);
    selector.update(std::vector<Real>{0, 1});
    EXPECT_EQ(selector.weights()[0], 1);
    EXPECT_EQ(selector.active(), 0U);
}

TEST(Selector, DrawsFollowTheWeightsAndChangeAsRarelyAsTheyMay) {
    const Losses losses = streaky(4, 200, 1, 7);
    for (const bool coupled : {true, false}) {
        std::vector<std::vector<Real>> counts(losses.size() + 1, std::vector<Real>(4));
        std::vector<std::vector<Real>> weights(losses.size() + 1, std::vector<Real>(4));
        constexpr std::uint64_t kSeeds = 2000;
        Real switches = 0;
        for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
            Selector selector(selector_options(coupled ? "draw" : "draw:draws=fresh"), 4, seed);
            for (Index t = 0; t <= losses.size(); ++t) {
                counts[t][selector.active()] += 1.0 / kSeeds;
                weights[t].assign(selector.weights().begin(), selector.weights().end());
                const Index before = selector.active();
                if (t == losses.size()) break;
                selector.update(losses[t]);
                switches += selector.active() == before ? 0 : 1.0 / kSeeds;
            }
        }
        Real variation = 0;
        for (Index t = 0; t <= losses.size(); ++t) {
            for (Index k = 0; k < 4; ++k) {
                // Five standard deviations of a share estimated from kSeeds draws.
                ASSERT_NEAR(counts[t][k], weights[t][k], 5 * 0.5 / std::sqrt(kSeeds)) << t;
                if (t > 0) variation += std::abs(weights[t][k] - weights[t - 1][k]) / 2;
            }
        }
        if (coupled) {
            EXPECT_NEAR(switches, variation, 0.05 * variation);
        } else {
            EXPECT_GT(switches, 1.2 * variation);
        }
    }
}

TEST(Selector, SelectionsDoNotDependOnFutureLosses) {
    Losses losses = streaky(3, 100, 1, 2);
    const auto plays = [](const Losses& seen) {
        Selector selector({}, 3, 5);
        std::vector<Index> played;
        for (const auto& row : seen) {
            played.push_back(selector.active());
            selector.update(row);
        }
        return played;
    };
    const auto before = plays(losses);
    std::swap(losses[60], losses[61]);
    const auto after = plays(losses);
    EXPECT_TRUE(std::equal(before.begin(), before.begin() + 61, after.begin()));
}

TEST(Selector, ACopyContinuesTheSameWay) {
    for (const char* text : {"draw", "hedge:rate=1", "leader"}) {
        Selector plain(selector_options(text), 3, 9);
        Selector disturbed(selector_options(text), 3, 9);
        for (const auto& row : streaky(3, 50, 1, 4)) {
            const Selector before = disturbed;
            disturbed.update(std::vector<Real>{5, -3, 1});
            disturbed = before;
            plain.update(row);
            disturbed.update(row);
            ASSERT_TRUE(std::ranges::equal(plain.weights(), disturbed.weights()));
            ASSERT_EQ(plain.active(), disturbed.active());
            ASSERT_EQ(plain.rate(), disturbed.rate());
        }
    }
}

TEST(Leader, FollowsTheLeastDiscountedLossByAMargin) {
    Selector selector(selector_options("leader:discount=0.9,margin=2"), 3, 1);
    EXPECT_EQ(selector.active(), 1U);
    // Member 0 is better by a whole spread each round: more than the margin of two only in the third.
    std::vector<Index> played;
    for (int t = 0; t < 5; ++t) {
        selector.update(std::vector<Real>{0, 1, 1});
        played.push_back(selector.active());
    }
    EXPECT_EQ(played, (std::vector<Index>{1, 1, 0, 0, 0}));
    EXPECT_EQ(std::vector<Real>(selector.weights().begin(), selector.weights().end()),
              (std::vector<Real>{1, 0, 0}));
}

TEST(Selection, TextDescribesTheSelection) {
    EXPECT_TRUE(Selection::parse("mean").mean);
    EXPECT_EQ(Selection::parse("mean").text, "mean:mixers=losses/gradients/clipped");
    EXPECT_TRUE(Selection::parse("mean:mixers=losses/tracking").mean->tracking);
    EXPECT_FALSE(Selection::parse("mean:mixers=losses/tracking").mean->clipped);
    for (const SelectionRow& row : Selection::rows()) {
        const Selection selection = Selection::parse(row.name);
        EXPECT_EQ(selection.mean.has_value(), row.name == "mean");
        EXPECT_EQ(Selection::parse(selection.text).text, selection.text);
    }
}

TEST(Selection, RefusesInvalidTexts) {
    const auto refusal = [](const char* text) -> std::string {
        try {
            Selection::parse(text);
        } catch (const ConfigError& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_NE(refusal("drow").find("did you mean 'draw'"), std::string::npos);
    EXPECT_NE(refusal("draw:switches=-1").find("switches"), std::string::npos);
    EXPECT_NE(refusal("draw:draws=often").find("coupled or fresh"), std::string::npos);
    EXPECT_NE(refusal("hedge:rate=0").find("rate"), std::string::npos);
    EXPECT_NE(refusal("hedge:rate=1,range=2").find("give the rate, or"), std::string::npos);
    EXPECT_NE(refusal("leader:discount=0").find("discount"), std::string::npos);
    EXPECT_NE(refusal("mean:tau=1").find("tau"), std::string::npos);
    EXPECT_NE(refusal("mean:draws=fresh").find("draws"), std::string::npos);
    EXPECT_NE(refusal("mean:mixers=losses/gradient").find("unknown mixer 'gradient'"), std::string::npos);
    EXPECT_NE(refusal("leader:rate=1").find("rate"), std::string::npos);
}

}  // namespace
}  // namespace proxstream
