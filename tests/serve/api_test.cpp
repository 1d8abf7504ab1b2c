/// The API: every route, every refusal, and the document they are held against.
#include "api_fixture.hpp"
#include "run/report_page.hpp"

#include <thread>

#include <gtest/gtest.h>

using namespace proxstream;

namespace {

const std::string kMain = "/v1/learners/main";

TEST(Api, EveryRouteMatchesTheOpenApiDocument) {
    ApiFixture api({"main", "other"});
    const Json first =
        Json::parse(api.post(kMain + "/rounds", R"({"record":{"v":3},"turn":1,"key":"a"})").body);
    EXPECT_EQ(first["turn"], 1);
    EXPECT_EQ(first["status"], "solved");
    EXPECT_EQ(first["replayed"], false);
    EXPECT_EQ(first["answer"]["before"], 0);
    EXPECT_EQ(first["figures"]["loss"], 3);
    EXPECT_TRUE(first["figures"]["gap"].is_null());
    EXPECT_FALSE(first.contains("next"));
    const Json next = Json::parse(api.post(kMain + "/rounds?decide=true", R"({"record":{"v":4}})").body);
    EXPECT_EQ(next["next"]["turn"], 3);
    EXPECT_EQ(next["next"]["decision"]["sum"], 7);
    const Json batch = Json::parse(
        api.post(kMain + "/rounds?decide=true", R"({"batch":[{"record":{"v":668}},{"record":{"v":1}}]})")
            .body);
    EXPECT_EQ(batch["rounds"].size(), 2U);
    EXPECT_EQ(batch["rounds"][0]["alarms"][0]["text"], "<too> loud");
    EXPECT_EQ(batch["next"]["turn"], 5);

    EXPECT_EQ(api.get("/v1/learners")["learners"].size(), 2U);
    const Json state = api.get(kMain);
    EXPECT_EQ(state["turn"], 4);
    EXPECT_EQ(state["status"], "running");
    EXPECT_TRUE(state["follows"].is_null());
    EXPECT_EQ(api.get(kMain + "/decision")["decision"]["sum"], 676);
    EXPECT_EQ(Json::parse(api.post(kMain + "/predict", R"({"rows":[1,2]})").body)["predictions"].size(), 2U);
    EXPECT_EQ(api.get(kMain + "/certificate")["sound"], true);
    EXPECT_EQ(Json::parse(api.post(kMain + "/checkpoint").body)["saved"], 4);
    EXPECT_EQ(Json::parse(api.post(kMain + "/pause").body)["status"], "paused");
    EXPECT_EQ(api.post(kMain + "/rounds", R"({"record":{"v":3}})").status, 503);
    EXPECT_EQ(Json::parse(api.post(kMain + "/resume").body)["status"], "running");

    const Json turns = api.get(kMain + "/turns?first=2&limit=2");
    EXPECT_EQ(turns["turns"].size(), 2U);
    EXPECT_EQ(turns["turns"][0]["record"]["v"], 4);
    EXPECT_EQ(turns["next"], 4);
    EXPECT_TRUE(api.get(kMain + "/turns?first=4")["next"].is_null());
    EXPECT_EQ(api.get(kMain + "/turns?last=1")["turns"][0]["key"], "a");

    const Json page = api.get(kMain + "/page");
    EXPECT_EQ(page["state"]["turn"], 4);
    EXPECT_EQ(page["live"]["url"], kMain);
    EXPECT_EQ(page["alarms"].size(), 1U);
    EXPECT_EQ(page["decision"]["sum"], 676);

    EXPECT_EQ(api.post(kMain + "/fork", R"({"name":"twice","settings":{"window":2}})").status, 201);
    EXPECT_EQ(api.get(kMain)["forks"][0]["begun"], 4);
    EXPECT_EQ(api.ask("DELETE", "/v1/learners/twice").status, 200);
    EXPECT_EQ(api.ask("GET", "/v1/learners/twice").status, 404);

    EXPECT_EQ(api.ask("GET", kMain + "/events?after=4").type, "text/event-stream");
    EXPECT_EQ(api.ask("GET", kMain + "/ledger").type, "application/x-ndjson");
    EXPECT_TRUE(contains(api.ask("GET", "/").body, "/learners/other"));
    if (report_page().empty()) {
        EXPECT_EQ(api.ask("GET", "/learners/main").status, 404);  // built without the page
        api.exercised.insert("getLearnerPage");
    } else {
        EXPECT_EQ(api.ask("GET", "/learners/main").type, "text/html; charset=utf-8");
    }
    EXPECT_EQ(api.get("/openapi.json")["openapi"], "3.0.3");
    EXPECT_EQ(api.get("/health")["status"], "alive");
    EXPECT_EQ(api.get("/ready")["status"], "ready");
    EXPECT_EQ(api.ask("GET", "/metrics").type, "text/plain; version=0.0.4; charset=utf-8");

    EXPECT_EQ(api.disagreements, std::vector<std::string>());
    const Json document = openapi_document(api.registry, "1.2.3");
    for (const auto& [path, methods] : document["paths"].items()) {
        for (const auto& [method, operation] : methods.items())
            EXPECT_TRUE(api.exercised.contains(operation["operationId"])) << method << ' ' << path;
    }
    EXPECT_EQ(api.exercised.size(), api_routes().size());
}

TEST(Api, TheOpenApiDocumentIsConsistent) {
    ApiFixture api;
    const Json document = openapi_document(api.registry, "1.2.3");
    std::set<std::string> ids;
    for (const Route& route : api_routes()) EXPECT_TRUE(ids.insert(std::string(route.id)).second) << route.id;
    const std::string text = document.dump();
    const std::string mark = "#/components/schemas/";
    std::size_t found = 0;
    for (std::size_t at = text.find(mark); at != text.npos; at = text.find(mark, at + 1), ++found) {
        const std::size_t begin = at + mark.size();
        EXPECT_TRUE(
            document["components"]["schemas"].contains(text.substr(begin, text.find('"', begin) - begin)));
    }
    EXPECT_GT(found, 30U);
    EXPECT_EQ(document["components"]["schemas"]["Record"]["anyOf"][0]["required"][0], "v");
}

TEST(Api, RefusesUnknownRoutesAndFields) {
    ApiFixture api;
    EXPECT_EQ(api.ask("GET", "/v1/nothing").status, 404);
    EXPECT_EQ(api.ask("GET", "/v1/learners/").status, 404);
    EXPECT_EQ(api.ask("GET", "/v1/learners/no-one").status, 404);
    EXPECT_EQ(api.ask("GET", "/v1/learners/../../etc/passwd").status, 404);
    EXPECT_EQ(api.ask("GET", "/learners/main/decision").status, 404);
    const HttpResponse method = api.ask("PUT", kMain);
    EXPECT_EQ(method.status, 405);
    EXPECT_EQ(header_of(method, "Allow"), "GET, DELETE");
    HttpRequest form = ApiFixture::request("POST", kMain + "/rounds", R"({"record":{"v":3}})");
    form.headers["content-type"] = "application/x-www-form-urlencoded";
    EXPECT_EQ(api.ask(form).status, 415);
    form.headers["content-type"] = "application/json; charset=utf-8";
    EXPECT_EQ(api.ask(form).status, 200);
    EXPECT_EQ(api.ask("GET", kMain + "/turns?first=x").status, 400);
    EXPECT_EQ(api.ask("GET", kMain + "/turns?frist=1").status, 400);
    EXPECT_EQ(api.post(kMain + "/rounds?decide=1", R"({"record":{"v":3}})").status, 400);
    EXPECT_EQ(api.ask("DELETE", kMain).status, 409);
    EXPECT_EQ(api.ask("GET", kMain + "/ledger?account=7").status, 400);
    EXPECT_EQ(api.disagreements, std::vector<std::string>());
}

TEST(Api, BadBodiesAreRefusedByName) {
    ApiFixture api;
    const std::vector<std::pair<std::string, std::string>> bodies{
        {R"({"record":{"v":NaN}})", "record.v"},
        {R"({"record":{"v":Infinity}})", "record.v"},
        {R"({"record":{"v":1e999}})", "record.v"},
        {R"({"record":{"v":null}})", "v"},
        {R"({"record":{"v":1,"v":2}})", "record.v"},
        {R"({"record":[1]})", "record"},
        {R"({"recrod":{"v":1}})", "recrod"},
        {R"({"record":{"v":1},"turn":0})", "turn"},
        {R"({"record":{"v":1},"turn":-1})", "turn"},
        {R"({"record":{"v":1},"turn":1.5})", "turn"},
        {R"({"record":{"v":1},"key":""})", "key"},
        {R"({"record":{"v":1},"key":7})", "key"},
        {R"({"batch":[]})", "batch"},
        {R"({"batch":[{"record":{"v":1}}],"turn":1})", "turn"},
        {R"({"batch":[{"record":{"v":1}},{"record":{"v":1e999}}]})", "batch[1].record.v"},
        {R"({"batch":[{"record":{"v":1}},{"rec":{"v":1}}]})", "batch[1].rec"},
        {"{\"key\":\"" + std::string(201, 'k') + "\",\"record\":{\"v\":1}}", "key"},
    };
    for (const auto& [body, field] : bodies) {
        const HttpResponse response = api.post(kMain + "/rounds", body);
        EXPECT_EQ(response.status, 400) << body;
        EXPECT_EQ(Json::parse(response.body)["error"]["field"], field) << body << response.body;
    }
    for (const std::string body :
         {"", "{", "7", "[]", "nul", "{\"record\":{\"v\":1}}x", "\xff\xfe", "{\"record\":{\"\xff\":1}}"}) {
        HttpRequest request = ApiFixture::request("POST", kMain + "/rounds", body);
        request.headers["content-type"] = "application/json";
        EXPECT_EQ(api.ask(request).status, 400) << body;
    }
    EXPECT_EQ(api.post(kMain + "/rounds", std::string(100000, '[')).status, 400);
    const std::string deep = R"({"record":{"v":)" + std::string(40, '[') + std::string(40, ']') + "}}";
    EXPECT_TRUE(contains(api.post(kMain + "/rounds", deep).body, "nested too deeply"));
    const Json whole = Json::parse(
        api.post(kMain + "/rounds", R"({"batch":[{"record":{"v":1}},{"record":{"v":"x"}}]})").body);
    EXPECT_EQ(whole["error"]["index"], 1);
    EXPECT_EQ(api.get(kMain)["turn"], 0);  // nothing of all this was played
    EXPECT_EQ(api.disagreements, std::vector<std::string>());
}

TEST(Api, TheSamePostIsAnsweredAgain) {
    ApiFixture api;
    const std::string body = R"({"record":{"v":3},"key":"once"})";
    Json first = Json::parse(api.post(kMain + "/rounds", body).body);
    Json again = Json::parse(api.post(kMain + "/rounds", body).body);
    EXPECT_EQ(again["replayed"], true);
    again["replayed"] = false;
    EXPECT_EQ(first, again);
    const HttpResponse gap = api.post(kMain + "/rounds", R"({"record":{"v":3},"turn":9})");
    EXPECT_EQ(gap.status, 409);
    EXPECT_EQ(Json::parse(gap.body)["error"]["turn"], 2);
}

TEST(Api, ServesLedgersInPages) {
    ApiFixture api;
    for (int i = 0; i < 7; ++i) api.post(kMain + "/rounds", R"({"record":{"v":1}})");
    const auto lines = [](const std::string& text) { return std::count(text.begin(), text.end(), '\n'); };
    const HttpResponse all = api.ask("GET", kMain + "/ledger");
    EXPECT_EQ(lines(all.body), 8);  // and a head
    EXPECT_TRUE(all.headers.empty());
    std::string target = kMain + "/ledger?first=3&last=6&limit=3";
    const HttpResponse page = api.ask("GET", target);
    EXPECT_EQ(lines(page.body), 4);
    ASSERT_EQ(page.headers.size(), 1U);
    const std::string link = page.headers[0].second;
    const HttpResponse rest = api.ask("GET", link.substr(1, link.find('>') - 1));
    EXPECT_EQ(lines(rest.body), 2);
    EXPECT_TRUE(rest.headers.empty());
    EXPECT_EQ(lines(api.ask("GET", kMain + "/ledger?first=8").body), 1);
    // The same lines, in the same order.
    const auto body = [&](const std::string& text) { return text.substr(text.find('\n') + 1); };
    EXPECT_TRUE(contains(all.body, body(page.body) + body(rest.body)));
}

/// Posts so many turns that they do not fit into one piece.
void post_many(ApiFixture& api, int turns) {
    Json batch = Json::array();
    for (int i = 0; i < turns; ++i)
        batch.push_back({{"record", {{"v", i}}}, {"key", std::string(190, 'k') + std::to_string(i)}});
    ASSERT_EQ(api.post(kMain + "/rounds", Json{{"batch", batch}}.dump()).status, 200);
}

std::vector<Turn> turns_of(const Json& answer) {
    std::vector<Turn> turns;
    for (const Json& turn : answer["turns"]) turns.push_back(turn["turn"]);
    return turns;
}

std::vector<Turn> counted(Turn first, Turn last) {
    std::vector<Turn> turns;
    for (Turn turn = first; turn <= last; ++turn) turns.push_back(turn);
    return turns;
}

void play_one(ApiFixture& api) {
    std::promise<void> played;
    api.registry.find("main")->post({{.record = R"({"v":1})"}}, false,
                                    [&](const PostResult&) { played.set_value(); });
    played.get_future().get();
}

/// All turns but the newest ones, once the states that are kept are newer.
void fold(ApiFixture& api) {
    for (int state = 0; state < 3; ++state) {
        play_one(api);
        std::promise<void> saved;
        api.registry.find("main")->save([&](const std::string&) { saved.set_value(); });
        saved.get_future().get();
    }
}

/// Turns that are played between two pieces of an answer do not belong to it.
TEST(Api, LongAnswersHaveEachTurnOnceWhileTurnsArePlayed) {
    ApiFixture api;
    post_many(api, 400);
    int pieces = 1;
    api.before_piece = [&] {
        play_one(api);
        ++pieces;
    };
    const Json all = api.get(kMain + "/turns");
    EXPECT_GT(pieces, 2);
    EXPECT_EQ(turns_of(all), counted(1, 400));
    EXPECT_EQ(all["next"], nullptr);
    const Json limited = api.get(kMain + "/turns?first=11&limit=350");
    EXPECT_EQ(turns_of(limited), counted(11, 360));
    EXPECT_EQ(limited["next"], 361);
    const HttpResponse ledger = api.ask("GET", kMain + "/ledger?limit=380");
    EXPECT_EQ(std::count(ledger.body.begin(), ledger.body.end(), '\n'), 381);
    EXPECT_TRUE(contains(header_of(ledger, "Link"), "first=381"));
    EXPECT_EQ(api.disagreements, std::vector<std::string>());
}

/// A reader that is overtaken by folding gets turns without a gap, and learns where they end.
TEST(Api, LongAnswersEndBeforeTurnsThatWereFolded) {
    ApiFixture api({"main"}, {}, "10");
    fold(api);  // no turn after an old state is folded
    post_many(api, 1500);
    api.before_piece = [&] { fold(api); };
    const Json early = api.get(kMain + "/turns?limit=10000");
    ASSERT_TRUE(early["next"].is_number());
    const Turn next = early["next"];
    EXPECT_GT(next, 10);
    EXPECT_LT(next, 1000);
    EXPECT_EQ(turns_of(early), counted(1, next - 1));
    api.before_piece = {};
    const Json rest = api.get(kMain + "/turns?limit=10000&first=" + std::to_string(next));
    EXPECT_GT(turns_of(rest).at(0), 1024);
    EXPECT_EQ(turns_of(rest), counted(turns_of(rest).at(0), turns_of(rest).back()));
    EXPECT_EQ(rest["next"], nullptr);
}

/// The header of a ledger promises the next page, so that its answer cannot end early.
TEST(Api, LedgersThatAreFoldedMeanwhileAreBrokenOff) {
    ApiFixture api({"main"}, {}, "10");
    fold(api);  // no turn after an old state is folded
    post_many(api, 1500);
    api.before_piece = [&] { fold(api); };
    EXPECT_TRUE(api.ask("GET", kMain + "/ledger?limit=10000").body.ends_with("(broken off)"));
    api.before_piece = {};
    EXPECT_FALSE(api.ask("GET", kMain + "/ledger?limit=10000").body.ends_with("(broken off)"));
}

/// Nothing is read for a client that has gone. If memory is short, it has to come again.
TEST(Api, WorksOnlyForAnswersThatAreWanted) {
    ApiFixture api;
    api.post(kMain + "/rounds", R"({"record":{"v":1}})");
    const std::vector<std::pair<std::string, std::string>> asked = {
        {"GET", "/turns"}, {"GET", "/ledger"},  {"GET", "/certificate"},
        {"GET", "/page"},  {"POST", "/rounds"}, {"POST", "/predict"}};
    const std::string body = R"({"record":{"v":2}})";
    for (const auto& [method, route] : asked) {
        api.demand = Demand::busy;
        const HttpResponse refused = api.ask(method, kMain + route, method == "POST" ? body : "");
        EXPECT_EQ(refused.status, 503) << route;
        EXPECT_EQ(header_of(refused, "Retry-After"), "1");
        api.demand = Demand::gone;
        EXPECT_EQ(api.ask(method, kMain + route, method == "POST" ? body : "").body, "no answer") << route;
    }
    EXPECT_EQ(api.ask("GET", "/health").status, 200);
    api.demand = Demand::wanted;
    EXPECT_EQ(api.get(kMain)["turn"], 1);
}

TEST(Api, TokensAreAskedForAndHealthIsOpen) {
    ApiFixture api;
    const std::string file = api.folder / "tokens";
    std::ofstream(file) << "# ours\n0123456789abcdef\n\nanother-token-here\n";
    std::filesystem::permissions(file, std::filesystem::perms(0600));
    api.tokens.reload(file);
    EXPECT_EQ(api.ask("GET", "/health").status, 200);
    for (const char* target : {"/v1/learners", "/metrics", "/ready", "/", "/openapi.json", "/v1/nothing"}) {
        const HttpResponse response = api.ask("GET", target);
        EXPECT_EQ(response.status, 401) << target;
        EXPECT_EQ(header_of(response, "WWW-Authenticate"), "Bearer");
    }
    HttpRequest request = ApiFixture::request("GET", "/v1/learners");
    const auto status = [&](const std::string& authorization) {
        request.headers["authorization"] = authorization;
        return api.ask(request).status;
    };
    EXPECT_EQ(status("Bearer 0123456789abcdef"), 200);
    EXPECT_EQ(status("Bearer another-token-here"), 200);
    EXPECT_EQ(status("Bearer 0123456789abcdeF"), 401);
    EXPECT_EQ(status("Bearer 0123456789abcdef "), 401);
    EXPECT_EQ(status("Bearer "), 401);
    EXPECT_EQ(status("Basic 0123456789abcdef"), 401);
    EXPECT_EQ(status("# ours"), 401);
    // With tokens a proxy may call it by any name.
    request.headers["host"] = "learners.example.org";
    EXPECT_EQ(status("Bearer 0123456789abcdef"), 200);
}

TEST(Api, PagesOfOtherSitesMayNotAsk) {
    ApiFixture api;
    HttpRequest request = ApiFixture::request("POST", kMain + "/pause");
    request.headers["host"] = "127.0.0.1:8390";
    request.headers["origin"] = "http://evil.example";
    EXPECT_EQ(api.ask(request).status, 403);
    request.headers["origin"] = "null";
    EXPECT_EQ(api.ask(request).status, 403);
    for (const char* origin : {"http://127.0.0.1:8391", "https://127.0.0.1:8390", "http://localhost:8390",
                               "127.0.0.1:8390", "http://127.0.0.1"}) {
        request.headers["origin"] = origin;
        EXPECT_EQ(api.ask(request).status, 403) << origin;
    }
    request.headers["origin"] = "http://127.0.0.1:8390";
    EXPECT_EQ(api.ask(request).status, 200);
    // Names that lead here.
    for (const char* host : {"evil.example", "127.0.0.1.evil.example", "127.evil.example:8390", "[::1"}) {
        request.headers["host"] = host;
        request.headers["origin"] = std::string("http://") + host;
        EXPECT_EQ(api.ask(request).status, 403) << host;
    }
    request.headers.erase("origin");
    request.headers["host"] = "[::1]:8390";
    EXPECT_EQ(api.ask(request).status, 200);
    for (const char* host : {"localhost", "LocalHost.:8390", "127.8.9.1"}) {
        request.headers["host"] = host;
        EXPECT_EQ(api.ask(request).status, 200) << host;
    }
    for (const char* host : {"127.evil.example:8390", "127.0.0.1.evil.example", "127.0.0.1evil.com",
                             "127.0.0.1x", "[::1].evil", "localhost@evil", ""}) {
        request.headers["host"] = host;
        EXPECT_EQ(api.ask(request).status, 403) << host;
        request.headers["origin"] = std::string("http://") + host;
        EXPECT_EQ(api.ask(request).status, 403) << host;
        request.headers.erase("origin");
    }
}

TEST(Api, CompressedBodiesAreRefused) {
    ApiFixture api;
    HttpRequest request = ApiFixture::request("POST", kMain + "/rounds", R"({"record":{"v":1}})");
    request.headers["content-encoding"] = "gzip";
    const HttpResponse refused = api.ask(request);
    EXPECT_EQ(refused.status, 415);
    EXPECT_TRUE(contains(api.error_of(refused), "gzip"));
    request.headers["content-encoding"] = "Identity";
    EXPECT_EQ(api.ask(request).status, 200);
}

TEST(Api, MetricsAreInPrometheusForm) {
    ApiFixture api;
    api.post(kMain + "/rounds", R"({"batch":[{"record":{"v":1}},{"record":{"v":666}}]})");
    const std::string text = api.ask("GET", "/metrics").body;
    EXPECT_TRUE(contains(text, "\nproxstream_rounds_total{learner=\"main\",kind=\"learn\"} 2\n"));
    EXPECT_TRUE(contains(text, "\nproxstream_refused_total{learner=\"main\",kind=\"learn\"} 1\n"));
    EXPECT_TRUE(contains(text, "\nproxstream_steps_total{learner=\"main\",kind=\"learn\"} 4\n"));
    EXPECT_TRUE(
        contains(text, "\nproxstream_post_seconds_bucket{learner=\"main\",kind=\"learn\",le=\"+Inf\"} 1\n"));
    EXPECT_TRUE(contains(text, "\nproxstream_post_seconds_count{learner=\"main\",kind=\"learn\"} 1\n"));
    std::istringstream lines(text);
    std::string described;
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("# TYPE ")) {
            described = line.substr(7, line.find(' ', 7) - 7);
        } else if (!line.starts_with('#')) {
            EXPECT_TRUE(line.starts_with(described)) << line;
            const std::string value = line.substr(line.rfind(' ') + 1);
            EXPECT_NO_THROW(std::stod(value)) << line;
        }
    }
}

TEST(Api, ReadyMeansThatNoLearnerHasFailed) {
    ApiFixture api;
    EXPECT_EQ(api.ask("GET", "/ready").status, 200);
    EXPECT_EQ(api.post(kMain + "/rounds", R"({"record":{"v":-66700}})").status, 500);
    const HttpResponse response = api.ask("GET", "/ready");
    EXPECT_EQ(response.status, 503);
    EXPECT_TRUE(contains(api.error_of(response), "broke down"));
    EXPECT_EQ(api.ask("GET", "/health").status, 200);
    EXPECT_TRUE(
        contains(api.ask("GET", "/metrics").body, "proxstream_up{learner=\"main\",kind=\"learn\"} 0"));
}

}  // namespace
