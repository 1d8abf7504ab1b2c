#include "studies/results.hpp"

#include <array>
#include <cmath>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

TEST(Estimate, MeanAndStandardErrorByHand) {
    // Mean 5; squares of the deviations 9 + 1 + 1 + 1 + 0 + 0 + 4 + 16 = 32; sqrt(32 / 7 / 8).
    const std::array<Real, 8> values{2, 4, 4, 4, 5, 5, 7, 9};
    const Estimate found = estimate(values);
    EXPECT_EQ(found.count, 8U);
    EXPECT_DOUBLE_EQ(found.mean, 5);
    ASSERT_TRUE(found.error.has_value());
    EXPECT_NEAR(*found.error, std::sqrt(32.0 / 56.0), 1e-15);
}

TEST(Estimate, OneValueHasNoErrorAndNoValuesHaveNoMean) {
    const std::array<Real, 1> one{3.5};
    EXPECT_EQ(estimate(one).mean, 3.5);
    EXPECT_FALSE(estimate(one).error.has_value());
    EXPECT_EQ(estimate({}).count, 0U);
    EXPECT_EQ(to_text(estimate({})), "-");
}

TEST(Estimate, LargeValuesDoNotCancel) {
    const std::array<Real, 3> values{1e9 + 1, 1e9 + 2, 1e9 + 3};
    EXPECT_NEAR(*estimate(values).error, std::sqrt(1.0 / 3.0), 1e-6);
}

TEST(Estimate, TextShowsTwoDigitsOfTheError) {
    const auto text = [](Real mean, std::optional<Real> error) { return to_text({3, mean, error}); };
    EXPECT_EQ(text(0.0869603, 0.00312), "0.0870 +- 0.0031");
    EXPECT_EQ(text(12.345, 0.67), "12.35 +- 0.67");
    EXPECT_EQ(text(1234.5, 67), "1234 +- 67");
    EXPECT_EQ(text(-2.5, 0.25), "-2.50 +- 0.25");
    EXPECT_EQ(text(0.0981101, 2.5e-6), "0.09811 +- 0.00000") << "no more than four digits of the mean";
    EXPECT_EQ(text(0, 0), "0.000 +- 0.000");
    EXPECT_EQ(text(1.234e-5, 4.4e-7), "(1.234 +- 0.044)e-05");
    EXPECT_EQ(text(5.6e7, 1e6), "(5.60 +- 0.10)e+07");
    EXPECT_EQ(text(0.25, std::nullopt), "0.2500");
    EXPECT_EQ(text(2.5e-8, std::nullopt), "2.500e-08");
}

TEST(ResultTable, CsvKeepsEveryValueExactlyAndQuotesWhatNeedsIt) {
    const std::array<Measurement, 2> rows{
        {{"plain", "box 8", "loss", 1, 0.1 + 0.2}, {"a,b", "say \"x\"\n", "loss", 2, -1e-300}}};
    EXPECT_EQ(csv_header() + to_csv(rows),
              "stream,method,figure,seed,value\n"
              "plain,box 8,loss,1,0.30000000000000004\n"
              "\"a,b\",\"say \"\"x\"\"\n\",loss,2,-1e-300\n");
}

ResultTable small_table() {
    ResultTable table;
    for (const std::uint64_t seed : {1, 2}) {
        const Real shift = seed == 1 ? -0.25 : 0.25;
        table.add({"calm", "a|b", "loss", seed, 2 + shift});
        table.add({"calm", "c", "loss", seed, 1 + shift});
        table.add({"wild", "a|b", "loss", seed, 3 + shift});
        table.add({"wild", "c", "loss", seed, 4 + shift});
        table.add({"calm", "c", "speed", seed, 7});
    }
    return table;
}

TEST(ResultTable, MarkdownMarksTheBestOfEachColumn) {
    const std::array<StudyFigure, 1> figures{{{"loss", "mean loss", Better::lower}}};
    EXPECT_EQ(small_table().to_markdown(figures),
              "## calm\n\n"
              "| method |        mean loss |\n"
              "|--------|-----------------:|\n"
              "| a\\|b   |     2.00 +- 0.25 |\n"
              "| c      | **1.00 +- 0.25** |\n\n"
              "## wild\n\n"
              "| method |        mean loss |\n"
              "|--------|-----------------:|\n"
              "| a\\|b   | **3.00 +- 0.25** |\n"
              "| c      |     4.00 +- 0.25 |\n\n");
}

TEST(ResultTable, MarkdownShowsMissingFiguresAndLeavesOutOtherMethods) {
    ResultTable table = small_table();
    table.add({"other", "d", "loss", 1, 1});
    const std::array<StudyFigure, 2> figures{
        {{"loss", "loss", Better::neither}, {"speed", "speed", Better::higher}}};
    const std::string text = table.to_markdown(figures);
    EXPECT_NE(text.find("## calm\n\n"
                        "| method |         loss |              speed |\n"
                        "|--------|-------------:|-------------------:|\n"
                        "| a\\|b   | 2.00 +- 0.25 |                  - |\n"
                        "| c      | 1.00 +- 0.25 | **7.000 +- 0.000** |\n"),
              std::string::npos)
        << text;
    EXPECT_EQ(text.substr(text.find("## other")),
              "## other\n\n"
              "| method |  loss |\n"
              "|--------|------:|\n"
              "| d      | 1.000 |\n\n");
}

TEST(ResultTable, RatiosAreTakenSeedBySeed) {
    ResultTable table = small_table();
    // (1.75, 2.25) over (0.75, 1.25).
    const Estimate ratio = table.ratio("calm", "a|b", "c", "loss");
    EXPECT_EQ(ratio.count, 2U);
    EXPECT_DOUBLE_EQ(ratio.mean, (1.75 / 0.75 + 2.25 / 1.25) / 2);
    EXPECT_EQ(table.ratio("calm", "a|b", "c", "speed").count, 0U) << "a|b has none";
    EXPECT_EQ(table.ratio("calm", "c", "a|b", "speed").count, 0U);
    table.add({"calm", "once", "loss", 1, 4});
    EXPECT_DOUBLE_EQ(table.ratio("calm", "c", "once", "loss").mean, 0.25)
        << "it ran under the first seed only";
}

TEST(ResultTable, YesAndNoAreWords) {
    ResultTable table;
    for (const std::uint64_t seed : {1, 2}) {
        table.add({"s", "always", "holds", seed, 1});
        table.add({"s", "never", "holds", seed, 0});
        table.add({"s", "at times", "holds", seed, seed == 1 ? 1.0 : 0.0});
    }
    const std::array<StudyFigure, 1> figures{{{"holds", "holds", Better::neither, true}}};
    EXPECT_EQ(table.to_markdown(figures),
              "## s\n\n"
              "| method   |            holds |\n"
              "|----------|-----------------:|\n"
              "| always   |              yes |\n"
              "| never    |               no |\n"
              "| at times | in 50 % of seeds |\n\n");
}

TEST(ResultTable, AtSelectsOneStreamMethodAndFigure) {
    const ResultTable table = small_table();
    EXPECT_EQ(table.streams(), (std::vector<std::string>{"calm", "wild"}));
    EXPECT_EQ(table.methods(), (std::vector<std::string>{"a|b", "c"}));
    EXPECT_DOUBLE_EQ(table.at("wild", "c", "loss").mean, 4);
    EXPECT_EQ(table.at("wild", "c", "loss").count, 2U);
    EXPECT_EQ(table.at("wild", "c", "speed").count, 0U);
}

}  // namespace
}  // namespace proxstream
