/// TNTP texts of our own, one for every habit of real files that has misled a reader.
#include "proxstream/traffic/tntp.hpp"

#include "traffic/reader_support.hpp"

#include <gtest/gtest.h>

namespace proxstream {
namespace {

using test::data_error_of;
using test::joined;
using test::network_of;

const std::string kMeta =
    "<NUMBER OF ZONES> 2\t\t\n<NUMBER OF NODES>\t\t4\n<FIRST THRU NODE> 3\n<NUMBER OF LINKS> 3 \n"
    "<ORIGINAL HEADER>~ \tTail\tHead\t;\n<END OF METADATA>\t\t\n\n\n";
const std::string kHeader =
    "~\tinit_node\tterm_node\tcapacity\tlength\tfree_flow_time\tb\tpower\tspeed\ttoll\tlink_type\t;\n";
const std::string kRows =
    "\t1\t3\t100\t5\t2\t0.15\t4\t0\t0\t1\t;\n"
    "\t4\t2\t200\t6\t3\t0\t0\t0\t7\t1;\n"
    "\t3\t4\t300\t7\t0\t0.5\t1.5\t0\t0\t1\t;\n";

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

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
        text.replace(at, from.size(), to);
    }
    return text;
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

TEST(TntpNetwork, ColumnsGoByTheirNamesInTheComment) {
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

TEST(TntpNetwork, AnEmptyFieldBetweenTabsIsMissedAndShiftsNothing) {
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

TEST(TntpNetwork, SaysWhatIsMissing) {
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
              "net:12: more links than the 2 of NUMBER OF LINKS; expected as many rows as the metadata say");
    EXPECT_EQ(data_error_of([&] { network_of(replaced(whole, "NODES>\t\t4", "NODES> 3")); }),
              "net:2 (NUMBER OF NODES): the metadata say 3 nodes, the links have 4; expected at least as "
              "many as the "
              "links have");
    EXPECT_NE(data_error_of([&] {
                  network_of(replaced(whole, "LINKS> 3", "LINKS> many"));
              }).find("'many' is not a whole number"),
              std::string::npos);
    EXPECT_NE(
        data_error_of([&] { network_of("<NUMBER OF LINKS> 3\n" + whole); }).find("stands on line 1 already"),
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

const std::string kTripsMeta = "<NUMBER OF ZONES> 3\n<TOTAL OD FLOW> 67.5\n<END OF METADATA>\n\n";

Trips trips_of(const std::string& text, std::vector<std::string>& notes) {
    static const NetworkFile kFile = network_of(kMeta + kHeader + kRows);
    return read_trips(memory_input("trips", text), kFile.network, notes);
}
Trips trips_of(const std::string& text) {
    std::vector<std::string> ignored;
    return trips_of(text, ignored);
}

TEST(TntpTrips, EntriesStandInAnyOrderAndNumber) {
    std::vector<std::string> notes;
    const Trips trips =
        trips_of(kTripsMeta + "Origin \t2 \n 1 :   5.5;3:2;\n\n4 : 0.0;\norigin 1\n1 : 10; 2 : 50 ;", notes);
    ASSERT_EQ(trips.pairs, (std::vector<Pair>{{0, 1}, {1, 0}, {1, 2}}));
    EXPECT_EQ(trips.demand, (std::vector<Real>{50, 5.5, 2}));
    EXPECT_EQ(trips.within, 10);
    EXPECT_EQ(joined(notes),
              "trips start at 2 of 3 zones\ndemand of 10 stays within its node and uses no link\n");
}

TEST(TntpTrips, DuplicatesAddUpAndTotalsAreCompared) {
    std::vector<std::string> notes;
    const Trips trips = trips_of(kTripsMeta + "Origin 1\n2 : 5; 2 : 6;\nOrigin 2\nOrigin 1\n2 : 1;\n", notes);
    ASSERT_EQ(trips.pairs.size(), 1U);
    EXPECT_EQ(trips.demand[0], 12);
    EXPECT_EQ(joined(notes),
              "TOTAL OD FLOW is 67.5, the demands add up to 12\n2 demands of a pair that had one already: "
              "added to it\n");
}

TEST(TntpTrips, RefusesBadEntries) {
    const auto error = [](const std::string& rows) {
        return data_error_of([&] { trips_of(kTripsMeta + rows); });
    };
    EXPECT_EQ(error("Origin 1\n2 : -5;\n"),
              "trips:6 (demand): '-5' is negative; expected a number of at least 0");
    EXPECT_EQ(error("Origin 1\n2 : nan;\n"),
              "trips:6 (demand): 'nan' is not a number; expected a finite number");
    EXPECT_EQ(error("Origin 1\n9 : 5;\n"),
              "trips:6 (destination): demand from 1 to 9, and the network has no node 9; expected nodes of "
              "the network");
    EXPECT_EQ(error("Origin 9\n9 : 0;\n"), "");
    EXPECT_EQ(error("Origin 1\n2 5;\n"),
              "trips:6: '2 5;' stands where an entry belongs; expected lines 'Origin 1' and entries '2 : "
              "100.0;' below them");
    EXPECT_EQ(error("Origin 1\n2 : 5; 3\n"), "trips:6: '3' has no colon; expected entries '2 : 100.0;'");
    EXPECT_NE(error("Origin 1\n2 : 5; 3 : 6").find("not cut"), std::string::npos);
    EXPECT_NE(error("Origin 1\n2 : 5; 3 : 6\nOrigin 2\n").find("no semicolon"), std::string::npos);
    EXPECT_NE(error("").find("no row 'Origin'"), std::string::npos);
    EXPECT_EQ(error("Origin 1\n2 : 5\n3 : 6\n"), "");  // none has a semicolon
}

TEST(TntpTrips, SwappedFilesAreRecognised) {
    const std::string net = kMeta + kHeader + kRows;
    const std::string trips = kTripsMeta + "Origin 1\n2 : 5;\n";
    EXPECT_EQ(data_error_of([&] { network_of(trips); }),
              "net:5: this is a trip table (it has a row 'Origin'); expected a network; are the files of "
              "network and "
              "trips swapped?");
    EXPECT_EQ(data_error_of([&] { trips_of(net); }),
              "trips:4: this is a network (it has NUMBER OF LINKS); expected a trip table; are the files of "
              "network and "
              "trips swapped?");
    EXPECT_NE(data_error_of([&] { trips_of(kRows); }).find("this is a network"), std::string::npos);
}

TEST(TntpFlows, AreMatchedByEndsInOrder) {
    const std::string meta = replaced(kMeta, "LINKS> 3", "LINKS> 4");
    const Network network = network_of(meta + kHeader + kRows + "3 4 10 1 1 0 0 0 0 1 ;\n").network;
    const auto flows = [&](const std::string& text) {
        return read_tntp_flows(memory_input("flow", text), network);
    };
    const std::vector<Real> expected{1.5, 2, 3, 4};
    EXPECT_EQ(flows("From \tTo \tVolume \tCost \n3\t4 \t3\t9\n1 \t3 \t1.5 \t9 \n3\t4\t4\t9\n4\t2\t2\t9\n"),
              expected);
    EXPECT_EQ(flows("<NUMBER OF NODES> -1\n~ \tx\nTail Head Volume Cost ;\n3 4 3 9 ;\n1 3 1.5 9;\n3 4 4 9 "
                    ";\n4 2 2 9 ;\n"),
              expected);
    EXPECT_EQ(flows("init_node,term_node,flow\n3,4,3\n1,3,1.5\n3,4,4\n4,2,2\n"), expected);
    const auto error = [&](const std::string& text) { return data_error_of([&] { flows(text); }); };
    EXPECT_EQ(error("From To Volume\n1 3 1\n"), "flow: flows for 1 of 4 links; expected one row a link");
    EXPECT_EQ(error("From To Volume\n1 3 1\n1 3 1\n"),
              "flow:3: there is no further link from '1' to '3'; expected links of the network, each once");
    EXPECT_EQ(error("From To Volume\n1 4 1\n"),
              "flow:2: there is no link from '1' to '4'; expected links of the network, each once");
    EXPECT_EQ(error("From To Volume\n1 3\n"), "flow:2: the row has 2 values; expected 3");
    EXPECT_EQ(error("From To\n"),
              "flow:1: there is no column volume; expected a line of names: from, to, volume");
}

}  // namespace
}  // namespace proxstream
