#include "serve/http_server.hpp"

#include "proxstream/core/error.hpp"

#include "serve/http_client.hpp"

#include <condition_variable>
#include <functional>
#include <mutex>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

using testing::Answer;
using testing::eventually;
using testing::get;
using testing::post;
using testing::post_chunked;
using testing::RawClient;

using Reply = std::shared_ptr<HttpReply>;

HttpServer::Options any_port(HttpLimits limits = {}) {
    HttpServer::Options options;
    options.port = 0;
    options.limits = limits;
    return options;
}

HttpResponse plain(std::string body) {
    return {200, "text/plain", std::move(body), {}};
}

void echo(const HttpRequest& request, const Reply& reply) {
    std::string text = request.method + " " + request.path;
    for (const auto& [name, value] : request.query) text += " " + name + "=" + value;
    reply->send(plain(text + " [" + request.body + "]"));
}

/// Answers on a thread of its own, in the order of the requests.
class LateAnswers {
  public:
    LateAnswers() : thread_([this] { run(); }) {}
    LateAnswers(const LateAnswers&) = delete;
    LateAnswers& operator=(const LateAnswers&) = delete;
    ~LateAnswers() {
        {
            const std::lock_guard lock(mutex_);
            over_ = true;
        }
        wake_.notify_all();
        thread_.join();
    }
    void add(std::function<void()> answer) {
        {
            const std::lock_guard lock(mutex_);
            answers_.push_back(std::move(answer));
        }
        wake_.notify_all();
    }

  private:
    void run() {
        std::unique_lock lock(mutex_);
        for (;;) {
            wake_.wait(lock, [&] { return over_ || !answers_.empty(); });
            if (answers_.empty()) return;
            std::vector<std::function<void()>> answers = std::move(answers_);
            answers_.clear();
            lock.unlock();
            for (const auto& answer : answers) answer();
            answers.clear();
            lock.lock();
        }
    }

    std::mutex mutex_;
    std::condition_variable wake_;
    std::vector<std::function<void()>> answers_;
    bool over_ = false;
    std::thread thread_;
};

TEST(HttpServer, PassesRequestsToTheHandlerAndSendsItsAnswers) {
    HttpRequest seen;
    HttpServer server(any_port(), [&](HttpRequest request, const Reply& reply) {
        seen = std::move(request);
        reply->send({201, "text/plain", "done", {{"X-Answer", "42"}}});
    });
    RawClient client(server.port());
    const Answer answer = client.ask(
        "PUT /v1/a%20b%C3%A9?x=1%262&flag&s=p+q HTTP/1.1\r\nHost: here\r\nX-Some: One\r\nx-some: two\r\n"
        "Content-Length: 5\r\n\r\nhello");
    EXPECT_EQ(answer.status, 201);
    EXPECT_EQ(answer.body, "done");
    EXPECT_EQ(answer.headers.at("content-type"), "text/plain");
    EXPECT_EQ(answer.headers.at("x-answer"), "42");
    EXPECT_EQ(seen.method, "PUT");
    EXPECT_EQ(seen.path, "/v1/a b\xC3\xA9");
    EXPECT_EQ(seen.query, (std::map<std::string, std::string>{{"flag", ""}, {"s", "p q"}, {"x", "1&2"}}));
    EXPECT_EQ(seen.headers.at("x-some"), "One, two");
    EXPECT_EQ(seen.body, "hello");
    EXPECT_EQ(seen.client, "127.0.0.1");
    client.ask("GET http://here:80/v1?a=b HTTP/1.1\r\nHost: here\r\n\r\n");
    EXPECT_EQ(seen.path, "/v1") << "of an absolute target";
    EXPECT_EQ(seen.query, (std::map<std::string, std::string>{{"a", "b"}}));
}

TEST(HttpServer, AnswersPipelinedRequestsInOrder) {
    HttpServer server(any_port(), echo);
    RawClient client(server.port());
    client.send(post("/1", "one") + get("/2") + post_chunked("/3", "three") + get("/4?x=5"));
    EXPECT_EQ(client.answer().body, "POST /1 [one]");
    EXPECT_EQ(client.answer().body, "GET /2 []");
    EXPECT_EQ(client.answer().body, "POST /3 [three]");
    EXPECT_EQ(client.answer().body, "GET /4 x=5 []");
    EXPECT_EQ(server.counts().requests, 4);
}

TEST(HttpServer, TakesARequestByteByByte) {
    HttpServer server(any_port(), echo);
    RawClient client(server.port());
    for (const char c : post("/slow", "body")) ASSERT_TRUE(client.send({&c, 1}));
    EXPECT_EQ(client.answer().body, "POST /slow [body]");
}

TEST(HttpServer, AnswersFromAnotherThread) {
    LateAnswers late;
    HttpServer server(any_port(), [&](const HttpRequest& request, Reply reply) {
        late.add([reply = std::move(reply), path = request.path] { reply->send(plain(path)); });
    });
    std::vector<RawClient> clients;
    for (int i = 0; i < 50; ++i) clients.emplace_back(server.port());
    for (int round = 0; round < 10; ++round) {
        for (std::size_t i = 0; i < clients.size(); ++i) clients[i].send(get("/" + std::to_string(i)));
        for (std::size_t i = 0; i < clients.size(); ++i) {
            ASSERT_EQ(clients[i].answer().body, "/" + std::to_string(i));
        }
    }
}

TEST(HttpServer, ServesOnSeveralThreads) {
    LateAnswers late;
    HttpServer::Options options = any_port();
    options.threads = 3;
    HttpServer server(options, [&](const HttpRequest& request, Reply reply) {
        if (request.path == "/now") return reply->send(plain("now"));
        late.add([reply = std::move(reply)] { reply->send(plain("later")); });
    });
    std::vector<RawClient> clients;
    for (int i = 0; i < 30; ++i) clients.emplace_back(server.port());
    for (RawClient& client : clients) client.send(get("/now") + get("/later"));
    for (RawClient& client : clients) {
        EXPECT_EQ(client.answer().body, "now");
        EXPECT_EQ(client.answer().body, "later");
    }
    clients.clear();
    EXPECT_TRUE(eventually([&] { return server.counts().connections == 0; }));
}

TEST(HttpServer, AnswersRequestsThatNoHandlerTakes) {
    LateAnswers late;
    HttpServer server(any_port(), [&](const HttpRequest& request, Reply reply) {
        if (request.path == "/throws") throw std::runtime_error("no");
        if (request.path == "/later") late.add([reply = std::move(reply)] {});
    });
    RawClient client(server.port());
    for (const char* path : {"/dropped", "/throws", "/later"}) {
        const Answer answer = client.ask(get(path));
        EXPECT_EQ(answer.status, 500) << path;
        EXPECT_EQ(answer.headers.at("content-type"), "application/json");
        EXPECT_TRUE(answer.body.starts_with(R"({"error":{"status":500,"message":")")) << answer.body;
    }
}

TEST(HttpServer, OnlyTheFirstAnswerCounts) {
    HttpServer server(any_port(), [&](const HttpRequest&, const Reply& reply) {
        reply->send(plain("first"));
        reply->send(plain("second"));
        EXPECT_FALSE(reply->stream(plain(""))->send("third"));
    });
    RawClient client(server.port());
    EXPECT_EQ(client.ask(get("/")).body, "first");
    EXPECT_EQ(client.ask(get("/")).body, "first");
}

TEST(HttpServer, AnswersHeadWithoutABody) {
    HttpServer server(any_port(), echo);
    RawClient client(server.port());
    client.send("HEAD /x HTTP/1.1\r\nHost: here\r\n\r\n" + get("/y"));
    const Answer answer = client.answer(true);
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.headers.at("content-length"), "10");
    EXPECT_EQ(client.answer().body, "GET /y []");
}

TEST(HttpServer, ClosesWhenTheClientAsksForIt) {
    HttpServer server(any_port(), echo);
    RawClient polite(server.port());
    EXPECT_EQ(polite.ask("GET / HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n").status, 200);
    EXPECT_TRUE(polite.closed());
    RawClient old(server.port());
    EXPECT_EQ(old.ask("GET / HTTP/1.0\r\n\r\n").status, 200);
    EXPECT_TRUE(old.closed());
    RawClient half(server.port());
    half.send(get("/"));
    half.half_close();
    EXPECT_EQ(half.answer().status, 200);
    EXPECT_TRUE(half.closed());
}

TEST(HttpServer, ListensOnIpv6AndReportsBindFailures) {
    HttpServer::Options options = any_port();
    options.address = "::1";
    std::string seen;
    HttpServer server(options, [&](const HttpRequest& request, const Reply& reply) {
        seen = request.client;
        reply->send(plain("six"));
    });
    RawClient client(server.port(), "::1");
    EXPECT_EQ(client.ask(get("/")).body, "six");
    EXPECT_EQ(seen, "::1");
    options.port = server.port();
    try {
        const HttpServer second(options, echo);
        ADD_FAILURE() << "two servers on one port";
    } catch (const IoError& error) {
        EXPECT_NE(std::string(error.what()).find("::1 port " + std::to_string(options.port)),
                  std::string::npos)
            << error.what();
    }
    options.address = "not an address";
    EXPECT_THROW(const HttpServer third(options, echo), IoError);
}

/// What is not HTTP, or could be read in two ways.
TEST(HttpServer, RejectsMalformedRequests) {
    std::atomic<int> handled = 0;
    HttpServer server(any_port(), [&](const HttpRequest&, const Reply& reply) {
        ++handled;
        reply->send(plain(""));
    });
    const std::string head = "POST / HTTP/1.1\r\nHost: here\r\n";
    const std::vector<std::string> malformed = {
        "\r\n\r\n\r\n\r\n",
        "hello\r\n\r\n",
        "GET\r\n\r\n",
        "GET / HTTP/1.1\r\n\r\n",           // no host
        "GET / HTTP/1.1\r\nHost:\r\n\r\n",  // an empty one
        "GET / HTTP/1.1\r\nHost: \r\n\r\n",
        "GET /a b HTTP/1.1\r\nHost: here\r\n\r\n",
        "GET / HTTP/2.0\r\nHost: here\r\n\r\n",
        "GET / FTP/1.1\r\nHost: here\r\n\r\n",
        "GET /\r\nHost: here\r\n\r\n",
        "get / HTTP/1.1\r\nHost: here\r\n\r\n",
        "GET here HTTP/1.1\r\nHost: here\r\n\r\n",
        "GET /%zz HTTP/1.1\r\nHost: here\r\n\r\n",
        "GET /%0 HTTP/1.1\r\nHost: here\r\n\r\n",
        "GET /%00 HTTP/1.1\r\nHost: here\r\n\r\n",
        "GET /%0d%0aX HTTP/1.1\r\nHost: here\r\n\r\n",
        "GET /%ff HTTP/1.1\r\nHost: here\r\n\r\n",
        "GET /?a=%c0%80 HTTP/1.1\r\nHost: here\r\n\r\n",
        head + "no colon\r\n\r\n",
        head + "X-Some: one\rContent-Length: 5\r\n\r\nhello",
        head + "X-Some: \x01\r\n\r\n",
        head + "Content-Length: -5\r\n\r\nhello",
        head + "Content-Length: five\r\n\r\nhello",
        head + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
        head + "Content-Length: 99999999999999999999999999\r\n\r\nhello",
        head + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
        head + "Transfer-Encoding: gzip\r\n\r\nhello",
        head + "Transfer-Encoding: chunked\r\n\r\nxyz\r\nhello\r\n0\r\n\r\n",
        head + "Transfer-Encoding: chunked\r\n\r\n2\r\nhello\r\n0\r\n\r\n",
        std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11),  // the beginning of TLS
        std::string(300, '\0'),
    };
    for (const std::string& text : malformed) {
        RawClient client(server.port());
        client.send(text);
        client.half_close();
        const Answer answer = client.answer();
        EXPECT_TRUE(answer.status == 0 || answer.status >= 400) << text << answer.status;
        EXPECT_TRUE(client.closed()) << text;
        EXPECT_EQ(handled, 0) << text;
    }
    std::mt19937 draw(7);
    for (int i = 0; i < 200; ++i) {
        std::string garbage(draw() % 300, ' ');
        for (char& c : garbage) c = static_cast<char>(draw());
        RawClient client(server.port());
        client.send(garbage + "\r\n\r\n");
        client.half_close();
        EXPECT_TRUE(client.closed());
    }
    EXPECT_EQ(handled, 0);
    RawClient client(server.port());
    EXPECT_EQ(client.ask(get("/")).status, 200);
    EXPECT_EQ(handled, 1);
    EXPECT_TRUE(eventually([&] { return server.counts().connections == 1; }));
}

TEST(HttpServer, RefusesWhatItUnderstandsAsJson) {
    HttpServer server(any_port(), echo);
    const std::vector<std::pair<std::string, int>> refused = {
        {"GET / HTTP/1.1\r\n\r\n", 400},
        {"GET / HTTP/1.1\r\nHost: \r\n\r\n", 400},
        {"get / HTTP/1.1\r\nHost: here\r\n\r\n", 400},
        {"GET /%zz HTTP/1.1\r\nHost: here\r\n\r\n", 400},
        {"GET /a b HTTP/1.1\r\nHost: here\r\n\r\n", 400},
        {"GET / HTTP/1.1\r\nHost: here\r\nA\tB: c\r\n\r\n", 400},
        {"POST / HTTP/1.1\r\nHost: here\r\nContent-Length : 5\r\n\r\nhello", 400},
        {"POST / HTTP/1.1\r\nHost: here\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n", 400},
        {"GET / HTTP/1.2\r\nHost: here\r\n\r\n", 505},
        {"POST / HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: gzip\r\n\r\nhello", 400},
        {"POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n", 400},
    };
    for (const auto& [text, status] : refused) {
        RawClient client(server.port());
        const Answer answer = client.ask(text);
        EXPECT_EQ(answer.status, status) << text;
        EXPECT_TRUE(answer.body.starts_with(R"({"error":{"status":)" + std::to_string(status)))
            << answer.body;
        EXPECT_TRUE(client.closed()) << text;
    }
    EXPECT_EQ(server.counts().requests, 0);
}

TEST(HttpServer, NoAnswerMayBeFramedOrUsedByOtherSites) {
    HttpLimits limits;
    limits.body = 1000;
    HttpServer server(any_port(limits), [](const HttpRequest& request, const Reply& reply) {
        if (request.path == "/stream") return reply->stream(plain(""))->close();
        if (request.path == "/pieces") return reply->send_pieces(plain(""))->close();
        reply->send(plain("text"));
    });
    const std::vector<std::string> requests = {
        get("/"),
        get("/stream"),
        get("/pieces"),
        get("/%zz"),
        post("/", std::string(2000, 'x')),
        post_chunked("/", std::string(2000, 'x')),
        get("/?" + std::string(2000, '&')),
    };
    for (const std::string& request : requests) {
        RawClient client(server.port());
        const Answer answer = client.ask(request);
        ASSERT_TRUE(answer.headers.contains("content-security-policy")) << request.substr(0, 100);
        EXPECT_EQ(answer.headers.at("content-security-policy"), "frame-ancestors 'none'");
        EXPECT_EQ(answer.headers.at("x-frame-options"), "DENY");
        EXPECT_EQ(answer.headers.at("cross-origin-resource-policy"), "same-origin");
        EXPECT_EQ(answer.headers.at("x-content-type-options"), "nosniff");
    }
}

TEST(HttpServer, ServesTwoThousandConnectionsAtOnce) {
    constexpr std::size_t kConnections = 2000;
    if (raise_descriptors(3 * kConnections) < 2 * kConnections + 100) {
        GTEST_SKIP() << "needs " << 2 * kConnections + 100 << " descriptors (ulimit -n)";
    }
    LateAnswers late;
    HttpServer server(any_port(), [&](const HttpRequest& request, Reply reply) {
        late.add([reply = std::move(reply), path = request.path] { reply->send(plain(path)); });
    });
    std::vector<RawClient> clients;
    clients.reserve(kConnections);
    for (std::size_t i = 0; i < kConnections; ++i) clients.emplace_back(server.port());
    for (std::size_t i = 0; i < kConnections; ++i) clients[i].send(get("/" + std::to_string(i)));
    for (std::size_t i = 0; i < kConnections; ++i) {
        ASSERT_EQ(clients[i].answer().body, "/" + std::to_string(i));
    }
    EXPECT_EQ(server.counts().connections, kConnections);
    EXPECT_EQ(server.counts().requests, kConnections);
    clients.clear();
    EXPECT_TRUE(eventually([&] { return server.counts().connections == 0; }));
}

TEST(HttpServer, LateAnswersToTheDeadDoNoHarm) {
    std::vector<Reply> replies;
    std::mutex mutex;
    HttpServer server(any_port(), [&](const HttpRequest&, Reply reply) {
        const std::lock_guard lock(mutex);
        replies.push_back(std::move(reply));
    });
    constexpr std::size_t kClients = 20;
    std::vector<RawClient> clients;
    for (std::size_t i = 0; i < kClients; ++i) {
        clients.emplace_back(server.port());
        clients.back().send(get("/"));
    }
    EXPECT_TRUE(eventually([&] { return server.counts().requests == kClients; }));
    for (RawClient& client : clients) client.die();
    // Seen without an answer: their places are free at once.
    EXPECT_TRUE(eventually([&] { return server.counts().connections == 0; }));
    const std::lock_guard lock(mutex);
    ASSERT_EQ(replies.size(), kClients);
    for (std::size_t i = 0; i < kClients; ++i) {
        if (i % 3 == 0) replies[i]->send(plain("late"));
        if (i % 3 == 1) {
            EXPECT_FALSE(replies[i]->stream(plain(""))->send("late"));
        }
    }
    replies.clear();
    RawClient client(server.port());
    client.send(get("/"));
    client.die();
}

/// Clients that go at any moment, while answers are on their way to them.
TEST(HttpServer, SurvivesClientsThatDieAtAnyMoment) {
    LateAnswers late;
    HttpServer server(any_port(), [&](const HttpRequest&, Reply reply) {
        late.add([reply = std::move(reply)] { reply->send(plain(std::string(100'000, 'x'))); });
    });
    const std::string request = post("/", std::string(1000, 'y'));
    for (std::size_t i = 0; i < 300; ++i) {
        RawClient client(server.port());
        client.send(std::string_view(request).substr(0, i % 7 == 0 ? request.size() : i * 3));
        if (i % 2 == 0) client.die();
    }
    EXPECT_TRUE(eventually([&] { return server.counts().connections == 0; }));
    EXPECT_GE(server.counts().requests, 1);
}

}  // namespace
}  // namespace proxstream
