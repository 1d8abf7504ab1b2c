#include "serve/connection_watch.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/tcp.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace proxstream {

namespace {

using Clock = std::chrono::steady_clock;

constexpr double kLingerSeconds = 1;
constexpr int kLingerPieces = 256;  // most pieces of unread bytes that are taken at once
constexpr std::size_t kMostLingering = 64;
constexpr double kSlowestReader = 16 * 1024;  // bytes a second; slower clients are disconnected

double seconds_between(Clock::time_point from, Clock::time_point to) {
    return std::chrono::duration<double>(to - from).count();
}

Clock::duration as_duration(double seconds) {
    return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
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

/// Takes unread bytes from the socket. False: there will be no more.
bool read_away(int socket) {
    std::array<char, 16384> bytes;
    for (int piece = 0; piece < kLingerPieces; ++piece) {
        const ssize_t size = recv(socket, bytes.data(), bytes.size(), MSG_DONTWAIT);
        if (size == 0) return false;
        if (size < 0) return errno == EAGAIN || errno == EINTR;
    }
    return true;
}

}  // namespace

void Connection::enter(ConnectionPhase phase) {
    const std::lock_guard lock(mutex_);
    enter_locked(phase, Clock::now());
}

void Connection::enter_locked(ConnectionPhase phase, Time now) {
    if (phase == phase_) return;
    phase_ = phase;
    since_ = now;
    acknowledged_.reset();
}

void Connection::add_received(std::uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    received_ += bytes;
}

void Connection::set_all_received() {
    const std::lock_guard lock(mutex_);
    received_ = counts_of(socket_).received;
}

void Connection::send_raw(const HttpResponse& error) noexcept {
    std::string text = fmt::format(
        "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n", error.status,
        MHD_get_reason_phrase_for(static_cast<unsigned>(error.status)), error.type, error.body.size());
    for (const auto& [name, value] : kEveryAnswer) text += fmt::format("{}: {}\r\n", name, value);
    for (const auto& [name, value] : error.headers) text += fmt::format("{}: {}\r\n", name, value);
    text += "\r\n" + error.body;
    [[maybe_unused]] const ssize_t sent =
        send(socket_, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

void Connection::refuse(const HttpResponse& error) noexcept {
    refused_ = true;
    lingers_ = true;
    send_raw(error);
    shutdown(socket_, SHUT_WR);
}

void Connection::listen(const std::shared_ptr<ConnectionListener>& listener) {
    bool half_gone = false;
    bool gone = false;
    {
        const std::lock_guard lock(mutex_);
        listener_ = listener;
        half_gone = half_gone_;
        gone = gone_;
    }
    if (half_gone) listener->client_gone(gone);
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
    {
        const std::lock_guard lock(mutex_);
        half_gone_ = true;
        gone_ = gone_ || entirely;
    }
    if (const auto current = listener()) current->client_gone(entirely);
}

ConnectionWatch::ConnectionWatch(const HttpLimits& limits, HttpGauges& gauges)
    : gauges_(gauges), limits_(limits), thread_([this] { run(); }) {}

ConnectionWatch::~ConnectionWatch() {
    {
        const std::lock_guard lock(mutex_);
        stopped_ = true;
    }
    changed_.notify_all();
    thread_.join();
    for (const Lingering& lingering : lingering_) close(lingering.socket);
}

std::shared_ptr<Connection> ConnectionWatch::add(int socket, std::string client) {
    const std::lock_guard lock(mutex_);
    auto connection = std::make_shared<Connection>(socket, std::move(client));
    const auto of_client = clients_.find(connection->client_);
    const bool too_many_of_client =
        (of_client == clients_.end() ? 0 : of_client->second) >= limits_.connections_per_client;
    if (connections_.size() >= limits_.connections || too_many_of_client) {
        ++gauges_.refused;
        HttpResponse error = too_many_of_client ? http_error(429, "too many connections from this client")
                                                : http_error(503, "too many connections");
        error.headers.emplace_back("Retry-After", "1");
        connection->refuse(error);
        shutdown(socket, SHUT_RD);
        return connection;
    }
    ++clients_[connection->client_];
    ++gauges_.connections;
    connections_.insert(connection);
    return connection;
}

void ConnectionWatch::remove(const std::shared_ptr<Connection>& connection) {
    const std::lock_guard lock(mutex_);
    if (connections_.erase(connection) == 0) return;
    --gauges_.connections;
    const auto client = clients_.find(connection->client_);
    if (--client->second == 0) clients_.erase(client);
    if (connection->lingers_ && !connection->cut_ && lingering_.size() < kMostLingering) {
        // The copy keeps the connection from being reset when its descriptor is closed.
        const int copy = fcntl(connection->socket_, F_DUPFD_CLOEXEC, 0);
        if (copy >= 0) {
            shutdown(copy, SHUT_WR);
            lingering_.push_back({copy, Clock::now() + as_duration(kLingerSeconds)});
        }
    }
    if (connections_.empty()) changed_.notify_all();
}

void ConnectionWatch::cut(const std::shared_ptr<Connection>& connection) {
    const std::lock_guard lock(mutex_);
    if (connections_.contains(connection)) cut_locked(*connection);
}

void ConnectionWatch::cut_locked(Connection& connection) {
    if (std::exchange(connection.cut_, true)) return;
    ++gauges_.cut;
    shutdown(connection.socket_, SHUT_RDWR);
}

HttpLimits ConnectionWatch::limits() const {
    const std::lock_guard lock(mutex_);
    return limits_;
}

void ConnectionWatch::set_limits(const HttpLimits& limits) {
    const std::lock_guard lock(mutex_);
    limits_ = limits;
}

void ConnectionWatch::drain(double seconds) {
    constexpr double kStep = 0.01;
    {
        const std::lock_guard lock(mutex_);
        draining_ = true;
    }
    for (const auto& connection : all()) {
        if (const auto listener = connection->listener()) listener->finish();
    }
    std::unique_lock lock(mutex_);
    const Time end = Clock::now() + as_duration(seconds);
    for (Time now = Clock::now(); !connections_.empty(); now = Clock::now()) {
        sweep(now);
        if (now >= end) return;
        changed_.wait_for(lock, as_duration(std::min(kStep, seconds_between(now, end))));
    }
}

void ConnectionWatch::abandon() {
    constexpr double kSeconds = 5;  // the thread that serves them needs far less
    for (const auto& connection : all()) connection->client_gone(true);
    std::unique_lock lock(mutex_);
    for (const auto& connection : connections_) shutdown(connection->socket_, SHUT_RDWR);
    changed_.wait_for(lock, as_duration(kSeconds), [this] { return connections_.empty(); });
}

std::vector<std::shared_ptr<Connection>> ConnectionWatch::all() {
    const std::lock_guard lock(mutex_);
    return {connections_.begin(), connections_.end()};
}

double ConnectionWatch::interval() const {
    return std::clamp(std::min(limits_.request_seconds, limits_.idle_seconds) / 8, 0.005, 0.2);
}

void ConnectionWatch::run() {
    std::unique_lock lock(mutex_);
    while (!stopped_) {
        changed_.wait_for(lock, as_duration(interval()));
        sweep(Clock::now());
        const std::vector<Gone> gone = find_gone();
        lock.unlock();
        for (const auto& [connection, entirely] : gone) connection->client_gone(entirely);
        lock.lock();
    }
}

std::vector<ConnectionWatch::Gone> ConnectionWatch::find_gone() {
    std::vector<pollfd> sockets;
    for (const auto& connection : connections_) sockets.push_back({connection->socket_, POLLRDHUP, 0});
    poll(sockets.data(), sockets.size(), 0);
    std::vector<Gone> gone;
    auto connection = connections_.begin();
    for (const pollfd& socket : sockets) {
        if (socket.revents != 0) {
            // libmicrohttpd does not notice an end that came with the last bytes. This makes it notice.
            shutdown(socket.fd, SHUT_RD);
            gone.push_back({*connection, (socket.revents & (POLLHUP | POLLERR)) != 0});
        }
        ++connection;
    }
    return gone;
}

void ConnectionWatch::sweep(Time now) {
    for (const auto& connection : connections_) inspect(*connection, now);
    std::erase_if(lingering_, [&](const Lingering& lingering) {
        if (now < lingering.end && read_away(lingering.socket)) return false;
        close(lingering.socket);
        return true;
    });
}

void ConnectionWatch::inspect(Connection& connection, Time now) {
    if (connection.cut_) return;
    const std::lock_guard lock(connection.mutex_);
    double seconds = seconds_between(connection.since_, now);
    // A busy connection is not asked: the system call would cost more than the request.
    if (connection.phase_ == ConnectionPhase::waiting && (seconds > interval() || draining_) &&
        counts_of(connection.socket_).received > connection.received_) {
        connection.enter_locked(ConnectionPhase::receiving, now);
        seconds = 0;
    }
    switch (connection.phase_) {
        case ConnectionPhase::waiting:
            // Bytes that have already come can still be read after this.
            if (draining_ || seconds > limits_.idle_seconds) shutdown(connection.socket_, SHUT_RD);
            break;
        case ConnectionPhase::receiving:
            if (seconds > limits_.request_seconds) cut_locked(connection);
            break;
        case ConnectionPhase::sending:
            if (!connection.acknowledged_ || seconds > limits_.idle_seconds) inspect_reader(connection, now);
            break;
        case ConnectionPhase::answering:
        case ConnectionPhase::streaming:
            break;
    }
}

/// A client that reads fast enough gets another period.
void ConnectionWatch::inspect_reader(Connection& connection, Time now) {
    const std::uint64_t acknowledged = counts_of(connection.socket_).acknowledged;
    const auto read = static_cast<double>(acknowledged - connection.acknowledged_.value_or(0));
    if (connection.acknowledged_ && read < kSlowestReader * limits_.idle_seconds)
        return cut_locked(connection);
    connection.acknowledged_ = acknowledged;
    connection.since_ = now;
}

}  // namespace proxstream
