/// The API over a pipe: order, errors that are lines too, and lines that are none.
#include "serve/line_protocol.hpp"

#include "api_fixture.hpp"

#include <gtest/gtest.h>

using namespace proxstream;

namespace {

std::vector<Json> talk(ApiFixture& api, const std::vector<std::string>& lines,
                       const std::string& learner = "main") {
    std::string said;
    {
        LineProtocol protocol(api.api, learner, [&](std::string_view line) { said += line; });
        for (const std::string& line : lines) protocol.take(line);
        protocol.finish();
    }
    std::vector<Json> answers;
    std::istringstream text(said);
    for (std::string line; std::getline(text, line);) answers.push_back(Json::parse(line));
    return answers;
}

TEST(LineProtocol, AnswersInOrderWithWhatHttpSays) {
    ApiFixture api;
    const auto answers =
        talk(api, {R"({"record":{"v":3}})", R"({"op":"decision"})", "", "  \r",
                   R"({"op":"rounds","batch":[{"record":{"v":1}},{"record":{"v":2}}],"decide":true})",
                   R"({"op":"predict","rows":[1]})", R"({"op":"certificate"})", R"({"op":"state"})",
                   R"({"op":"checkpoint"})"});
    ASSERT_EQ(answers.size(), 7U);
    EXPECT_EQ(answers[0]["turn"], 1);
    EXPECT_EQ(answers[1]["decision"]["sum"], 3);  // what came before it on the line counts
    EXPECT_EQ(answers[2]["rounds"].size(), 2U);
    EXPECT_EQ(answers[2]["next"]["decision"]["sum"], 6);
    EXPECT_EQ(answers[3]["predictions"][0], 6);
    EXPECT_EQ(answers[4]["sound"], true);
    EXPECT_EQ(answers[6]["saved"], 3);
}

TEST(LineProtocol, ABadLineIsAnsweredAndTheNextOnesArePlayed) {
    ApiFixture api;
    const auto answers = talk(api, {"{", "7", R"({"op":"decison"})", R"({"op":7})", R"({"record":{"v":NaN}})",
                                    R"({"op":"decision","x":1})", R"({"learner":"nobody","record":{"v":1}})",
                                    R"({"record":{"v":1},"decide":1})", "\xff", R"({"record":{"v":5}})"});
    ASSERT_EQ(answers.size(), 10U);
    for (std::size_t i = 0; i < 9; ++i) EXPECT_TRUE(answers[i].contains("error")) << answers[i];
    EXPECT_TRUE(contains(answers[2]["error"]["message"], "decision"));
    EXPECT_EQ(answers[4]["error"]["field"], "record.v");
    EXPECT_EQ(answers[6]["error"]["status"], 404);
    EXPECT_EQ(answers[9]["turn"], 1);
}

TEST(LineProtocol, SeveralLearnersAreNamed) {
    ApiFixture api({"a", "b"});
    const auto answers = talk(
        api,
        {R"({"learner":"b","record":{"v":2}})", R"({"record":{"v":2}})", R"({"op":"state","learner":"b"})"},
        "");
    EXPECT_EQ(answers[0]["turn"], 1);
    EXPECT_EQ(answers[1]["error"]["field"], "learner");
    EXPECT_EQ(answers[2]["name"], "b");
}

TEST(LineProtocol, ManyLinesStayInOrder) {
    ApiFixture api;
    const std::vector<std::string> lines(3000, R"({"record":{"v":1}})");
    const auto answers = talk(api, lines);
    ASSERT_EQ(answers.size(), lines.size());
    for (std::size_t i = 0; i < answers.size(); ++i) ASSERT_EQ(answers[i]["turn"], i + 1);
}

}  // namespace
