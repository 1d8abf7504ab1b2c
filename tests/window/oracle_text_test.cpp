// Oracles from their texts: how many base samples a wanted deviation takes, and what is refused.

#include "proxstream/core/error.hpp"
#include "proxstream/core/spec.hpp"
#include "proxstream/loss/function_family.hpp"
#include "proxstream/window/record_ring.hpp"

#include "window/oracle_table.hpp"
#include "window/oracle_window.hpp"

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

std::uint64_t samples(const std::string& text, const OracleContext& context) {
    return parse_oracle(text, context)->samples();
}

Real level(const AnyOracle& oracle, const WindowWeights& window, std::uint64_t count) {
    std::vector<Real> weights;
    window.at(window.length(), weights);
    return *oracle->level(weights, count);
}

TEST(OracleText, ADeviationPicksItsBaseSamples) {
    const OracleContext context{.window = 8, .base_noise = 2.0, .record_rows = 0};
    // S_{sigma/w} as printed: every call by itself is below sigma/w.
    EXPECT_EQ(samples("gaussian:2,sigma=0.5,calls=paper", context), 1024U);  // (2 * 8 / 0.5)^2
    EXPECT_EQ(samples("gaussian:2,sigma=0.7,calls=paper", context), 523U);   // 522.4...
    EXPECT_EQ(samples("minibatch:sigma=0.5,calls=paper", context), 1024U);
    // What independent noise leaves of it in the window: sigma_0^2 w / sigma^2.
    EXPECT_EQ(samples("gaussian:2,sigma=0.5", context), 128U);
    EXPECT_EQ(samples("gaussian:2,sigma=0.5,calls=window", context), 128U);
    EXPECT_EQ(samples("heavy:2,sigma=0.7", context), 66U);  // 65.3...
    EXPECT_EQ(samples("minibatch:sigma=0.5", context), 128U);
    // Shared noise is left as it is.
    EXPECT_EQ(samples("gaussian:2,sigma=0.5,noise=shared", context), 1024U);
    EXPECT_EQ(samples("gaussian:2,sigma=1000", context), 1U);
    EXPECT_EQ(samples("gaussian:0,sigma=1", context), 1U);
    EXPECT_EQ(samples("gaussian:2", context), 1U);
    EXPECT_EQ(samples("gaussian:2,samples=7", context), 7U);
    EXPECT_EQ(samples("minibatch:7", context), 7U);
    EXPECT_EQ(samples("exact", context), 1U);
}

TEST(OracleText, TheSamplesOfADeviationAreTheFewestThatReachIt) {
    for (const char* text : {"1", "13", "exp:6", "triangle:9", "weights:0.5,0.3,0,0.2"}) {
        const OracleContext context{.window = WindowWeights::parse(text), .base_noise = 1.3};
        const Real length = context.window.effective_length();
        for (const Real sigma : {0.1, 0.37, 1.0}) {
            for (const char* noise : {"independent", "shared"}) {
                const AnyOracle oracle =
                    parse_oracle("gaussian:1.3,sigma=" + std::to_string(sigma) + ",noise=" + noise, context);
                const std::uint64_t count = oracle->samples();
                EXPECT_LE(length * level(oracle, context.window, count), sigma * (1 + 1e-12))
                    << text << ", sigma = " << sigma;
                if (count == 1) continue;
                EXPECT_GT(length * level(oracle, context.window, count - 1), sigma)
                    << text << ", sigma = " << sigma;
            }
        }
    }
}

TEST(OracleText, RowsWithoutReplacementAreTheFewestThatReachADeviation) {
    for (const Index rows : {Index{2}, Index{10}, Index{1000}}) {
        const OracleContext context{.window = 6, .base_noise = 1.3, .record_rows = rows};
        for (const Real sigma : {0.05, 0.4, 0.9, 1.5, 2.0, 2.9, 10.0}) {
            const AnyOracle oracle = parse_oracle("minibatch:sigma=" + std::to_string(sigma), context);
            const std::uint64_t count = oracle->samples();
            EXPECT_LE(count, rows);
            EXPECT_LE(6 * level(oracle, context.window, count), sigma * (1 + 1e-12)) << rows << ' ' << sigma;
            if (count == 1) continue;
            EXPECT_GT(6 * level(oracle, context.window, count - 1), sigma) << rows << ' ' << sigma;
        }
    }
}

/// Every violation, one a line; empty: the text was taken.
std::string refusal(const std::string& text, const OracleContext& context = {}) {
    try {
        parse_oracle(text, context);
    } catch (const ConfigError& error) {
        std::string all;
        for (const std::string& violation : error.violations()) all += violation + '\n';
        return all;
    }
    return "";
}

TEST(OracleText, RefusesInvalidTexts) {
    struct Case {
        const char* text;
        const char* says;
    };
    for (const Case& each : {
             Case{"minibach:4", "did you mean 'minibatch'"},
             {"exact:1", "exact"},
             {"gaussian", "'deviation' is missing"},
             {"gaussian:-1", "sigma = -1: must be finite and not negative"},
             {"gaussian:nan", "is not a number"},
             {"gaussian:inf", "must be finite"},
             {"gaussian:1e200", "must be finite"},
             {"sphere:-0.5", "sigma = -0.5"},
             {"heavy:1,tail=2", "tail = 2: must be above 2"},
             {"heavy:1,tail=inf", "tail"},
             {"gaussian:1,tail=3", "tail"},
             {"dropout:1", "must lie in [0, 1)"},
             {"dropout:-0.1", "must lie in [0, 1)"},
             {"dropout:0.5,sigma=1", "dropout has no fixed deviation"},
             {"gaussian:1,samples=0", "samples"},
             {"gaussian:1,samples=2.5", "samples"},
             {"gaussian:1,samples=-3", "samples"},
             {"gaussian:1,samples=4000000000", "samples"},
             {"gaussian:1,noise=none", "noise is independent or shared, not 'none'"},
             {"gaussian:1,calls=paper", "calls= says how sigma= is reached"},
             {"gaussian:1,sigma=0", "sigma must be positive"},
             {"gaussian:1,sigma=-2", "sigma must be positive"},
             {"gaussian:1,sigma=inf", "sigma must be positive and finite"},
             {"gaussian:1,sigma=1,samples=3", "samples or sigma, not both"},
             {"gaussian:1,sigma=1,calls=both", "calls is paper or window, not 'both'"},
             {"gaussian:1,sigma=1e-9", "base samples an answer"},
             {"sphere:1,sigma=0.5", "averaging does not lower"},
             {"minibatch", "say how many rows"},
             {"minibatch:0", "a whole number from 1"},
             {"minibatch:-4", "a whole number from 1"},
             {"minibatch:2.5", "a whole number from 1"},
             {"minibatch:1e12", "a whole number from 1"},
             {"minibatch:x", "is not a number"},
             {"minibatch:4,replace=maybe", "replace is yes or no, not 'maybe'"},
             {"minibatch:sigma=0.1", "needs the deviation of a row's gradient"},
             {"minibatch:4,sigma=0.1", "sigma"},
             {"minibatch:4,samples=2", "samples"},
         }) {
        EXPECT_NE(refusal(each.text).find(each.says), std::string::npos)
            << each.text << " -> " << refusal(each.text);
    }
    const std::string both = refusal("heavy:-1,tail=1");
    EXPECT_NE(both.find("sigma = -1"), std::string::npos);
    EXPECT_NE(both.find("tail = 1"), std::string::npos);
}

TEST(OracleText, EveryRowHasAHelpText) {
    EXPECT_EQ(oracles().size(), 6U);
    for (const OracleRow& row : oracles()) {
        EXPECT_EQ(row.usage.substr(0, row.name.size()), row.name);
        EXPECT_FALSE(row.help.empty());
    }
}

TEST(OracleWindow, RefusesWindowsWhoseWeightsVary) {
    const auto make = [](const WindowWeights& window) {
        return OracleWindow(AnyBatch(RecordRing(FunctionFamily(1), 9)), 1, window, AnyOracle(ExactOracle{}),
                            {}, 1);
    };
    EXPECT_NO_THROW(make(WindowWeights::exponential(4, 8)));
    EXPECT_THROW(make(WindowWeights::running_mean(8, 1)), ConfigError);
}

}  // namespace
}  // namespace proxstream
