#include "serve/http_server.hpp"

#include "proxstream/core/error.hpp"

#include "serve/http_exchange.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>
#include <mutex>
#include <utility>

#include <fmt/format.h>
#include <microhttpd.h>
#include <netdb.h>
#include <sys/resource.h>
#include <unistd.h>

namespace proxstream {

namespace {

constexpr unsigned kBacklog = 4096;
// Descriptors for everything but connections: stores, files, the server itself.
constexpr std::size_t kOtherDescriptors = 1024;
// Bytes for the parsed headers of a request, and for the head of its answer.
constexpr std::size_t kParsedHead = 8192;

/// What libmicrohttpd keeps of a connection. The exchange belongs to it, because the library forgets requests
/// that it refuses in the middle of their target.
struct Served {
    std::shared_ptr<Connection> connection;
    std::shared_ptr<HttpExchange> exchange = nullptr;  // of the present request

    void end_exchange() {
        if (exchange) std::exchange(exchange, nullptr)->end();
    }
};

Served& served_of(MHD_Connection* handle) {
    const MHD_ConnectionInfo* info = MHD_get_connection_info(handle, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return *static_cast<Served*>(info->socket_context);
}

/// The address of a client, without its port. An IPv4 address that came through IPv6 is written as IPv4.
std::string client_of(MHD_Connection* handle) {
    const MHD_ConnectionInfo* info = MHD_get_connection_info(handle, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    const sockaddr* address = info == nullptr ? nullptr : info->client_addr;
    if (address == nullptr) return "unknown";
    const socklen_t size = address->sa_family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
    std::array<char, NI_MAXHOST> text{};
    if (getnameinfo(address, size, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) != 0)
        return "unknown";
    const std::string_view client = text.data();
    constexpr std::string_view kMapped = "::ffff:";
    const bool mapped = client.starts_with(kMapped) && client.find('.') != client.npos;
    return std::string(mapped ? client.substr(kMapped.size()) : client);
}

// The callbacks of libmicrohttpd, in the order in which a connection meets them. The context of a connection
// is its Served, that of a request its HttpExchange.

void on_connection(void* service, MHD_Connection* handle, void** context,
                   MHD_ConnectionNotificationCode code) {
    ConnectionWatch& watch = static_cast<HttpService*>(service)->watch;
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        const MHD_ConnectionInfo* info = MHD_get_connection_info(handle, MHD_CONNECTION_INFO_CONNECTION_FD);
        auto connection = watch.add(info->connect_fd, client_of(handle));
        *context = std::make_unique<Served>(Served{std::move(connection)}).release();
    } else {
        const std::unique_ptr<Served> served(static_cast<Served*>(std::exchange(*context, nullptr)));
        served->end_exchange();
        watch.remove(served->connection);
    }
}

void* on_target(void* service, const char* target, MHD_Connection* handle) {
    Served& served = served_of(handle);
    served.end_exchange();
    served.connection->enter(ConnectionPhase::receiving);
    served.exchange = std::make_shared<HttpExchange>(*static_cast<HttpService*>(service), handle,
                                                     served.connection, target);
    served.exchange->check_target();
    return served.exchange.get();
}

// NOLINTNEXTLINE(readability-function-size): the parameters are the library's
MHD_Result on_access(void* /*service*/, MHD_Connection* /*handle*/, const char* path, const char* method,
                     const char* version, const char* bytes, std::size_t* size, void** context) {
    HttpExchange& exchange = *static_cast<HttpExchange*>(*context);
    if (!exchange.has_head()) return exchange.take_head(path, method, version);
    if (*size > 0) return exchange.take_body({bytes, std::exchange(*size, 0)});
    return exchange.proceed();
}

void on_completed(void* /*service*/, MHD_Connection* handle, void** context,
                  MHD_RequestTerminationCode /*code*/) {
    if (std::exchange(*context, nullptr) == nullptr) return;
    Served& served = served_of(handle);
    served.end_exchange();
    served.connection->enter(ConnectionPhase::waiting);
}

}  // namespace

HttpResponse http_error(int status, std::string_view message) {
    return {.status = status,
            .body = fmt::format(R"({{"error":{{"status":{},"message":"{}"}}}})"
                                "\n",
                                status, message)};
}

std::size_t raise_descriptors(std::size_t wanted) {
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 1024;
    if (limit.rlim_cur < wanted) {
        rlimit raised = limit;
        raised.rlim_cur = std::min<rlim_t>(limit.rlim_max, wanted);
        if (setrlimit(RLIMIT_NOFILE, &raised) == 0) limit = raised;
    }
    return limit.rlim_cur;
}

struct HttpServer::State {
    State(const Options& options, Handler handler);

    HttpService service;
    std::uint16_t port = 0;
    std::mutex ending;
    MHD_Daemon* daemon = nullptr;
};

HttpServer::State::State(const Options& options, Handler handler)
    : service(options.limits, std::move(handler)) {
    const std::size_t descriptors = raise_descriptors(options.limits.connections + kOtherDescriptors);
    const std::size_t connections =
        descriptors > 2 * kOtherDescriptors ? descriptors - kOtherDescriptors : descriptors / 2;
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
    addrinfo* found = nullptr;
    const std::string place = fmt::format("{} port {}", options.address, options.port);
    if (getaddrinfo(options.address.c_str(), std::to_string(options.port).c_str(), &hints, &found) != 0)
        throw IoError(place, "is not an address of this machine", EADDRNOTAVAIL);
    const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(found, &freeaddrinfo);
    unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME;
    if (found->ai_family == AF_INET6) flags |= MHD_USE_DUAL_STACK;
    // libmicrohttpd clears a connection's memory after every request, so it gets no more than a head needs.
    // The watch measures times, so the library has no timeout.
    const std::size_t memory = options.limits.header + kParsedHead;
    daemon = MHD_start_daemon(
        flags, options.port, nullptr, nullptr, &on_access, &service, MHD_OPTION_SOCK_ADDR, found->ai_addr,
        MHD_OPTION_LISTEN_BACKLOG_SIZE, kBacklog, MHD_OPTION_CONNECTION_LIMIT,
        static_cast<unsigned>(std::min<std::size_t>(connections, std::numeric_limits<int>::max())),
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, memory, MHD_OPTION_CONNECTION_TIMEOUT, 0U,
        MHD_OPTION_THREAD_POOL_SIZE, options.threads > 1 ? options.threads : 0U, MHD_OPTION_URI_LOG_CALLBACK,
        &on_target, &service, MHD_OPTION_NOTIFY_COMPLETED, &on_completed, &service,
        MHD_OPTION_NOTIFY_CONNECTION, &on_connection, &service, MHD_OPTION_END);
    if (daemon == nullptr) throw IoError(place, "cannot listen", errno);
    port = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT)->port;
}

HttpServer::HttpServer(const Options& options, Handler handler)
    : state_(std::make_unique<State>(options, std::move(handler))) {}

HttpServer::~HttpServer() {
    drain(0);
}

std::uint16_t HttpServer::port() const noexcept {
    return state_->port;
}

HttpCounts HttpServer::counts() const {
    const HttpGauges& gauges = state_->service.gauges;
    return {gauges.connections, gauges.requests, gauges.refused, gauges.cut, gauges.streams, gauges.waiting};
}

void HttpServer::set_limits(const HttpLimits& limits) {
    raise_descriptors(limits.connections + kOtherDescriptors);
    state_->service.watch.set_limits(limits);
}

void HttpServer::drain(double seconds) {
    const std::lock_guard lock(state_->ending);
    if (state_->daemon == nullptr) return;
    HttpService& service = state_->service;
    service.draining = true;
    const MHD_socket listening = MHD_quiesce_daemon(state_->daemon);
    if (listening != MHD_INVALID_SOCKET) ::close(listening);
    service.watch.drain(seconds);
    service.stopping = true;
    // libmicrohttpd stops only when no connection is suspended.
    service.watch.abandon();
    MHD_stop_daemon(std::exchange(state_->daemon, nullptr));
}

}  // namespace proxstream
