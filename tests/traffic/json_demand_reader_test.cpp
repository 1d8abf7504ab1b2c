/// Demand and events as JSON lines.
#include "traffic/demand_support.hpp"

#include <gtest/gtest.h>

namespace proxstream {
namespace {

using test::first_error;
using test::periods_of;

TEST(JsonDemandReader, LinesBringEvents) {
    const auto periods = periods_of(
        R"({"period": "08:00", "demand": {"A->B": 1}, "events": [{"link": "the road", "capacity": 0.5, "text": "works"}]})"
        "\n\n"
        R"({"period": "08:05", "events": [{"link": "A-B#2", "close": true}, {"link": "C-A", "open": true}]})"
        "\n"
        R"({"period": "08:05", "demand": {}})"
        "\n"
        R"({"period": 7, "demand": {"A->B": 2}})");
    ASSERT_EQ(periods.size(), 4U);
    ASSERT_EQ(periods[0].events.size(), 1U);
    EXPECT_EQ(periods[0].events[0].kind, NetworkEvent::Kind::capacity);
    EXPECT_EQ(periods[0].events[0].link, 1U);
    EXPECT_EQ(periods[0].events[0].factor, 0.5);
    EXPECT_EQ(periods[0].events[0].text, "works");
    ASSERT_EQ(periods[1].events.size(), 2U);
    EXPECT_EQ(periods[1].events[0].kind, NetworkEvent::Kind::close);
    EXPECT_EQ(periods[1].events[0].link, 3U);
    EXPECT_EQ(periods[1].events[1].kind, NetworkEvent::Kind::open);
    EXPECT_EQ(periods[1].events[1].link, 2U);
    EXPECT_TRUE(periods[1].demand.empty());
    EXPECT_EQ(periods[2].error, "");
    EXPECT_EQ(periods[2].demand, (std::vector<Real>{0}));
    EXPECT_EQ(periods[3].label, "7");
}

TEST(JsonDemandReader, EventsOfARepeatedPeriodAreKept) {
    const auto periods =
        periods_of(R"({"period": 1, "demand": {"A->B": 1}})"
                   "\n"
                   R"({"period": 1, "demand": {"A->B": 2}, "events": [{"link": "C-A", "close": true}]})");
    ASSERT_EQ(periods.size(), 2U);
    EXPECT_NE(periods[1].error, "");
    EXPECT_EQ(periods[1].label, "1 (line 2)");
    ASSERT_EQ(periods[1].events.size(), 1U);
    EXPECT_EQ(periods[1].events[0].kind, NetworkEvent::Kind::close);
}

TEST(JsonDemandReader, LinesAreStrict) {
    const auto error = [](const std::string& line) { return first_error(line + "\n"); };
    EXPECT_EQ(error("{\"demand\": {\"A->B\": 1}, \"demnd\": 2}"),
              "d:1 (demnd): unknown key 'demnd'; expected period, demand and events");
    EXPECT_EQ(error("{\"demand\": {\"A->B\": NaN}}"),
              "d:1: this is not valid JSON, from byte 21 on; expected one object a line");
    EXPECT_EQ(error("{\"demand\": {\"A->B\": -1}}"),
              "d:1 (demand.A->B): '-1' is negative; expected a number of at least 0");
    EXPECT_EQ(error("{\"demand\": {\"A->B\": null}}"),
              "d:1 (demand.A->B): 'null' is not a number; expected a finite number");
    EXPECT_EQ(error("{\"demand\": {\"A->B\": 1e999}}"),
              "d:1: a number is too large; expected finite numbers");
    EXPECT_EQ(error("{\"demand\": {\"A->X\": 1}}"),
              "d:1 (demand.A->X): 'A->X' is not a pair of nodes; expected ORIGIN->DESTINATION");
    EXPECT_EQ(error("{\"demand\": {\"A\": {\"X\": 1}}}"),
              "d:1 (demand.A): 'X' is not a node; expected nodes of the network");
    EXPECT_EQ(error("{\"demand\": {\"A->B\": 1, \"A->B\": 2}}"),
              "d:1 (A->B): the object has the key twice; expected every key once");
    EXPECT_EQ(error("{\"demand\": {\"A->B\": 1, \"A_B\": 2}}"),
              "d:1 (demand.A_B): the pair is given twice; expected every pair once");
    EXPECT_EQ(error("{\"demand\": [[1]]}"), "d:1 (demand): the matrix has 1 row; expected 4");
    EXPECT_EQ(error("{\"demand\": [[0,1,0,0],[1],[],[]]}"),
              "d:1 (demand[1]): the row has 1 value; expected a list of 4");
    EXPECT_EQ(error("{\"period\": \"x\"}"),
              "d:1: there is neither demand nor an event; expected \"demand\", \"events\" or both");
    EXPECT_EQ(error("{\"period\": [], \"demand\": {}}"),
              "d:1 (period): '[]' is not a label; expected a text or a number");
    const auto event = [&](const std::string& text) { return error("{\"events\": [" + text + "]}"); };
    const std::string allowed = "; expected link, one of capacity, close and open, and optionally text";
    EXPECT_EQ(
        event("{\"link\": \"A-Z\", \"close\": true}"),
        "d:1 (events[0].link): '\"A-Z\"' is not a link; expected FROM-TO, FROM-TO#2 for a parallel link, "
        "or a link's name");
    EXPECT_EQ(event("{\"close\": true}"), "d:1 (events[0]): there is no link" + allowed);
    EXPECT_EQ(event("{\"link\": \"C-A\"}"), "d:1 (events[0]): the event has no effect, or several" + allowed);
    EXPECT_EQ(event("{\"link\": \"C-A\", \"close\": true, \"open\": true}"),
              "d:1 (events[0]): the event has no effect, or several" + allowed);
    EXPECT_EQ(event("{\"link\": \"C-A\", \"shut\": true}"),
              "d:1 (events[0].shut): unknown key 'shut'" + allowed);
    EXPECT_EQ(
        event("{\"link\": \"C-A\", \"capacity\": 0}"),
        "d:1 (events[0].capacity): 0 leaves no capacity; expected a factor above 0, or \"close\": true");
    EXPECT_EQ(event("{\"link\": \"C-A\", \"close\": 1}"),
              "d:1 (events[0].close): '1' is not allowed; expected true");
}

TEST(JsonDemandReader, AfterABadLineTheNextIsRead) {
    const auto periods = periods_of(
        "{\"period\": \"a\", \"demand\": {\"A->B\": 1}}\n{oops\n{\"period\": \"a\", \"demand\": {}}\n"
        "{\"period\": \"b\", \"demand\": {\"A->B\": 3}}\n");
    ASSERT_EQ(periods.size(), 4U);
    EXPECT_EQ(periods[1].label, "line 2");
    EXPECT_NE(periods[1].error, "");
    EXPECT_EQ(periods[2].label, "a (line 3)");
    EXPECT_NE(periods[2].error, "");
    EXPECT_EQ(periods[3].demand, (std::vector<Real>{3}));
}

}  // namespace
}  // namespace proxstream
