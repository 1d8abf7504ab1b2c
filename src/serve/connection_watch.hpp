/// Enforces the limits on connections from a thread of its own, which looks at all of them several times a
/// second. It disconnects clients that are too slow, closes idle connections, and reports clients that have
/// gone.
///
/// A socket is touched only while its connection is registered, under the lock that remove() takes before the
/// descriptor is closed. So the descriptor cannot belong to another connection by then.
#pragma once

#include "serve/http_server.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace proxstream {

using HttpGauges = HttpNumbers<std::atomic<std::uint64_t>>;

struct HttpHeader {
    const char* name;
    const char* value;
};
/// Headers of every answer: browsers show it in no frame, hand it to no other site, and guess no type.
inline constexpr std::array kEveryAnswer{HttpHeader{"Content-Security-Policy", "frame-ancestors 'none'"},
                                         HttpHeader{"X-Frame-Options", "DENY"},
                                         HttpHeader{"Cross-Origin-Resource-Policy", "same-origin"},
                                         HttpHeader{"X-Content-Type-Options", "nosniff"}};

/// The request that a connection works on.
class ConnectionListener {
  public:
    virtual ~ConnectionListener() = default;
    /// The client has closed its side; `entirely`: nothing can be sent to it either.
    virtual void client_gone(bool entirely) = 0;
    /// The server drains: an endless answer has to end.
    virtual void finish() = 0;
};

enum class ConnectionPhase : std::uint8_t { waiting, receiving, answering, sending, streaming };

/// A connection, shared by the thread that serves it and by the watch.
class Connection {
  public:
    using Time = std::chrono::steady_clock::time_point;

    Connection(int socket, std::string client) : socket_(socket), client_(std::move(client)) {}

    const std::string& client() const noexcept { return client_; }

    // For the thread that serves it.
    void enter(ConnectionPhase phase);
    void add_received(std::uint64_t bytes);
    /// All bytes received so far belong to complete requests.
    void set_all_received();
    /// Writes an error into the socket, as far as it fits, without the library that serves the connection.
    void send_raw(const HttpResponse& error) noexcept;
    /// After the close, reads on for a moment. Closing with unread bytes would reset the connection, and the
    /// client might not see its answer.
    void linger() noexcept { lingers_ = true; }
    /// Answers with an error, and lets the library send nothing more.
    void refuse(const HttpResponse& error) noexcept;
    bool refused() const noexcept { return refused_; }

    /// Reports to `listener` from now on; at once, if the client has already gone.
    void listen(const std::shared_ptr<ConnectionListener>& listener);
    void forget_listener();

  private:
    friend class ConnectionWatch;

    std::shared_ptr<ConnectionListener> listener();
    void client_gone(bool entirely);
    void enter_locked(ConnectionPhase phase, Time now);

    const int socket_;
    const std::string client_;
    bool refused_ = false;
    bool lingers_ = false;
    bool cut_ = false;  // guarded by the watch

    std::mutex mutex_;  // guards the members below
    ConnectionPhase phase_ = ConnectionPhase::waiting;
    Time since_ = std::chrono::steady_clock::now();  // in this phase
    std::uint64_t received_ = 0;                     // bytes of complete requests
    std::optional<std::uint64_t> acknowledged_;      // bytes the client had at since_, while sending
    std::weak_ptr<ConnectionListener> listener_;
    bool half_gone_ = false;
    bool gone_ = false;
};

class ConnectionWatch {
  public:
    ConnectionWatch(const HttpLimits& limits, HttpGauges& gauges);
    ~ConnectionWatch();
    ConnectionWatch(const ConnectionWatch&) = delete;
    ConnectionWatch& operator=(const ConnectionWatch&) = delete;

    /// Registers a connection. If it is one too many, answers with an error and returns it as refused().
    std::shared_ptr<Connection> add(int socket, std::string client);
    /// Must be called before the socket is closed.
    void remove(const std::shared_ptr<Connection>& connection);
    void cut(const std::shared_ptr<Connection>& connection);
    HttpLimits limits() const;
    void set_limits(const HttpLimits& limits);

    /// Closes idle connections and lets listeners finish, until no connection is left or the time is over.
    void drain(double seconds);
    /// Disconnects all clients, tells their listeners so, and waits until the library has closed. It fails if
    /// it is stopped while it refuses a request.
    void abandon();

  private:
    using Time = Connection::Time;
    struct Lingering {
        int socket;
        Time end;
    };

    struct Gone {
        std::shared_ptr<Connection> connection;
        bool entirely;
    };

    void run();
    // The lock is held in these.
    void sweep(Time now);
    void inspect(Connection& connection, Time now);
    void inspect_reader(Connection& connection, Time now);
    void cut_locked(Connection& connection);
    std::vector<Gone> find_gone();
    double interval() const;

    std::vector<std::shared_ptr<Connection>> all();

    HttpGauges& gauges_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;  // stopped, or no connection is left
    std::unordered_set<std::shared_ptr<Connection>> connections_;
    std::unordered_map<std::string, std::size_t> clients_;
    std::vector<Lingering> lingering_;
    HttpLimits limits_;
    bool draining_ = false;
    bool stopped_ = false;
    std::thread thread_;
};

}  // namespace proxstream
