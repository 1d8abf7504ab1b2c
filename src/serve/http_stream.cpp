#include "serve/http_stream.hpp"

#include <algorithm>

namespace proxstream {

bool HttpStream::send(std::string_view text) {
    const std::lock_guard lock(mutex_);
    if (gone_ || closed_) return false;
    if (waiting_.size() - sent_ + text.size() > most_) {
        gone_ = true;
        watch_->cut(*connection_);
        resume();
        return false;
    }
    waiting_.append(text);
    resume();
    return true;
}

bool HttpStream::open() const {
    const std::lock_guard lock(mutex_);
    return !gone_ && !closed_;
}

void HttpStream::close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    resume();
}

void HttpStream::detach() {
    const std::lock_guard lock(mutex_);
    gone_ = true;
    handle_ = nullptr;
    waiting_ = {};
    sent_ = 0;
}

void HttpStream::client_gone() {
    const std::lock_guard lock(mutex_);
    gone_ = true;
    resume();
}

void HttpStream::resume() {
    if (!suspended_ || handle_ == nullptr) return;
    suspended_ = false;
    MHD_resume_connection(handle_);
}

ssize_t HttpStream::read(void* stream, std::uint64_t /*position*/, char* buffer, std::size_t size) {
    return static_cast<HttpStream*>(stream)->fill(buffer, size);
}

ssize_t HttpStream::fill(char* buffer, std::size_t size) {
    const std::lock_guard lock(mutex_);
    // No error: after one the library forgets to close. Whoever has gone does not mind.
    if (gone_) return MHD_CONTENT_READER_END_OF_STREAM;
    const std::size_t count = std::min(size, waiting_.size() - sent_);
    if (count > 0) {
        waiting_.copy(buffer, count, sent_);
        sent_ += count;
        // Moved down now and then, so that bytes that are gone do not pile up.
        if (sent_ * 2 >= waiting_.size()) {
            waiting_.erase(0, sent_);
            sent_ = 0;
        }
        return static_cast<ssize_t>(count);
    }
    if (closed_) return MHD_CONTENT_READER_END_OF_STREAM;
    MHD_suspend_connection(handle_);
    suspended_ = true;
    return 0;
}

}  // namespace proxstream
