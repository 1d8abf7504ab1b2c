/// What users of the traffic room may get wrong: refused with the value and what is allowed, and nothing
/// changes.
#include "proxstream/traffic/link_costs.hpp"

#include "support/refusal.hpp"

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

constexpr Real kNotANumber = std::numeric_limits<Real>::quiet_NaN();

/// Two nodes and a link.
Network two_nodes(Link link = {}) {
    Network network;
    link.from = network.node("A");
    link.to = network.node("B");
    network.add_link(link);
    return network;
}

TEST(TrafficMisuse, NodesThatDoNotExistAreRefused) {
    Network network = two_nodes();
    const std::vector<std::function<void()>> calls{
        [&] { network.add_link({.from = 2, .to = 0}); },
        [&] { network.add_link({.from = 0, .to = 9}); },
        [&] {
            network.set_place(2, {1, 1});
        },
        [&] { network.bar_through(2); },
    };
    for (const auto& call : calls) {
        EXPECT_NE(tests::refusal(call).find("the network has 2 nodes"), std::string::npos);
    }
    EXPECT_EQ(network.links(), 1U);
    EXPECT_EQ(network.leaving(0).size(), 1U);
    EXPECT_FALSE(network.has_places());
}

TEST(TrafficMisuse, LinksWithImpossibleFiguresAreRefused) {
    struct Case {
        Link link;
        std::string said;
    };
    const std::vector<Case> cases{
        {{.capacity = 0}, "link A-B: capacity = 0 must be positive"},
        {{.capacity = -1}, "capacity = -1"},
        {{.capacity = kNotANumber}, "capacity = nan"},
        {{.free_time = -1}, "free time = -1 must be finite and at least 0"},
        {{.free_time = kInfinity}, "free time = inf"},
        {{.free_time = kNotANumber}, "free time = nan"},
    };
    for (const Case& each : cases) {
        const Network network = two_nodes(each.link);
        const std::string said = tests::refusal([&] { LinkCosts(network, "bpr", {}, {}); });
        EXPECT_NE(said.find(each.said), std::string::npos) << said;
    }
}

TEST(TrafficMisuse, CapacitiesAreScaledByPositiveNumbersOfExistingLinks) {
    LinkCosts costs(two_nodes(), "bpr", {}, {});
    for (const Real factor : {0.0, -2.0, kInfinity, kNotANumber}) {
        EXPECT_NE(tests::refusal([&] { costs.scale_capacity(0, factor); }).find("capacity factor"),
                  std::string::npos);
        EXPECT_NE(tests::refusal([&] { costs.scale_all(factor); }).find("capacity factor"),
                  std::string::npos);
    }
    EXPECT_NE(tests::refusal([&] { costs.scale_capacity(1, 2); }).find("link 1 does not exist"),
              std::string::npos);
    EXPECT_EQ(costs.capacity(0), 1);
}

TEST(TrafficMisuse, TooManyLoadsAtATimeAreRefused) {
    const LinkCosts costs(two_nodes(), "bpr", {}, {});
    const std::vector<Real> loads(LinkCosts::kTogether + 1, 0.5);
    LinkCosts::Terms terms;
    EXPECT_NE(tests::refusal([&] { costs.terms(0, loads, terms); }).find("33 loads at a time; at most 32"),
              std::string::npos);
}

}  // namespace
}  // namespace proxstream
