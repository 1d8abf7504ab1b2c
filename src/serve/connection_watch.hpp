/// Keeps the times of connections, from a thread of its own: those that take too long over a request are cut,
/// idle ones closed, and whoever waits for a client that has gone is told. Limits of their number are kept
/// here too.
///
/// A socket is touched only while its connection is registered, under the lock that remove() takes before the
/// descriptor is closed: it cannot be another connection's by then.
#pragma once

#include "serve/http_server.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>

namespace proxstream {

struct HttpGauges {
    std::atomic<std::uint64_t> connections = 0;
    std::atomic<std::uint64_t> requests = 0;
    std::atomic<std::uint64_t> refused = 0;
    std::atomic<std::uint64_t> cut = 0;
    std::atomic<std::uint64_t> streams = 0;
};

/// Who has a request of a connection under way.
class ConnectionListener {
  public:
    virtual ~ConnectionListener() = default;
    /// The client has closed its side; `entirely`: nothing can reach it either.
    virtual void client_gone(bool entirely) = 0;
    /// The server drains: what has no end of its own has to end.
    virtual void wind_up() = 0;
};

enum class ConnectionPhase : std::uint8_t { waiting, receiving, answering, sending, streaming };

/// A connection as the thread that serves it and the watch share it.
class Connection {
  public:
    Connection(std::uint64_t id, int socket, std::string client)
        : id_(id), socket_(socket), client_(std::move(client)) {}

    std::uint64_t id() const noexcept { return id_; }
    const std::string& client() const noexcept { return client_; }

    // For the thread that serves it.
    void enter(ConnectionPhase phase) noexcept;
    void end_request() noexcept;
    void add_received(std::uint64_t bytes) noexcept;
    /// All that has come so far belongs to requests that are complete.
    void set_all_received() noexcept;
    /// Writes what fits into the socket, past whatever serves it.
    void send_raw(const std::string& text) noexcept;
    /// Once closed, what the client still sends is read for a moment: closing on unread bytes would reset the
    /// connection, and the client might never see what it was answered.
    void linger() noexcept { lingers_ = true; }
    bool refused() const noexcept { return refused_; }

    /// Who is told from now on; at once, if the client has gone already.
    void listen(const std::shared_ptr<ConnectionListener>& listener);
    void forget_listener();

  private:
    friend class ConnectionWatch;

    std::shared_ptr<ConnectionListener> listener();
    void client_gone(bool entirely);
    /// The bytes of a request that is not complete have come.
    bool request_under_way() const noexcept;

    std::uint64_t id_;
    int socket_;
    std::string client_;
    bool refused_ = false;
    bool lingers_ = false;
    std::atomic<std::uint64_t> state_ = 0;  // number of the request, phase
    std::atomic<std::uint64_t> received_ = 0;

    std::mutex mutex_;
    std::weak_ptr<ConnectionListener> listener_;
    bool half_gone_ = false;
    bool gone_ = false;

    // For the watch.
    std::uint64_t stage_ = 0;
    std::chrono::steady_clock::time_point stage_began_ = std::chrono::steady_clock::now();
    std::uint64_t acknowledged_ = 0;  // when it began
    bool cut_ = false;
};

class ConnectionWatch {
  public:
    ConnectionWatch(const HttpLimits& limits, HttpGauges& gauges);
    ~ConnectionWatch();
    ConnectionWatch(const ConnectionWatch&) = delete;
    ConnectionWatch& operator=(const ConnectionWatch&) = delete;

    /// Registers a connection; one too many is told so, and is refused().
    std::shared_ptr<Connection> add(int socket, std::string client);
    /// To be called before the socket is closed.
    void remove(const Connection& connection);
    void cut(Connection& connection);
    void set_limits(const HttpLimits& limits);

    /// From now on connections are closed when they are idle; listeners are told to wind up.
    void retire();
    /// False: some connection is still there after so many seconds.
    bool wait_until_empty(double seconds);
    /// Tells every listener that its client has gone.
    void abandon();

  private:
    using Time = std::chrono::steady_clock::time_point;
    struct Lingering {
        Time end;
        std::size_t bytes;
    };

    void run();
    void sweep(Time now);
    /// The lock is held, here and below.
    void inspect(Connection& connection, Time now);
    void inspect_reader(Connection& connection, Time now);
    void cut_locked(Connection& connection);
    void tell(std::uint64_t id, std::uint32_t events);
    void read_away(int socket);
    void end_lingering(int socket);
    double interval() const;
    void wake() const;
    std::vector<std::shared_ptr<Connection>> all();

    HttpGauges& gauges_;
    int epoll_ = -1;
    int wake_ = -1;
    std::mutex mutex_;
    std::condition_variable empty_;
    std::unordered_map<std::uint64_t, std::shared_ptr<Connection>> connections_;
    std::unordered_map<std::string, std::size_t> clients_;
    std::unordered_map<int, Lingering> lingering_;
    HttpLimits limits_;
    std::uint64_t next_id_ = 1;
    bool retired_ = false;
    bool stopped_ = false;
    std::thread thread_;
};

/// The body that tells of an error.
std::string http_error_body(int status, const std::string& message);

}  // namespace proxstream
