/// Probabilities of classes: those whose negative logarithm the loss is, or none.
#include "loss/row_fixtures.hpp"

#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

using fixtures::features_of;
using fixtures::Source;
using fixtures::Twins;

TEST(Probabilities, AreThoseWhoseLogarithmIsTheLoss) {
    Source source{.seed = 41};
    Scratch scratch;
    std::set<std::string> with;
    for (const std::string& spec : fixtures::specs()) {
        const auto family = parse_loss(spec, {.features = features_of(spec, 4)});
        const Index classes = family->target_kind() == TargetKind::category ? family->classes() : 2;
        for (int trial = 0; trial < 20; ++trial) {
            const Twins record = draw_record(*family, family->features(), 1, source);
            const std::vector<Real> x = source.point(family->dimension(), 2);
            std::vector<Real> p(classes, -7);
            if (!family->probabilities(record.dense, 0, x, p, scratch)) {
                EXPECT_EQ(p, std::vector<Real>(classes, -7)) << spec;
                continue;
            }
            with.insert(spec.substr(0, spec.find(':')));
            EXPECT_NEAR(std::accumulate(p.begin(), p.end(), 0.0), 1, 1e-14) << spec;
            const Real target = record.dense.target(0);
            const bool is_sign = family->target_kind() == TargetKind::sign;
            const Real likely = p[static_cast<Index>(is_sign ? (target + 1) / 2 : target)];
            EXPECT_NEAR(-std::log(likely), family->value(record.dense, x, scratch), 1e-12) << spec;
            std::vector<Real> sparse(classes);
            family->probabilities(record.sparse, 0, x, sparse, scratch);
            for (Index c = 0; c < classes; ++c) EXPECT_NEAR(sparse[c], p[c], 1e-14) << spec;
        }
    }
    EXPECT_EQ(with, (std::set<std::string>{"logistic", "softmax", "mlp", "factors"}));
}

TEST(Probabilities, OfHugeScoresAreZeroAndOneAndOfNaNUnknown) {
    Scratch scratch;
    const auto family = parse_loss("logistic", {.features = 1, .intercept = false});
    RowBlock row;
    row.add_dense(std::vector<Real>{1}, 0);
    std::vector<Real> p(2);
    for (const Real score : {-1e300, 1e300}) {
        ASSERT_TRUE(family->probabilities(row, 0, std::vector<Real>{score}, p, scratch));
        EXPECT_EQ(p[0], score < 0 ? 1 : 0);
        EXPECT_EQ(p[1], score < 0 ? 0 : 1);
    }
    const std::vector<Real> unknown{std::numeric_limits<Real>::quiet_NaN()};
    family->probabilities(row, 0, unknown, p, scratch);
    EXPECT_TRUE(std::isnan(p[0]) && std::isnan(p[1]));
}

}  // namespace
}  // namespace proxstream
