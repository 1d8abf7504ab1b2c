/// Bounds on the curvature of whole data sets: against eigenvalues, and against gradients.
#include "loss/data_curvature.hpp"

#include "proxstream/core/linalg.hpp"
#include "proxstream/core/parallel.hpp"

#include "loss/row_fixtures.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

using fixtures::Source;
using fixtures::Twins;

struct Data {
    Twins rows;
    std::vector<Real> scales;
};

/// Rows of very different lengths.
Data draw_data(Index rows, Index features, std::uint64_t seed) {
    Source source{.seed = seed};
    Data data;
    std::vector<Real> values(features);
    for (Index row = 0; row < rows; ++row) {
        const Real size = std::exp(source.normal() / 2);
        std::vector<FeatureIndex> indices;
        std::vector<Real> stored;
        for (Index i = 0; i < features; ++i) {
            values[i] = source.below(2) == 0 ? 0 : size * source.normal();
            if (values[i] == 0) continue;
            indices.push_back(static_cast<FeatureIndex>(i));
            stored.push_back(values[i]);
        }
        data.rows.dense.add_dense(values, 0);
        data.rows.sparse.add_sparse(indices, stored, 0);
        data.scales.push_back(row % 3 == 0 ? 0.5 : 2);
    }
    return data;
}

/// The definitions, by Eigen.
DataCurvature plain(const Data& data, bool intercept) {
    const Index features = data.rows.dense.values(0).size();
    const auto n = static_cast<Eigen::Index>(features + (intercept ? 1 : 0));
    Eigen::MatrixXd mean = Eigen::MatrixXd::Zero(n, n);
    Eigen::MatrixXd square = Eigen::MatrixXd::Zero(n, n);
    DataCurvature found;
    for (Index row = 0; row < data.scales.size(); ++row) {
        Eigen::VectorXd b = Eigen::VectorXd::Ones(n);
        for (Index i = 0; i < features; ++i) b(static_cast<Eigen::Index>(i)) = data.rows.dense.values(row)[i];
        const Real s = data.scales[row];
        mean += s * b * b.transpose();
        square += s * s * b.squaredNorm() * b * b.transpose();
        found.largest = std::max(found.largest, s * b.squaredNorm());
    }
    const auto top = [&](const Eigen::MatrixXd& sum) {
        const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(sum, Eigen::EigenvaluesOnly);
        return solver.eigenvalues()(n - 1) / static_cast<Real>(data.scales.size());
    };
    found.mean = top(mean);
    found.mean_square = top(square);
    return found;
}

TEST(DataCurvature, IsExactForFewColumns) {
    const Data data = draw_data(200, 12, 1);
    for (const bool intercept : {false, true}) {
        const DataCurvature wanted = plain(data, intercept);
        for (const RowBlock* rows : {&data.rows.dense, &data.rows.sparse}) {
            const DataCurvature found = data_curvature(*rows, 12, intercept, data.scales);
            EXPECT_TRUE(found.exact);
            EXPECT_NEAR(found.mean, wanted.mean, 1e-8 * wanted.mean);
            EXPECT_NEAR(found.mean_square, wanted.mean_square, 1e-8 * wanted.mean_square);
            EXPECT_NEAR(found.largest, wanted.largest, 1e-12 * wanted.largest);
            EXPECT_GE(found.mean, wanted.mean * (1 - 1e-12));
        }
    }
}

TEST(DataCurvature, IsATightBoundForMany) {
    const Data data = draw_data(250, 140, 2);
    for (const bool intercept : {false, true}) {
        const DataCurvature wanted = plain(data, intercept);
        for (const RowBlock* rows : {&data.rows.dense, &data.rows.sparse}) {
            const DataCurvature found = data_curvature(*rows, 140, intercept, data.scales);
            EXPECT_FALSE(found.exact);
            EXPECT_GE(found.mean, wanted.mean);
            EXPECT_LE(found.mean, 1.12 * wanted.mean);
            EXPECT_GE(found.mean_square, wanted.mean_square);
            EXPECT_LE(found.mean_square, 1.12 * wanted.mean_square);
            EXPECT_NEAR(found.largest, wanted.largest, 1e-12 * wanted.largest);
        }
    }
}

/// An eigenvalue that stands alone behind a bulk of others, in a direction the start hardly sees.
TEST(DataCurvature, FindsAnEigenvalueThatHides) {
    constexpr Index kColumns = 2000;
    RowBlock rows(true);
    for (Index i = 0; i < kColumns; ++i) {
        const Real eigenvalue = i == 7 ? 1.3 : static_cast<Real>(i) / kColumns;
        const FeatureIndex place[] = {static_cast<FeatureIndex>(i)};
        const Real value[] = {std::sqrt(eigenvalue * kColumns)};
        rows.add_sparse(place, value, 0);
    }
    const std::vector<Real> scales(kColumns, 1);
    const DataCurvature found = data_curvature(rows, kColumns, false, scales);
    EXPECT_GE(found.mean, 1.3);
    EXPECT_LE(found.mean, 1.3 * kOverstated * (1 + 1e-6));
    EXPECT_NEAR(found.largest, 1.3 * kColumns, 1e-6);
}

TEST(DataCurvature, StaysBelowTheProvedBound) {
    // One row: its squared length is the eigenvalue, and Lanczos' iteration is over after two steps.
    Data data = draw_data(1, 150, 3);
    data.scales = {3};
    const Real square = squared_norm(data.rows.dense.values(0));
    const DataCurvature found = data_curvature(data.rows.dense, 150, false, data.scales);
    EXPECT_DOUBLE_EQ(found.mean, 3 * square);
    EXPECT_DOUBLE_EQ(found.mean_square, 9 * square * square);
    EXPECT_DOUBLE_EQ(found.largest, 3 * square);
    // Rows of one length: one constant determines the other.
    Source source{.seed = 7};
    RowBlock signs(false);
    for (int row = 0; row < 200; ++row) {
        std::vector<Real> values(150);
        for (Real& value : values) value = source.below(2) == 0 ? -1 : 1;
        signs.add_dense(values, 0);
    }
    const DataCurvature alike = data_curvature(signs, 150, false, std::vector<Real>(200, 1));
    EXPECT_EQ(alike.largest, 150);
    EXPECT_EQ(alike.mean_square, 150 * alike.mean);
    EXPECT_LT(alike.mean, 5);
}

TEST(DataCurvature, OfZerosIsZeroAndOfNaNUnknown) {
    for (const Index features : {Index{4}, Index{200}}) {
        RowBlock rows(false);
        std::vector<Real> values(features, 0);
        rows.add_dense(values, 1);
        const std::vector<Real> scale = {1};
        const DataCurvature zero = data_curvature(rows, features, false, scale);
        EXPECT_EQ(zero.mean, 0);
        EXPECT_EQ(zero.mean_square, 0);
        values[1] = std::numeric_limits<Real>::quiet_NaN();
        rows.clear();
        rows.add_dense(values, 1);
        EXPECT_EQ(data_curvature(rows, features, false, scale).mean, kInfinity);
    }
}

TEST(DataCurvature, BitsDoNotDependOnThreads) {
    for (const Index features : {Index{100}, Index{150}}) {
        const Data data = draw_data(3000, features, 4);
        const DataCurvature one = data_curvature(data.rows.dense, features, true, data.scales);
        set_threads(3);
        const DataCurvature three = data_curvature(data.rows.dense, features, true, data.scales);
        set_threads(1);
        EXPECT_EQ(one.mean, three.mean);
        EXPECT_EQ(one.mean_square, three.mean_square);
    }
}

/// Gradients of single rows and of their mean between pairs of points, against the constants.
TEST(DataSmoothness, IsNeverExceeded) {
    Scratch scratch;
    for (const std::string& spec : fixtures::specs()) {
        const Index features = fixtures::features_of(spec, 4);
        const auto family = parse_loss(spec, {.features = features});
        Source source{.seed = 5};
        const RowBlock rows = draw_record(*family, features, 30, source).dense;
        const auto known = family->data_smoothness(rows);
        EXPECT_EQ(known.has_value(), family->smoothness(rows).has_value()) << spec;
        if (!known) continue;
        EXPECT_NEAR(known->mean, *family->smoothness(rows), 1e-8 * known->mean) << spec;
        EXPECT_NEAR(known->mean_square, *family->mean_square_smoothness(rows), 1e-8 * known->mean_square);
        const Index n = family->dimension();
        std::vector<Real> at_x(n);
        std::vector<Real> at_y(n);
        Real closest = 0;
        for (int trial = 0; trial < 100; ++trial) {
            const std::vector<Real> x = source.point(n);
            std::vector<Real> y = source.point(n);
            if (trial % 2 == 0) {
                copy(x, y);
                axpy(0.01 * source.normal(), rows.values(source.below(30)), View(y).first(features));
            }
            const Real apart = distance(x, y);
            if (apart == 0) continue;
            family->value_and_gradient(rows, x, at_x, scratch);
            family->value_and_gradient(rows, y, at_y, scratch);
            EXPECT_LE(distance(at_x, at_y), known->mean * apart * (1 + 1e-9) + 1e-14) << spec;
            Real squares = 0;
            for (Index row = 0; row < 30; ++row) {
                RowBlock single(false);
                single.add_dense(rows.values(row), rows.target(row));
                family->value_and_gradient(single, x, at_x, scratch);
                family->value_and_gradient(single, y, at_y, scratch);
                const Real change = distance(at_x, at_y) / apart;
                closest = std::max(closest, change / known->largest);
                EXPECT_LE(change, known->largest * (1 + 1e-9) + 1e-12) << spec;
                squares += change * change / 30;
            }
            EXPECT_LE(std::sqrt(squares), known->mean_square * (1 + 1e-9) + 1e-12) << spec;
        }
        EXPECT_GE(closest, 0.3) << spec << ": the bound is far from what occurs";
    }
}

TEST(Infimum, IsBelowEveryLoss) {
    Scratch scratch;
    for (const std::string& spec : fixtures::specs()) {
        const Index features = fixtures::features_of(spec, 3);
        const auto family = parse_loss(spec, {.features = features});
        EXPECT_EQ(family->infimum() == -kInfinity, spec == "pca") << spec;
        Source source{.seed = 6};
        for (int trial = 0; trial < 20; ++trial) {
            const RowBlock rows = draw_record(*family, features, 3, source).dense;
            EXPECT_GE(family->value(rows, source.point(family->dimension(), 10), scratch), family->infimum())
                << spec;
        }
    }
}

}  // namespace
}  // namespace proxstream
