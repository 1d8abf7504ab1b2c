// The carried value and gradient against full passes, through burn-in, refusals and wrap-around.

#include "window/carried_window.hpp"

#include "proxstream/core/draw.hpp"
#include "proxstream/window/record_ring.hpp"

#include "window/mixed_family.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

using Ring = RecordRing<Mixed>;

CarriedWindow window_of(Index length) {
    return {AnyBatch(Ring(Mixed{}, CarriedWindow::slots(length))), 2, length};
}

TEST(RecordRing, AddressesByAgeAndForgetsTheOldest) {
    Ring ring(Mixed{}, 3);
    Scratch scratch;
    const std::vector<Real> x{0, 0};
    const auto at = [&](Index age) { return ring.value(age, x, scratch); };
    for (const Real a : {0.1, 0.2, 0.3, 0.4}) ring.push(a);
    EXPECT_EQ(ring.size(), 3U);
    EXPECT_EQ(at(0), -std::cos(0.4));
    EXPECT_EQ(at(2), -std::cos(0.2));
    ring.drop_newest();
    EXPECT_EQ(ring.size(), 2U);
    EXPECT_EQ(at(0), -std::cos(0.3));
    ring.push(0.5);
    EXPECT_EQ(ring.size(), 3U);
    EXPECT_EQ(at(0), -std::cos(0.5));
    EXPECT_EQ(at(2), -std::cos(0.2));
    const std::vector<Real> weights{0.5, 0.25};
    EXPECT_DOUBLE_EQ(ring.weighted_value(weights, x, scratch), 0.5 * at(0) + 0.25 * at(1));
    std::vector<Real> gradient(2, 99);
    EXPECT_DOUBLE_EQ(ring.weighted_value_and_gradient(weights, x, gradient, scratch),
                     ring.weighted_value(weights, x, scratch));
    EXPECT_DOUBLE_EQ(gradient[0], 0.5 * std::sin(-0.5) + 0.25 * std::sin(-0.3));
}

TEST(CarriedWindow, EqualsAFullPassWithinItsDriftBound) {
    for (const Index length : {Index{1}, Index{2}, Index{9}, Index{100}}) {
        auto window = window_of(length);
        Scratch scratch;
        const std::vector<Real> x{0.3, -2};
        for (Round t = 0; t < 350; ++t) {
            ASSERT_TRUE(window.arrive(10 * normal({1, t, 0, 0, 0}), x, scratch));
            const Arrival& arrival = window.carry(x, scratch);
            ASSERT_EQ(arrival.outgoing_loss == 0, t < length);
            const Real exact = window.try_at(x, scratch);  // not accepted: the carry stays valid
            ASSERT_LE(std::abs(window.value() - exact), window.value_drift() + 1e-13) << t;
            ASSERT_LE(distance(window.gradient(), window.trial_gradient()), window.gradient_drift() + 1e-13)
                << t;
            ASSERT_EQ(window.due_for_pass(), length > 1 && t + 1 >= length);
        }
        window.accept_trial();
        EXPECT_EQ(window.gradient_drift(), 0);
        EXPECT_FALSE(window.carried());
    }
}

/// f(x) = (a x - y)^2 / 2
struct Square {
    Real a = 0, y = 0;
};
struct Squares {
    using Record = Square;
    Index dimension() const { return 1; }
    Real value(const Square& f, ConstView x, Scratch& /*scratch*/) const {
        return (f.a * x[0] - f.y) * (f.a * x[0] - f.y) / 2;
    }
    Real value_and_gradient(const Square& f, ConstView x, View gradient, Scratch& scratch) const {
        gradient[0] = f.a * (f.a * x[0] - f.y);
        return value(f, x, scratch);
    }
};

TEST(CarriedWindow, TellsAZeroThatUnderflowedFromATrueOne) {
    Scratch scratch;
    const std::vector<Real> origin{0};
    const auto norm_of = [&](const Square& loss) {
        CarriedWindow window(AnyBatch(RecordRing<Squares>(Squares{}, CarriedWindow::slots(1))), 1, 1);
        EXPECT_TRUE(window.arrive(loss, origin, scratch));
        return window.newest_norm();
    };
    EXPECT_EQ(norm_of({.a = 0, .y = 0}), 0);
    EXPECT_EQ(norm_of({.a = 0, .y = 3}), 0);
    EXPECT_EQ(norm_of({.a = 2, .y = 0}), 0);
    EXPECT_EQ(norm_of({.a = 2, .y = 3}), 6);
    EXPECT_GT(norm_of({.a = 1e-200, .y = 1e-200}), 0);
    EXPECT_GT(norm_of({.a = 0, .y = 1e-200}), 0);
}

TEST(CarriedWindow, DividesByTheWholeWindowFromTheFirstRound) {
    auto window = window_of(4);
    Scratch scratch;
    const std::vector<Real> x{0, 0};
    window.arrive(0.7, x, scratch);
    window.carry(x, scratch);
    EXPECT_DOUBLE_EQ(window.value(), -std::cos(0.7) / 4);
    EXPECT_DOUBLE_EQ(window.try_at(x, scratch), -std::cos(0.7) / 4);
    Closing closing;
    window.close(x, closing, scratch);
    EXPECT_EQ(closing.losses, std::vector<Real>{-std::cos(0.7)});
    EXPECT_EQ(closing.weights, std::vector<Real>{0.25});
}

TEST(CarriedWindow, TakesBackARoundToTheLastBit) {
    for (const Index length : {Index{1}, Index{3}, Index{8}}) {
        auto plain = window_of(length);
        auto disturbed = window_of(length);
        Scratch scratch;
        std::vector<Real> x{0.5, 0.1};
        for (Round t = 0; t < 60; ++t) {
            for (Round again = 0; again < t % 3; ++again) {
                const bool finite = disturbed.arrive(again == 0 ? std::nan("") : 77.0, x, scratch);
                ASSERT_EQ(finite, again != 0);
                if (!finite) continue;
                disturbed.carry(x, scratch);
                if (t % 2 == 0) {
                    disturbed.try_at({{5.0, 5.0}}, scratch);
                    disturbed.accept_trial();
                }
                disturbed.rollback();
            }
            const Real record = normal({2, t, 0, 0, 0});
            for (auto* window : {&plain, &disturbed}) {
                window->arrive(record, x, scratch);
                window->carry(x, scratch);
            }
            ASSERT_EQ(plain.value(), disturbed.value());
            ASSERT_TRUE(std::ranges::equal(plain.gradient(), disturbed.gradient()));
            ASSERT_EQ(plain.gradient_drift(), disturbed.gradient_drift());
            ASSERT_EQ(plain.due_for_pass(), disturbed.due_for_pass());
            Closing left;
            Closing right;
            plain.close(x, left, scratch);
            disturbed.close(x, right, scratch);
            ASSERT_EQ(left.losses, right.losses);
            ASSERT_EQ(left.weights, right.weights);
            if (t % 7 == 6) {  // the point moves
                x[0] += 0.1;
                for (auto* window : {&plain, &disturbed}) {
                    window->try_at(x, scratch);
                    window->accept_trial();
                }
            }
        }
    }
}

}  // namespace
}  // namespace proxstream
