/// HTTP as the service uses it: whole requests, replies that any thread may give later, long answers in
/// pieces, and streams of server-sent events. The server enforces limits on sizes, times, connections, rates
/// and memory.
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

/// {"error":{"status":..,"message":..}}
HttpResponse http_error(int status, std::string_view message);

/// A stream of events to one client. A client that reads too slowly is disconnected.
class EventStream {
  public:
    virtual ~EventStream() = default;
    /// False: the client has gone or the stream is closed.
    virtual bool send(std::string_view text) = 0;
    virtual bool open() const = 0;
    virtual void close() = 0;
};

/// A long answer. The next piece is made when the connection has taken the last one, so that a slow client
/// holds one piece in memory. The server lets it end when it drains.
class PieceStream : public EventStream {
  public:
    /// Calls `ready` once, from any thread, when everything sent was taken. It must not block, and is dropped
    /// if the client goes.
    virtual void when_taken(std::function<void()> ready) = 0;
    /// Disconnects the client, so that it does not take the answer for a whole one.
    virtual void abort() = 0;
};

/// Whether the work for an answer is worth doing: the client has gone; or memory is short, and the client has
/// to come again.
enum class Demand : std::uint8_t { wanted, gone, busy };

/// The answer to one request: given once, by send(), stream() or send_pieces(), from any thread. A reply that
/// is destroyed without an answer answers 500.
class HttpReply {
  public:
    virtual ~HttpReply() = default;
    virtual Demand demand() const = 0;
    virtual void send(HttpResponse response) = 0;
    /// Sends the headers at once, and events as they come.
    virtual std::shared_ptr<EventStream> stream(HttpResponse head) = 0;
    virtual std::shared_ptr<PieceStream> send_pieces(HttpResponse head) = 0;
};

struct HttpLimits {
    std::size_t body = std::size_t{1} << 20U;    // bytes; larger ones are answered 413, then disconnected
    std::size_t header = std::size_t{1} << 15U;  // bytes of request line and headers; 431
    double request_seconds = 10;                 // from a request's first byte to its last; then disconnected
    double idle_seconds = 60;                    // between requests of a connection
    std::size_t connections = 16384;
    std::size_t connections_per_client = 16384;  // a proxy is one client
    double rate = 0;   // requests a second and client; 0: no limit; 429 with Retry-After
    double burst = 0;  // requests that may come at once; 0: the rate
    std::size_t waiting_events = std::size_t{1} << 20U;  // bytes that may wait for the client of a stream
    std::size_t waiting = std::size_t{1} << 28U;         // bytes of all bodies and answers in memory; 503
};

template <class Number>
struct HttpNumbers {
    Number connections{0};  // open now
    Number requests{0};     // handled
    Number refused{0};      // by a limit
    Number cut{0};          // disconnected for being too slow
    Number streams{0};      // open now
    Number waiting{0};      // bytes of bodies and answers in memory
};
using HttpCounts = HttpNumbers<std::uint64_t>;

/// Raises the limit of open descriptors to `wanted`, as far as the system allows. Returns the new limit.
std::size_t raise_descriptors(std::size_t wanted);

class HttpServer {
  public:
    using Handler = std::function<void(HttpRequest, std::shared_ptr<HttpReply>)>;

    struct Options {
        std::string address = "127.0.0.1";  // or ::1, 0.0.0.0, ..
        std::uint16_t port = 8390;          // 0: any free port
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
    /// Changes the limits of later requests.
    void set_limits(const HttpLimits& limits);
    /// Accepts no new connections, waits up to `seconds` for the answers to open requests, and closes.
    void drain(double seconds);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace proxstream
