// The shape of a JSON text is known before it is parsed.
#include "core/parse_json.hpp"

#include <string>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

std::string nested(int depth) {
    return std::string(depth, '[') + std::string(depth, ']');
}

TEST(ParseJson, DeepDocumentsAreDiscarded) {
    EXPECT_FALSE(parse_json(nested(100)).is_discarded());
    EXPECT_TRUE(parse_json(nested(101)).is_discarded());
    EXPECT_TRUE(parse_json(R"({"a":)" + nested(1'000'000) + "}").is_discarded());
    EXPECT_TRUE(parse_json("{").is_discarded());
    EXPECT_EQ(parse_json<nlohmann::ordered_json>(R"({"b":1,"a":[2]})").dump(), R"({"b":1,"a":[2]})");
}

TEST(ParseJson, BracketsAndCommasInTextsDoNotCount) {
    const std::string text = R"({"a":"[[{{,,\"[[,\\","b":[1,{"c":2}],"d":"]]"})";
    EXPECT_EQ(shape_of_json(text).depth, 3U);
    EXPECT_EQ(shape_of_json(text).elements, 4U);
    // Closing brackets that nothing opened do not hide those behind them.
    EXPECT_TRUE(nests_deeply(std::string(1000, ']') + nested(101)));
}

}  // namespace
}  // namespace proxstream
