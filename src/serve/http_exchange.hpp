/// One request that is being answered: the connection is suspended until somebody answers, on whatever
/// thread.
#pragma once

#include "serve/connection_watch.hpp"
#include "serve/http_server.hpp"
#include "serve/http_stream.hpp"

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>

#include <microhttpd.h>

namespace proxstream {

/// What exchanges need of their server. They ask only while it serves their connection.
struct HttpService {
    explicit HttpService(const HttpLimits& limits) : watch(limits, gauges) {}

    HttpGauges gauges;
    ConnectionWatch watch;
    std::atomic<bool> draining = false;  // connections end with their answer
    std::atomic<bool> stopping = false;  // nobody waits any more
};

class HttpExchange final : public ConnectionListener, public std::enable_shared_from_this<HttpExchange> {
  public:
    HttpExchange(HttpService& service, MHD_Connection* handle, std::shared_ptr<Connection> connection,
                 std::size_t waiting_events)
        : service_(service),
          handle_(handle),
          connection_(std::move(connection)),
          waiting_events_(waiting_events) {}

    // For the thread that serves the connection.

    /// Sends the answer if it is there, and waits for it otherwise.
    MHD_Result proceed();
    /// The connection is done with this request, or is about to be closed.
    void end();

    // For any thread.

    /// What comes second has no effect.
    void answer(HttpResponse response);
    std::shared_ptr<EventStream> answer_with_stream(HttpResponse head);

    void client_gone(bool entirely) override;
    void wind_up() override;

  private:
    void resume();

    HttpService& service_;
    std::mutex mutex_;
    MHD_Connection* handle_;  // none: over
    std::shared_ptr<Connection> connection_;
    std::size_t waiting_events_;
    std::optional<HttpResponse> response_;
    std::shared_ptr<HttpStream> stream_;
    bool suspended_ = false;
    bool half_gone_ = false;
    bool gone_ = false;
    bool streaming_ = false;
};

/// The reply that a handler gets: answers 500 if nobody else does.
std::shared_ptr<HttpReply> make_reply(std::shared_ptr<HttpExchange> exchange);

/// The error as a response.
HttpResponse http_error(int status, const std::string& message);
/// Hands a response to the connection. Its body must live until the request is over; `stream`: comes after
/// it, instead of the body.
MHD_Result queue_response(MHD_Connection* handle, const HttpResponse& response, HttpStream* stream,
                          bool close);

}  // namespace proxstream
