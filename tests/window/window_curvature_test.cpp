// The matrix of a window of quadratic losses: what it says is what a pass says, through records that come and
// go, refusals and long silences.

#include "proxstream/core/draw.hpp"

#include "loss/loss_table.hpp"
#include "solve/quadratic_model.hpp"
#include "window/carried_window.hpp"

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

constexpr Index kWindowFeatures = 5;

RowBlock drawn_rows(Round t, bool sparse) {
    RowBlock record(sparse);
    for (std::uint32_t row = 0; row < 1 + t % 3; ++row) {
        std::vector<Real> values;
        std::vector<FeatureIndex> indices;
        for (Index i = 0; i < kWindowFeatures; ++i) {
            if (sparse && (i + t) % 2 == 0) continue;
            indices.push_back(static_cast<FeatureIndex>(i));
            values.push_back(normal({.seed = 1, .round = t, .record = row, .sample = i}));
        }
        const Real target = normal({.seed = 2, .round = t, .record = row});
        sparse ? record.add_sparse(indices, values, target) : record.add_dense(values, target);
    }
    return record;
}

std::vector<Real> point(std::uint64_t which, Index n = kWindowFeatures + 1) {
    std::vector<Real> x(n);
    for (Index i = 0; i < x.size(); ++i) x[i] = normal({.seed = 3, .round = which, .sample = i});
    return x;
}

using RowsWindow = CarriedWindow<AnyBatch>;

RowsWindow rows_window(const char* loss, const char* text) {
    const WindowWeights weights = WindowWeights::parse(text);
    const auto family = parse_loss(loss, {.features = kWindowFeatures});
    return {family->make_batch(RowsWindow::slots(weights.length())), family->dimension(), weights};
}

/// The matrix against passes at two points: value and gradient of the model that it makes.
void expect_a_model_of(RowsWindow& window, ConstView x, Scratch& scratch) {
    const ConstView matrix = window.curvature();
    ASSERT_FALSE(matrix.empty());
    Scratch::Frame frame(scratch);
    QuadraticModel model(window.value(), window.gradient(), x, matrix, frame);
    const std::vector<Real> y = point(99, x.size());
    const Real expected = window.try_at(y, scratch);
    EXPECT_NEAR(model.try_at(y, scratch), expected, 1e-11 * (1 + std::abs(expected)));
    EXPECT_LE(distance(model.trial_gradient(), window.trial_gradient()),
              1e-11 * (1 + norm(window.trial_gradient())));
}

TEST(WindowCurvature, SaysWhatAPassSays) {
    for (const char* loss : {"squared", "pca"}) {
        for (const char* text : {"1", "6", "exp:5", "triangle:7", "mean:9", "season:3,2"}) {
            RowsWindow window = rows_window(loss, text);
            Scratch scratch;
            const std::vector<Real> x =
                point(1, parse_loss(loss, {.features = kWindowFeatures})->dimension());
            for (Round t = 1; t <= 40; ++t) {
                window.arrive(drawn_rows(t, t % 5 == 0), x, scratch);
                window.carry(x, scratch);
                if (t % 13 == 6 || t > 30) expect_a_model_of(window, x, scratch);
                if (HasFatalFailure()) FAIL() << loss << ", " << text << ", round " << t;
            }
        }
    }
}

TEST(WindowCurvature, IsKeptUpAndNotMadeAnew) {
    RowsWindow window = rows_window("squared", "20");
    Scratch scratch;
    const std::vector<Real> x = point(1);
    const auto play = [&](Round t) {
        window.arrive(drawn_rows(t, false), x, scratch);
        window.carry(x, scratch);
    };
    for (Round t = 1; t <= 30; ++t) play(t);
    const ConstView made = window.curvature();
    std::vector<Real> before(made.begin(), made.end());
    play(31);
    const std::vector<Real> kept(window.curvature().begin(), window.curvature().end());
    EXPECT_NE(kept, before);
    // Made anew of the same records, sums come in another order.
    RowsWindow other = rows_window("squared", "20");
    for (Round t = 1; t <= 31; ++t) {
        other.arrive(drawn_rows(t, false), x, scratch);
        other.carry(x, scratch);
    }
    const std::vector<Real> anew(other.curvature().begin(), other.curvature().end());
    EXPECT_NE(kept, anew);
    EXPECT_LE(distance(kept, anew), 1e-13 * norm(anew));
    // After a long silence the two are the same to the bit: it was dropped.
    for (Round t = 32; t <= 60; ++t) {
        play(t);
        other.arrive(drawn_rows(t, false), x, scratch);
        other.carry(x, scratch);
    }
    EXPECT_TRUE(std::ranges::equal(window.curvature(), other.curvature()));
}

TEST(WindowCurvature, ForgetsTheRoundingOfAHugeRecordThatHasGone) {
    RowsWindow window = rows_window("squared", "6");
    Scratch scratch;
    const std::vector<Real> x = point(1);
    for (Round t = 1; t <= 20; ++t) {
        RowBlock record = drawn_rows(t, false);
        if (t == 3) {
            record = RowBlock(false);
            record.add_dense(std::vector<Real>(kWindowFeatures, 1e9), 1);
        }
        window.arrive(record, x, scratch);
        window.carry(x, scratch);
        static_cast<void>(window.curvature());  // asked for every round: never dropped for idleness
    }
    RowsWindow never_asked = rows_window("squared", "6");
    for (Round t = 10; t <= 20; ++t) {
        never_asked.arrive(drawn_rows(t, false), x, scratch);
        never_asked.carry(x, scratch);
    }
    EXPECT_LE(distance(window.curvature(), never_asked.curvature()), 1e-13 * norm(never_asked.curvature()));
}

TEST(WindowCurvature, RefusedRoundsLeaveNoTraceInIt) {
    RowsWindow disturbed = rows_window("squared", "4");
    RowsWindow undisturbed = rows_window("squared", "4");
    Scratch scratch;
    const std::vector<Real> x = point(1);
    for (Round t = 1; t <= 30; ++t) {
        if (t % 3 == 0) {
            disturbed.arrive(drawn_rows(1000 + t, false), x, scratch);
            disturbed.carry(x, scratch);
            if (t % 2 == 0) static_cast<void>(disturbed.curvature());
            disturbed.rollback();
        }
        for (RowsWindow* window : {&disturbed, &undisturbed}) {
            window->arrive(drawn_rows(t, false), x, scratch);
            window->carry(x, scratch);
        }
        if (t % 2 == 1) {
            ASSERT_TRUE(std::ranges::equal(disturbed.curvature(), undisturbed.curvature())) << t;
        }
    }
}

TEST(WindowCurvature, IsNotThereForOtherLosses) {
    for (const char* loss : {"huber:1", "logistic", "mlp:hidden=3"}) {
        RowsWindow window = rows_window(loss, "3");
        Scratch scratch;
        const std::vector<Real> x(parse_loss(loss, {.features = kWindowFeatures})->dimension(), 0.1);
        window.arrive(drawn_rows(3, false), x, scratch);
        window.carry(x, scratch);
        EXPECT_TRUE(window.curvature().empty()) << loss;
    }
}

TEST(WindowCurvature, GoesOnFromACheckpoint) {
    RowsWindow whole = rows_window("squared", "6");
    Scratch scratch;
    const std::vector<Real> x = point(1);
    const auto play = [&](RowsWindow& window, Round t) {
        window.arrive(drawn_rows(t, false), x, scratch);
        window.carry(x, scratch);
    };
    for (Round t = 1; t <= 9; ++t) play(whole, t);
    static_cast<void>(whole.curvature());
    play(whole, 10);
    StateArchive saved;
    saved.section("window", whole);
    RowsWindow resumed = rows_window("squared", "6");
    StateArchive loaded(saved.seal(), "test");
    loaded.section("window", resumed);
    loaded.finish();
    for (RowsWindow* window : {&whole, &resumed}) play(*window, 11);
    EXPECT_TRUE(std::ranges::equal(whole.curvature(), resumed.curvature()));
}

}  // namespace
}  // namespace proxstream
