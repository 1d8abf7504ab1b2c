#include "serve/connection_watch.hpp"

#include "proxstream/core/error.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

namespace proxstream {

namespace {

constexpr unsigned kPhaseBits = 3;
constexpr std::uint64_t kWakeUp = 0;
constexpr std::uint64_t kLingers = std::uint64_t{1} << 63U;
constexpr double kLingerSeconds = 1;
constexpr std::size_t kLingerBytes = std::size_t{4} << 20U;
constexpr std::size_t kLingerers = 64;
// A client that reads its answer more slowly than this, in bytes a second, is cut.
constexpr double kSlowestReader = 16 * 1024;

double seconds_between(std::chrono::steady_clock::time_point from, std::chrono::steady_clock::time_point to) {
    return std::chrono::duration<double>(to - from).count();
}

std::chrono::steady_clock::duration as_duration(double seconds) {
    return std::chrono::duration_cast<std::chrono::steady_clock::duration>(
        std::chrono::duration<double>(seconds));
}

struct ByteCounts {
    std::uint64_t received;
    std::uint64_t acknowledged;
};

/// Bytes that came, and that the client has, since the connection was opened.
ByteCounts counts_of(int socket) noexcept {
    tcp_info info{};
    socklen_t size = sizeof info;
    if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return {0, 0};
    return {info.tcpi_bytes_received, info.tcpi_bytes_acked};
}

void register_socket(int epoll, int socket, std::uint32_t events, std::uint64_t id) {
    epoll_event event{};
    event.events = events;
    event.data.u64 = id;
    epoll_ctl(epoll, EPOLL_CTL_ADD, socket, &event);
}

}  // namespace

std::string http_error_body(int status, const std::string& message) {
    return fmt::format(R"({{"error":{{"status":{},"message":"{}"}}}})"
                       "\n",
                       status, message);
}

void Connection::enter(ConnectionPhase phase) noexcept {
    const std::uint64_t number = state_.load(std::memory_order_relaxed) >> kPhaseBits;
    state_.store(number << kPhaseBits | static_cast<std::uint64_t>(phase), std::memory_order_release);
}

void Connection::end_request() noexcept {
    const std::uint64_t number = state_.load(std::memory_order_relaxed) >> kPhaseBits;
    state_.store((number + 1) << kPhaseBits, std::memory_order_release);
}

void Connection::add_received(std::uint64_t bytes) noexcept {
    received_.fetch_add(bytes, std::memory_order_relaxed);
}

void Connection::set_all_received() noexcept {
    received_.store(counts_of(socket_).received, std::memory_order_relaxed);
}

void Connection::send_raw(const std::string& text) noexcept {
    [[maybe_unused]] const ssize_t sent =
        send(socket_, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

bool Connection::request_under_way() const noexcept {
    return counts_of(socket_).received > received_.load(std::memory_order_relaxed);
}

void Connection::listen(const std::shared_ptr<ConnectionListener>& listener) {
    bool tell = false;
    bool entirely = false;
    {
        const std::lock_guard lock(mutex_);
        listener_ = listener;
        tell = half_gone_ || gone_;
        entirely = gone_;
    }
    if (tell) listener->client_gone(entirely);
}

void Connection::forget_listener() {
    const std::lock_guard lock(mutex_);
    listener_.reset();
}

std::shared_ptr<ConnectionListener> Connection::listener() {
    const std::lock_guard lock(mutex_);
    return listener_.lock();
}

void Connection::client_gone(bool entirely) {
    std::shared_ptr<ConnectionListener> listener;
    {
        const std::lock_guard lock(mutex_);
        half_gone_ = true;
        gone_ = gone_ || entirely;
        listener = listener_.lock();
    }
    if (listener) listener->client_gone(entirely);
}

ConnectionWatch::ConnectionWatch(const HttpLimits& limits, HttpGauges& gauges)
    : gauges_(gauges), epoll_(epoll_create1(EPOLL_CLOEXEC)), limits_(limits) {
    if (epoll_ < 0) throw IoError("connections", "cannot be watched", errno);
    wake_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (wake_ < 0) {
        const int error = errno;
        close(epoll_);
        throw IoError("connections", "cannot be watched", error);
    }
    register_socket(epoll_, wake_, EPOLLIN, kWakeUp);
    thread_ = std::thread([this] { run(); });
}

ConnectionWatch::~ConnectionWatch() {
    {
        const std::lock_guard lock(mutex_);
        stopped_ = true;
    }
    wake();
    thread_.join();
    for (const auto& [socket, lingering] : lingering_) close(socket);
    close(wake_);
    close(epoll_);
}

std::shared_ptr<Connection> ConnectionWatch::add(int socket, std::string client) {
    const std::lock_guard lock(mutex_);
    auto connection = std::make_shared<Connection>(next_id_++, socket, std::move(client));
    std::size_t& of_client = clients_[connection->client_];
    const bool too_many_of_client = of_client >= limits_.connections_per_client;
    if (connections_.size() >= limits_.connections || too_many_of_client) {
        if (of_client == 0) clients_.erase(connection->client_);
        connection->refused_ = true;
        ++gauges_.refused;
        const int status = too_many_of_client ? 429 : 503;
        const std::string body = http_error_body(
            status, too_many_of_client ? "too many connections from this client" : "too many connections");
        connection->send_raw(fmt::format(
            "HTTP/1.1 {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n"
            "Retry-After: 1\r\nConnection: close\r\n\r\n{}",
            too_many_of_client ? "429 Too Many Requests" : "503 Service Unavailable", body.size(), body));
        shutdown(socket, SHUT_RDWR);
        return connection;
    }
    ++of_client;
    ++gauges_.connections;
    connections_.emplace(connection->id_, connection);
    register_socket(epoll_, socket, EPOLLRDHUP | EPOLLET, connection->id_);
    return connection;
}

void ConnectionWatch::remove(const Connection& connection) {
    const std::lock_guard lock(mutex_);
    if (connections_.erase(connection.id_) == 0) return;
    --gauges_.connections;
    const auto client = clients_.find(connection.client_);
    if (--client->second == 0) clients_.erase(client);
    epoll_ctl(epoll_, EPOLL_CTL_DEL, connection.socket_, nullptr);
    if (connection.lingers_ && !connection.cut_ && lingering_.size() < kLingerers) {
        // The copy keeps the connection from being reset when its descriptor is closed.
        const int copy = fcntl(connection.socket_, F_DUPFD_CLOEXEC, 0);
        if (copy >= 0) {
            shutdown(copy, SHUT_WR);
            lingering_[copy] = {std::chrono::steady_clock::now() + as_duration(kLingerSeconds), 0};
            register_socket(epoll_, copy, EPOLLIN, kLingers | static_cast<std::uint64_t>(copy));
        }
    }
    if (connections_.empty()) empty_.notify_all();
}

void ConnectionWatch::cut(Connection& connection) {
    const std::lock_guard lock(mutex_);
    if (connections_.contains(connection.id_)) cut_locked(connection);
}

void ConnectionWatch::cut_locked(Connection& connection) {
    if (connection.cut_) return;
    connection.cut_ = true;
    ++gauges_.cut;
    shutdown(connection.socket_, SHUT_RDWR);
}

void ConnectionWatch::set_limits(const HttpLimits& limits) {
    {
        const std::lock_guard lock(mutex_);
        limits_ = limits;
    }
    wake();
}

void ConnectionWatch::retire() {
    {
        const std::lock_guard lock(mutex_);
        retired_ = true;
    }
    for (const auto& connection : all()) {
        if (const auto listener = connection->listener()) listener->wind_up();
    }
    wake();
}

bool ConnectionWatch::wait_until_empty(double seconds) {
    std::unique_lock lock(mutex_);
    return empty_.wait_for(lock, as_duration(seconds), [&] { return connections_.empty(); });
}

void ConnectionWatch::abandon() {
    for (const auto& connection : all()) connection->client_gone(true);
}

std::vector<std::shared_ptr<Connection>> ConnectionWatch::all() {
    const std::lock_guard lock(mutex_);
    std::vector<std::shared_ptr<Connection>> connections;
    connections.reserve(connections_.size());
    for (const auto& [id, connection] : connections_) connections.push_back(connection);
    return connections;
}

void ConnectionWatch::wake() const {
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = write(wake_, &one, sizeof one);
}

double ConnectionWatch::interval() const {
    if (retired_) return 0.01;
    return std::clamp(std::min(limits_.request_seconds, limits_.idle_seconds) / 8, 0.005, 1.0);
}

void ConnectionWatch::run() {
    std::array<epoll_event, 64> events{};
    Time last = std::chrono::steady_clock::now();
    for (;;) {
        double wait = 0;
        {
            const std::lock_guard lock(mutex_);
            if (stopped_) return;
            const Time now = std::chrono::steady_clock::now();
            if (seconds_between(last, now) >= interval()) {
                sweep(now);
                last = now;
            }
            wait = interval() - seconds_between(last, now);
        }
        const int count = epoll_wait(epoll_, events.data(), static_cast<int>(events.size()),
                                     static_cast<int>(std::max(wait, 0.0) * 1000) + 1);
        for (int i = 0; i < count; ++i) {
            const epoll_event& event = events[static_cast<std::size_t>(i)];
            if (event.data.u64 == kWakeUp) {
                std::uint64_t number = 0;
                [[maybe_unused]] const ssize_t size = read(wake_, &number, sizeof number);
            } else if ((event.data.u64 & kLingers) != 0) {
                read_away(static_cast<int>(event.data.u64 & ~kLingers));
            } else {
                tell(event.data.u64, event.events);
            }
        }
    }
}

void ConnectionWatch::tell(std::uint64_t id, std::uint32_t events) {
    std::shared_ptr<Connection> connection;
    {
        const std::lock_guard lock(mutex_);
        const auto found = connections_.find(id);
        if (found == connections_.end()) return;
        connection = found->second;
        // The library does not look for an end that came together with the last bytes; this makes it look.
        shutdown(connection->socket_, SHUT_RD);
    }
    connection->client_gone((events & (EPOLLHUP | EPOLLERR)) != 0);
}

void ConnectionWatch::sweep(Time now) {
    for (const auto& [id, connection] : connections_) inspect(*connection, now);
    std::vector<int> over;
    for (const auto& [socket, lingering] : lingering_) {
        if (now >= lingering.end) over.push_back(socket);
    }
    for (const int socket : over) end_lingering(socket);
}

void ConnectionWatch::inspect(Connection& connection, Time now) {
    if (connection.cut_) return;
    const std::uint64_t state = connection.state_.load(std::memory_order_acquire);
    auto phase = static_cast<ConnectionPhase>(state & ((1U << kPhaseBits) - 1));
    // Whoever is busy is not asked: only a connection that has not moved since the last time is looked at.
    const bool still = (connection.stage_ >> kPhaseBits) == (state >> kPhaseBits);
    if (phase == ConnectionPhase::waiting && (still || retired_)) {
        if (connection.request_under_way()) phase = ConnectionPhase::receiving;
    }
    if (connection.state_.load(std::memory_order_acquire) != state) return;
    const std::uint64_t stage = (state >> kPhaseBits) << kPhaseBits | static_cast<std::uint64_t>(phase);
    if (stage != connection.stage_) {
        connection.stage_ = stage;
        connection.stage_began_ = now;
        if (phase == ConnectionPhase::sending)
            connection.acknowledged_ = counts_of(connection.socket_).acknowledged;
    }
    const double seconds = seconds_between(connection.stage_began_, now);
    switch (phase) {
        case ConnectionPhase::waiting:
            // What has come already can still be read after this.
            if (retired_ || seconds > limits_.idle_seconds) shutdown(connection.socket_, SHUT_RD);
            break;
        case ConnectionPhase::receiving:
            if (seconds > limits_.request_seconds) cut_locked(connection);
            break;
        case ConnectionPhase::sending:
            if (seconds > limits_.idle_seconds) inspect_reader(connection, now);
            break;
        case ConnectionPhase::answering:
        case ConnectionPhase::streaming:
            break;
    }
}

/// Whoever reads fast enough gets another period.
void ConnectionWatch::inspect_reader(Connection& connection, Time now) {
    const std::uint64_t acknowledged = counts_of(connection.socket_).acknowledged;
    const auto read = static_cast<double>(acknowledged - connection.acknowledged_);
    if (read < kSlowestReader * limits_.idle_seconds) {
        cut_locked(connection);
        return;
    }
    connection.stage_began_ = now;
    connection.acknowledged_ = acknowledged;
}

void ConnectionWatch::read_away(int socket) {
    const std::lock_guard lock(mutex_);
    const auto found = lingering_.find(socket);
    if (found == lingering_.end()) return;
    std::array<char, 16384> bytes;
    const ssize_t size = recv(socket, bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
    found->second.bytes += static_cast<std::size_t>(std::max<ssize_t>(size, 0));
    if (size <= 0 || found->second.bytes > kLingerBytes) end_lingering(socket);
}

void ConnectionWatch::end_lingering(int socket) {
    lingering_.erase(socket);
    close(socket);
}

}  // namespace proxstream
