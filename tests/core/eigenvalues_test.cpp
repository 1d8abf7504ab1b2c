#include "core/eigenvalues.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

constexpr Real kTolerance = 1e-14;

TEST(Eigenvalues, OfASymmetricMatrixAscendFromItsLowerTriangle) {
    // What stands above the diagonal is not read.
    const std::vector<Real> values = symmetric_eigenvalues(std::vector<Real>{2, 99, 1, 2}, 2);
    ASSERT_EQ(values.size(), 2);
    EXPECT_NEAR(values[0], 1, kTolerance);
    EXPECT_NEAR(values[1], 3, kTolerance);
}

TEST(Eigenvalues, OfOneEntryIsTheEntry) {
    EXPECT_EQ(symmetric_eigenvalues(std::vector<Real>{-7}, 1), std::vector<Real>{-7});
    EXPECT_EQ(tridiagonal_eigenvalues(std::vector<Real>{4}, {}), std::vector<Real>{4});
}

TEST(Eigenvalues, AreNotMadeUpForNaN) {
    const Real nan = std::numeric_limits<Real>::quiet_NaN();
    const std::vector<Real> values = symmetric_eigenvalues(std::vector<Real>{1, 0, nan, 1}, 2);
    EXPECT_TRUE(values.empty() || std::isnan(values.back()));
}

TEST(Eigenvalues, OfASecondDifferenceAreKnown) {
    // 2 on the diagonal, -1 beside it: 2 - 2 cos(k pi / (n + 1)).
    const Index n = 9;
    std::vector<Real> matrix(n * n, 0);
    for (Index i = 0; i < n; ++i) {
        matrix[i * n + i] = 2;
        if (i > 0) matrix[i * n + i - 1] = -1;
    }
    const std::vector<Real> whole = symmetric_eigenvalues(matrix, n);
    // An entry more beside the diagonal than there is room for is left alone.
    const std::vector<Real> narrow =
        tridiagonal_eigenvalues(std::vector<Real>(n, 2), std::vector<Real>(n, -1));
    ASSERT_EQ(whole.size(), n);
    ASSERT_EQ(narrow.size(), n);
    for (Index k = 0; k < n; ++k) {
        const Real known =
            2 - 2 * std::cos(static_cast<Real>(k + 1) * std::numbers::pi / static_cast<Real>(n + 1));
        EXPECT_NEAR(whole[k], known, kTolerance);
        EXPECT_NEAR(narrow[k], known, kTolerance);
    }
}

}  // namespace
}  // namespace proxstream
