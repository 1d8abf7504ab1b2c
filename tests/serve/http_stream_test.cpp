/// Streams of events, and the end of a server.
#include "serve/http_client.hpp"
#include "serve/http_server.hpp"

#include <atomic>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

using testing::Answer;
using testing::eventually;
using testing::get;
using testing::RawClient;
using testing::StopWatch;

using Reply = std::shared_ptr<HttpReply>;
using Stream = std::shared_ptr<EventStream>;

const HttpResponse kEvents{200, "text/event-stream", "", {{"Cache-Control", "no-cache"}}};

HttpResponse plain_text(std::string body) {
    return {200, "text/plain", std::move(body), {}};
}

/// Streams what is asked for at /events, keeps what is asked at /wait, and answers the rest.
class Service {
    template <class Action>
    auto with_lock(Action action) {
        const std::lock_guard lock(mutex_);
        return action();
    }

  public:
    explicit Service(HttpLimits limits = {}) {
        HttpServer::Options options;
        options.port = 0;
        options.limits = limits;
        server_ = std::make_unique<HttpServer>(options, [this](const HttpRequest& request, Reply reply) {
            const std::lock_guard lock(mutex_);
            if (request.path == "/events") {
                streams_.push_back(reply->stream(kEvents));
            } else if (request.path == "/wait") {
                replies_.push_back(std::move(reply));
            } else {
                reply->send(plain_text("done"));
            }
        });
    }
    HttpServer& server() { return *server_; }
    void destroy_server() { server_.reset(); }
    RawClient client() { return RawClient(server_->port()); }

    Stream stream(std::size_t i) {
        eventually([&] { return with_lock([&] { return streams_.size() > i; }); });
        return with_lock([&] { return streams_.at(i); });
    }
    Reply reply(std::size_t i) {
        eventually([&] { return with_lock([&] { return replies_.size() > i; }); });
        return with_lock([&] { return replies_.at(i); });
    }

  private:
    std::mutex mutex_;
    std::vector<Stream> streams_;
    std::vector<Reply> replies_;
    std::unique_ptr<HttpServer> server_;
};

TEST(HttpStream, SendsHeadersAtOnceAndEventsImmediately) {
    Service service;
    RawClient client = service.client();
    client.send(get("/events"));
    const Answer head = client.answer();
    EXPECT_EQ(head.status, 200);
    EXPECT_EQ(head.headers.at("content-type"), "text/event-stream");
    EXPECT_EQ(head.headers.at("cache-control"), "no-cache");
    const Stream stream = service.stream(0);
    EXPECT_TRUE(stream->open());
    EXPECT_EQ(service.server().counts().streams, 1);
    for (int i = 0; i < 20; ++i) {
        const std::string event = "data: " + std::to_string(i) + "\n\n";
        EXPECT_TRUE(stream->send(event));
        EXPECT_TRUE(client.read_until(event));
    }
    EXPECT_TRUE(stream->send("data: last\n\n"));
    stream->close();
    EXPECT_FALSE(stream->send("data: too late\n\n"));
    EXPECT_FALSE(stream->open());
    EXPECT_TRUE(client.read_until("data: last\n\n"));
    EXPECT_TRUE(client.read_until("0\r\n\r\n"));
    EXPECT_EQ(client.read().find("too late"), std::string::npos);
    client.read().clear();
    EXPECT_EQ(client.ask(get("/")).body, "done") << "the connection stays open";
    EXPECT_EQ(service.server().counts().streams, 0);
}

TEST(HttpStream, SendsLargeStreamsToReadingClients) {
    Service service;
    RawClient client = service.client();
    client.send(get("/events"));
    const Stream stream = service.stream(0);
    std::size_t bytes = 0;
    for (int i = 0; i < 200; ++i) {
        const std::string event(50'000, static_cast<char>('a' + i % 26));
        ASSERT_TRUE(stream->send(event)) << "cut off after " << bytes;
        bytes += event.size();
        ASSERT_TRUE(client.read_until(std::string(1000, event[0])));
        if (i % 5 == 4) {
            // Everything that was sent is read before more is.
            std::size_t before = 0;
            do {
                before = client.read().size();
            } while (client.read_until("never", 0.005) || client.read().size() > before);
        }
        client.read().clear();
    }
    EXPECT_EQ(service.server().counts().cut, 0);
}

TEST(HttpStream, DetectsAClosedConnection) {
    Service service;
    RawClient leaving = service.client();
    leaving.send(get("/events"));
    RawClient dying = service.client();
    dying.send(get("/events"));
    ASSERT_EQ(leaving.answer().status, 200);
    ASSERT_EQ(dying.answer().status, 200);
    // Nothing is sent in between: it is not the next event that finds out.
    leaving.hang_up();
    dying.die();
    EXPECT_TRUE(eventually([&] { return !service.stream(0)->open() && !service.stream(1)->open(); }));
    EXPECT_TRUE(eventually([&] { return service.server().counts().connections == 0; }));
    EXPECT_EQ(service.server().counts().streams, 0);
    EXPECT_FALSE(service.stream(0)->send("data: x\n\n"));
    service.stream(1)->close();
}

TEST(HttpStream, CutsOffAClientThatNeverReads) {
    HttpLimits limits;
    limits.waiting_events = 100'000;
    Service service(limits);
    RawClient client(service.server().port(), "127.0.0.1", 4096);
    client.send(get("/events"));
    const Stream stream = service.stream(0);
    const std::string event(10'000, 'x');
    std::size_t sent = 0;
    while (stream->send(event) && sent < 100'000'000) {
        sent += event.size();
        std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    EXPECT_LT(sent, 10'000'000);
    EXPECT_FALSE(stream->open());
    EXPECT_EQ(service.server().counts().cut, 1);
    EXPECT_TRUE(eventually([&] { return service.server().counts().connections == 0; }));
}

class Pieces : public std::enable_shared_from_this<Pieces> {
  public:
    Pieces(std::shared_ptr<PieceStream> stream, int count) : stream_(std::move(stream)), count_(count) {}
    void send() {
        stream_->when_taken([self = shared_from_this()] {
            if (self->sent_ == self->count_) return self->stream_->close();
            ++self->sent_;
            self->stream_->send(std::string(kSize, 'x'));
            self->send();
        });
    }
    int sent() const { return sent_; }
    PieceStream& stream() { return *stream_; }

    static constexpr std::size_t kSize = 30'000;

  private:
    const std::shared_ptr<PieceStream> stream_;
    const int count_;
    std::atomic<int> sent_ = 0;
};

/// Sends 1,000 pieces to every client.
class PieceService {
  public:
    explicit PieceService(HttpLimits limits = {}) {
        HttpServer::Options options;
        options.port = 0;
        options.limits = limits;
        server_ = std::make_unique<HttpServer>(options, [this](const HttpRequest&, const Reply& reply) {
            auto pieces = std::make_shared<Pieces>(reply->send_pieces(plain_text("")), kPieces);
            {
                const std::lock_guard lock(mutex_);
                last_ = pieces;
            }
            pieces->send();
        });
    }
    HttpServer& server() { return *server_; }
    RawClient client(int receive_buffer = 0) {
        RawClient client(server_->port(), "127.0.0.1", receive_buffer);
        client.send(get("/"));
        return client;
    }
    std::shared_ptr<Pieces> last() {
        eventually([&] {
            const std::lock_guard lock(mutex_);
            return !last_.expired();
        });
        const std::lock_guard lock(mutex_);
        return last_.lock();
    }
    bool all_gone() {
        return eventually([&] {
            const std::lock_guard lock(mutex_);
            return last_.expired();
        });
    }
    static constexpr int kPieces = 1000;

  private:
    std::mutex mutex_;
    std::weak_ptr<Pieces> last_;
    std::unique_ptr<HttpServer> server_;
};

TEST(HttpPieces, AreMadeAsTheClientReads) {
    PieceService service;
    RawClient client = service.client(4096);
    const std::shared_ptr<Pieces> pieces = service.last();
    // The next piece waits until the kernel has room, so that most are not made.
    int sent = -1;
    EXPECT_TRUE(eventually([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        return std::exchange(sent, pieces->sent()) == pieces->sent();
    }));
    EXPECT_LT(pieces->sent(), PieceService::kPieces / 2);
    EXPECT_LE(service.server().counts().waiting, Pieces::kSize);
    EXPECT_EQ(client.whole_answer().body, std::string(Pieces::kSize * PieceService::kPieces, 'x'));
    EXPECT_EQ(service.server().counts().waiting, 0);
    client.send(get("/"));
    EXPECT_EQ(client.whole_answer().status, 200) << "the connection stays open";
}

TEST(HttpPieces, EndWithTheClient) {
    PieceService service;
    for (const bool dies : {false, true}) {
        RawClient client = service.client(4096);
        EXPECT_TRUE(client.read_until("xxx"));
        dies ? client.die() : client.hang_up();
        EXPECT_TRUE(eventually([&] { return service.server().counts().connections == 0; }));
        EXPECT_TRUE(service.all_gone()) << "nothing waits for the client";
    }
    // A client that only sends no more gets all of it.
    RawClient half = service.client();
    half.half_close();
    EXPECT_EQ(half.whole_answer().body.size(), Pieces::kSize * PieceService::kPieces);
}

TEST(HttpPieces, AreCutWhenTheClientDoesNotRead) {
    HttpLimits limits;
    limits.idle_seconds = 0.3;
    PieceService service(limits);
    RawClient client = service.client(4096);
    EXPECT_TRUE(eventually([&] { return service.server().counts().cut == 1; }));
    EXPECT_TRUE(eventually([&] { return service.server().counts().connections == 0; }));
}

TEST(HttpPieces, AnAbortedAnswerIsNotWhole) {
    PieceService service;
    RawClient client = service.client(4096);
    EXPECT_TRUE(client.read_until("xxx"));
    service.last()->stream().abort();
    EXPECT_TRUE(client.closed());
    EXPECT_FALSE(client.read().ends_with("0\r\n\r\n"));
    EXPECT_TRUE(service.all_gone());
}

TEST(HttpPieces, DrainingLetsThemEnd) {
    PieceService service;
    RawClient client = service.client(4096);
    EXPECT_TRUE(client.read_until("xxx"));
    auto drained = std::async(std::launch::async, [&] { service.server().drain(20); });
    EXPECT_EQ(client.whole_answer().body.size(), Pieces::kSize * PieceService::kPieces);
    EXPECT_TRUE(client.closed());
    drained.get();
    EXPECT_EQ(service.server().counts().connections, 0);
}

TEST(HttpDrain, FinishesOpenRequestsAndClosesIdleConnections) {
    Service service;
    RawClient idle = service.client();
    EXPECT_EQ(idle.ask(get("/")).status, 200);
    RawClient silent = service.client();
    RawClient waiting = service.client();
    waiting.send(get("/wait"));
    service.reply(0);
    RawClient late = service.client();
    late.send(get("/wait"));
    RawClient following = service.client();
    following.send(get("/events"));
    EXPECT_TRUE(following.read_until("\r\n\r\n"));
    RawClient half = service.client();
    half.send("POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 4\r\n\r\nbo");
    const Reply reply = service.reply(0);
    const Stream stream = service.stream(0);
    EXPECT_TRUE(eventually([&] { return service.server().counts().connections == 6; }));
    const std::uint16_t port = service.server().port();

    const StopWatch watch;
    auto drained = std::async(std::launch::async, [&] { service.server().drain(20); });
    EXPECT_TRUE(idle.closed());
    EXPECT_TRUE(silent.closed());
    EXPECT_TRUE(following.read_until("0\r\n\r\n"));
    EXPECT_TRUE(following.closed());
    EXPECT_FALSE(stream->open());
    EXPECT_FALSE(RawClient(port).connected());
    half.send("dy");
    EXPECT_EQ(half.answer().body, "done");
    EXPECT_TRUE(half.closed());
    EXPECT_EQ(drained.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
    const Stream stillborn = service.reply(1)->stream(kEvents);
    EXPECT_TRUE(late.read_until("0\r\n\r\n"));
    EXPECT_TRUE(late.closed());
    EXPECT_FALSE(stillborn->open());
    reply->send(plain_text("waited for"));
    const Answer answer = waiting.answer();
    EXPECT_EQ(answer.body, "waited for");
    EXPECT_EQ(answer.headers.at("connection"), "close");
    EXPECT_TRUE(waiting.closed());
    drained.get();
    EXPECT_LT(watch.seconds(), 15);
    EXPECT_EQ(service.server().counts().connections, 0);
    service.server().drain(1);
}

TEST(HttpDrain, KeepsItsDeadline) {
    Service service;
    std::vector<RawClient> clients;
    for (int i = 0; i < 20; ++i) {
        clients.push_back(service.client());
        clients.back().send(i % 2 == 0 ? get("/wait") : get("/events"));
    }
    const Reply reply = service.reply(9);
    const Stream stream = service.stream(9);
    const StopWatch watch;
    service.server().drain(0.2);
    EXPECT_GE(watch.seconds(), 0.2);
    EXPECT_LT(watch.seconds(), 5);
    for (RawClient& client : clients) EXPECT_TRUE(client.closed());
    EXPECT_FALSE(stream->open());
    reply->send(plain_text("too late"));
    EXPECT_EQ(service.server().counts().connections, 0);
}

TEST(HttpDrain, AServerMayGoBeforeItsReplies) {
    Service service;
    std::vector<RawClient> clients;
    for (int i = 0; i < 20; ++i) {
        clients.push_back(service.client());
        clients.back().send(i % 2 == 0 ? get("/wait") : get("/events"));
    }
    const Reply reply = service.reply(9);
    const Stream stream = service.stream(9);
    service.destroy_server();
    for (RawClient& client : clients) EXPECT_TRUE(client.closed());
    reply->send(plain_text("too late"));
    EXPECT_FALSE(service.reply(8)->stream(kEvents)->send("too late"));
    EXPECT_FALSE(stream->send("too late"));
    stream->close();
}

/// Answers and events are under way on other threads while everything is closed.
TEST(HttpDrain, IsSafeAtAnyTime) {
    for (int round = 0; round < 6; ++round) {
        Service service;
        std::atomic<bool> over = false;
        std::vector<RawClient> clients;
        for (int i = 0; i < 10; ++i) {
            clients.push_back(service.client());
            clients.back().send(i % 2 == 0 ? get("/wait") : get("/events"));
        }
        std::thread busy([&] {
            for (std::size_t i = 0; i < 5; ++i) service.reply(i)->send(plain_text("an answer"));
            while (!over) {
                for (std::size_t i = 0; i < 5; ++i) service.stream(i)->send("data: event\n\n");
            }
        });
        service.stream(4);
        std::thread more([&] {
            while (!over) RawClient(service.server().port()).send(get("/events"));
        });
        std::this_thread::sleep_for(std::chrono::milliseconds(round));
        const StopWatch watch;
        service.server().drain(round % 2 == 0 ? 0 : 20);
        EXPECT_LT(watch.seconds(), 10) << "something was not closed";
        over = true;
        busy.join();
        more.join();
        EXPECT_EQ(service.server().counts().connections, 0);
        EXPECT_EQ(service.server().counts().streams, 0);
    }
}

}  // namespace
}  // namespace proxstream
