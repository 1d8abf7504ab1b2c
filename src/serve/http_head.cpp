#include "serve/http_head.hpp"

#include "serve/http_exchange.hpp"
#include "serve/http_target.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace proxstream {

namespace {

using Headers = std::map<std::string, std::string>;

bool is_method(std::string_view method) {
    return !method.empty() && method.size() <= 32 &&
           std::ranges::all_of(method, [](char c) { return (c >= 'A' && c <= 'Z') || c == '-'; });
}

std::string lower_case(std::string_view text) {
    std::string lower(text);
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
    return lower;
}

/// Headers of one name more than once are one list, as RFC 9110 says.
MHD_Result add_header(void* headers, MHD_ValueKind /*kind*/, const char* name, const char* value) {
    const auto [place, is_new] = static_cast<Headers*>(headers)->try_emplace(lower_case(name));
    if (!is_new) place->second += ", ";
    if (value != nullptr) place->second += value;
    return MHD_YES;
}

std::optional<std::size_t> whole_number(const std::string& text) {
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return number;
}

}  // namespace

std::optional<HttpResponse> read_http_head(MHD_Connection* handle, const std::string& target,
                                           const char* method, const char* version, const HttpLimits& limits,
                                           HttpHead& head) {
    const std::string_view spoken = version;
    if (spoken != "HTTP/1.1" && spoken != "HTTP/1.0") return http_error(505, "HTTP/1.1 is spoken here");
    if (!is_method(method)) return http_error(400, "the method is not one");
    const MHD_ConnectionInfo* info = MHD_get_connection_info(handle, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    head.bytes = info == nullptr ? 0 : info->header_size;
    if (head.bytes > limits.header) {
        return http_error(431, fmt::format("request line and headers may have {} bytes", limits.header));
    }
    auto asked = parse_http_target(target);
    if (!asked) return http_error(400, "the target is not a path, or its escapes are not text");
    head.request.method = method;
    head.request.path = std::move(asked->path);
    head.request.query = std::move(asked->query);
    Headers& headers = head.request.headers;
    MHD_get_connection_values(handle, MHD_HEADER_KIND, &add_header, &headers);

    const auto coding = headers.find("transfer-encoding");
    const auto length = headers.find("content-length");
    head.chunked = coding != headers.end();
    if (head.chunked && (length != headers.end() || lower_case(coding->second) != "chunked")) {
        return http_error(400, "Transfer-Encoding may be chunked, without a Content-Length");
    }
    if (length != headers.end()) {
        const auto body = whole_number(length->second);
        if (!body) return http_error(400, "Content-Length must be one number");
        if (*body > limits.body) return http_error(413, fmt::format("a body may have {} bytes", limits.body));
        head.bytes += *body;
    }
    return std::nullopt;
}

}  // namespace proxstream
