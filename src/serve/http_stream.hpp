/// A stream of events on its way to a client: what waits to be sent, and the suspended connection that is to
/// send it.
#pragma once

#include "serve/connection_watch.hpp"
#include "serve/http_server.hpp"

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include <microhttpd.h>

namespace proxstream {

class HttpStream final : public EventStream {
  public:
    HttpStream(MHD_Connection* handle, std::shared_ptr<Connection> connection, ConnectionWatch* watch,
               std::size_t most)
        : handle_(handle), connection_(std::move(connection)), watch_(watch), most_(most) {}

    bool send(std::string_view text) override;
    bool open() const override;
    void close() override;

    /// The connection is about to be closed by whoever serves it; no more is to be asked of it.
    void detach();
    /// The client does not listen any more.
    void client_gone();

    /// For the server: fills a buffer; suspends the connection if there is nothing to fill it with.
    static ssize_t read(void* stream, std::uint64_t position, char* buffer, std::size_t size);

  private:
    ssize_t fill(char* buffer, std::size_t size);
    void resume();

    mutable std::mutex mutex_;
    MHD_Connection* handle_;  // none: detached
    std::shared_ptr<Connection> connection_;
    ConnectionWatch* watch_;
    std::size_t most_;
    std::string waiting_;
    std::size_t sent_ = 0;  // of what waits
    bool closed_ = false;
    bool gone_ = false;
    bool suspended_ = false;
};

}  // namespace proxstream
