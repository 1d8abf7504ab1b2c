/// HTTP as the service sees it: requests that are whole, replies that may be given later and from any thread,
/// streams of server-sent events. Limits are kept here: sizes, times, connections, rates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace proxstream {

struct HttpRequest {
    std::string method;                          // GET, POST, ..
    std::string path;                            // decoded, without the query
    std::map<std::string, std::string> query;    // decoded
    std::map<std::string, std::string> headers;  // names in lower case
    std::string body;
    std::string client;  // address, without port
};

struct HttpResponse {
    int status = 200;
    std::string type = "application/json";
    std::string body = {};
    std::vector<std::pair<std::string, std::string>> headers = {};
};

/// A stream of events to one client. A client that does not read is cut off when more than a bound waits for
/// it.
class EventStream {
  public:
    virtual ~EventStream() = default;
    /// False: the client is gone, and nothing will reach it any more.
    virtual bool send(std::string_view text) = 0;
    virtual bool open() const = 0;
    virtual void close() = 0;
};

/// The answer to one request: given once, by send() or stream(), from any thread. One that is destroyed
/// without an answer answers 500.
class HttpReply {
  public:
    virtual ~HttpReply() = default;
    virtual void send(HttpResponse response) = 0;
    /// Headers go out at once, the rest as it comes.
    virtual std::shared_ptr<EventStream> stream(HttpResponse head) = 0;
};

struct HttpLimits {
    std::size_t body = std::size_t{1} << 20U;    // bytes; more is answered 413 and cut
    std::size_t header = std::size_t{1} << 15U;  // bytes of request line and headers; 431
    double request_seconds = 10;                 // from the first byte of a request to its last; then cut
    double idle_seconds = 60;                    // between requests of a connection
    std::size_t connections = 16384;
    std::size_t connections_per_client = 16384;  // a proxy is one client
    double rate = 0;   // requests a second a client; 0: no limit; 429 with Retry-After
    double burst = 0;  // that may come at once; 0: the rate
    std::size_t waiting_events = std::size_t{1} << 20U;  // bytes that may wait for a client of a stream
};

struct HttpCounts {
    std::uint64_t connections = 0;  // open now
    std::uint64_t requests = 0;     // handled
    std::uint64_t refused = 0;      // by a limit
    std::uint64_t cut = 0;          // too slow
    std::uint64_t streams = 0;      // open now
};

class HttpServer {
  public:
    using Handler = std::function<void(HttpRequest, std::shared_ptr<HttpReply>)>;

    struct Options {
        std::string address = "127.0.0.1";  // or ::1, 0.0.0.0, ..
        std::uint16_t port = 8390;          // 0: any that is free
        HttpLimits limits = {};
        unsigned threads = 1;
    };

    /// Listens; throws IoError naming address and port. The handler must not block.
    HttpServer(const Options& options, Handler handler);
    ~HttpServer();
    HttpServer(const HttpServer&) = delete;
    HttpServer& operator=(const HttpServer&) = delete;

    std::uint16_t port() const noexcept;
    HttpCounts counts() const;
    /// Other limits for requests to come.
    void set_limits(const HttpLimits& limits);
    /// No new connections; what is being answered still is, up to so many seconds; then everything is closed.
    void drain(double seconds);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace proxstream
