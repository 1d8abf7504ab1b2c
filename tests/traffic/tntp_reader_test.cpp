/// TNTP texts of our own, one for every habit of real files that has misled a reader.

#include "traffic/reader_support.hpp"
#include "traffic/tntp_texts.hpp"

#include <gtest/gtest.h>

namespace proxstream {
namespace {

using test::data_error_of;
using test::joined;
using test::kHeader;
using test::kMeta;
using test::kRows;
using test::network_of;
using test::replaced;

void expect_rows(const Network& network) {
    ASSERT_EQ(network.links(), 3U);
    EXPECT_EQ(network.link_name(0), "1-3");
    EXPECT_EQ(network.link_name(1), "4-2");
    EXPECT_EQ(network.link(0).capacity, 100);
    EXPECT_EQ(network.link(0).length, 5);
    EXPECT_EQ(network.link(0).free_time, 2);
    EXPECT_EQ(network.link(0).b, 0.15);
    EXPECT_EQ(network.link(0).power, 4);
    EXPECT_EQ(network.link(1).power, 0);
    EXPECT_EQ(network.link(2).free_time, 0);
    EXPECT_EQ(network.link(2).power, 1.5);
}

TEST(TntpNetwork, ReadsMetadataColumnsAndGluedSemicolons) {
    const NetworkFile file = network_of(kMeta + kHeader + kRows);
    expect_rows(file.network);
    EXPECT_EQ(file.network.link(1).toll, 7);
    EXPECT_EQ(file.format, "TNTP");
    EXPECT_EQ(file.zones, 2U);
    EXPECT_EQ(joined(file.notes), "1 link with a toll; the file does not say its weight\n");
    for (const char* name : {"1", "2"}) EXPECT_FALSE(file.network.passable(*file.network.find_node(name)));
    for (const char* name : {"3", "4"}) EXPECT_TRUE(file.network.passable(*file.network.find_node(name)));
}

TEST(TntpNetwork, LineEndsLeadingTabsAndMissingSemicolonsDoNotMatter) {
    expect_rows(network_of(replaced(kMeta + kHeader + kRows, "\n", "\r\n")).network);
    expect_rows(network_of(kMeta + kHeader + replaced(kRows, "\n\t", "\n").substr(1)).network);
    expect_rows(network_of(kMeta + kHeader + replaced(kRows, ";", "")).network);
    expect_rows(network_of(kMeta + kHeader + replaced(kRows, "\t", " ")).network);
    expect_rows(network_of(kMeta + kHeader + replaced(kRows, "\t", "\t\t")).network);
    expect_rows(network_of(kMeta + kHeader + kRows.substr(0, kRows.size() - 1)).network);
    expect_rows(network_of(kMeta + kHeader + replaced(kRows, "\t;\n", "\t; ~ a comment\n")).network);
    expect_rows(network_of("\xef\xbb\xbf" + kMeta + kRows).network);
}

TEST(TntpNetwork, ColumnsFollowTheNamesInTheComment) {
    const std::string header =
        "~ \tTail\tHead\tCapacity (veh/h)\tLength (ft)\tFree Flow Time (min)\tB\tPower\tSpeed "
        "limit\tcritical_speed\tlanes\t;\n";
    const NetworkFile file = network_of(kMeta + header + kRows);
    expect_rows(file.network);
    EXPECT_EQ(file.network.link(1).toll, 0);
    EXPECT_NE(joined(file.notes).find("column 9 (critical_speed), column 10 (lanes); there are no tolls"),
              std::string::npos)
        << joined(file.notes);
    const std::string turned = "~ power b fft length capacity term_node init_node ;\n1 2 3 4 5 1 2;\n";
    const NetworkFile other = network_of("<NUMBER OF LINKS> 1\n" + turned);
    EXPECT_EQ(other.network.link_name(0), "2-1");
    EXPECT_EQ(other.network.link(0).capacity, 5);
    EXPECT_EQ(other.network.link(0).free_time, 3);
    EXPECT_EQ(other.network.link(0).b, 2);
}

TEST(TntpNetwork, AnEmptyFieldBetweenTabsIsReported) {
    const std::string rows = replaced(kRows, "\t100\t5\t2\t", "\t100\t5\t\t");
    EXPECT_EQ(data_error_of([&] { network_of(kMeta + kHeader + rows); }),
              "net:10, column 5 (free_flow_time): the field is empty; expected a finite number");
    const NetworkFile file = network_of(kMeta + kHeader + replaced(kRows, "\t100\t5\t", "\t100\t\t"));
    EXPECT_EQ(file.network.link(0).length, 0);
    EXPECT_EQ(file.network.link(0).free_time, 2);
    EXPECT_NE(joined(file.notes).find("1 empty field of length or toll"), std::string::npos);
}

TEST(TntpNetwork, NodeNumbersOfAnySizeAreNamesAndCompareAsNumbers) {
    const std::string meta = replaced(replaced(kMeta, "NODES>\t\t4", "NODES> 4"), "NODE> 3", "NODE> 10");
    const std::string rows =
        replaced(replaced(replaced(kRows, "\t1\t3\t", "\t9\t2146237932\t"), "\t4\t2\t", "\t100\t20\t"),
                 "\t3\t4\t", "\t2146237932\t100\t");
    const NetworkFile file = network_of(meta + kHeader + rows);
    ASSERT_EQ(file.network.nodes(), 4U);
    EXPECT_EQ(file.network.node_name(0), "9");
    EXPECT_EQ(file.network.node_name(1), "20");
    EXPECT_EQ(file.network.node_name(3), "2146237932");
    EXPECT_FALSE(file.network.passable(0));
    EXPECT_TRUE(file.network.passable(1));
    EXPECT_EQ(file.zones, 4U);
    EXPECT_NE(joined(file.notes).find("up to 2146237932"), std::string::npos);
}

TEST(TntpNetwork, NodesWithoutLinksAndParallelLinksAreKept) {
    const std::string meta = replaced(replaced(kMeta, "NODES>\t\t4", "NODES> 6"), "LINKS> 3", "LINKS> 4");
    const NetworkFile file = network_of(meta + kHeader + kRows + "3 4 10 1 1 0 0 0 0 1 ;\n");
    EXPECT_EQ(file.network.nodes(), 6U);
    EXPECT_EQ(file.network.links(), 4U);
    EXPECT_EQ(file.network.link_name(3), "3-4#2");
    EXPECT_NE(joined(file.notes).find("2 nodes of 6 have no link"), std::string::npos);
    EXPECT_NE(joined(file.notes).find("1 duplicate link kept as parallel"), std::string::npos);
}

TEST(TntpNetwork, ErrorsNameTheMissingPart) {
    const NetworkFile file = network_of("<NUMBER OF ZONES> 2\n<END OF METADATA>\n" + kRows);
    const std::string notes = joined(file.notes);
    EXPECT_NE(notes.find("FIRST THRU NODE is missing: 1 is assumed"), std::string::npos);
    EXPECT_NE(notes.find("NUMBER OF LINKS is missing"), std::string::npos);
    EXPECT_NE(notes.find("the usual order is assumed"), std::string::npos);
}

TEST(TntpNetwork, FactorsComeFromTheFileUnlessGiven) {
    const std::string text = "<TOLL FACTOR> 0.02\n<DISTANCE FACTOR>\t0.04\n" + kMeta + kHeader + kRows;
    EXPECT_EQ(network_of(text).toll_factor, 0.02);
    EXPECT_EQ(network_of(text).distance_factor, 0.04);
    NetworkOptions options;
    options.toll_factor = 0;
    options.distance_factor = 3;
    EXPECT_EQ(network_of(text, options).toll_factor, 0);
    EXPECT_EQ(network_of(text, options).distance_factor, 3);
    options.toll_factor = -1;
    options.distance_factor = kInfinity;
    try {
        network_of(text, options);
        FAIL();
    } catch (const ConfigError& error) {
        EXPECT_EQ(error.violations().size(), 2U);
    }
}

TEST(TntpNetwork, CapacityZeroNeedsATimeThatDoesNotDependOnIt) {
    EXPECT_EQ(
        data_error_of([&] { network_of(kMeta + kHeader + replaced(kRows, "\t100\t", "\t0\t")); }),
        "net:10, column 3 (capacity): the capacity is 0 and B is not; expected a capacity above 0, or B = 0 "
        "where the time does not depend on it");
    const NetworkFile file = network_of(kMeta + kHeader + replaced(kRows, "\t200\t", "\t0\t"));
    EXPECT_GE(file.network.link(1).capacity, 1e12);
    EXPECT_NE(joined(file.notes).find("1 link with capacity 0 and B = 0"), std::string::npos);
}

TEST(TntpNetwork, RefusesBadRows) {
    const auto error = [](const std::string& from, const std::string& to) {
        return data_error_of([&] { network_of(kMeta + kHeader + replaced(kRows, from, to)); });
    };
    EXPECT_EQ(error("\t100\t", "\t-100\t"),
              "net:10, column 3 (capacity): '-100' is negative; expected a number of at least 0");
    EXPECT_EQ(error("\t100\t", "\tnan\t"),
              "net:10, column 3 (capacity): 'nan' is not a number; expected a finite number");
    EXPECT_EQ(
        error("\t1\t3\t", "\t1.5\t3\t"),
        "net:10, column 1 (init_node): '1.5' is not a whole number; expected a whole number of at least 0");
    EXPECT_EQ(error("\t0.15\t4\t0", ""),
              "net:10: the row has 7 values; expected 10 (init_node to link_type)");
    EXPECT_EQ(error("\t1;\n", "\t1; 5\n"), "net:11: text follows the semicolon; expected one link a line");
}

TEST(TntpNetwork, CountsMustAgree) {
    const std::string whole = kMeta + kHeader + kRows;
    EXPECT_EQ(data_error_of([&] { network_of(replaced(whole, "LINKS> 3", "LINKS> 4")); }),
              "net:4 (NUMBER OF LINKS): the metadata say 4 links, the file has 3; expected a file that was "
              "not cut");
    EXPECT_EQ(data_error_of([&] { network_of(replaced(whole, "LINKS> 3", "LINKS> 2")); }),
              "net:12: more links than the 2 of NUMBER OF LINKS; expected as many rows as NUMBER OF LINKS");
    EXPECT_EQ(data_error_of([&] { network_of(replaced(whole, "NODES>\t\t4", "NODES> 3")); }),
              "net:2 (NUMBER OF NODES): the metadata say 3 nodes, the links have 4; expected at least as "
              "many as the "
              "links have");
    for (const char* nodes : {"1007", "2000000000", "10000000000000000000"}) {
        EXPECT_EQ(data_error_of(
                      [&] { network_of(replaced(whole, "NODES>\t\t4", std::string("NODES> ") + nodes)); }),
                  std::string("net:2 (NUMBER OF NODES): the metadata say ") + nodes +
                      " nodes, the links have 4; expected at most 1006 with 3 links");
    }
    EXPECT_EQ(network_of(replaced(whole, "NODES>\t\t4", "NODES> 1006")).network.nodes(), 1006U);
    EXPECT_EQ(data_error_of([&] { network_of(replaced(whole, "ZONES> 2", "ZONES> 2000000000")); }),
              "net:1 (NUMBER OF ZONES): the metadata say 2000000000 zones, the network has 4 nodes; expected "
              "at most as many zones as nodes");
    EXPECT_NE(data_error_of([&] {
                  network_of(replaced(whole, "LINKS> 3", "LINKS> many"));
              }).find("'many' is not a whole number"),
              std::string::npos);
    EXPECT_NE(
        data_error_of([&] { network_of("<NUMBER OF LINKS> 3\n" + whole); }).find("is on line 1 already"),
        std::string::npos);
}

/// Cut anywhere, a file gives an error; if it gives a network, then one that lacks nothing.
TEST(TntpNetwork, ACutFileNeverPassesForAWholeOne) {
    const std::string whole = kMeta + kHeader + kRows;
    for (std::size_t size = 0; size < whole.size(); ++size) {
        NetworkFile file;
        try {
            file = network_of(whole.substr(0, size));
        } catch (const DataError&) {
            continue;
        }
        EXPECT_GE(size, whole.size() - 1) << size;  // only the last line break may go
        expect_rows(file.network);
    }
}

}  // namespace
}  // namespace proxstream
