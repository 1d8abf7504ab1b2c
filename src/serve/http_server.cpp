#include "serve/http_server.hpp"

#include "proxstream/core/error.hpp"

#include "serve/connection_watch.hpp"
#include "serve/http_exchange.hpp"
#include "serve/http_head.hpp"
#include "serve/listening_socket.hpp"
#include "serve/rate_limit.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <limits>
#include <mutex>
#include <optional>
#include <utility>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace proxstream {

namespace {

// So many clients' rates are remembered.
constexpr std::size_t kClients = std::size_t{1} << 16U;
// Descriptors for everything but connections: stores, files, the server itself.
constexpr std::size_t kOtherDescriptors = 1024;
// Bytes for the headers of a request as a list, and for the head of its answer.
constexpr std::size_t kParsedHead = 8192;

/// A request while it comes in.
struct Arriving {
    std::string target;
    HttpHead head;
    bool has_head = false;
    std::size_t body_limit = 0;
    std::size_t waiting_events = 0;
    std::optional<HttpResponse> refusal;
    std::shared_ptr<HttpExchange> exchange;
};

std::shared_ptr<Connection>& connection_of(MHD_Connection* handle) {
    const MHD_ConnectionInfo* info = MHD_get_connection_info(handle, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return *static_cast<std::shared_ptr<Connection>*>(info->socket_context);
}

/// The address of a client, without its port; IPv4 is written as such also where it comes through IPv6.
std::string client_of(MHD_Connection* handle) {
    const MHD_ConnectionInfo* info = MHD_get_connection_info(handle, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    const sockaddr* address = info == nullptr ? nullptr : info->client_addr;
    if (address == nullptr) return "unknown";
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (address->sa_family == AF_INET6) {
        const in6_addr& number = reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr;
        if (!IN6_IS_ADDR_V4MAPPED(&number)) {
            inet_ntop(AF_INET6, &number, text.data(), text.size());
        } else {
            inet_ntop(AF_INET, &number.s6_addr[12], text.data(), text.size());
        }
    } else {
        inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(address)->sin_addr, text.data(),
                  text.size());
    }
    return text.data();
}

/// The response as bytes, for where the library cannot be asked to send one.
std::string raw_error(int status, const char* reason, const HttpResponse& response) {
    return fmt::format(
        "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{}", status,
        reason, response.type, response.body.size(), response.body);
}

}  // namespace

struct HttpServer::State {
    State(const Options& options, Handler on_request);
    ~State() { stop(); }
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    HttpLimits current_limits() const;
    void drain(double seconds);
    void stop();

    MHD_Result take_head(MHD_Connection* handle, Arriving& arriving, const char* method, const char* version);
    MHD_Result take_body(MHD_Connection* handle, Arriving& arriving, std::string_view bytes);
    MHD_Result take_whole(MHD_Connection* handle, Arriving& arriving);

    static void* on_target(void* state, const char* uri, MHD_Connection* handle);
    static MHD_Result on_access(void* state, MHD_Connection* handle, const char* url, const char* method,
                                const char* version, const char* bytes, std::size_t* size, void** arriving);
    static void on_completed(void* state, MHD_Connection* handle, void** arriving,
                             MHD_RequestTerminationCode code);
    static void on_connection(void* state, MHD_Connection* handle, void** context,
                              MHD_ConnectionNotificationCode code);

    Handler handler;
    mutable std::mutex mutex;  // of the limits
    HttpLimits limits;
    RateLimit rates;
    HttpService service;
    std::uint16_t port = 0;
    std::mutex ending;
    MHD_Daemon* daemon = nullptr;
};

HttpServer::State::State(const Options& options, Handler on_request)
    : handler(std::move(on_request)), limits(options.limits), rates(kClients), service(options.limits) {
    const std::size_t descriptors = raise_descriptors(limits.connections + kOtherDescriptors);
    const std::size_t connections =
        descriptors > 2 * kOtherDescriptors ? descriptors - kOtherDescriptors : descriptors / 2;
    const ListeningSocket listening = listen_on(options.address, options.port);
    port = listening.port;
    unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME;
    if (listening.version_6) flags |= MHD_USE_IPv6;
    // The library wipes a connection's memory after every request: no more than a head and what is made of it
    // need. Times are kept by the watch, not here.
    const std::size_t memory = limits.header + kParsedHead;
    daemon = MHD_start_daemon(
        flags, 0, nullptr, nullptr, &State::on_access, this, MHD_OPTION_LISTEN_SOCKET, listening.socket,
        MHD_OPTION_CONNECTION_LIMIT,
        static_cast<unsigned>(std::min<std::size_t>(connections, std::numeric_limits<int>::max())),
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, memory, MHD_OPTION_CONNECTION_TIMEOUT, 0U,
        MHD_OPTION_THREAD_POOL_SIZE, options.threads > 1 ? options.threads : 0U, MHD_OPTION_STRICT_FOR_CLIENT,
        1, MHD_OPTION_URI_LOG_CALLBACK, &State::on_target, this, MHD_OPTION_NOTIFY_COMPLETED,
        &State::on_completed, this, MHD_OPTION_NOTIFY_CONNECTION, &State::on_connection, this,
        MHD_OPTION_END);
    if (daemon == nullptr) {
        const int error = errno;
        close(listening.socket);
        throw IoError(fmt::format("{} port {}", options.address, port), "cannot be served", error);
    }
}

HttpLimits HttpServer::State::current_limits() const {
    const std::lock_guard lock(mutex);
    return limits;
}

void HttpServer::State::drain(double seconds) {
    const std::lock_guard lock(ending);
    if (daemon == nullptr) return;
    service.draining = true;
    const MHD_socket listening = MHD_quiesce_daemon(daemon);
    if (listening != MHD_INVALID_SOCKET) close(listening);
    service.watch.retire();
    service.watch.wait_until_empty(seconds);
    stop();
}

void HttpServer::State::stop() {
    if (daemon == nullptr) return;
    service.stopping = true;
    // The library stops only when nothing is suspended.
    service.watch.abandon();
    MHD_stop_daemon(daemon);
    daemon = nullptr;
}

void* HttpServer::State::on_target(void* /*state*/, const char* uri, MHD_Connection* handle) {
    connection_of(handle)->enter(ConnectionPhase::receiving);
    auto arriving = std::make_unique<Arriving>();
    arriving->target = uri;
    return arriving.release();
}

MHD_Result HttpServer::State::on_access(void* state, MHD_Connection* handle, const char* /*url*/,
                                        const char* method, const char* version, const char* bytes,
                                        std::size_t* size, void** arriving) {
    State& self = *static_cast<State*>(state);
    Arriving& request = *static_cast<Arriving*>(*arriving);
    if (!request.has_head) {
        request.has_head = true;
        return self.take_head(handle, request, method, version);
    }
    if (*size > 0) return self.take_body(handle, request, {bytes, std::exchange(*size, 0)});
    return request.exchange ? request.exchange->proceed() : self.take_whole(handle, request);
}

MHD_Result HttpServer::State::take_head(MHD_Connection* handle, Arriving& arriving, const char* method,
                                        const char* version) {
    Connection& connection = *connection_of(handle);
    if (connection.refused()) return MHD_NO;
    const HttpLimits now = current_limits();
    arriving.body_limit = now.body;
    arriving.waiting_events = now.waiting_events;
    arriving.refusal = read_http_head(handle, arriving.target, method, version, now, arriving.head);
    if (arriving.refusal) {
        const int status = arriving.refusal->status;
        if (status == MHD_HTTP_CONTENT_TOO_LARGE || status == MHD_HTTP_REQUEST_HEADER_FIELDS_TOO_LARGE) {
            ++service.gauges.refused;
        }
        connection.linger();
        connection.enter(ConnectionPhase::sending);
        return queue_response(handle, *arriving.refusal, nullptr, true);
    }
    connection.add_received(arriving.head.bytes);
    arriving.head.request.client = connection.client();
    const double wait =
        rates.take(connection.client(), now.rate, now.burst, std::chrono::steady_clock::now());
    if (wait > 0) {
        // Its body is let in first: the connection can go on then.
        ++service.gauges.refused;
        arriving.refusal = http_error(MHD_HTTP_TOO_MANY_REQUESTS, "too many requests from this client");
        arriving.refusal->headers.emplace_back("Retry-After", fmt::format("{:.0f}", std::ceil(wait)));
    }
    return MHD_YES;
}

MHD_Result HttpServer::State::take_body(MHD_Connection* handle, Arriving& arriving, std::string_view bytes) {
    std::string& body = arriving.head.request.body;
    if (body.size() + bytes.size() > arriving.body_limit) {
        // The library takes no response in the middle of a body.
        ++service.gauges.refused;
        Connection& connection = *connection_of(handle);
        connection.send_raw(
            raw_error(413, "Content Too Large",
                      http_error(413, fmt::format("a body may have {} bytes", arriving.body_limit))));
        connection.linger();
        return MHD_NO;
    }
    body.append(bytes);
    return MHD_YES;
}

MHD_Result HttpServer::State::take_whole(MHD_Connection* handle, Arriving& arriving) {
    const std::shared_ptr<Connection>& connection = connection_of(handle);
    if (arriving.head.chunked) connection->set_all_received();
    if (arriving.refusal) {
        connection->enter(ConnectionPhase::sending);
        return queue_response(handle, *arriving.refusal, nullptr, service.draining);
    }
    connection->enter(ConnectionPhase::answering);
    ++service.gauges.requests;
    arriving.exchange = std::make_shared<HttpExchange>(service, handle, connection, arriving.waiting_events);
    connection->listen(arriving.exchange);
    try {
        handler(std::move(arriving.head.request), make_reply(arriving.exchange));
    } catch (...) {
        arriving.exchange->answer(http_error(500, "the request could not be handled"));
    }
    return arriving.exchange->proceed();
}

void HttpServer::State::on_completed(void* /*state*/, MHD_Connection* handle, void** arriving,
                                     MHD_RequestTerminationCode /*code*/) {
    const std::unique_ptr<Arriving> request(static_cast<Arriving*>(std::exchange(*arriving, nullptr)));
    if (!request) return;
    if (request->exchange) request->exchange->end();
    connection_of(handle)->end_request();
}

void HttpServer::State::on_connection(void* state, MHD_Connection* handle, void** context,
                                      MHD_ConnectionNotificationCode code) {
    State& self = *static_cast<State*>(state);
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        const MHD_ConnectionInfo* info = MHD_get_connection_info(handle, MHD_CONNECTION_INFO_CONNECTION_FD);
        *context = std::make_unique<std::shared_ptr<Connection>>(
                       self.service.watch.add(info->connect_fd, client_of(handle)))
                       .release();
    } else {
        const std::unique_ptr<std::shared_ptr<Connection>> connection(
            static_cast<std::shared_ptr<Connection>*>(std::exchange(*context, nullptr)));
        self.service.watch.remove(**connection);
    }
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
    return {gauges.connections, gauges.requests, gauges.refused, gauges.cut, gauges.streams};
}

void HttpServer::set_limits(const HttpLimits& limits) {
    {
        const std::lock_guard lock(state_->mutex);
        state_->limits = limits;
    }
    raise_descriptors(limits.connections + kOtherDescriptors);
    state_->service.watch.set_limits(limits);
}

void HttpServer::drain(double seconds) {
    state_->drain(seconds);
}

}  // namespace proxstream
