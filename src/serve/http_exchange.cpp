#include "serve/http_exchange.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace proxstream {

/// libmicrohttpd keeps each parameter in the memory of the connection. When that is full, it neither answers
/// nor closes.
void HttpExchange::check_target() {
    constexpr std::ptrdiff_t kMostParameters = 100;
    if (std::ranges::count(target_, '&') < kMostParameters) return;
    ++service_.gauges.refused;
    connection_->refuse(http_error(414, fmt::format("a target may have {} parameters", kMostParameters)));
}

MHD_Result HttpExchange::take_head(const char* path, const char* method, const char* version) {
    has_head_ = true;
    if (connection_->refused()) return MHD_NO;
    limits_ = service_.watch.limits();
    response_ = read_head(path, method, version);
    if (response_) {
        if (response_->status == 413 || response_->status == 431) ++service_.gauges.refused;
        connection_->linger();
        connection_->enter(ConnectionPhase::sending);
        return queue_response(true);
    }
    const double wait = service_.rates.take(connection_->client(), limits_.rate, limits_.burst,
                                            std::chrono::steady_clock::now());
    if (wait > 0) {
        // The body is read all the same, so that the connection can be used again.
        ++service_.gauges.refused;
        response_ = http_error(429, "too many requests from this client");
        response_->headers.emplace_back("Retry-After", fmt::format("{:.0f}", std::ceil(wait)));
    }
    return MHD_YES;
}

MHD_Result HttpExchange::take_body(std::string_view bytes) {
    if (request_.body.size() + bytes.size() > limits_.body) {
        // libmicrohttpd takes no response in the middle of a body.
        ++service_.gauges.refused;
        connection_->send_raw(http_error(413, fmt::format("a body may have {} bytes", limits_.body)));
        connection_->linger();
        return MHD_NO;
    }
    if (response_) return MHD_YES;
    if (service_.gauges.waiting + bytes.size() > limits_.waiting) {
        ++service_.gauges.refused;
        response_ = http_error(503, "the memory for requests and answers is full");
        response_->headers.emplace_back("Retry-After", "1");
        request_.body = {};
    }
    request_.body.append(response_ ? std::string_view() : bytes);
    hold(request_.body.size());
    return MHD_YES;
}

void HttpExchange::hand_over() {
    if (chunked_) connection_->set_all_received();
    if (response_) return;
    connection_->enter(ConnectionPhase::answering);
    ++service_.gauges.requests;
    const auto self = shared_from_this();
    connection_->listen(self);
    const std::shared_ptr<HttpReply> reply(
        this, [self](HttpReply* each) { each->send(http_error(500, "the request was not answered")); });
    try {
        service_.handler(std::move(request_), reply);
    } catch (...) {
        reply->send(http_error(500, "the request could not be handled"));
    }
}

MHD_Result HttpExchange::proceed() {
    if (!std::exchange(handed_over_, true)) hand_over();
    {
        const std::lock_guard lock(mutex_);
        if (gone_ || service_.stopping) return MHD_NO;
        if (!response_) {
            suspend();
            return MHD_YES;
        }
        if (streams_) {
            if (service_.draining && !in_pieces_) closed_ = true;
            if (!in_pieces_ && !std::exchange(streaming_, true)) ++service_.gauges.streams;
        }
    }
    // The phase of a stream depends on whether something waits to be sent.
    if (!streams_) connection_->enter(ConnectionPhase::sending);
    return queue_response(service_.draining);
}

/// Without the lock: libmicrohttpd holds its own lock when it calls fill(). The response is final by now.
MHD_Result HttpExchange::queue_response(bool close) {
    constexpr std::size_t kStreamBlock = 16384;
    MHD_Response* made =
        streams_
            ? MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, kStreamBlock, &HttpExchange::fill, this,
                                                nullptr)
            // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): it is not written to
            : MHD_create_response_from_buffer(
                  response_->body.size(), const_cast<char*>(response_->body.data()), MHD_RESPMEM_PERSISTENT);
    if (made == nullptr) return MHD_NO;
    if (!response_->type.empty()) MHD_add_response_header(made, "Content-Type", response_->type.c_str());
    for (const auto& [name, value] : kEveryAnswer) MHD_add_response_header(made, name, value);
    for (const auto& [name, value] : response_->headers)
        MHD_add_response_header(made, name.c_str(), value.c_str());
    if (close) MHD_add_response_header(made, "Connection", "close");
    const MHD_Result result = MHD_queue_response(handle_, static_cast<unsigned>(response_->status), made);
    MHD_destroy_response(made);
    return result;
}

void HttpExchange::end() {
    connection_->forget_listener();
    std::function<void()> dropped;  // without the lock: it may hold the last reference to the reply
    const std::lock_guard lock(mutex_);
    dropped.swap(ready_);
    handle_ = nullptr;
    gone_ = true;
    events_ = {};
    hold(0);
    if (streaming_) --service_.gauges.streams;
}

Demand HttpExchange::demand() const {
    const std::lock_guard lock(mutex_);
    if (handle_ == nullptr || gone_) return Demand::gone;
    return service_.gauges.waiting >= limits_.waiting + held_ ? Demand::busy : Demand::wanted;
}

void HttpExchange::send(HttpResponse response) {
    const std::lock_guard lock(mutex_);
    if (handle_ == nullptr || response_) return;
    response_ = std::move(response);
    hold(response_->body.size());
    resume();
}

void HttpExchange::begin_stream(HttpResponse head, bool in_pieces) {
    const std::lock_guard lock(mutex_);
    if (handle_ == nullptr || response_) return;
    response_ = std::move(head);
    hold(0);
    streams_ = true;
    in_pieces_ = in_pieces;
    // A client that sends no more may read a long answer, but an endless one would stay open for nothing.
    gone_ = gone_ || (half_gone_ && !in_pieces);
    resume();
}

std::shared_ptr<EventStream> HttpExchange::stream(HttpResponse head) {
    begin_stream(std::move(head), false);
    return shared_from_this();
}

std::shared_ptr<PieceStream> HttpExchange::send_pieces(HttpResponse head) {
    begin_stream(std::move(head), true);
    return shared_from_this();
}

bool HttpExchange::send(std::string_view text) {
    const std::lock_guard lock(mutex_);
    if (!streams_ || gone_ || closed_) return false;
    const bool too_slow = !in_pieces_ && (events_.size() + text.size() > limits_.waiting_events ||
                                          (!events_.empty() && service_.gauges.waiting > limits_.waiting));
    if (too_slow) {
        cut();
    } else {
        events_.append(text);
        hold(events_.size());
        if (!events_.empty()) connection_->enter(ConnectionPhase::sending);
    }
    resume();
    return !gone_;
}

void HttpExchange::when_taken(std::function<void()> ready) {
    {
        const std::lock_guard lock(mutex_);
        if (gone_ || closed_) return;
        if (!events_.empty()) return ready_.swap(ready);
    }
    ready();
}

void HttpExchange::abort() {
    const std::lock_guard lock(mutex_);
    if (!streams_ || gone_) return;
    cut();
    resume();
}

bool HttpExchange::open() const {
    const std::lock_guard lock(mutex_);
    return streams_ && !gone_ && !closed_;
}

void HttpExchange::close() {
    const std::lock_guard lock(mutex_);
    if (!streams_ || gone_) return;
    closed_ = true;
    connection_->enter(ConnectionPhase::sending);  // the end
    resume();
}

void HttpExchange::client_gone(bool entirely) {
    const std::lock_guard lock(mutex_);
    half_gone_ = true;
    if ((!streams_ || in_pieces_) && !entirely) return;  // it may still read its answer
    gone_ = true;
    resume();
}

void HttpExchange::finish() {
    {
        const std::lock_guard lock(mutex_);
        if (in_pieces_) return;
    }
    close();
}

void HttpExchange::hold(std::size_t bytes) {
    service_.gauges.waiting += bytes - held_;  // modulo 2^64, so that it may become less
    held_ = bytes;
}

void HttpExchange::cut() {
    gone_ = true;
    service_.watch.cut(connection_);
}

void HttpExchange::suspend() {
    MHD_suspend_connection(handle_);
    suspended_ = true;
}

void HttpExchange::resume() {
    if (handle_ == nullptr || !std::exchange(suspended_, false)) return;
    MHD_resume_connection(handle_);
}

ssize_t HttpExchange::fill(void* exchange, std::uint64_t /*position*/, char* buffer, std::size_t size) {
    std::function<void()> ready;
    const ssize_t taken = static_cast<HttpExchange*>(exchange)->take(buffer, size, ready);
    if (ready) ready();
    return taken;
}

ssize_t HttpExchange::take(char* buffer, std::size_t size, std::function<void()>& ready) {
    const std::lock_guard lock(mutex_);
    // Not as an error: after an error libmicrohttpd does not close the connection.
    if (gone_) return MHD_CONTENT_READER_END_OF_STREAM;
    const std::size_t count = std::min(size, events_.size());
    if (count > 0) {
        events_.copy(buffer, count);
        events_.erase(0, count);
        hold(events_.size());
        if (events_.empty()) ready.swap(ready_);
        return static_cast<ssize_t>(count);
    }
    events_ = {};
    if (closed_) return MHD_CONTENT_READER_END_OF_STREAM;
    connection_->enter(ConnectionPhase::streaming);
    suspend();
    return 0;
}

}  // namespace proxstream
