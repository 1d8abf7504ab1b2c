#include "proxstream/core/error.hpp"

#include "run/checked_reader.hpp"
#include "run/feature_scale.hpp"
#include "run/fed_reader.hpp"
#include "run/reader_support.hpp"
#include "run/record_stream.hpp"
#include "run/timestamp.hpp"

#include <cmath>

namespace proxstream {
namespace {

using namespace testing;

ReaderOptions table_options(const std::string& label, Index look_ahead = 64) {
    ReaderOptions options = csv_options(label);
    options.format = RowFormat::detect;
    options.table.look_ahead = look_ahead;
    options.table.missing = true;
    return options;
}

std::string repeated(const std::string& header, const std::vector<std::string>& rows, int times) {
    std::string text = header + "\n";
    for (int i = 0; i < times; ++i) {
        for (const std::string& row : rows) text += row + "\n";
    }
    return text;
}

TEST(Table, TextGetsAFeatureForEachValueAsItAppears) {
    const auto reader = open_text("x,city,y\n1,Oslo,1\n2,Rome,2\n3,Oslo,3\n4,,4\n5,Nice,5\n6,Paris,6\n",
                                  table_options("y", 3));
    // Twice the two values of the first rows: three of their own, and one for all others.
    EXPECT_EQ(reader->feature_names(),
              (std::vector<std::string>{"x", "city#1", "city#2", "city#3", "city#other"}));
    const RowBlock rows = testing::read_all(*reader);
    EXPECT_EQ(row_of(rows, 0), (std::vector<Real>{1, 1, 0, 0, 0}));
    EXPECT_EQ(row_of(rows, 1), (std::vector<Real>{2, 0, 1, 0, 0}));
    EXPECT_EQ(row_of(rows, 2), (std::vector<Real>{3, 1, 0, 0, 0}));
    EXPECT_EQ(row_of(rows, 3), (std::vector<Real>{4, 0, 0, 1, 0}));  // missing is a value
    EXPECT_EQ(row_of(rows, 4), (std::vector<Real>{5, 0, 0, 0, 1}));
    EXPECT_EQ(row_of(rows, 5), (std::vector<Real>{6, 0, 0, 0, 1}));
    EXPECT_EQ(reader->table()->columns[1].values, (std::vector<std::string>{"Oslo", "Rome", ""}));
    EXPECT_FALSE(reader->is_quantity(1));
    EXPECT_TRUE(reader->is_quantity(0));
}

TEST(Table, AMissingNumberIsTheMeanOfThoseBeforeItAndMarked) {
    const auto reader = open_text("a,b,y\n1,10,1\nNA,20,2\n4,,3\n,40,4\n", table_options("y", 2));
    EXPECT_EQ(reader->feature_names(), (std::vector<std::string>{"a", "a=missing", "b"}));
    const RowBlock rows = testing::read_all(*reader);
    EXPECT_EQ(row_of(rows, 0), (std::vector<Real>{1, 0, 10}));
    EXPECT_EQ(row_of(rows, 1), (std::vector<Real>{1, 1, 20}));
    EXPECT_EQ(row_of(rows, 2), (std::vector<Real>{4, 0, 15}));
    EXPECT_EQ(row_of(rows, 3), (std::vector<Real>{2.5, 1, 40}));

    ReaderOptions stops = table_options("y");
    stops.table.missing = false;
    const auto strict = open_text("a,y\n1,1\n,2\n", stops);
    RowBlock block;
    strict->read_row(block);
    expect_error<DataError>([&] { strict->read_row(block); }, {"t:3, column 1 (a)", "--missing mean"});
}

TEST(Table, TimesAreLeftOutUnlessTheyAreAskedFor) {
    const std::string text = "when,x,y\n2024-01-01 06:00,1,1\n2024-01-02 18:00,2,2\n";
    const auto without = open_text(text, table_options("y"));
    EXPECT_EQ(without->feature_names(), (std::vector<std::string>{"x"}));
    EXPECT_NE(without->notes().at(0).find("--time when"), std::string::npos);

    ReaderOptions options = table_options("y");
    options.table.time = {"when"};
    const RowBlock rows = testing::read_all(*open_text(text, options));
    ASSERT_EQ(rows.values(0).size(), kTimeFeatures + 1);
    EXPECT_NEAR(rows.values(0)[0], 1, 1e-15);  // six o'clock
    EXPECT_EQ(rows.values(0)[4], 1);           // a Monday
    EXPECT_EQ(rows.values(1)[5], 1);           // a Tuesday
    EXPECT_NEAR(rows.values(1)[11], 1.5 / 365.25, 1e-12);

    options.table.time = {"x"};
    expect_error<ConfigError>([&] { open_text(text, options); }, {"--time", "'x'", "2024-01-31"});
    options.table.time = {"whem"};
    expect_error<ConfigError>([&] { open_text(text, options); }, {"--time", "did you mean 'when'"});
}

TEST(Table, ReadsTimesInTheirUsualForms) {
    const Real day = 86400 * 19753.0;  // 2024-01-31
    EXPECT_EQ(parse_timestamp("2024-01-31"), day);
    EXPECT_EQ(parse_timestamp(" 2024/01/31 13:45 "), day + 13 * 3600 + 45 * 60);
    EXPECT_EQ(parse_timestamp("2024-01-31T13:45:30.5Z"), day + 49530.5);
    EXPECT_EQ(parse_timestamp("2024-01-31T13:45:30+01:00"), day + 49530);
    EXPECT_EQ(parse_timestamp("1969-12-31"), -86400);
    for (const char* text : {"", "2024", "2024-13-01", "2024-02-30", "2024-01-31 25:00", "2024-01-31x",
                             "12:30", "2024-01-31 12:30 noon", "20240131"})
        EXPECT_FALSE(parse_timestamp(text)) << text;
}

TEST(Table, WhatLooksLikeAnIdentifierIsLeftOut) {
    std::string text = "id,x,y\n";
    for (int i = 0; i < 20; ++i) text += "row" + std::to_string(i) + "," + std::to_string(i) + ",1\n";
    EXPECT_EQ(open_text(text, table_options("y"))->feature_names(), (std::vector<std::string>{"x"}));
    ReaderOptions options = table_options("y");
    options.table.text = {"id"};
    EXPECT_EQ(open_text(text, options)->features(), 41U);
    options.table.text = {};
    options.table.hash_bits = 4;
    EXPECT_EQ(open_text(text, options)->features(), 17U);
}

TEST(Table, DecimalCommasAreNamed) {
    const std::string text = repeated("x;y", {"0,5;1", "0,7;2"}, 3);
    expect_error<ConfigError>([&] { open_text(text, table_options("y")); },
                              {"column 'x'", "'0,5'", "decimal points", "--text x"});
}

TEST(Table, HashedTextIsSparseAndKeepsItsPlace) {
    ReaderOptions options = table_options("y");
    options.table.hash_bits = 6;
    const std::string text = repeated("x,a,b,y", {"1,u,u,1", "0,v,u,2"}, 2);
    const auto reader = open_text(text, options);
    ASSERT_TRUE(reader->sparse());
    EXPECT_EQ(reader->features(), 65U);
    const RowBlock rows = testing::read_all(*reader);
    EXPECT_EQ(rows.indices(1)[0], 0U);  // a number is stored also where it is 0
    EXPECT_EQ(rows.values(1)[0], 0);
    EXPECT_EQ(row_of(rows, 0), row_of(rows, 2));
    EXPECT_TRUE(std::ranges::equal(rows.indices(0), rows.indices(2)));
    // The same text in another column is another feature.
    EXPECT_EQ(rows.indices(0).size(), 3U);

    // Numbers are scaled, marks are not.
    FeatureScale scale(*reader);
    RowBlock scaled(true);
    scaled.add_row(rows, 0);
    scaled.add_row(rows, 1);
    scale.apply(scaled, FeatureScale::Use::count);
    EXPECT_EQ(scaled.values(1)[0], -1);
    EXPECT_EQ(scaled.values(1)[1], 1);
}

TEST(Table, JsonLinesAreReadByTheirKeys) {
    const auto reader = open_text(R"({"x": 1.5, "city": "Oslo", "on": true, "y": 1}
{"y": 2, "city": "Rome", "x": null}
{"x": 3, "city": "Oslo", "on": false, "y": 3, "late": 5}
)",
                                  table_options("y", 2));
    EXPECT_EQ(reader->feature_names(),
              (std::vector<std::string>{"x", "x=missing", "city#1", "city#2", "city#3", "city#other", "on",
                                        "on=missing"}));
    const RowBlock rows = testing::read_all(*reader);
    EXPECT_EQ(row_of(rows, 0), (std::vector<Real>{1.5, 0, 1, 0, 0, 0, 1, 0}));
    EXPECT_EQ(row_of(rows, 1), (std::vector<Real>{1.5, 1, 0, 1, 0, 0, 1, 1}));
    EXPECT_EQ(row_of(rows, 2), (std::vector<Real>{3, 0, 1, 0, 0, 0, 0, 0}));
    EXPECT_EQ(rows.target(2), 3);
    EXPECT_NE(reader->notes().back().find("'late'"), std::string::npos);
}

TEST(Table, BadJsonLinesAreRefusedOneByOne) {
    const auto reader = open_text(
        "{\"x\":1,\"y\":1}\n{\"x\":2,\n{\"x\":[1],\"y\":1}\n{\"x\":\"a\",\"y\":1}\n"
        "{\"x\":4,\"y\":1}\n",
        table_options("y", 1));
    RowBlock block;
    ASSERT_TRUE(reader->read_row(block));
    expect_error<DataError>([&] { reader->read_row(block); }, {"t:2", "not a whole JSON object"});
    expect_error<DataError>([&] { reader->read_row(block); }, {"t:3", "x", "--ignore x"});
    expect_error<DataError>([&] { reader->read_row(block); }, {"t:4", "'a' is not a number"});
    ASSERT_TRUE(reader->read_row(block));
    EXPECT_EQ(block.rows(), 2U);
    expect_error<ConfigError>([] { open_text("{\"x\":1}\n", table_options("")); },
                              {"--label", "the keys of t are: x"});
}

TEST(Table, RowsHaveWeightsOfTheirOwnAndOfTheirClass) {
    ReaderOptions options = table_options("y");
    options.target.kind = TargetKind::sign;
    options.table.weight = "w";
    options.table.class_weights = {2, 5};
    const auto reader = open_text("x,w,y\n1,3,0\n2,1,1\n3,0.5,1\n4,-1,1\n5,a,1\n", options);
    RowBlock rows;
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(reader->read_row(rows));
    EXPECT_EQ(std::vector<Real>(rows.weights().begin(), rows.weights().end()),
              (std::vector<Real>{6, 5, 2.5}));
    EXPECT_EQ(rows.values(0).size(), 1U);
    expect_error<DataError>([&] { reader->read_row(rows); }, {"t:5, column 2 (w)", "'-1' is not a weight"});
    expect_error<DataError>([&] { reader->read_row(rows); }, {"'a' is not a weight"});
}

TEST(Table, ColumnsOfAModelAreFoundByName) {
    const auto first = open_text("x,city,z,y\n1,Oslo,7,1\n2,Rome,9,2\n", table_options("y"));
    const std::vector<Real> wanted = row_of(testing::read_all(*first), 1);
    ReaderOptions options = table_options("y");
    options.table.model = first->table();
    options.table.predicts = options.table.unlabelled = true;
    const auto shuffled = open_text("extra,z,city,x\n?,9,Rome,2\n0,,Lima,3\n", options);
    RowBlock rows = testing::read_all(*shuffled);
    EXPECT_EQ(row_of(rows, 0), wanted);
    EXPECT_TRUE(std::isnan(rows.target(0)));
    // A new text has the feature that it would get, and a missing number the mean.
    EXPECT_EQ(row_of(rows, 1), (std::vector<Real>{3, 0, 0, 1, 0, 8}));
    EXPECT_EQ(shuffled->table()->columns[1].values.size(), 2U);
    expect_error<ConfigError>([&] { open_text("x,city\n1,Oslo\n", options); },
                              {"needs a column 'z'", "x, city"});
}

TEST(Table, ALabelThatComesLaterIsLearnedWithItsOwnRow) {
    ReaderOptions options = table_options("y");
    options.table.unlabelled = true;
    options.table.key = "id";
    RecordStream stream(open_text("id,x,y\na,1,\nb,2,20\nc,3,\na,,10\nc,9,30\nd,4,\n", options), {});
    RowBlock record = stream.make_record();
    ASSERT_TRUE(stream.next(record));
    EXPECT_EQ(record.values(0)[0], 2);
    ASSERT_EQ(stream.unlabelled().rows(), 1U);
    EXPECT_EQ(stream.unlabelled().values(0)[0], 1);
    ASSERT_TRUE(stream.next(record));
    EXPECT_EQ(record.values(0)[0], 1);
    EXPECT_EQ(record.target(0), 10);
    EXPECT_EQ(stream.unlabelled().values(0)[0], 3);
    ASSERT_TRUE(stream.next(record));
    EXPECT_EQ(record.values(0)[0], 3);
    EXPECT_EQ(record.target(0), 30);
    EXPECT_EQ(stream.unlabelled().rows(), 0U);
    EXPECT_FALSE(stream.next(record));
    EXPECT_EQ(stream.unlabelled().rows(), 1U);
    EXPECT_EQ(stream.delayed().waiting(), 1U);
    EXPECT_EQ(stream.delayed().completed(), 2U);
}

TEST(FeatureScaleTest, ScalesEveryRowByThoseBeforeIt) {
    const FedReader reader("rows", {.names = {"a", "b"}, .features = 2});
    FeatureScale scale(reader);
    RowBlock rows;
    rows.add_dense(std::vector<Real>{1, 5}, 7);
    rows.add_dense(std::vector<Real>{3, 5}, 8);
    scale.apply(rows, FeatureScale::Use::count);
    EXPECT_EQ(row_of(rows, 0), (std::vector<Real>{0, 0}));
    EXPECT_EQ(row_of(rows, 1), (std::vector<Real>{1, 0}));
    EXPECT_EQ(scale.statistics().state().count, 2U);
    expect_error<ConfigError>([] { FeatureScale(FedReader("rows", {.features = 2, .sparse = true})); },
                              {"standardise", "sparse"});
}

TEST(CheckedReaderTest, RefusesNumbersThatCannotBeScaledAndNamesTheirPlace) {
    const auto checked = [](bool features, bool label) {
        auto fed = std::make_unique<FedReader>("rows", FedReader::Shape{.names = {"a", "b"}, .features = 2});
        RowBlock rows;
        rows.add_dense(std::vector<Real>{1, 1e200}, 7);
        rows.add_dense(std::vector<Real>{1, 5}, -1e200);
        rows.add_dense(std::vector<Real>{3, 5}, std::nan(""));
        fed->feed(rows);
        return CheckedReader(std::move(fed), features, label);
    };
    RowBlock read;
    CheckedReader both = checked(true, true);
    expect_error<DataError>([&] { both.read_row(read); }, {"rows:1 (b)", "too large", "1e140"});
    expect_error<DataError>([&] { both.read_row(read); }, {"rows:2 (y)", "too large"});
    EXPECT_TRUE(both.read_row(read));
    ASSERT_EQ(read.rows(), 1U);
    EXPECT_EQ(row_of(read, 0), (std::vector<Real>{3, 5}));
    CheckedReader none = checked(false, false);
    while (none.read_row(read)) {
    }
    EXPECT_EQ(read.rows(), 4U);
}

}  // namespace
}  // namespace proxstream
