/// Reads the head of a request. A head that two readers could understand differently is refused.
#include "core/json.hpp"
#include "io/field_text.hpp"
#include "serve/http_exchange.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <string_view>

#include <fmt/format.h>

namespace proxstream {

namespace {

using Values = std::map<std::string, std::string>;

bool is_method(std::string_view method) {
    return !method.empty() && method.size() <= 32 &&
           std::ranges::all_of(method, [](char c) { return (c >= 'A' && c <= 'Z') || c == '-'; });
}

/// Visible characters, whose escapes decode. libmicrohttpd takes spaces, leaves escapes that it cannot decode
/// as they are, and ends a text at %00.
bool is_target(std::string_view target) {
    if (!std::ranges::all_of(target, [](unsigned char c) { return c > 0x20 && c != 0x7f; })) return false;
    for (std::size_t at = target.find('%'); at != target.npos; at = target.find('%', at + 1)) {
        const std::string_view digits = target.substr(at + 1, 2);
        const bool hex = std::ranges::all_of(digits, [](unsigned char c) { return std::isxdigit(c) != 0; });
        if (digits.size() < 2 || !hex || digits == "00") return false;
    }
    return true;
}

bool is_control(unsigned char c) {
    return c < 0x20 || c == 0x7f;
}

/// UTF-8 without control characters.
bool is_text(const std::string& text) {
    if (std::ranges::any_of(text, is_control)) return false;
    try {
        nlohmann::json(text).dump();  // throws if it is not UTF-8
        return true;
    } catch (const nlohmann::json::type_error&) {
        return false;
    }
}

/// libmicrohttpd takes "Content-Length : 5" as another header, while a proxy may take it for the length.
bool is_header_name(std::string_view name) {
    return std::ranges::all_of(name, [](unsigned char c) { return c > 0x20 && c < 0x7f; });
}

/// Several headers of one name are one list, as RFC 9110 says.
MHD_Result add_header(void* headers, MHD_ValueKind /*kind*/, const char* name, const char* value) {
    const auto [place, is_new] = static_cast<Values*>(headers)->try_emplace(lower_case(name));
    if (!is_new) place->second += ", ";
    if (value != nullptr) place->second += value;
    return MHD_YES;
}

MHD_Result add_parameter(void* query, MHD_ValueKind /*kind*/, const char* name, const char* value) {
    if (*name != '\0') (*static_cast<Values*>(query))[name] = value == nullptr ? "" : value;
    return MHD_YES;
}

/// The path of an absolute target, which proxies send.
std::string_view without_origin(std::string_view path) {
    for (const std::string_view scheme : {"http://", "https://"})
        if (path.starts_with(scheme))
            return path.substr(std::min(path.find('/', scheme.size()), path.size()));
    return path;
}

/// To libmicrohttpd a carriage return alone ends no line; to others it may.
bool has_control(std::string_view text) {
    return std::ranges::any_of(text,
                               [](char c) { return is_control(static_cast<unsigned char>(c)) && c != '\t'; });
}

/// What is wrong with the headers; null if nothing is.
const char* header_problem(const Values& headers, bool needs_host) {
    for (const auto& [name, value] : headers) {
        if (!is_header_name(name)) return "the name of a header has a space in it";
        if (has_control(name) || has_control(value)) return "a header has a control character in it";
    }
    const auto host = headers.find("host");
    if (needs_host && (host == headers.end() || host->second.empty()))
        return "the Host header is missing or empty";
    return nullptr;
}

}  // namespace

std::optional<HttpResponse> HttpExchange::read_head(const char* path, const char* method,
                                                    const char* version) {
    const std::string_view spoken = version;
    if (spoken != "HTTP/1.1" && spoken != "HTTP/1.0") return http_error(505, "the server speaks HTTP/1.1");
    if (!is_method(method)) return http_error(400, "the method is not a token");
    const MHD_ConnectionInfo* info =
        MHD_get_connection_info(handle_, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    std::size_t bytes = info == nullptr ? 0 : info->header_size;
    if (bytes > limits_.header)
        return http_error(431, fmt::format("request line and headers may have {} bytes", limits_.header));

    request_.method = method;
    request_.path = without_origin(path);
    MHD_get_connection_values(handle_, MHD_GET_ARGUMENT_KIND, &add_parameter, &request_.query);
    const bool readable = is_target(target_) && is_text(request_.path) &&
                          std::ranges::all_of(request_.query, [](const auto& each) {
                              return is_text(each.first) && is_text(each.second);
                          });
    if (!readable || !request_.path.starts_with('/'))
        return http_error(400, "the target is not a path, or its escapes are not text");

    const Values& headers = request_.headers;
    MHD_get_connection_values(handle_, MHD_HEADER_KIND, &add_header, &request_.headers);
    if (const char* problem = header_problem(headers, spoken == "HTTP/1.1")) return http_error(400, problem);
    const auto coding = headers.find("transfer-encoding");
    const auto length = headers.find("content-length");
    chunked_ = coding != headers.end();
    if (chunked_ && (length != headers.end() || lower_case(coding->second) != "chunked"))
        return http_error(400, "Transfer-Encoding may be chunked, without a Content-Length");
    if (length != headers.end()) {
        const auto body = parse_count(length->second);
        if (!body) return http_error(400, "Content-Length must be one number");
        if (*body > limits_.body)
            return http_error(413, fmt::format("a body may have {} bytes", limits_.body));
        bytes += *body;
    }
    connection_->add_received(bytes);
    request_.client = connection_->client();
    return std::nullopt;
}

}  // namespace proxstream
