#include "serve/http_exchange.hpp"

#include <utility>

namespace proxstream {

namespace {

constexpr std::size_t kStreamBlock = 16384;

class Reply final : public HttpReply {
  public:
    explicit Reply(std::shared_ptr<HttpExchange> exchange) : exchange_(std::move(exchange)) {}
    Reply(const Reply&) = delete;
    Reply& operator=(const Reply&) = delete;
    ~Reply() override {
        if (!answered_) exchange_->answer(http_error(500, "the request was not answered"));
    }

    void send(HttpResponse response) override {
        answered_ = true;
        exchange_->answer(std::move(response));
    }
    std::shared_ptr<EventStream> stream(HttpResponse head) override {
        answered_ = true;
        return exchange_->answer_with_stream(std::move(head));
    }

  private:
    std::shared_ptr<HttpExchange> exchange_;
    std::atomic<bool> answered_ = false;
};

}  // namespace

std::shared_ptr<HttpReply> make_reply(std::shared_ptr<HttpExchange> exchange) {
    return std::make_shared<Reply>(std::move(exchange));
}

HttpResponse http_error(int status, const std::string& message) {
    HttpResponse response;
    response.status = status;
    response.body = http_error_body(status, message);
    return response;
}

MHD_Result queue_response(MHD_Connection* handle, const HttpResponse& response, HttpStream* stream,
                          bool close) {
    MHD_Response* made =
        stream != nullptr
            ? MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, kStreamBlock, &HttpStream::read, stream,
                                                nullptr)
            // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): it is not written to
            : MHD_create_response_from_buffer(response.body.size(), const_cast<char*>(response.body.data()),
                                              MHD_RESPMEM_PERSISTENT);
    if (made == nullptr) return MHD_NO;
    if (!response.type.empty()) MHD_add_response_header(made, "Content-Type", response.type.c_str());
    for (const auto& [name, value] : response.headers) {
        MHD_add_response_header(made, name.c_str(), value.c_str());
    }
    if (close) MHD_add_response_header(made, "Connection", "close");
    const MHD_Result result = MHD_queue_response(handle, static_cast<unsigned>(response.status), made);
    MHD_destroy_response(made);
    return result;
}

MHD_Result HttpExchange::proceed() {
    const std::lock_guard lock(mutex_);
    // Nobody would resume it once the server stops.
    if (gone_ || service_.stopping) return MHD_NO;
    if (!response_) {
        MHD_suspend_connection(handle_);
        suspended_ = true;
        return MHD_YES;
    }
    if (stream_) {
        if (half_gone_) return MHD_NO;
        if (service_.draining) stream_->close();
        if (!streaming_) ++service_.gauges.streams;
        streaming_ = true;
        connection_->enter(ConnectionPhase::streaming);
    } else {
        connection_->enter(ConnectionPhase::sending);
    }
    return queue_response(handle_, *response_, stream_.get(), service_.draining);
}

void HttpExchange::end() {
    const std::lock_guard lock(mutex_);
    connection_->forget_listener();
    handle_ = nullptr;
    if (stream_) stream_->detach();
    if (streaming_) --service_.gauges.streams;
}

void HttpExchange::answer(HttpResponse response) {
    const std::lock_guard lock(mutex_);
    if (handle_ == nullptr || response_) return;
    response_ = std::move(response);
    resume();
}

std::shared_ptr<EventStream> HttpExchange::answer_with_stream(HttpResponse head) {
    const std::lock_guard lock(mutex_);
    const bool over = handle_ == nullptr || response_;
    auto stream =
        std::make_shared<HttpStream>(handle_, connection_, over ? nullptr : &service_.watch, waiting_events_);
    if (over || half_gone_) stream->detach();
    if (over) return stream;
    response_ = std::move(head);
    stream_ = stream;
    resume();
    return stream;
}

void HttpExchange::client_gone(bool entirely) {
    const std::lock_guard lock(mutex_);
    half_gone_ = true;
    if (stream_) {
        stream_->client_gone();
    } else if (!entirely) {
        return;  // it has asked, and may still read the answer
    }
    gone_ = true;
    resume();
}

void HttpExchange::wind_up() {
    const std::lock_guard lock(mutex_);
    if (stream_) stream_->close();
}

void HttpExchange::resume() {
    if (!suspended_ || handle_ == nullptr) return;
    suspended_ = false;
    MHD_resume_connection(handle_);
}

}  // namespace proxstream
