/// Demand series: every format gives the same periods, and bad ones cost themselves only.
#include "traffic/demand_support.hpp"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

namespace proxstream {
namespace {

using test::data_error_of;
using test::first_error;
using test::joined;
using test::periods_of;
using test::read_periods;
using test::small_network;
using test::stream_of;

const std::vector<Pair> kTwoPairs{{0, 1}, {2, 0}};  // A->B, C->A

TEST(DemandReader, EveryFormatGivesTheSamePeriods) {
    DemandOptions options;
    options.zones = 3;
    options.scale = 2;
    const std::string matrix = "9 1.5 0 0 0 0 2 0 0\n0 0 0\t0 0 0,4 , 0 0\n";
    const std::string texts[] = {
        matrix,
        "A->B,C->A\n1.5,2\n0,4\n",
        "C_A\tA:B\tA_A\n2\t1.5\t9\n4\t0\t0\n",
        "period,origin,destination,demand\n1,A,B,1.5\n1,C,A,2\n1,A,A,9\n2,C,A,4\n",
        R"({"demand": {"A->B": 1.5, "C-A": 2}})"
        "\n"
        R"({"demand": {"C": {"A": 4, "C": 7}, "A": {"B": 0}}})"
        "\n",
        R"({"demand": [[9, 1.5, 0], [0, 0, 0], [2, 0, 0]]})"
        "\n"
        R"({"demand": [[0, 0, 0], [0, 0, 0], [4, 0, 0]]})",
    };
    for (const std::string& text : texts) {
        for (const bool fixed : {false, true}) {
            options.pairs = fixed ? kTwoPairs : std::vector<Pair>{};
            const auto stream = stream_of(text, options);
            const auto& pairs = stream->pairs();
            const auto periods = read_periods(*stream);
            ASSERT_EQ(periods.size(), 2U) << text;
            for (Index i = 0; i < pairs.size(); ++i) {
                ASSERT_EQ(periods[0].demand.size(), pairs.size()) << text << periods[0].error;
                ASSERT_EQ(periods[1].demand.size(), pairs.size()) << text << periods[1].error;
                EXPECT_EQ(periods[0].demand[i], pairs[i] == kTwoPairs[0]   ? 3
                                                : pairs[i] == kTwoPairs[1] ? 4
                                                                           : 0)
                    << text;
                EXPECT_EQ(periods[1].demand[i], pairs[i] == kTwoPairs[1] ? 8 : 0) << text;
            }
            EXPECT_EQ(periods[1].label, "2");
            EXPECT_EQ(fixed || text != matrix, pairs == kTwoPairs) << text;
        }
    }
    EXPECT_EQ(stream_of(matrix, options)->notes().size(), 0U);
}

TEST(DemandReader, MatrixSizesComeFromTheFirstRow) {
    EXPECT_EQ(stream_of("0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15\n")->pairs().size(), 12U);
    DemandOptions options;
    options.zones = 2;
    EXPECT_EQ(stream_of("0 1 2 3\n", options)->pairs().size(), 2U);
    EXPECT_EQ(data_error_of([&] { stream_of("1 2 3\n", options); }),
              "d:1: the first row has 3 values; expected 16 (4 x 4 nodes) or 4 (2 x 2 zones)");
    EXPECT_EQ(data_error_of([&] { stream_of(" \n\n"); }),
              "d: the input is empty; expected demand of at least one period");
}

TEST(DemandReader, ABadMatrixCostsItsPeriodOnly) {
    DemandOptions options;
    options.zones = 2;
    options.pairs = {{0, 1}};
    const auto stream = stream_of(
        "5 1 0 0\n0 nan 0 0\n0 -1 0 0\n0 1 0\n0 1 0 0 0\n0,,0,0\n0 1 3 0\n0 2 0 0\n0 1e999 0 0", options);
    const auto periods = read_periods(*stream);
    ASSERT_EQ(periods.size(), 9U);
    EXPECT_EQ(periods[0].demand, (std::vector<Real>{1}));
    EXPECT_EQ(periods[1].error, "d:2, column 2 (A->B): 'nan' is not a number; expected a finite number");
    EXPECT_EQ(periods[2].error, "d:3, column 2 (A->B): '-1' is negative; expected a number of at least 0");
    EXPECT_EQ(periods[3].error, "d:4: the row has 3 values; expected 4 (2 x 2)");
    EXPECT_EQ(periods[4].error, "d:5: the row has 5 values; expected 4 (2 x 2)");
    EXPECT_EQ(periods[5].error, "d:6, column 2 (A->B): the field is empty; expected a finite number");
    EXPECT_EQ(periods[6].error,
              "d:7, column 3 (B->A): there is demand for a pair that is not served; expected demand "
              "for the 1 "
              "pair of this run");
    EXPECT_EQ(periods[7].demand, (std::vector<Real>{2}));
    EXPECT_EQ(periods[8].error,
              "d:9, column 2 (A->B): '1e999' is too large for a number; expected a finite number");
    EXPECT_EQ(periods[7].label, "8");
    EXPECT_EQ(joined(stream->notes()).find("demand of nodes with themselves is dropped: "), 0U);
}

TEST(DemandReader, ColumnsNamePairsAlsoOfNodesWithDashes) {
    const auto stream =
        stream_of("time,A-B->A,B-A-B,\"C:A\"\n08:00,1,2,3\n08:05,4,5,\n08:00,1,1,1\n08:10,7,8,9\n");
    EXPECT_EQ(stream->pairs(), (std::vector<Pair>{{1, 3}, {2, 0}, {3, 0}}));
    const auto periods = read_periods(*stream);
    ASSERT_EQ(periods.size(), 4U);
    EXPECT_EQ(periods[0].label, "08:00");
    EXPECT_EQ(periods[0].demand, (std::vector<Real>{2, 3, 1}));
    EXPECT_EQ(periods[1].error, "d:3, column 4 (C:A): the field is empty; expected a finite number");
    EXPECT_EQ(periods[2].error,
              "d:4 (period): the period '08:00' occurred before; expected a different label for each period");
    EXPECT_EQ(periods[2].label, "08:00 (line 4)");
    EXPECT_EQ(periods[3].demand, (std::vector<Real>{8, 9, 7}));
    EXPECT_NE(
        data_error_of([&] { stream_of("A->B,X->Y\n"); }).find("d:1, column 2: 'X->Y' is not a pair of nodes"),
        std::string::npos);
    EXPECT_NE(data_error_of([&] { stream_of("A->B,A_B\n"); }).find("is in another column"),
              std::string::npos);
    EXPECT_NE(data_error_of([&] { stream_of("period\n1\n"); }).find("no column is a pair"),
              std::string::npos);
    EXPECT_EQ(first_error("A->B,C->A\n1\n"), "d:2: the row has 1 value; expected 2");
    // A-B-A could be A->B-A, which is no node, or A-B->A; "A-B" alone is A->B, and no pair of A-B.
    EXPECT_EQ(stream_of("A-B-A\n1\n")->pairs(), (std::vector<Pair>{{3, 0}}));
    EXPECT_EQ(stream_of("A-B\n1\n")->pairs(), (std::vector<Pair>{{0, 1}}));
}

TEST(DemandReader, LongTablesKeepPeriodsTogether) {
    const std::string head = "origin,destination,demand,time\n";
    const auto stream = stream_of(
        head +
        "A,B,1,x\nC,A,2,x\nA,B,3,y\nA,B,4,z\nA,B,5,z\nC,A,6,z\nA,B,7,x\nC,A,1,x\nA\nC,A,8,u\nA,Q,1,v\n");
    EXPECT_EQ(stream->pairs(), kTwoPairs);
    const auto periods = read_periods(*stream);
    ASSERT_EQ(periods.size(), 6U);
    EXPECT_EQ(periods[0].demand, (std::vector<Real>{1, 2}));
    EXPECT_EQ(periods[1].demand, (std::vector<Real>{3, 0}));
    EXPECT_EQ(periods[2].error, "d:6 (A->B): the pair is given twice; expected every pair once");
    EXPECT_EQ(periods[3].label, "x (line 8)");
    EXPECT_NE(periods[3].error.find("the period 'x' occurred before"), std::string::npos);
    EXPECT_EQ(periods[4].label, "u");  // the short row went with the period before it
    EXPECT_EQ(periods[4].demand, (std::vector<Real>{0, 8}));
    EXPECT_EQ(periods[5].error,
              "d:12, column 2 (destination): 'Q' is not a node; expected nodes of the network");
    // Periods that are announced and not revealed are passed over.
    const auto skipping = stream_of(head + "A,B,1,x\nC,A,2,x\nA,B,3,y\nC,A,4,z\n");
    DemandPeriod period;
    ASSERT_TRUE(skipping->announce(period));
    ASSERT_TRUE(skipping->announce(period));
    EXPECT_EQ(period.label, "y");
    ASSERT_TRUE(skipping->announce(period));
    skipping->reveal(period);
    EXPECT_EQ(period.demand, (std::vector<Real>{0, 4}));
    EXPECT_FALSE(skipping->announce(period));
}

TEST(DemandReader, OneTripTableServesSeveralPeriods) {
    DemandOptions options;
    options.repeat = 3;
    options.scale = 10;
    const std::string csv = "origin,destination,demand\nA,B,1\nC,A,2\n";
    const auto periods = periods_of(csv, options);
    ASSERT_EQ(periods.size(), 3U);
    EXPECT_EQ(periods[2].demand, (std::vector<Real>{10, 20}));
    EXPECT_EQ(periods[2].label, "3");
    options.pairs = {{0, 1}};
    EXPECT_NE(data_error_of([&] { stream_of(csv, options); }).find("a pair that is not served"),
              std::string::npos);
}

class Folder {
  public:
    Folder() : path_(::testing::TempDir() + "/demand-" + std::to_string(::getpid())) {
        std::filesystem::create_directories(path_);
    }
    ~Folder() { std::filesystem::remove_all(path_); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    void write(const std::string& name, const std::string& text) const {
        std::ofstream(path_ + "/" + name) << text;
    }
    const std::string& path() const { return path_; }

  private:
    std::string path_;
};

TEST(DemandReader, AFolderIsASeriesInTheNaturalOrderOfNames) {
    const Folder folder;
    const std::string head = "?SNDlib native format; type: network; version: 1.0\nDEMANDS (\n D ( A B ) 1 ";
    folder.write("demandMatrix-9.txt", head + "9 UNLIMITED\n)\n");
    folder.write("demandMatrix-10.txt", head + "10 UNLIMITED\n)\n");
    folder.write(
        "demandMatrix-8.xml",
        "<network><demands><demand id=\"D\"><source>A</source><target>B</target><demandValue>8</demandValue>"
        "</demand></demands></network>");
    folder.write("demandMatrix-11.txt", head + "11");
    folder.write("demandMatrix-012.txt", head + "12 UNLIMITED\n)\n");
    folder.write("README.txt", "not demand");
    const auto stream = open_demand(folder.path(), small_network());
    EXPECT_EQ(stream->pairs().size(), 12U);
    const auto periods = read_periods(*stream);
    ASSERT_EQ(periods.size(), 5U);
    for (const Index i : {0U, 1U, 2U, 4U}) {
        ASSERT_EQ(periods[i].demand.size(), 12U) << periods[i].error;
        EXPECT_EQ(periods[i].demand[0], static_cast<Real>(8 + i));
    }
    EXPECT_EQ(periods[0].label, "8");
    EXPECT_EQ(periods[4].label, "012");
    EXPECT_NE(periods[3].error.find("the file ends here"), std::string::npos) << periods[3].error;
}

TEST(DemandReader, OptionsAreCheckedTogether) {
    DemandOptions options;
    options.scale = -1;
    options.repeat = 0;
    options.zones = 9;
    try {
        stream_of("1 2\n", options);
        FAIL();
    } catch (const ConfigError& error) {
        EXPECT_EQ(error.violations().size(), 3U);
    }
    options = {};
    options.pairs = {{1, 1}};
    EXPECT_THROW(stream_of("A->B\n1\n", options), ConfigError);
    EXPECT_THROW(parse_demand_format("xls"), ConfigError);
    EXPECT_THROW(open_demand("/nowhere", small_network()), IoError);
}

TEST(DemandReader, TornGzipIsDamageNotAPeriod) {
    const std::string path = ::testing::TempDir() + "/torn-" + std::to_string(::getpid()) + ".gz";
    // gzip of "0 1 2 3\n" a few times, cut in the middle of its data
    const unsigned char head[] = {0x1f, 0x8b, 0x08, 0, 0, 0, 0, 0, 0, 3, 0x33, 0x50, 0x30};
    std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(head), sizeof head);
    DemandOptions options;
    options.zones = 2;
    EXPECT_THROW(open_demand(path, small_network(), options), DamagedFile);
    std::filesystem::remove(path);
}

/// A period is there as soon as its line is, though the pipe stays open.
TEST(DemandReader, APipeIsLive) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const auto send = [&](const std::string& text) {
        ASSERT_EQ(::write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
    };
    DemandOptions options;
    options.zones = 2;
    send("0 5 6 0\n");
    const auto stream = open_demand("/dev/fd/" + std::to_string(ends[0]), small_network(), options);
    DemandPeriod period;
    ASSERT_TRUE(stream->announce(period));
    stream->reveal(period);
    EXPECT_EQ(period.demand, (std::vector<Real>{5, 6}));
    send("0 7 8 0\n0 9");
    ASSERT_TRUE(stream->announce(period));
    stream->reveal(period);
    EXPECT_EQ(period.demand, (std::vector<Real>{7, 8}));
    ::close(ends[1]);
    ASSERT_TRUE(stream->announce(period));
    EXPECT_THROW(stream->reveal(period), DataError);
    EXPECT_FALSE(stream->announce(period));
    ::close(ends[0]);
}

}  // namespace
}  // namespace proxstream
