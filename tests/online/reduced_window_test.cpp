// Long rounds of quadratic losses are solved on the window's matrix: the same exit test, for a few passes.

#include "proxstream/core/draw.hpp"
#include "proxstream/prox/regulariser_table.hpp"

#include "loss/loss_table.hpp"
#include "online/learner_table.hpp"
#include "regret/tally.hpp"

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

constexpr Index kQuadraticFeatures = 12;

RowBlock drifting_row(Round t) {
    std::vector<Real> row(kQuadraticFeatures);
    Real target = 0.1 * normal({.seed = 1, .round = t, .record = 1});
    for (Index i = 0; i < kQuadraticFeatures; ++i) {
        // Columns of different size: what makes rounds long.
        row[i] = normal({.seed = 1, .round = t, .sample = i}) * std::pow(0.7, static_cast<Real>(i));
        target += row[i] * std::sin(0.01 * static_cast<Real>(t) + static_cast<Real>(i));
    }
    RowBlock record;
    record.add_dense(row, target);
    return record;
}

struct PlayedSquares {
    Certificate certificate;
    std::uint64_t passes = 0;
    Real loss = 0;
    Round worked = 0;
};

PlayedSquares play_squares(const std::string& inner, const std::string& window, const std::string& g) {
    const std::shared_ptr<const RowFamily> family = parse_loss("squared", {.features = kQuadraticFeatures});
    const auto learner = make_learner(
        "time-smoothed", {.g = parse_regulariser(g),
                          .make_batch = [&](Index capacity) { return family->make_batch(capacity); },
                          .start = std::vector<Real>(family->dimension()),
                          .window = window,
                          .step = 0.1,
                          .tolerance = Tolerance::fixed(2e-3),
                          .budget = {},
                          .inner = inner});
    Tally tally(learner->facts());
    PlayedSquares played;
    for (Round t = 1; t <= 150; ++t) {
        const RoundReport report = learner->observe(drifting_row(t));
        EXPECT_LE(report.exit_gap, report.tolerance) << inner << ", round " << t;
        tally.add(report);
        played.passes += report.cost.passes;
        played.loss += report.loss;
        if (report.steps > 0) ++played.worked;
    }
    played.certificate = tally.certificate(tally.footer(learner->close(), RunEnding::finished, 0));
    return played;
}

TEST(ReducedWindow, MeetsTheSameTestForFewPasses) {
    for (const char* window : {"40", "exp:20"}) {
        for (const char* g : {"zero", "l1:0.01", "box:-0.5,0.5"}) {
            const PlayedSquares plain = play_squares("backtracking", window, g);
            for (const char* inner : {"panoc", "auto"}) {
                const PlayedSquares reduced = play_squares(inner, window, g);
                SCOPED_TRACE(std::string(inner) + ", " + window + ", " + g);
                EXPECT_TRUE(reduced.certificate.sound());
                EXPECT_LT(2 * reduced.passes, plain.passes);
                EXPECT_NEAR(reduced.loss, plain.loss, 0.02 * plain.loss);
            }
            // Four exact steps, the matrix, the verifying pass, now and then a second phase.
            const PlayedSquares reduced = play_squares("panoc", window, g);
            EXPECT_LE(reduced.passes, 8 * reduced.worked + 150 / 20) << window << ", " << g;
        }
    }
}

}  // namespace
}  // namespace proxstream
