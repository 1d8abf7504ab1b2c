/// SNDlib, CSV, topology files and coordinates; telling formats apart.
#include "traffic/reader_support.hpp"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

using test::data_error_of;
using test::joined;
using test::network_of;

const std::string kNative =
    "?SNDlib native format; type: network; version: 1.0\n# a network\n"
    "META (\n  granularity = 5min\n  origin = somewhere (else)\n)\n"
    "NODES (\n  A ( -84.5 33.75 )\n  B ( 1 2 )\n  C(3 4)\n)\n"
    "# LINKS\nLINKS (\n"
    "  L1 ( A B ) 9920.00 0.00 0.00 0.00 ( 40000.00 133.00 )\n"
    "  L2 ( B C ) 0.00 0.00 0.00 0.00 ( 155.00 1.00 622.00 2.00 )\n)\n"
    "DEMANDS (\n  D1 ( A C ) 1 13.5 UNLIMITED\n  D2 ( C A ) 1 4 UNLIMITED\n)\n"
    "ADMISSIBLE_PATHS (\n  D1 ( P_0 ( L1 L2 ) )\n)\n";

const std::string kXml =
    "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\n<network xmlns=\"x\" version=\"1.0\">\n"
    "<meta><granularity>5min</granularity></meta>\n<networkStructure>\n<nodes "
    "coordinatesType=\"geographical\">\n"
    "<node id=\"A\"><coordinates><x>-84.5</x><y> 33.75 </y></coordinates></node>\n"
    "<node id=\"B\"><coordinates><x>1</x><y>2</y></coordinates></node>\n"
    "<node id=\"C\"><coordinates><x>3</x><y>4</y></coordinates></node>\n</nodes>\n<links>\n"
    "<link "
    "id=\"L1\"><source>A</source><target>B</target><preInstalledModule><capacity>9920</capacity><cost>0</"
    "cost>"
    "</preInstalledModule><additionalModules><addModule><capacity>40000</capacity><cost>1</cost></addModule>"
    "</additionalModules></link>\n"
    "<link "
    "id=\"L2\"><source>B</source><target>C</target><additionalModules><addModule><capacity>155</capacity>"
    "<cost>1</cost></addModule><addModule><capacity>622</capacity><cost>2</cost></addModule></"
    "additionalModules>"
    "</link>\n</links>\n</networkStructure>\n<demands>\n"
    "<demand id=\"D1\"><source>A</source><target>C</target><demandValue>13.5</demandValue></demand>\n"
    "<demand id=\"D2\"><source>C</source><target>A</target><demandValue>4</demandValue></demand>\n"
    "</demands>\n</network>\n";

void expect_sndlib(const NetworkFile& file) {
    EXPECT_EQ(file.format, "SNDlib");
    ASSERT_EQ(file.network.nodes(), 3U);
    ASSERT_EQ(file.network.links(), 4U);
    EXPECT_EQ(file.network.place(0)->x, -84.5);
    EXPECT_EQ(file.network.place(0)->y, 33.75);
    const auto capacity = [&](const char* name) {
        return file.network.link(*file.network.find_link(name)).capacity;
    };
    EXPECT_EQ(capacity("A->B"), 9920);
    EXPECT_EQ(capacity("B-A"), 9920);
    EXPECT_EQ(capacity("C-B"), 622);
    ASSERT_TRUE(file.trips.has_value());
    EXPECT_EQ(file.trips->pairs, (std::vector<Pair>{{0, 2}, {2, 0}}));
    EXPECT_EQ(file.trips->demand, (std::vector<Real>{13.5, 4}));
    EXPECT_NE(joined(file.notes).find("each became two"), std::string::npos);
    EXPECT_NE(joined(file.notes).find("1 link without pre-installed capacity"), std::string::npos);
}

std::string with_change(std::string text, const std::string& from, const std::string& to) {
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

TEST(SndlibReader, NativeAndXmlFormatsAgree) {
    expect_sndlib(network_of(kNative));
    expect_sndlib(network_of(kXml));
}

TEST(SndlibReader, DetectsDirectedLinks) {
    const NetworkFile paired =
        network_of(with_change(with_change(kNative, "( B C )", "( B A )"), "( A C )", "( A B )"));
    EXPECT_EQ(paired.network.links(), 2U);
    EXPECT_EQ(paired.network.link_name(1), "L2");
    EXPECT_NE(joined(paired.notes).find("every link has its reverse"), std::string::npos);
    EXPECT_EQ(network_of(with_change(kNative, "granularity = 5min", "link_model = DIRECTED")).network.links(),
              2U);
    EXPECT_EQ(
        network_of(with_change(kXml, "<granularity>5min</granularity>", "<linkModel>DIRECTED</linkModel>"))
            .network.links(),
        2U);
}

TEST(SndlibReader, RoutingCostsAreTimes) {
    const NetworkFile file = network_of(with_change(kNative, "9920.00 0.00 0.00", "9920.00 0.00 7.00"));
    EXPECT_EQ(file.network.link(0).free_time, 7);
    EXPECT_EQ(file.network.link(2).free_time, 0);
    EXPECT_EQ(network_of(kNative).network.link(2).free_time, 1);
}

TEST(SndlibReader, RefusesTruncatedFiles) {
    const auto error = [](const std::string& text) { return data_error_of([&] { network_of(text); }); };
    EXPECT_EQ(error(with_change(kNative, "( A B )", "( A Z )")),
              "net:14: 'Z' is not a node; expected nodes of the network");
    EXPECT_EQ(error(with_change(kNative, "13.5", "nan")),
              "net:18 (demand value): 'nan' is not a number; expected a finite number");
    EXPECT_EQ(error(with_change(kNative, "13.5", "-1")),
              "net:18 (demand value): '-1' is negative; expected a number of at least 0");
    EXPECT_EQ(error(with_change(kNative, "155.00 1.00 622.00 2.00", "")),
              "net:15 (L2): the link has no capacity; expected a pre-installed capacity or a module");
    EXPECT_EQ(error(with_change(kNative, "  B ( 1 2 )", "  A ( 1 2 )")),
              "net:9: there is a node 'A' already; expected a name of its own");
    EXPECT_NE(error(with_change(kNative, "type: network", "type: solution"))
                  .find("is not the beginning of a network"),
              std::string::npos);
    EXPECT_EQ(error(with_change(kXml, "<demandValue>4<", "<demandValue>nan<")),
              "net:17 (demandValue): 'nan' is not a number; expected a finite number");
    EXPECT_EQ(error(with_change(kXml, "<demandValue>4</demandValue>", "")),
              "net:17 (demand): the element is not complete; expected source, target and demandValue");
    EXPECT_NE(error("<?xml version=\"1.0\"?><html/>").find("'html' is not the root"), std::string::npos);
}

TEST(SndlibReader, RefusesFilesCutAnywhere) {
    for (const std::string& whole : {kNative, kXml}) {
        const std::size_t links_end = whole.find(whole == kXml ? "</network>" : "ADMISSIBLE");
        for (std::size_t size = 0; size < links_end; ++size) {
            NetworkFile file;
            try {
                file = network_of(whole.substr(0, size));
            } catch (const DataError&) {
                continue;
            }
            // A native file without demands, or without paths, is one: nothing says that more should come.
            EXPECT_TRUE(whole == kNative) << size;
            EXPECT_EQ(file.network.links(), 4U) << size;
            EXPECT_TRUE(!file.trips || file.trips->pairs.size() == 2) << size;
        }
    }
}

TEST(LinkTable, ColumnsGoByNameInAnyOrder) {
    const NetworkFile file = network_of(
        "to;from;capacity;name;toll;b;free_time;power;length\nBonn;Ulm;10;\"the; "
        "road\";1;0.5;3;2;9\nUlm;Bonn;20;;0;0;4;1;9\n");
    EXPECT_EQ(file.format, "CSV");
    ASSERT_EQ(file.network.links(), 2U);
    EXPECT_EQ(file.network.link_name(0), "the; road");
    EXPECT_EQ(file.network.link_name(1), "Bonn-Ulm");
    EXPECT_EQ(file.network.link(0).free_time, 3);
    EXPECT_EQ(file.network.link(0).b, 0.5);
    EXPECT_EQ(file.network.link(0).power, 2);
    EXPECT_EQ(file.network.link(0).length, 9);
    EXPECT_EQ(file.network.node_name(0), "Ulm");
    EXPECT_TRUE(file.notes.empty());
}

TEST(LinkTable, NumbersAscendAndDefaultsAreSaid) {
    const NetworkFile file = network_of("from,to,capacity,length,b\n10,2,5,7,0.1\n2,9,5,,0\n");
    EXPECT_EQ(file.network.node_name(0), "2");
    EXPECT_EQ(file.network.node_name(2), "10");
    EXPECT_EQ(file.network.link(0).free_time, 7);
    EXPECT_EQ(file.network.link(0).power, 4);
    EXPECT_EQ(joined(file.notes),
              "no column free_time: the length is taken for it\nno column power: 4 is assumed\n");
}

TEST(LinkTable, RefusesBadTables) {
    const auto error = [](const std::string& text) { return data_error_of([&] { network_of(text); }); };
    EXPECT_EQ(error("from,to,capacity,colour\n1,2,3,4\n"),
              "net:1, column 4: unknown column 'colour'; expected from, to, capacity, and optionally name, "
              "length, "
              "free_time, b, power, toll");
    EXPECT_EQ(error("from,to,capacity\n1,2,0\n"),
              "net:2, column 3 (capacity): the capacity is 0; expected a number above 0");
    EXPECT_EQ(error("from,to,capacity\n1,,5\n"), "net:2, column 2 (to): the field is empty; expected a name");
    EXPECT_EQ(error("from,to,capacity\n1,2\n"), "net:2: the row has 2 values; expected 3");
    EXPECT_EQ(error("from,to,capacity\n"), "net: there is no link in the file; expected a row a link");
    EXPECT_EQ(error("from,to,capacity,from\n"),
              "net:1, column 4: column 1 is from already; expected every column once");
    EXPECT_EQ(error("from,to,capacity,name\n1,2,3,x\n2,1,3,x\n"),
              "net:3, column 4 (name): another link is called 'x'; expected a name of its own, or none");
    EXPECT_EQ(error("from,to,capacity\n\"1,2,3\n"),
              "net:2, column 1: the quote that opens here is not closed; expected a closing quote");
}

TEST(LinkTable, DemandTables) {
    const Network network = network_of("from,to,capacity\na,b,1\nb,a,1\n").network;
    std::vector<std::string> notes;
    const auto trips = [&](const std::string& text) {
        return read_trips(memory_input("t", text), network, notes);
    };
    const Trips read = trips("demand,origin,destination\n5,b,a\n1,a,a\n2,a,b\n0,a,b\n3,a,b\n");
    EXPECT_EQ(read.pairs, (std::vector<Pair>{{0, 1}, {1, 0}}));
    EXPECT_EQ(read.demand, (std::vector<Real>{5, 5}));
    EXPECT_EQ(read.within, 1);
    EXPECT_EQ(data_error_of([&] { trips("origin,destination,demand\na,x,1\n"); }),
              "t:2, column 2 (destination): 'x' is not a node; expected nodes of the network");
}

TEST(TopologyReader, CountsAndNodesAreHeldAgainstTheRows) {
    const std::string text =
        "Node_num: 3\tEdge_num: "
        "2\nLink_index\tSource\tDestination\tOSPF\tCapacity(kbps)\n0\t2\t0\t5\t100\n1\t0\t2\t7\t200\n";
    const NetworkFile file = network_of(text);
    EXPECT_EQ(file.format, "topology");
    EXPECT_EQ(file.network.nodes(), 3U);
    EXPECT_EQ(file.network.link_name(0), "2-0");
    EXPECT_EQ(file.network.link(1).free_time, 7);
    const auto error = [](const std::string& wrong) { return data_error_of([&] { network_of(wrong); }); };
    EXPECT_EQ(error(with_change(text, "Edge_num: 2", "Edge_num: 3")),
              "net:1 (Edge_num): the file says 3 links and has 2; expected a file that was not cut");
    EXPECT_NE(error(with_change(text, "\t2\t0\t5", "\t3\t0\t5")).find("'3' is not a node"),
              std::string::npos);
    EXPECT_NE(error(with_change(text, "Node_num: 3", "Node_num: 99999999999"))
                  .find("99999999999 nodes for 2 links"),
              std::string::npos);
    for (std::size_t size = 0; size + 1 < text.size(); ++size) {
        // "2", "20": still two links
        EXPECT_TRUE(!error(text.substr(0, size)).empty() || size >= text.size() - 3) << size;
    }
}

TEST(Places, ComeFromNodeFilesTablesAndGeoJson) {
    const auto placed = [](const std::string& text, std::vector<std::string>& notes) {
        Network network = network_of("from,to,capacity\n1,2,1\n2,3,1\n").network;
        read_places(memory_input("p", text), network, notes);
        return network;
    };
    const std::string geojson =
        R"({"type":"FeatureCollection","features":[{"type":"Feature","properties":{"name":"1"},"geometry":{"type":"Point","coordinates":[10,20]}},)"
        R"({"type":"Feature","properties":{"id":2},"geometry":{"type":"Point","coordinates":[-1.5,2,0]}},)"
        R"({"type":"Feature","properties":{},"geometry":{"type":"LineString","coordinates":[]}},)"
        R"({"type":"Feature","properties":{"node":"77"},"geometry":{"type":"Point","coordinates":[0,0]}}]})";
    for (const std::string& text : {std::string("Node\tX\tY\t;\n1\t10\t20\t;\n2\t-1.5\t2\t;\n77\t0\t0;\n"),
                                    std::string("lat,node,lon\n20,1,10\n2,2,-1.5\n0,77,0\n"), geojson}) {
        std::vector<std::string> notes;
        const Network network = placed(text, notes);
        ASSERT_TRUE(network.place(0).has_value());
        EXPECT_EQ(network.place(0)->x, 10);
        EXPECT_EQ(network.place(0)->y, 20);
        EXPECT_EQ(network.place(1)->x, -1.5);
        EXPECT_FALSE(network.place(2).has_value());
        EXPECT_EQ(joined(notes),
                  "1 node without coordinates\ncoordinates of 1 node that the network does not have\n");
    }
    const auto error = [&](const std::string& text) {
        std::vector<std::string> ignored;
        return data_error_of([&] { placed(text, ignored); });
    };
    EXPECT_EQ(error("node,x,y\n1,a,2\n"), "p:2, column 2 (x): 'a' is not a number; expected a finite number");
    EXPECT_EQ(error("node,x,y\n9,1,2\n"),
              "p: it names no node of the network; expected coordinates of its nodes");
    EXPECT_EQ(error("{"), "p: this is not valid JSON; expected a GeoJSON FeatureCollection");
    EXPECT_EQ(error(R"({"features":[{"geometry":{"type":"Point","coordinates":["a",1]}}]})"),
              "p (features[0]): the point has no coordinates; expected \"coordinates\": [x, y]");
    EXPECT_EQ(error(R"({"features":[{"geometry":{"type":"Point","coordinates":[1,1]}}]})"),
              "p (features[0]): the point has no name; expected a property id, name or node");
}

TEST(OpenNetwork, ErrorsDescribeTheUnknownFile) {
    const auto error = [](const std::string& text) { return data_error_of([&] { network_of(text); }); };
    EXPECT_EQ(error("").find("net: the file is empty"), 0U);
    EXPECT_EQ(error("1 2 3\n").find("net:1: '1 2 3' is not the beginning of a known format; expected TNTP"),
              0U);
    EXPECT_EQ(error("{\"a\": 1}").find("net:1: this is JSON"), 0U);
    EXPECT_EQ(error("origin,destination,demand\n").find("net:1: this is a table of demand"), 0U);
    EXPECT_NE(error(std::string("<NUMBER OF LINKS> 1\n\0\n", 22)).find("binary"), std::string::npos);
    EXPECT_EQ(parse_network_format("sndlib"), NetworkFormat::sndlib);
    EXPECT_THROW(parse_network_format("gmns"), ConfigError);
    EXPECT_THROW(open_network("/nowhere/at/all"), IoError);
}

TEST(OpenNetwork, TripsBesideTheNetworkComeFirst) {
    const std::string path = ::testing::TempDir() + "/beside.csv";
    std::ofstream(path) << "origin,destination,demand\nA,B,3\n";
    NetworkOptions options;
    options.trips_path = path;
    const NetworkFile file = network_of(kNative, options);
    std::filesystem::remove(path);
    EXPECT_EQ(file.trips->demand, (std::vector<Real>{3}));
    EXPECT_NE(joined(file.notes).find("are not used"), std::string::npos);
}

}  // namespace
}  // namespace proxstream
