/// The API with real learners behind it. Answers have the documented form, and a replay from the store equals
/// the answer that was sent.
#include "api_fixture.hpp"

#include <gtest/gtest.h>

using namespace proxstream;

namespace {

TEST(ApiOfRealLearners, ALearnerOfRows) {
    ApiFixture api(
        ApiFixture::Scenario{"[learner.rows]\nkind = \"learn\"\ndimension = 2\nstep = 0.05\nwindow = 4\n"
                             "[learner.slow]\nkind = \"learn\"\nfeatures = [\"a\", \"b\"]\n"});
    const std::string rows = "/v1/learners/rows";
    for (int i = 1; i <= 20; ++i) {
        const std::string body =
            fmt::format(R"({{"record":{{"x":[{},1],"y":{}}},"turn":{},"key":"k{}"}})", i % 3, i % 5, i, i);
        const HttpResponse played = api.post(rows + "/rounds?decide=true", body);
        ASSERT_EQ(played.status, 200) << played.body;
    }
    const Json again =
        Json::parse(api.post(rows + "/rounds", R"({"record":{"x":[1,1],"y":1},"key":"k1"})").body);
    EXPECT_EQ(again["replayed"], true);
    EXPECT_EQ(
        Json::parse(api.post(rows + "/rounds", R"({"record":{"x":[1,1e999],"y":1}})").body)["error"]["field"],
        "record.x[1]");
    EXPECT_EQ(
        Json::parse(api.post(rows + "/rounds", R"({"record":{"x":[1,null],"y":1}})").body)["error"]["field"],
        "x[1]");
    EXPECT_EQ(api.post(rows + "/predict", R"({"rows":[{"x":[1,2]},{"x":[0,0]}]})").status, 200);
    EXPECT_EQ(api.get(rows + "/certificate")["sound"], true);
    EXPECT_EQ(api.get(rows + "/page")["state"]["turn"], 20);
    EXPECT_EQ(api.get(rows + "/turns?limit=3")["turns"].size(), 3U);
    EXPECT_EQ(api.post(rows + "/fork", R"({"name":"other","settings":{"window":8}})").status, 201);
    EXPECT_EQ(api.post(rows + "/fork", R"({"name":"bad","settings":{"window":"x","loss":"huber"}})").status,
              400);

    // One that still gathers records says so, now and when it is asked again.
    const std::string slow = R"({"record":{"x":{"a":1,"b":2},"y":1},"turn":1})";
    EXPECT_EQ(Json::parse(api.post("/v1/learners/slow/rounds?decide=true", slow).body)["status"], "waiting");
    EXPECT_EQ(api.post("/v1/learners/slow/predict", R"({"rows":[{"x":[1,2]}]})").status, 200);
    EXPECT_EQ(api.get("/v1/learners/slow/certificate")["sound"], true);
    EXPECT_EQ(api.disagreements, std::vector<std::string>());
}

TEST(ApiOfRealLearners, ALearnerOfSplits) {
    ApiFixture api(ApiFixture::Scenario{
        "[learner.roads]\nkind = \"route\"\nnetwork = \"builtin:ring\"\nwindow = 2\nthreads = 1\n"});
    const std::string roads = "/v1/learners/roads";
    const Json decision = api.get(roads + "/decision");
    const std::string pair = decision["decision"]["splits"].begin().key();
    const std::string body = canonical(Json{{"record", {{"demand", {{pair, 3}}}}}, {"turn", 1}});
    const HttpResponse played = api.post(roads + "/rounds?decide=true", body);
    ASSERT_EQ(played.status, 200) << played.body;
    EXPECT_EQ(Json::parse(api.post(roads + "/rounds", body).body)["replayed"], true);
    EXPECT_EQ(api.post(roads + "/rounds", R"({"record":{"demand":{"nowhere->here":1}}})").status, 400);
    EXPECT_EQ(api.post(roads + "/predict", R"({"rows":[]})").status, 400);
    EXPECT_EQ(api.get(roads + "/certificate")["sound"], true);
    EXPECT_EQ(api.get(roads + "/page")["state"]["turn"], 1);
    EXPECT_EQ(api.disagreements, std::vector<std::string>());
}

}  // namespace
