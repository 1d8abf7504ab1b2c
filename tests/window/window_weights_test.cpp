// Windows by weights: every recurrence against the definition sum_i a_i f_{t-i}, through burn-in and
// restarts.

#include "window/window_weights.hpp"

#include "proxstream/core/draw.hpp"
#include "proxstream/core/error.hpp"
#include "proxstream/window/record_ring.hpp"

#include "window/carried_window.hpp"
#include "window/mixed_family.hpp"

#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

using Ring = RecordRing<Mixed>;
using Window = CarriedWindow;
using Point = std::vector<Real>;

Window window_of(const WindowWeights& weights) {
    return {AnyBatch(Ring(Mixed{}, Window::slots(weights.length()))), 2, weights};
}

std::vector<WindowWeights> all_windows() {
    std::vector<WindowWeights> windows;
    for (const char* text : {"1",
                             "2",
                             "7",
                             "box:20",
                             "exp:4",
                             "exp:6,length=9",
                             "exp:3,length=1",
                             "triangle:1",
                             "triangle:2",
                             "triangle:9",
                             "mean:6",
                             "mean:9,keep=4",
                             "mean:1",
                             "season:5,3",
                             "season:1,4",
                             "season:4,1",
                             "weights:0.5,0.3,0.2",
                             "weights:0,0,0.6",
                             "weights:0.4",
                             "weights:0.1,0,0.2,0.2,0.05",
                             "weights:0.05,0.1,0.02,0.2,0.1,0.11,0.04,0.2,0.1,0.03,0.05"}) {
        windows.push_back(WindowWeights::parse(text));
    }
    return windows;
}

std::vector<ForecastRule> all_models() {
    std::vector<ForecastRule> rules;
    for (const char* text : {"previous", "mean", "zero", "season:3", "season:12"})
        rules.push_back(ForecastRule::parse(text));
    return rules;
}

/// How many losses a running mean of round t holds, walked through from the first round.
Real running_count(Round t, Real longest, Real keep) {
    Real m = 0;
    for (Round i = 1; i <= t; ++i) m = m == longest ? keep : m + 1;
    return m;
}

/// The weight of the record of round s in the window of round t, from the table of the definitions.
Real defined_weight(const std::string& text, Round t, Round s) {
    if (s < 1 || s > t) return 0;
    const auto age = static_cast<Real>(t - s);
    const auto mean = [&](Real longest, Real keep) {
        const Real count = running_count(t, longest, keep);
        return age < count ? 1 / count : 0;
    };
    if (text == "7") return age < 7 ? 1.0 / 7 : 0;
    if (text == "exp:6,length=9") {
        Real total = 0;
        for (int i = 0; i < 9; ++i) total += std::pow(5.0 / 6, i);
        return age < 9 ? std::pow(5.0 / 6, age) / total : 0;
    }
    if (text == "triangle:9") return age < 9 ? 2 * (9 - age) / (9 * 10) : 0;
    if (text == "mean:6,keep=1") return mean(6, 1);
    if (text == "mean:9,keep=4") return mean(9, 4);
    if (text == "season:5,3") return age == 0 || age == 5 || age == 10 ? 1.0 / 3 : 0;
    ADD_FAILURE() << text;
    return 0;
}

TEST(WindowWeights, MatchTheirDefinitions) {
    for (const char* text :
         {"7", "exp:6,length=9", "triangle:9", "mean:6,keep=1", "mean:9,keep=4", "season:5,3"}) {
        const WindowWeights window = WindowWeights::parse(text);
        EXPECT_EQ(window.text(), text);
        std::vector<Real> weights;
        for (Round t = 1; t <= 40; ++t) {
            window.at(t, weights);
            ASSERT_LE(weights.size(), window.length());
            for (Round s = 1; s <= t; ++s) {
                const Index age = t - s;
                ASSERT_NEAR(age < weights.size() ? weights[age] : 0, defined_weight(text, t, s), 1e-15)
                    << text << " t=" << t << " s=" << s;
            }
        }
    }
}

TEST(WindowWeights, EffectiveLengthIsTwoOverTheTotalVariation) {
    const auto length = [](const char* text) { return WindowWeights::parse(text).effective_length(); };
    EXPECT_EQ(length("64"), 64);
    EXPECT_NEAR(length("triangle:9"), 5, 1e-14);  // (W+1)/2
    EXPECT_NEAR(length("exp:8,length=24"), (1 - std::pow(7.0 / 8, 24)) * 8, 1e-12);
    EXPECT_NEAR(length("season:5,3"), 1, 1e-14);
    EXPECT_NEAR(length("weights:0.1,0.3,0.2"), 2 / (0.1 + 0.2 + 0.1 + 0.2), 1e-14);
    EXPECT_EQ(length("mean:10"), 10);
}

/// Weights of the model Q_{t+1} by record round, from the judge's definition in round t+1.
Point model_by_definition(const WindowWeights& judge, const ForecastRule& rule, Round t) {
    std::vector<Real> next;
    judge.at(t + 1, next);
    Point by_age;  // ages in round t
    if (rule.kind == ForecastRule::Kind::previous) {
        judge.at(t, by_age);
        return by_age;
    }
    const Real forecast = next.front();
    by_age.assign(next.begin() + 1, next.end());
    const Real left = std::accumulate(by_age.begin(), by_age.end(), Real{0});
    if (rule.kind == ForecastRule::Kind::mean) {
        if (left == 0) return {forecast};
        for (Real& weight : by_age) weight *= (left + forecast) / left;
    }
    if (rule.kind == ForecastRule::Kind::season) {
        if (by_age.size() < rule.lag) by_age.resize(rule.lag);
        by_age[rule.lag - 1] += forecast;
    }
    return by_age;
}

TEST(WindowWeights, ForecastsReplaceTheNextLoss) {
    int checked = 0;
    for (const WindowWeights& judge : all_windows()) {
        for (const ForecastRule& rule : all_models()) {
            std::optional<WindowWeights> model;
            try {
                model = judge.forecast_window(rule);
            } catch (const ConfigError&) {
                continue;  // what is refused is a test of its own
            }
            ++checked;
            for (Round t = 1; t <= 30; ++t) {
                std::vector<Real> weights;
                model->at(t, weights);
                Point expected = model_by_definition(judge, rule, t);
                const std::size_t size = std::max(weights.size(), expected.size());
                weights.resize(size);
                expected.resize(size);
                for (Index age = 0; age < size; ++age) {
                    ASSERT_NEAR(weights[age], expected[age], 1e-14)
                        << judge.text() << " " << rule.text() << " t=" << t << " age=" << age;
                }
            }
        }
    }
    EXPECT_GT(checked, 70);
}

TEST(WindowWeights, CarriedWindowsFollowTheDefinition) {
    for (const WindowWeights& judge : all_windows()) {
        for (const ForecastRule& rule : all_models()) {
            std::optional<WindowWeights> weights;
            try {
                weights = judge.forecast_window(rule);
            } catch (const ConfigError&) {
                continue;
            }
            Window window = window_of(*weights);
            Scratch scratch;
            Point x{0.3, -0.7};
            std::vector<Real> records;
            std::vector<Real> by_age;
            std::vector<Real> before;
            for (Round t = 1; t <= 60; ++t) {
                records.push_back(2 * normal({3, t, 0, 0, 0}));
                window.arrive(records.back(), x, scratch);
                const Arrival arrival = window.carry(x, scratch);
                weights->at(t, by_age);
                Real value = 0;
                Real value_before = 0;
                Point gradient(2);
                Point gradient_before(2);
                for (Index age = 0; age < t; ++age) {
                    Point single(2);
                    const Real f = Mixed{}.value_and_gradient(records[t - 1 - age], x, single, scratch);
                    const Real now = age < by_age.size() ? by_age[age] : 0;
                    const Real then = age >= 1 && age - 1 < before.size() ? before[age - 1] : 0;
                    value += now * f;
                    value_before += then * f;
                    axpy(now, single, gradient);
                    axpy(then, single, gradient_before);
                }
                const std::string where = judge.text() + " " + rule.text() + " t=" + std::to_string(t);
                ASSERT_NEAR(window.value(), value, 1e-12) << where;
                ASSERT_LE(distance(window.gradient(), gradient), 1e-12) << where;
                // v_t = sum of (b_t(s) - b_{t-1}(s)) grad f_s, and the same for values.
                Point change(2);
                subtract(gradient, gradient_before, change);
                ASSERT_LE(distance(window.change(), change), 1e-12) << where;
                ASSERT_NEAR(arrival.value_change, value - value_before, 1e-12) << where;
                ASSERT_NEAR(window.try_at(x, scratch), value, 1e-12) << where;
                before = by_age;
                if (t % 5 == 0) {  // the point moves
                    x[0] += 0.2;
                    window.try_at(x, scratch);
                    window.accept_trial();
                }
            }
        }
    }
}

TEST(WindowWeights, RollbackIsExactForEveryWindow) {
    for (const WindowWeights& weights : all_windows()) {
        Window plain = window_of(weights);
        Window disturbed = window_of(weights);
        Scratch scratch;
        Point x{0.5, 0.1};
        for (Round t = 1; t <= 40; ++t) {
            if (t % 3 == 0) {
                disturbed.arrive(Real{5}, x, scratch);
                disturbed.carry(x, scratch);
                disturbed.try_at({{5.0, 5.0}}, scratch);
                disturbed.accept_trial();
                disturbed.rollback();
            }
            const Real record = normal({2, t, 0, 0, 0});
            for (Window* window : {&plain, &disturbed}) {
                window->arrive(record, x, scratch);
                window->carry(x, scratch);
            }
            ASSERT_EQ(plain.value(), disturbed.value()) << weights.text() << " t=" << t;
            ASSERT_TRUE(std::ranges::equal(plain.gradient(), disturbed.gradient())) << weights.text();
            if (t % 7 == 6) {
                x[0] += 0.1;
                for (Window* window : {&plain, &disturbed}) {
                    window->try_at(x, scratch);
                    window->accept_trial();
                }
            }
        }
    }
}

TEST(WindowWeights, QuietRoundsCostWhatTheTableClaims) {
    const auto gradients = [](const char* text) {
        const WindowWeights weights = WindowWeights::parse(text);
        Window window = window_of(weights);
        Scratch scratch;
        const Point x{0.1, 0.2};
        std::uint64_t before = 0;
        for (Round t = 1; t <= 80; ++t) {
            if (t == 80) before = window.cost().record_gradients;
            window.arrive(0.1, x, scratch);
            window.carry(x, scratch);
        }
        return window.cost().record_gradients - before;
    };
    EXPECT_EQ(gradients("1"), 1U);
    EXPECT_EQ(gradients("16"), 2U);
    EXPECT_EQ(gradients("exp:8,length=24"), 2U);
    EXPECT_EQ(gradients("triangle:16"), 2U);
    EXPECT_EQ(gradients("mean:1000"), 1U);
    EXPECT_EQ(gradients("season:8,3"), 6U);  // 2m
    EXPECT_EQ(gradients("season:1,3"), 2U);  // a box in other words
}

TEST(WindowWeights, ChangesAreWithinTheBoundsOfTheVariation) {
    // (i) |v| <= G TV, (ii) <= (TV/2) diam of the gradients, (iii) <= sum_i a_i |grad f_{t-i} - grad
    // f_{t-i-1}|.
    for (int trial = 0; trial < 200; ++trial) {
        const auto seed = static_cast<std::uint64_t>(trial);
        const auto size = 1 + static_cast<Index>(uniform_below({seed, 0, 0, 0, 0}, 9));
        Point weights(size);
        for (Index i = 0; i < size; ++i) weights[i] = uniform({seed, 1, 0, 0, i}) / static_cast<Real>(size);
        const WindowWeights window_weights = WindowWeights::listed(weights);
        Window window = window_of(window_weights);
        const Real variation = 2 / window_weights.effective_length();
        Scratch scratch;
        const Point x{normal({seed, 2, 0, 0, 0}), normal({seed, 2, 0, 0, 1})};
        std::vector<Point> gradients;
        for (Round t = 1; t <= 25; ++t) {
            const Real record = normal({seed, 3, 0, 0, t});
            window.arrive(record, x, scratch);
            window.carry(x, scratch);
            Point single(2);
            Mixed{}.value_and_gradient(record, x, single, scratch);
            gradients.push_back(single);
            const Real change = norm(window.change());
            const auto gradient_at = [&](Index age) { return age < t ? gradients[t - 1 - age] : Point(2); };
            Real largest = 0;
            Real diameter = 0;
            Real drift = 0;
            for (Index i = 0; i <= size; ++i) {
                largest = std::max(largest, norm(gradient_at(i)));
                for (Index j = 0; j < i; ++j)
                    diameter = std::max(diameter, distance(gradient_at(i), gradient_at(j)));
                if (i < size) drift += weights[i] * distance(gradient_at(i), gradient_at(i + 1));
            }
            ASSERT_LE(change, largest * variation * (1 + 1e-12));
            ASSERT_LE(change, variation / 2 * diameter * (1 + 1e-12));
            ASSERT_LE(change, drift * (1 + 1e-12));
        }
    }
}

TEST(WindowWeights, ConstantLossesCauseNoChangeAfterBurnIn) {
    for (const char* text : {"9", "exp:4", "triangle:9", "season:3,3", "weights:0.2,0.1,0.3"}) {
        Window window = window_of(WindowWeights::parse(text));
        Scratch scratch;
        const Point x{0.4, 0.6};
        for (Round t = 1; t <= 60; ++t) {
            window.arrive(0.8, x, scratch);
            window.carry(x, scratch);
        }
        EXPECT_LE(norm(window.change()), 1e-15) << text;
    }
}

TEST(WindowWeights, RefusesInvalidTexts) {
    const auto refusal = [](const std::string& text) -> std::string {
        try {
            WindowWeights::parse(text);
        } catch (const ConfigError& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_NE(refusal("0").find("from 1 to 10000000"), std::string::npos);
    EXPECT_NE(refusal("99999999999999999999").find("from 1 to 10000000"), std::string::npos);
    EXPECT_NE(refusal("weights:0.5,-0.1").find("age 1 is -0.1"), std::string::npos);
    EXPECT_NE(refusal("weights:0.8,0.8").find("add up to 1.6"), std::string::npos);
    EXPECT_NE(refusal("weights:0,0").find("all 0"), std::string::npos);
    EXPECT_NE(refusal("weights:").find("weights"), std::string::npos);
    EXPECT_NE(refusal("exp:1").find("span"), std::string::npos);
    EXPECT_NE(refusal("exp:0.5,length=3").find("span"), std::string::npos);
    EXPECT_NE(refusal("mean:5,keep=5").find("keep"), std::string::npos);
    EXPECT_NE(refusal("season:20000000,2").find("10000000"), std::string::npos);
    EXPECT_NE(refusal("season:9999999,3").find("oldest lag"), std::string::npos);
    EXPECT_NE(refusal("triangel:4").find("triangle"), std::string::npos);
    EXPECT_NE(refusal("box:2.5").find("whole number"), std::string::npos);
    EXPECT_NE(refusal("box:4,keep=2").find("keep"), std::string::npos);
    EXPECT_THROW(ForecastRule::parse("median"), ConfigError);
    EXPECT_THROW(ForecastRule::parse("season:0"), ConfigError);
    EXPECT_THROW(ForecastRule::parse("season:20000000"), ConfigError);
    EXPECT_THROW(WindowWeights(1).forecast_window(ForecastRule::parse("zero")), ConfigError);
    EXPECT_THROW(WindowWeights::parse("mean:9").forecast_window(ForecastRule::parse("zero")), ConfigError);
    EXPECT_THROW(WindowWeights::parse("mean:9").forecast_window(ForecastRule::parse("season:3")),
                 ConfigError);
}

/// A forecast record in the window: value and gradient as if it were one more record with its own weight.
TEST(CarriedWindow, HoldsAForecastBesideTheRecords) {
    const WindowWeights judge(4);
    const WindowWeights model = judge.forecast_window(ForecastRule::parse("forecast"));
    Window window = window_of(model);
    window.attach_forecasts(AnyBatch(Ring(Mixed{}, 2)));
    Scratch scratch;
    Point x{0.2, 0.4};
    std::vector<Real> records;
    for (Round t = 1; t <= 30; ++t) {
        records.push_back(normal({9, t, 0, 0, 0}));
        const Real forecast = normal({9, t, 1, 0, 0});
        const bool given = t % 4 != 0;
        if (t % 6 == 0) {  // a round that does not happen
            window.arrive(Real{3}, x, scratch);
            window.carry(x, scratch, forecast, 0.25);
            window.rollback();
        }
        window.arrive(records.back(), x, scratch);
        window.carry(x, scratch, given ? RecordRef(forecast) : RecordRef(), 0.25);
        Real value = given ? Mixed{}.value(forecast, x, scratch) / 4 : 0;
        for (Index age = 0; age < std::min<Index>(t, 3); ++age)
            value += Mixed{}.value(records[t - 1 - age], x, scratch) / 4;
        ASSERT_NEAR(window.value(), value, 1e-13) << t;
        ASSERT_NEAR(window.try_at(x, scratch), value, 1e-13) << t;
        ASSERT_LE(distance(window.gradient(), window.trial_gradient()), 1e-13) << t;
        Closing closing;
        window.close(x, closing, scratch);
        ASSERT_EQ(closing.losses.size(), std::min<Index>(t, 3) + (given ? 1 : 0));
        if (t % 5 == 0) {
            x[1] -= 0.1;
            window.try_at(x, scratch);
            window.accept_trial();
        }
    }
}

}  // namespace
}  // namespace proxstream
