#include "fit/data_survey.hpp"

#include <string>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

using Numbers = std::vector<Real>;

struct Twins {
    RowBlock dense{false};
    RowBlock sparse{true};
};

Twins make_rows(const std::vector<Numbers>& rows, const Numbers& labels) {
    Twins twins;
    for (Index i = 0; i < rows.size(); ++i) {
        twins.dense.add_dense(rows[i], labels[i]);
        std::vector<FeatureIndex> indices;
        Numbers values;
        for (Index k = 0; k < rows[i].size(); ++k) {
            if (rows[i][k] == 0) continue;
            indices.push_back(static_cast<FeatureIndex>(k));
            values.push_back(rows[i][k]);
        }
        twins.sparse.add_sparse(indices, values, labels[i]);
    }
    return twins;
}

TEST(DataSurvey, FindsZerosConstantsAndLabels) {
    // Columns: varying, of zeros, constant, nearly constant, and one that is constant where it is stored.
    const Twins data = make_rows({{1, 0, 5, 7, 2}, {0, 0, 5, 7, 0}, {-1, 0, 5, 6, 2}}, {1, -1, 1});
    for (const RowBlock* rows : {&data.dense, &data.sparse}) {
        const DataSurvey survey = survey_data(*rows, 5);
        EXPECT_EQ(survey.rows, 3U);
        EXPECT_EQ(survey.nonzeros, 10U);
        EXPECT_DOUBLE_EQ(survey.density(), 10.0 / 15);
        EXPECT_EQ(survey.zero_rows, 0U);
        EXPECT_EQ(survey.empty_columns, 1U);
        EXPECT_EQ(survey.constant_columns, 1U);
        EXPECT_EQ(survey.labels, (std::vector<std::pair<Real, Index>>{{-1, 1}, {1, 2}}));
        EXPECT_DOUBLE_EQ(survey.mean_label, 1.0 / 3);
    }
    const DataSurvey dense = survey_data(data.dense, 5);
    EXPECT_EQ(dense.columns, (std::vector<std::string>{"2", "3"}));
    EXPECT_EQ(dense.lines(),
              (std::vector<std::string>{"3 rows of 5 features, 10 values not 0 (66.67%)",
                                        "labels: 1 of -1, 2 of 1", "2 constant columns (1 of zeros): 2, 3"}));
    const DataSurvey sparse = survey_data(data.sparse, 5);
    EXPECT_EQ(sparse.lines(),
              (std::vector<std::string>{"3 rows of 5 features, 10 values not 0 (66.67%), sparse",
                                        "labels: 1 of -1, 2 of 1", "1 column without a value in any row",
                                        "1 constant column: 3"}));
}

TEST(DataSurvey, CountsRowsOfZeros) {
    const Twins data = make_rows({{1, 2}, {0, 0}, {3, 1}, {0, 0}}, {1, 2, 3, 4});
    for (const RowBlock* rows : {&data.dense, &data.sparse}) {
        const DataSurvey survey = survey_data(*rows, 2);
        EXPECT_EQ(survey.zero_rows, 2U);
        EXPECT_EQ(survey.first_zero_row, 2U);
        EXPECT_EQ(survey.empty_columns + survey.constant_columns, 0U);
        EXPECT_EQ(survey.lines().back(), "2 rows of zeros, the first is row 2: of no use to the weights");
    }
}

TEST(DataSurvey, NamesTheFirstTenColumns) {
    RowBlock rows(false);
    rows.add_dense(Numbers(30, 4), 0.5);
    rows.add_dense(Numbers(30, 4), 0.25);
    std::vector<std::string> names;
    for (int i = 0; i < 30; ++i) names.push_back("c" + std::to_string(i));
    const DataSurvey survey = survey_data(rows, 30, names);
    EXPECT_EQ(survey.constant_columns, 30U);
    EXPECT_EQ(survey.columns.size(), DataSurvey::kMostNamed);
    EXPECT_EQ(survey.lines().back(), "30 constant columns: c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, ...");
}

TEST(DataSurvey, SummarisesLabelsThatAreNumbers) {
    RowBlock rows(false);
    for (int i = 0; i < 11; ++i) rows.add_dense(Numbers{Real(i)}, i);
    EXPECT_TRUE(survey_data(rows, 1).labels.empty());
    EXPECT_EQ(survey_data(rows, 1).lines()[1], "labels from 0 to 10, mean 5");
}

}  // namespace
}  // namespace proxstream
