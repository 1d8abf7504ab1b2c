/// Limits of the HTTP server: sizes, times, numbers and rates.
#include "serve/http_client.hpp"
#include "serve/http_server.hpp"

#include <memory>
#include <mutex>
#include <string>
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
using testing::StopWatch;

using Reply = std::shared_ptr<HttpReply>;

HttpServer::Options with(HttpLimits limits) {
    HttpServer::Options options;
    options.port = 0;
    options.limits = limits;
    return options;
}

/// Request and idle times that a test can wait for.
HttpLimits impatient(double request_seconds, double idle_seconds) {
    HttpLimits limits;
    limits.request_seconds = request_seconds;
    limits.idle_seconds = idle_seconds;
    return limits;
}

void size_of_body(const HttpRequest& request, const Reply& reply) {
    reply->send({200, "text/plain", std::to_string(request.body.size()), {}});
}

void expect_error(const Answer& answer, int status) {
    EXPECT_EQ(answer.status, status);
    EXPECT_TRUE(answer.body.starts_with(R"({"error":{"status":)" + std::to_string(status) + ","))
        << answer.body;
}

TEST(HttpLimits, RefuseOversizedBodiesEarly) {
    HttpLimits limits;
    limits.body = 1000;
    HttpServer server(with(limits), size_of_body);
    {
        RawClient client(server.port());
        EXPECT_EQ(client.ask(post("/", std::string(1000, 'x'))).body, "1000");
        EXPECT_EQ(client.ask(post_chunked("/", std::string(1000, 'x'))).body, "1000");
        expect_error(client.ask(post("/", std::string(1001, 'x'))), 413);
        EXPECT_TRUE(client.closed());
    }
    {
        RawClient client(server.port());
        expect_error(client.ask(post_chunked("/", std::string(1001, 'x'))), 413);
        EXPECT_TRUE(client.closed());
    }
    {
        RawClient client(server.port());
        expect_error(client.ask("POST / HTTP/1.1\r\nHost: here\r\nExpect: 100-continue\r\n"
                                "Content-Length: 1000000000\r\n\r\n"),
                     413);
        EXPECT_TRUE(client.closed());
    }
    EXPECT_EQ(server.counts().refused, 3);
    EXPECT_EQ(server.counts().requests, 2);
}

/// A gigabyte is announced, and sent: the answer is there, and the server stops reading.
TEST(HttpLimits, DoNotReadAGigabyte) {
    HttpServer server(with({}), size_of_body);
    for (const bool chunked : {false, true}) {
        const StopWatch watch;
        RawClient client(server.port());
        client.send(chunked
                        ? "POST / HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\n40000000\r\n"
                        : "POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 1073741824\r\n\r\n");
        const std::string part(std::size_t{1} << 20U, 'x');
        EXPECT_TRUE(client.send(part + part));
        expect_error(client.answer(), 413);
        // A client that cannot stop at once is not reset at once: it might not look for the answer then.
        EXPECT_TRUE(client.send(part));
        std::size_t sent = 3;
        while (sent < 1024 && client.send(part)) ++sent;
        EXPECT_LT(sent, 64) << "MiB were taken";
        EXPECT_LT(watch.seconds(), 8);
    }
    EXPECT_EQ(server.counts().requests, 0);
    EXPECT_TRUE(eventually([&] { return server.counts().connections == 0; }));
}

TEST(HttpLimits, RefuseAHeadThatIsTooLarge) {
    HttpLimits limits;
    limits.header = 8192;
    HttpServer server(with(limits), size_of_body);
    const auto request = [](std::size_t size) {
        return "GET / HTTP/1.1\r\nHost: here\r\nX-Large: " + std::string(size, 'x') + "\r\n\r\n";
    };
    RawClient client(server.port());
    EXPECT_EQ(client.ask(request(8000)).status, 200);
    expect_error(client.ask(request(8300)), 431);
    EXPECT_TRUE(client.closed());
    RawClient larger(server.port());
    EXPECT_EQ(larger.ask(request(100'000)).status, 431);
    EXPECT_TRUE(larger.closed());
    RawClient endless(server.port());
    endless.send("GET /" + std::string(100'000, 'x'));
    EXPECT_GE(endless.answer().status, 400);
    EXPECT_TRUE(endless.closed());
    EXPECT_EQ(server.counts().requests, 1);
}

/// Half a request, wherever it stops, is cut when its time is over and not before.
TEST(HttpLimits, CloseConnectionsWithSlowRequests) {
    HttpServer server(with(impatient(0.2, 30)), size_of_body);
    const std::string head = "POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 10\r\n\r\n";
    const std::vector<std::string> halves = {
        "P",
        "POST / HTTP/1.1\r\nHost: he",
        head,
        head + "123",
        "POST / HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel",
        get("/") + "G",                          // the second one is late
        post("/", "body") + head + "123",        // pipelined
        post_chunked("/", "body") + head + "1",  // of a length that was not announced
    };
    std::vector<RawClient> clients;
    const StopWatch watch;
    for (const std::string& half : halves) {
        clients.emplace_back(server.port());
        clients.back().send(half);
    }
    for (std::size_t i = 0; i < halves.size(); ++i) {
        EXPECT_TRUE(clients[i].closed()) << halves[i];
        EXPECT_GE(watch.seconds(), 0.2) << halves[i];
    }
    EXPECT_LT(watch.seconds(), 5);
    EXPECT_EQ(server.counts().cut, halves.size());
}

/// Sending more does not help: the limit is on the time of the whole request.
TEST(HttpLimits, CloseTricklingConnections) {
    HttpServer server(with(impatient(0.2, 30)), size_of_body);
    for (const bool body : {false, true}) {
        RawClient client(server.port());
        const StopWatch watch;
        client.send(body ? "POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 1000\r\n\r\n"
                         : "GET / HTTP/1.1\r\nX: ");
        int sent = 0;
        while (sent < 500 && !client.closed(0.02) && client.send("x")) ++sent;
        EXPECT_GE(sent, 3);
        EXPECT_GE(watch.seconds(), 0.2);
        EXPECT_LT(watch.seconds(), 5);
    }
    EXPECT_EQ(server.counts().cut, 2);
}

TEST(HttpLimits, CloseIdleConnectionsAfterTheTimeout) {
    HttpServer server(with(impatient(0.1, 0.4)), size_of_body);
    const std::vector<std::string> beginnings = {"", get("/"), post("/", "body"), post_chunked("/", "body")};
    std::vector<RawClient> clients;
    for (const std::string& beginning : beginnings) {
        clients.emplace_back(server.port());
        if (!beginning.empty()) {
            EXPECT_EQ(clients.back().ask(beginning).status, 200);
        }
    }
    const StopWatch watch;
    for (RawClient& client : clients) EXPECT_TRUE(client.closed());
    EXPECT_GE(watch.seconds(), 0.35);
    EXPECT_LT(watch.seconds(), 5);
    EXPECT_EQ(server.counts().cut, 0) << "to be idle is no offence";
    EXPECT_TRUE(eventually([&] { return server.counts().connections == 0; }));
}

TEST(HttpLimits, GiveTheHandlerItsTime) {
    std::thread late;
    HttpServer server(with(impatient(0.05, 0.05)), [&](const HttpRequest&, Reply reply) {
        late = std::thread([reply = std::move(reply)] {
            std::this_thread::sleep_for(std::chrono::milliseconds(200));
            reply->send({200, "text/plain", "slow", {}});
        });
    });
    RawClient client(server.port());
    EXPECT_EQ(client.ask(get("/")).body, "slow");
    late.join();
}

TEST(HttpLimits, CloseConnectionsThatDoNotRead) {
    HttpServer server(with(impatient(10, 0.3)), [&](const HttpRequest&, const Reply& reply) {
        reply->send({200, "text/plain", std::string(std::size_t{16} << 20U, 'x'), {}});
    });
    RawClient silent(server.port(), "127.0.0.1", 4096);
    silent.send(get("/"));
    EXPECT_TRUE(eventually([&] { return server.counts().cut == 1; }));
    EXPECT_TRUE(eventually([&] { return server.counts().connections == 0; }));
    // A client that reads gets all of it, however long that takes.
    RawClient reader(server.port());
    reader.send(get("/"));
    for (int i = 0; i < 5; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(80));
        ASSERT_TRUE(reader.read_more(10));
    }
    EXPECT_EQ(reader.answer().body.size(), std::size_t{16} << 20U);
    EXPECT_EQ(server.counts().cut, 1);
}

TEST(HttpLimits, HoldForTheNumberOfConnections) {
    HttpLimits limits;
    limits.connections_per_client = 3;
    HttpServer server(with(limits), size_of_body);
    std::vector<RawClient> clients;
    for (int i = 0; i < 3; ++i) {
        clients.emplace_back(server.port());
        EXPECT_EQ(clients.back().ask(get("/")).status, 200);
    }
    {
        RawClient fourth(server.port());
        const Answer answer = fourth.answer();
        expect_error(answer, 429);
        EXPECT_EQ(answer.headers.at("retry-after"), "1");
        EXPECT_TRUE(fourth.closed());
    }
    RawClient eager(server.port());
    eager.send(get("/"));
    EXPECT_TRUE(eager.closed());
    EXPECT_EQ(server.counts().refused, 2);
    EXPECT_EQ(server.counts().connections, 3);
    EXPECT_EQ(server.counts().requests, 3);
    clients.pop_back();
    EXPECT_TRUE(eventually([&] { return server.counts().connections == 2; }));
    clients.emplace_back(server.port());
    EXPECT_EQ(clients.back().ask(get("/")).status, 200);

    limits.connections_per_client = 100;
    limits.connections = 4;
    server.set_limits(limits);
    clients.emplace_back(server.port());
    EXPECT_EQ(clients.back().ask(get("/")).status, 200);
    RawClient fifth(server.port());
    expect_error(fifth.answer(), 503);
}

TEST(HttpLimits, HoldForTheRateOfAClient) {
    HttpLimits limits;
    limits.rate = 0.001;
    limits.burst = 3;
    HttpServer server(with(limits), size_of_body);
    RawClient client(server.port());
    for (int i = 0; i < 3; ++i) EXPECT_EQ(client.ask(post("/", "body")).status, 200);
    for (int i = 0; i < 2; ++i) {
        const Answer answer = client.ask(post("/", "body"));
        expect_error(answer, 429);
        EXPECT_GE(std::stoi(answer.headers.at("retry-after")), 900);
        EXPECT_LE(std::stoi(answer.headers.at("retry-after")), 1000);
    }
    RawClient other(server.port(), "127.0.0.1");
    EXPECT_EQ(other.ask(get("/")).status, 429) << "another connection is the same client";
    EXPECT_EQ(server.counts().refused, 3);
    EXPECT_EQ(server.counts().requests, 3);
    limits.rate = 0;
    server.set_limits(limits);
    EXPECT_EQ(client.ask(post("/", "body")).status, 200);
    EXPECT_EQ(other.ask(get("/")).status, 200);
}

/// libmicrohttpd alone would be silent: its memory for parameters is full.
TEST(HttpLimits, AnswerATargetWithTooManyParameters) {
    HttpServer server(with({}), size_of_body);
    const auto target = [](int parameters) {
        std::string text = "/?a=1";
        for (int i = 1; i < parameters; ++i) text += "&a=1";
        return text;
    };
    RawClient client(server.port());
    EXPECT_EQ(client.ask(get(target(100))).status, 200);
    for (const int parameters : {101, 500, 1000, 1500, 4000, 8000}) {
        RawClient eager(server.port());
        expect_error(eager.ask(get(target(parameters))), 414);
        EXPECT_TRUE(eager.closed());
    }
    EXPECT_EQ(client.ask(get("/")).status, 200);
    EXPECT_TRUE(eventually([&] { return server.counts().connections == 1; }));
    EXPECT_EQ(server.counts().cut, 0);
}

/// Whatever fills the head of a request, there is an answer.
TEST(HttpLimits, AnswerAHeadOfManyLines) {
    HttpServer server(with({}), size_of_body);
    for (const char* line : {"a:\r\n", "name: value\r\n", "Cookie: a=1; b=2; c=3; d=4; e=5; f=6\r\n"}) {
        for (const int lines : {10, 100, 300, 1000, 3000, 7000}) {
            std::string request = "GET / HTTP/1.1\r\nHost: here\r\n";
            for (int i = 0; i < lines; ++i) request += line;
            RawClient client(server.port());
            const Answer answer = client.ask(request + "\r\n");
            EXPECT_TRUE(answer.status == 200 || answer.status == 431)
                << line << lines << ' ' << answer.status;
        }
    }
    EXPECT_EQ(server.counts().cut, 0);
}

TEST(HttpLimits, BoundTheMemoryOfBodiesAndAnswers) {
    HttpLimits limits;
    limits.waiting = 100'000;
    std::vector<Reply> replies;
    std::mutex mutex;
    HttpServer server(with(limits), [&](const HttpRequest& request, const Reply& reply) {
        if (request.path == "/demand") {
            const bool busy = reply->demand() == Demand::busy;
            return reply->send({200, "text/plain", busy ? "busy" : "wanted", {}});
        }
        const std::lock_guard lock(mutex);
        replies.push_back(reply);
    });
    const auto held = [&] { return server.counts().waiting; };
    RawClient first(server.port());
    first.send(post("/", std::string(60'000, 'x')));
    EXPECT_TRUE(eventually([&] { return server.counts().requests == 1; }));
    EXPECT_EQ(held(), 60'000);
    RawClient second(server.port());
    const Answer refused = second.ask(post("/", std::string(60'000, 'x')));
    expect_error(refused, 503);
    EXPECT_EQ(refused.headers.at("retry-after"), "1");
    EXPECT_TRUE(eventually([&] { return held() == 60'000; }));
    EXPECT_EQ(second.ask(get("/demand")).body, "wanted") << "the connection can be used again";
    {
        const std::lock_guard lock(mutex);
        replies.at(0)->send({200, "text/plain", std::string(20'000'000, 'y'), {}});
    }
    EXPECT_EQ(held(), 20'000'000) << "the answer, no longer the body";
    EXPECT_EQ(second.ask(get("/demand")).body, "busy");
    EXPECT_EQ(first.answer().body.size(), 20'000'000);
    EXPECT_TRUE(eventually([&] { return held() == 0; }));
    EXPECT_EQ(second.ask(get("/demand")).body, "wanted");
}

TEST(HttpLimits, CanChangeWhileServing) {
    HttpServer server(with(impatient(30, 30)), size_of_body);
    RawClient client(server.port());
    EXPECT_EQ(client.ask(post("/", std::string(1000, 'x'))).status, 200);
    HttpLimits limits = impatient(0.1, 30);
    limits.body = 999;
    server.set_limits(limits);
    RawClient half(server.port());
    half.send("GET");
    EXPECT_EQ(client.ask(post("/", std::string(1000, 'x'))).status, 413);
    EXPECT_TRUE(half.closed(5));
}

}  // namespace
}  // namespace proxstream
