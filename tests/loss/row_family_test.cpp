/// One record at a time: gradients, curvature, predictions, and what is refused.
#include "proxstream/core/error.hpp"
#include "proxstream/core/linalg.hpp"
#include "proxstream/loss/function_family.hpp"

#include "loss/linear_family.hpp"
#include "loss/mlp_family.hpp"
#include "loss/row_fixtures.hpp"
#include "loss/softmax_family.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

using fixtures::features_of;
using fixtures::Source;
using fixtures::Twins;

constexpr Real kNaN = std::numeric_limits<Real>::quiet_NaN();

class RowFamilies : public testing::TestWithParam<std::string> {};

TEST_P(RowFamilies, GradientMatchesDifferences) {
    Source source;
    Scratch scratch;
    for (const bool intercept : {false, true}) {
        const auto family =
            parse_loss(GetParam(), {.features = features_of(GetParam(), 5), .intercept = intercept});
        const Index n = family->dimension();
        std::vector<Real> gradient(n);
        for (int trial = 0; trial < 10; ++trial) {
            const Twins record = draw_record(*family, family->features(), 1 + source.below(4), source);
            std::vector<Real> x = source.point(n);
            const Real value = family->value_and_gradient(record.dense, x, gradient, scratch);
            EXPECT_EQ(value, family->value(record.dense, x, scratch));
            for (Index i = 0; i < n; ++i) {
                const Real h = 1e-5;
                const Real middle = x[i];
                x[i] = middle + h;
                const Real above = family->value(record.dense, x, scratch);
                x[i] = middle - h;
                const Real below = family->value(record.dense, x, scratch);
                x[i] = middle;
                EXPECT_NEAR(gradient[i], (above - below) / (2 * h), 2e-8 * (1 + std::fabs(value)))
                    << "coordinate " << i;
            }
        }
    }
}

TEST_P(RowFamilies, SmoothnessIsNeverExceeded) {
    Source source{.seed = 2};
    Scratch scratch;
    const auto family = parse_loss(GetParam(), {.features = features_of(GetParam(), 4)});
    const Index n = family->dimension();
    const bool unbounded = GetParam().starts_with("mlp") || GetParam().starts_with("factors");
    std::vector<Real> at_x(n);
    std::vector<Real> at_y(n);
    Real best = 0;
    for (int trial = 0; trial < 3000; ++trial) {
        const Twins record = draw_record(*family, family->features(), 1 + source.below(3), source);
        const auto bound = family->smoothness(record.dense);
        ASSERT_EQ(bound.has_value(), !unbounded);
        if (unbounded) return;
        EXPECT_NEAR(*bound, *family->smoothness(record.sparse), 1e-12 * *bound);
        // Near and far pairs, half of them along the first row, where the curvature is.
        const std::vector<Real> x = source.point(n);
        std::vector<Real> y = source.point(n);
        if (trial % 2 == 0) {
            copy(x, y);
            axpy(0.01 * source.normal(), record.dense.values(0), View(y).first(4));
        }
        family->value_and_gradient(record.dense, x, at_x, scratch);
        family->value_and_gradient(record.dense, y, at_y, scratch);
        const Real apart = distance(x, y);
        EXPECT_LE(distance(at_x, at_y), *bound * apart * (1 + 1e-9) + 1e-14);
        if (*bound * apart > 1e-6) best = std::max(best, distance(at_x, at_y) / (*bound * apart));
    }
    EXPECT_GE(best, 0.5) << "the bound is far from what occurs";
}

TEST_P(RowFamilies, DenseAndSparseRowsAgree) {
    Source source{.seed = 3};
    Scratch scratch;
    const auto family = parse_loss(GetParam(), {.features = features_of(GetParam(), 13)});
    const Index n = family->dimension();
    std::vector<Real> dense(n);
    std::vector<Real> sparse(n);
    for (int trial = 0; trial < 20; ++trial) {
        const Twins record = draw_record(*family, family->features(), 1 + source.below(9), source);
        const std::vector<Real> x = source.point(n, 0.5);
        const Real value = family->value_and_gradient(record.dense, x, dense, scratch);
        EXPECT_NEAR(value, family->value_and_gradient(record.sparse, x, sparse, scratch),
                    1e-13 * (1 + std::fabs(value)));
        EXPECT_LE(distance(dense, sparse), 1e-13 * (1 + norm(dense)));
        EXPECT_NEAR(family->predict(record.dense, 0, x, scratch),
                    family->predict(record.sparse, 0, x, scratch), 1e-13);
    }
}

TEST_P(RowFamilies, RecordLossIsTheMeanOverItsRows) {
    Source source{.seed = 4};
    Scratch scratch;
    const auto family = parse_loss(GetParam(), {.features = features_of(GetParam(), 3)});
    const Index n = family->dimension();
    const std::vector<Real> x = source.point(n);
    // More rows than any kernel works on at a time.
    const Index rows = 150;
    const Twins all = draw_record(*family, family->features(), rows, source);
    Real mean = 0;
    std::vector<Real> gradient(n);
    std::vector<Real> mean_gradient(n, 0);
    for (Index row = 0; row < rows; ++row) {
        RowBlock single(false);
        single.add_dense(all.dense.values(row), all.dense.target(row));
        mean += family->value_and_gradient(single, x, gradient, scratch) / static_cast<Real>(rows);
        axpy(1 / static_cast<Real>(rows), gradient, mean_gradient);
    }
    EXPECT_NEAR(family->value_and_gradient(all.dense, x, gradient, scratch), mean,
                1e-12 * (1 + std::fabs(mean)));
    EXPECT_LE(distance(gradient, mean_gradient), 1e-12 * (1 + norm(gradient)));
}

TEST_P(RowFamilies, NaNIsNotHidden) {
    Source source{.seed = 5};
    Scratch scratch;
    const auto family = parse_loss(GetParam(), {.features = features_of(GetParam(), 3)});
    std::vector<Real> x = source.point(family->dimension());
    std::vector<Real> gradient(family->dimension());
    RowBlock record = draw_record(*family, family->features(), 2, source).dense;
    std::vector<Real> bad(family->features(), 1);
    bad[1] = kNaN;
    record.add_dense(bad, 1);
    EXPECT_TRUE(std::isnan(family->value(record, x, scratch)));
    EXPECT_TRUE(std::isnan(family->value_and_gradient(record, x, gradient, scratch)));
    EXPECT_TRUE(std::isnan(family->predict(record, 2, x, scratch)));
    if (GetParam().starts_with("factors")) {
        fill(x, kNaN);  // a row reads a few of them
    } else {
        x[0] = kNaN;
    }
    EXPECT_TRUE(
        std::isnan(family->value(draw_record(*family, family->features(), 1, source).dense, x, scratch)));
}

TEST_P(RowFamilies, RefuseRecordsThatDoNotFit) {
    Source source{.seed = 6};
    Scratch scratch;
    const auto family = parse_loss(GetParam(), {.features = features_of(GetParam(), 3)});
    const std::vector<Real> x = source.point(family->dimension());
    RowBlock too_long(false);
    too_long.add_dense(std::vector<Real>(family->features() + 1, 1), 1);
    EXPECT_THROW(family->value(RowBlock(false), x, scratch), Error);
    EXPECT_THROW(family->value(too_long, x, scratch), Error);
    RowBlock sparse(true);
    const std::vector<FeatureIndex> indices = {0, 3};
    const std::vector<Real> values = {1, 1};
    sparse.add_sparse(indices, values, 1);
    EXPECT_THROW(family->value(sparse, x, scratch), Error);
    auto batch = family->make_batch(2);
    EXPECT_THROW(batch.push(sparse), Error);
    EXPECT_EQ(batch.size(), 0U);
    EXPECT_THROW(family->make_batch(0), ConfigError);
}

std::string test_name(const testing::TestParamInfo<std::string>& row) {
    std::string name = std::to_string(row.index) + "_" + row.param;
    std::replace_if(
        name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
    return name;
}

INSTANTIATE_TEST_SUITE_P(All, RowFamilies, testing::ValuesIn(fixtures::specs()), test_name);

TEST(LinearFamily, InterceptIsTheLastCoordinateAndNotPenalised) {
    Scratch scratch;
    const LinearFamily with({ScalarFormula::squared}, 2, true);
    EXPECT_EQ(with.dimension(), 3U);
    EXPECT_EQ(with.penalised(), 2U);
    RowBlock record(false);
    record.add_dense(std::vector<Real>{2, 3}, 10);
    const std::vector<Real> x = {1, 2, 0.5};
    EXPECT_DOUBLE_EQ(with.predict(record, 0, x, scratch), 8.5);
    std::vector<Real> gradient(3);
    EXPECT_DOUBLE_EQ(with.value_and_gradient(record, x, gradient, scratch), 1.125);
    EXPECT_EQ(gradient, (std::vector<Real>{-3, -4.5, -1.5}));
    EXPECT_DOUBLE_EQ(*with.smoothness(record), 14);
    EXPECT_THROW(LinearFamily({ScalarFormula::squared}, 0, false), ConfigError);
    EXPECT_THROW(LinearFamily({ScalarFormula::huber, -1}, 2, false), ConfigError);
}

TEST(LinearFamily, LabelsAreSignsOfScores) {
    const auto sign = parse_loss("logistic", {.features = 1});
    EXPECT_EQ(sign->label(-0.1), -1);
    EXPECT_EQ(sign->label(0), 1);
    EXPECT_EQ(sign->label(3), 1);
    EXPECT_TRUE(std::isnan(sign->label(kNaN)));
    EXPECT_EQ(parse_loss("squared", {.features = 1})->label(-0.1), -0.1);
}

TEST(LinearFamily, HugeMarginsStayFinite) {
    Scratch scratch;
    RowBlock record(false);
    record.add_dense(std::vector<Real>{1e154}, 1);
    for (const std::string& spec : fixtures::specs()) {
        if (spec.starts_with("factors")) continue;
        const auto family = parse_loss(spec, {.features = 1, .intercept = false});
        if (family->target_kind() != TargetKind::sign || spec.starts_with("mlp")) continue;
        for (const Real at : {-1e154, 1e154}) {
            const std::vector<Real> x = {at};
            std::vector<Real> gradient(1);
            EXPECT_TRUE(std::isfinite(family->value_and_gradient(record, x, gradient, scratch))) << spec;
            EXPECT_TRUE(std::isfinite(gradient[0])) << spec;
        }
    }
}

TEST(LinearFamily, PcaStartsOnTheUnitSphereWithoutIntercept) {
    const auto pca = parse_loss("pca", {.features = 16});
    EXPECT_EQ(pca->dimension(), 16U);
    std::vector<Real> x(16);
    pca->start(x, 7);
    EXPECT_EQ(x, std::vector<Real>(16, 0.25));
    std::vector<Real> zeros(3, 1);
    parse_loss("squared", {.features = 2})->start(zeros, 7);
    EXPECT_EQ(zeros, std::vector<Real>(3, 0));
}

/// Layer by layer with plain loops, parameters taken in the documented order.
std::vector<Real> plain_network(const MlpOptions& options, ConstView features, ConstView x) {
    std::vector<Index> widths = {options.features};
    widths.insert(widths.end(), options.hidden.begin(), options.hidden.end());
    widths.push_back(std::max<Index>(options.classes, 1));
    Index biases = 0;
    for (Index l = 0; l + 1 < widths.size(); ++l) biases += widths[l] * widths[l + 1];
    Index weights = 0;
    std::vector<Real> level(features.begin(), features.end());
    for (Index l = 0; l + 1 < widths.size(); ++l) {
        std::vector<Real> next(widths[l + 1]);
        for (Index j = 0; j < next.size(); ++j) {
            next[j] = x[biases++];
            for (const Real input : level) next[j] += x[weights++] * input;
            if (l + 2 < widths.size()) next[j] = std::tanh(next[j]);
        }
        level = next;
    }
    return level;
}

TEST(MlpFamily, AgreesWithPlainLoops) {
    Source source{.seed = 8};
    Scratch scratch;
    for (const Index classes : {0, 3}) {
        const MlpOptions options{.features = 3, .hidden = {4, 2}, .loss = {}, .classes = classes};
        const MlpFamily family(options);
        EXPECT_EQ(family.penalised(), 3 * 4 + 4 * 2 + 2 * std::max<Index>(classes, 1));
        EXPECT_EQ(family.dimension(), family.penalised() + 4 + 2 + std::max<Index>(classes, 1));
        for (int trial = 0; trial < 10; ++trial) {
            const std::vector<Real> x = source.point(family.dimension());
            const RowBlock record = draw_record(family, 3, 1, source).dense;
            const std::vector<Real> outputs = plain_network(options, record.values(0), x);
            Real wanted = 0;
            Real prediction = outputs[0];
            if (classes == 0) {
                wanted = std::pow(outputs[0] - record.target(0), 2) / 2;
            } else {
                Real total = 0;
                for (const Real output : outputs) total += std::exp(output);
                wanted = std::log(total) - outputs[static_cast<Index>(record.target(0))];
                prediction =
                    static_cast<Real>(std::max_element(outputs.begin(), outputs.end()) - outputs.begin());
            }
            EXPECT_NEAR(family.value(record, x, scratch), wanted, 1e-13 * (1 + wanted));
            EXPECT_NEAR(family.predict(record, 0, x, scratch), prediction, 1e-13);
        }
    }
}

TEST(SoftmaxFamily, IsANetworkWithoutHiddenLayers) {
    Source source{.seed = 9};
    Scratch scratch;
    const MlpFamily network({.features = 6, .hidden = {}, .loss = {}, .classes = 4});
    const SoftmaxFamily family(6, 4, true);
    ASSERT_EQ(family.dimension(), network.dimension());
    EXPECT_EQ(family.penalised(), network.penalised());
    std::vector<Real> gradient(family.dimension());
    std::vector<Real> wanted(family.dimension());
    for (int trial = 0; trial < 20; ++trial) {
        const RowBlock record = draw_record(family, 6, 1 + source.below(5), source).dense;
        const std::vector<Real> x = source.point(family.dimension());
        EXPECT_NEAR(family.value_and_gradient(record, x, gradient, scratch),
                    network.value_and_gradient(record, x, wanted, scratch), 1e-14);
        EXPECT_LE(distance(gradient, wanted), 1e-14);
        EXPECT_EQ(family.predict(record, 0, x, scratch), network.predict(record, 0, x, scratch));
    }
}

TEST(SoftmaxFamily, OfTwoClassesIsLogistic) {
    // With half the weights for the first class and minus half for the second, scores differ by a.x + b.
    Source source{.seed = 10};
    Scratch scratch;
    const SoftmaxFamily family(3, 2, true);
    const auto logistic = parse_loss("logistic", {.features = 3});
    for (int trial = 0; trial < 20; ++trial) {
        const std::vector<Real> x = source.point(4);
        const std::vector<Real> both = {-x[0] / 2, -x[1] / 2, -x[2] / 2, x[0] / 2,
                                        x[1] / 2,  x[2] / 2,  -x[3] / 2, x[3] / 2};
        RowBlock signs = draw_record(*logistic, 3, 3, source).dense;
        RowBlock classes = signs;
        for (Index row = 0; row < 3; ++row) classes.set_target(row, signs.target(row) > 0 ? 1 : 0);
        EXPECT_NEAR(family.value(classes, both, scratch), logistic->value(signs, x, scratch), 1e-14);
        // The weights of one class move half as far.
        EXPECT_NEAR(*family.smoothness(classes), 2 * *logistic->smoothness(signs), 1e-12);
    }
}

TEST(MlpFamily, StartIsSeededAndScaled) {
    const MlpFamily family({.features = 400, .hidden = {50}, .loss = {}});
    std::vector<Real> x(family.dimension());
    std::vector<Real> again(family.dimension());
    family.start(x, 5);
    family.start(again, 5);
    EXPECT_EQ(x, again);
    family.start(again, 6);
    EXPECT_NE(x, again);
    const Index first_layer = Index{400} * 50;
    const Real variance = squared_norm(View(x).first(first_layer)) / static_cast<Real>(first_layer);
    EXPECT_NEAR(variance, 1.0 / 400, 0.05 / 400);
    EXPECT_EQ(max_abs(View(x).subspan(family.penalised())), 0);
    EXPECT_GT(max_abs(View(x).subspan(first_layer, 50)), 0);
}

TEST(MlpFamily, SoftmaxSurvivesLargeOutputsAndRefusesUnknownClasses) {
    Scratch scratch;
    const MlpFamily family({.features = 1, .hidden = {}, .loss = {}, .classes = 2});
    RowBlock record(false);
    record.add_dense(std::vector<Real>{1}, 1);
    const std::vector<Real> x = {1e4, -1e4, 0, 0};
    std::vector<Real> gradient(4);
    EXPECT_DOUBLE_EQ(family.value_and_gradient(record, x, gradient, scratch), 2e4);
    EXPECT_EQ(gradient, (std::vector<Real>{1, -1, 1, -1}));
    for (const Real target : {2.0, -1.0, 0.5, kNaN}) {
        RowBlock wrong(false);
        wrong.add_dense(std::vector<Real>{1}, target);
        EXPECT_TRUE(std::isnan(family.value(wrong, x, scratch))) << target;
    }
}

TEST(MlpFamily, NamesEveryBadOption) {
    try {
        const MlpFamily refused({.features = 0, .hidden = {0}, .loss = {}, .classes = 1});
        FAIL() << refused.dimension();
    } catch (const ConfigError& error) {
        EXPECT_EQ(error.violations().size(), 3U);
    }
    EXPECT_THROW(MlpFamily({.features = 1, .loss = {ScalarFormula::huber, 0}}), ConfigError);
}

TEST(FunctionFamily, CallsTheRecord) {
    const FunctionFamily family(2);
    const FunctionFamily::Record record = [](ConstView x, View gradient) {
        if (!gradient.empty()) {
            gradient[0] = x[1];
            gradient[1] = x[0];
        }
        return x[0] * x[1];
    };
    Scratch scratch;
    std::vector<Real> gradient(2);
    const std::vector<Real> x = {2, 5};
    EXPECT_EQ(family.dimension(), 2U);
    EXPECT_EQ(family.value(record, x, scratch), 10);
    EXPECT_EQ(family.value_and_gradient(record, x, gradient, scratch), 10);
    EXPECT_EQ(gradient, (std::vector<Real>{5, 2}));
}

}  // namespace
}  // namespace proxstream
