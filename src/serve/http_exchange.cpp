#include "serve/http_exchange.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace proxstream {

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
    request_.body.append(bytes);
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
            if (service_.draining) closed_ = true;
            if (!std::exchange(streaming_, true)) ++service_.gauges.streams;
        }
    }
    connection_->enter(streams_ ? ConnectionPhase::streaming : ConnectionPhase::sending);
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
    for (const auto& [name, value] : response_->headers)
        MHD_add_response_header(made, name.c_str(), value.c_str());
    if (close) MHD_add_response_header(made, "Connection", "close");
    const MHD_Result result = MHD_queue_response(handle_, static_cast<unsigned>(response_->status), made);
    MHD_destroy_response(made);
    return result;
}

void HttpExchange::end() {
    connection_->forget_listener();
    const std::lock_guard lock(mutex_);
    handle_ = nullptr;
    gone_ = true;
    events_ = {};
    if (streaming_) --service_.gauges.streams;
}

void HttpExchange::send(HttpResponse response) {
    const std::lock_guard lock(mutex_);
    if (handle_ == nullptr || response_) return;
    response_ = std::move(response);
    resume();
}

std::shared_ptr<EventStream> HttpExchange::stream(HttpResponse head) {
    const std::lock_guard lock(mutex_);
    if (handle_ != nullptr && !response_) {
        response_ = std::move(head);
        streams_ = true;
        gone_ = gone_ || half_gone_;
        resume();
    }
    return shared_from_this();
}

bool HttpExchange::send(std::string_view text) {
    const std::lock_guard lock(mutex_);
    if (!streams_ || gone_ || closed_) return false;
    if (events_.size() + text.size() > limits_.waiting_events) {
        gone_ = true;
        service_.watch.cut(connection_);
    } else {
        events_.append(text);
    }
    resume();
    return !gone_;
}

bool HttpExchange::open() const {
    const std::lock_guard lock(mutex_);
    return streams_ && !gone_ && !closed_;
}

void HttpExchange::close() {
    const std::lock_guard lock(mutex_);
    if (!streams_) return;
    closed_ = true;
    resume();
}

void HttpExchange::client_gone(bool entirely) {
    const std::lock_guard lock(mutex_);
    half_gone_ = true;
    if (!streams_ && !entirely) return;  // it may still read its answer
    gone_ = true;
    resume();
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
    HttpExchange& self = *static_cast<HttpExchange*>(exchange);
    const std::lock_guard lock(self.mutex_);
    // Not as an error: after an error libmicrohttpd does not close the connection.
    if (self.gone_) return MHD_CONTENT_READER_END_OF_STREAM;
    const std::size_t count = std::min(size, self.events_.size());
    if (count > 0) {
        self.events_.copy(buffer, count);
        self.events_.erase(0, count);
        return static_cast<ssize_t>(count);
    }
    if (self.closed_) return MHD_CONTENT_READER_END_OF_STREAM;
    self.suspend();
    return 0;
}

}  // namespace proxstream
