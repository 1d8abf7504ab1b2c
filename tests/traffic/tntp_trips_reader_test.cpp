/// TNTP trips and flows: texts of our own.
#include "traffic/network_formats.hpp"
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

const std::string kTripsMeta = "<NUMBER OF ZONES> 3\n<TOTAL OD FLOW> 67.5\n<END OF METADATA>\n\n";

Trips trips_of(const std::string& text, std::vector<std::string>& notes) {
    static const NetworkFile kFile = network_of(kMeta + kHeader + kRows);
    return read_trips(memory_input("trips", text), kFile.network, notes);
}
Trips trips_of(const std::string& text) {
    std::vector<std::string> ignored;
    return trips_of(text, ignored);
}

TEST(TntpTrips, EntriesMayHaveAnyOrder) {
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

/// Cut anywhere, a table gives an error, or the note that its demands are not those of the metadata.
TEST(TntpTrips, ACutTableNeverPassesForAWholeOne) {
    const std::string whole = kTripsMeta + "Origin 1\n2 : 55.5; 3 : 2;\nOrigin 2\n1 : 10;\n";
    std::vector<std::string> notes;
    EXPECT_EQ(trips_of(whole, notes).pairs.size(), 3U);
    EXPECT_EQ(joined(notes), "trips start at 2 of 3 zones\n");
    for (std::size_t size = 0; size + 1 < whole.size(); ++size) {
        notes.clear();
        if (!data_error_of([&] { trips_of(whole.substr(0, size), notes); }).empty()) continue;
        EXPECT_NE(joined(notes).find("the demands add up to"), std::string::npos) << size;
    }
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
