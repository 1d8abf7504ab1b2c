/// Matrix factorisation: what a row touches, what is refused, and that a matrix is found again.
#include "proxstream/core/linalg.hpp"
#include "proxstream/prox/regulariser_table.hpp"

#include "loss/row_fixtures.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

RowBlock entry(Real row, Real column, Real value) {
    RowBlock block(false);
    block.add_dense(std::vector<Real>{row, column}, value);
    return block;
}

TEST(Factors, ARowIsAnEntryOfTheProduct) {
    Scratch scratch;
    const FactorsFamily family({.rank = 2, .rows = 3, .columns = 2, .loss = {}});
    // u_1 = (1, 2), u_2 = (3, 4), u_3 = (5, 6), v_1 = (7, 8), v_2 = (9, 10)
    const std::vector<Real> x = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    std::vector<Real> gradient(10, 99);
    EXPECT_EQ(family.predict(entry(2, 1, 0), 0, x, scratch), 3 * 7 + 4 * 8);
    EXPECT_EQ(family.value_and_gradient(entry(2, 1, 50), x, gradient, scratch), 4.5);
    EXPECT_EQ(gradient, (std::vector<Real>{0, 0, 21, 24, 0, 0, 9, 12, 0, 0}));
    const FactorsFamily from_zero({.rank = 2, .rows = 3, .columns = 2, .first = 0, .loss = {}});
    EXPECT_EQ(from_zero.predict(entry(2, 1, 0), 0, x, scratch), 5 * 9 + 6 * 10);
}

TEST(Factors, NumbersThatNameNoEntryAreNotUsed) {
    Scratch scratch;
    const FactorsFamily family({.rank = 2, .rows = 3, .columns = 2, .loss = {}});
    const std::vector<Real> x(10, 1);
    EXPECT_EQ(family.row_problem(entry(3, 2, 1), 0), "");
    for (const auto& [row, column] : std::vector<std::pair<Real, Real>>{
             {0, 1}, {4, 1}, {1, 0}, {1, 3}, {1.5, 1}, {1, 1.5}, {-1, 1}, {kInfinity, 1}, {1e300, 1}}) {
        const RowBlock bad = entry(row, column, 1);
        EXPECT_NE(family.row_problem(bad, 0), "") << row << ' ' << column;
        EXPECT_TRUE(std::isnan(family.value(bad, x, scratch))) << row << ' ' << column;
        EXPECT_TRUE(std::isnan(family.predict(bad, 0, x, scratch))) << row << ' ' << column;
    }
    EXPECT_EQ(family.row_problem(entry(4, 1, 1), 0), "row number 4 is not a whole number from 1 to 3");
    EXPECT_EQ(family.row_problem(entry(1, 2.5, 1), 0), "column number 2.5 is not a whole number from 1 to 2");
}

TEST(Factors, StartIsSeededAndNoSaddle) {
    const FactorsFamily family({.rank = 16, .rows = 100, .columns = 100, .loss = {}});
    std::vector<Real> x(family.dimension());
    std::vector<Real> again(family.dimension());
    family.start(x, 5);
    family.start(again, 5);
    EXPECT_EQ(x, again);
    family.start(again, 6);
    EXPECT_NE(x, again);
    EXPECT_NEAR(squared_norm(x) / static_cast<Real>(x.size()), 1.0 / 16, 0.01);
}

/// Groups of the rank's size are rows of the factors: the group penalty takes those away that no entry needs.
TEST(Factors, GroupsAreRowsOfTheFactors) {
    Scratch scratch;
    const FactorsFamily family({.rank = 2, .rows = 4, .columns = 3, .loss = {}});
    // A matrix of rank one without a fourth row.
    RowBlock data(false);
    for (int i = 1; i <= 4; ++i) {
        for (int j = 1; j <= 3; ++j) {
            data.add_dense(std::vector<Real>{Real(i), Real(j)}, i < 4 ? Real(i * j) : Real(0));
        }
    }
    const AnyRegulariser g = parse_regulariser("group:0.01,size=2");
    g.check_dimension(family.penalised());
    std::vector<Real> x(family.dimension());
    std::vector<Real> gradient(x.size());
    family.start(x, 1);
    for (int k = 0; k < 4000; ++k) {
        family.value_and_gradient(data, x, gradient, scratch);
        axpy(-0.2, gradient, x);
        g.prox(x, 0.2, x, scratch);
    }
    EXPECT_LT(family.value(data, x, scratch), 1e-3);
    EXPECT_EQ(norm(ConstView(x).subspan(6, 2)), 0);
    EXPECT_GT(norm(ConstView(x).subspan(4, 2)), 0.5);
}

}  // namespace
}  // namespace proxstream
