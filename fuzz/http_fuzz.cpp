/// Bytes from a client to the HTTP server over a socket. A request that reaches the handler has a path and
/// headers that every reader understands in the same way, and is answered once.
#include "../tests/serve/http_client.hpp"
#include "fuzz_support.hpp"
#include "serve/http_server.hpp"

#include <algorithm>
#include <atomic>
#include <memory>

using namespace proxstream;

namespace {

constexpr HttpLimits kLimits{.body = 200, .header = 1000, .request_seconds = 2, .idle_seconds = 2};
constexpr std::string_view kAnswer = "HTTP/1.1 299 ";

std::atomic<std::size_t> handled = 0;

bool is_plain(std::string_view text) {
    return std::ranges::none_of(text, [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

void handle(const HttpRequest& request, const std::shared_ptr<HttpReply>& reply) {
    fuzz::require(!request.method.empty() && is_plain(request.method));
    fuzz::require(request.path.starts_with('/') && is_plain(request.path));
    for (const auto& [name, value] : request.query) fuzz::require(is_plain(name) && is_plain(value));
    for (const auto& [name, value] : request.headers) {
        fuzz::require(std::ranges::none_of(name, [](char c) { return c >= 'A' && c <= 'Z'; }));
        fuzz::require(value.find_first_of("\r\n") == value.npos);
    }
    const auto length = request.headers.find("content-length");
    const bool chunked = request.headers.contains("transfer-encoding");
    if (length != request.headers.end())
        fuzz::require(!chunked && std::to_string(request.body.size()) ==
                                      length->second.substr(std::min(length->second.find_first_not_of('0'),
                                                                     length->second.size() - 1)));
    fuzz::require(request.body.size() <= kLimits.body && request.client == "127.0.0.1");
    ++handled;
    reply->send({.status = 299, .type = "text/plain", .body = "."});
}

std::size_t occurrences(std::string_view text, std::string_view piece) {
    std::size_t count = 0;
    for (std::size_t at = text.find(piece); at != text.npos; at = text.find(piece, at + 1)) ++count;
    return count;
}

}  // namespace

/// Memory goes from one thread to another here, which libFuzzer takes for a leak and looks for after every
/// input.
extern "C" const char* __asan_default_options() {  // NOLINT: the sanitizer's name
    return "detect_leaks=0";
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static HttpServer server({.port = 0, .limits = kLimits}, handle);
    fuzz::Choices choices(data, size);
    const std::uint8_t piece = choices.byte();
    std::string_view rest = choices.rest();
    const std::size_t before = handled;
    testing::RawClient client(server.port());
    fuzz::require(client.connected());
    // Sometimes in two parts, so that a request arrives in halves; the second waits for an acknowledgement.
    const std::size_t first = piece % 16 == 0 ? std::min<std::size_t>(piece, rest.size()) : rest.size();
    if (client.send(rest.substr(0, first)) && first < rest.size()) client.send(rest.substr(first));
    client.half_close();
    fuzz::require(client.closed());
    const std::string& answers = client.read();
    fuzz::require(answers.empty() || answers.starts_with("HTTP/1."));
    fuzz::require(occurrences(answers, kAnswer) <= handled - before);
    return 0;
}
