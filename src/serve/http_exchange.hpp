/// One HTTP request, from its first byte to the last byte of its answer. Its connection is suspended until a
/// thread gives the answer, and while a stream has nothing to send.
#pragma once

#include "serve/connection_watch.hpp"
#include "serve/http_server.hpp"
#include "serve/rate_limit.hpp"

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include <microhttpd.h>

namespace proxstream {

/// What the exchanges of a server share. They use it only while the server serves their connection.
struct HttpService {
    HttpService(const HttpLimits& limits, HttpServer::Handler the_handler)
        : handler(std::move(the_handler)), watch(limits, gauges) {}

    HttpServer::Handler handler;
    HttpGauges gauges;
    ConnectionWatch watch;
    RateLimit rates{std::size_t{1} << 16U};
    std::atomic<bool> draining = false;  // connections close after their answer
    std::atomic<bool> stopping = false;  // requests without an answer are dropped
};

class HttpExchange final : public HttpReply,
                           public PieceStream,
                           public ConnectionListener,
                           public std::enable_shared_from_this<HttpExchange> {
  public:
    /// `target` is the path and query as they were sent.
    HttpExchange(HttpService& service, MHD_Connection* handle, std::shared_ptr<Connection> connection,
                 std::string target)
        : service_(service),
          handle_(handle),
          connection_(std::move(connection)),
          target_(std::move(target)) {}

    // Called by the thread that serves the connection, in this order.
    /// Refuses a target with so many parameters that libmicrohttpd would never answer.
    void check_target();
    bool has_head() const noexcept { return has_head_; }
    MHD_Result take_head(const char* path, const char* method, const char* version);
    MHD_Result take_body(std::string_view bytes);
    /// The request is complete: hands it over, then sends the answer or waits for it.
    MHD_Result proceed();
    /// The request is done, or its connection is about to be closed.
    void end();

    // HttpReply. Only the first answer has an effect.
    Demand demand() const override;
    void send(HttpResponse response) override;
    std::shared_ptr<EventStream> stream(HttpResponse head) override;
    std::shared_ptr<PieceStream> send_pieces(HttpResponse head) override;

    // PieceStream.
    bool send(std::string_view text) override;
    bool open() const override;
    void close() override;
    void when_taken(std::function<void()> ready) override;
    void abort() override;

    // ConnectionListener.
    void client_gone(bool entirely) override;
    void finish() override;

  private:
    std::optional<HttpResponse> read_head(const char* path, const char* method, const char* version);
    void hand_over();
    MHD_Result queue_response(bool close);
    void begin_stream(HttpResponse head, bool in_pieces);
    static ssize_t fill(void* exchange, std::uint64_t position, char* buffer, std::size_t size);
    ssize_t take(char* buffer, std::size_t size, std::function<void()>& ready);
    // The lock is held in these.
    void hold(std::size_t bytes);
    void cut();
    void suspend();
    void resume();

    HttpService& service_;
    mutable std::mutex mutex_;  // once the request is handed over
    MHD_Connection* handle_;    // null: the request is done
    std::shared_ptr<Connection> connection_;
    bool suspended_ = false;

    std::string target_;
    HttpRequest request_;
    HttpLimits limits_;  // when the head came
    bool has_head_ = false;
    bool chunked_ = false;
    bool handed_over_ = false;
    std::size_t held_ = 0;  // bytes of the body, or of the answer

    std::optional<HttpResponse> response_;
    bool streams_ = false;    // events or pieces follow the response's head
    bool in_pieces_ = false;  // and come to an end by themselves
    bool streaming_ = false;  // events have begun
    bool closed_ = false;     // no further ones
    std::string events_;      // that wait to be sent, or a piece
    std::function<void()> ready_;
    bool half_gone_ = false;  // the client sends no more
    bool gone_ = false;       // nothing can be sent to the client
};

}  // namespace proxstream
