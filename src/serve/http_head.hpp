/// The head of a request, read and judged before its body is let in.
#pragma once

#include "serve/http_server.hpp"

#include <cstddef>
#include <optional>
#include <string>

#include <microhttpd.h>

namespace proxstream {

struct HttpHead {
    HttpRequest request;  // without body and client
    bool chunked = false;
    std::size_t bytes = 0;  // of the head, and of the body if they are announced
};

/// What it is answered if it is none, or is too large: then its body must not be waited for. A length that
/// two readers could understand differently is no length.
std::optional<HttpResponse> read_http_head(MHD_Connection* handle, const std::string& target,
                                           const char* method, const char* version, const HttpLimits& limits,
                                           HttpHead& head);

}  // namespace proxstream
