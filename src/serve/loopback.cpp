#include "serve/loopback.hpp"

#include "io/field_text.hpp"

#include <algorithm>
#include <cctype>

#include <arpa/inet.h>
#include <netinet/in.h>

namespace proxstream {
namespace {

constexpr std::uint32_t kLoopbackNetwork = 127;

bool is_loopback4(const std::uint8_t* bytes) {
    return bytes[0] == kLoopbackNetwork;
}

bool is_host_name(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
        return std::isalnum(c) != 0 || c == '-' || c == '.' || c == '_';
    });
}

/// The address in brackets at the beginning of the text, or the name; empty: neither.
std::string_view host_of(std::string_view text) {
    if (!text.starts_with('[')) {
        const std::string_view host = text.substr(0, text.find(':'));
        return is_host_name(host) ? host : std::string_view();
    }
    const std::size_t end = text.find(']');
    const std::string_view address = end == text.npos ? std::string_view() : text.substr(1, end - 1);
    in6_addr parsed{};
    return inet_pton(AF_INET6, std::string(address).c_str(), &parsed) == 1 ? address : std::string_view();
}

}  // namespace

bool is_loopback(std::string_view address) {
    const std::string text(address);
    if (text.find('\0') != text.npos) return false;
    in_addr four{};
    if (inet_pton(AF_INET, text.c_str(), &four) == 1)
        return is_loopback4(reinterpret_cast<const std::uint8_t*>(&four.s_addr));
    in6_addr six{};
    if (inet_pton(AF_INET6, text.c_str(), &six) != 1) return false;
    return IN6_IS_ADDR_LOOPBACK(&six) ||
           (IN6_IS_ADDR_V4MAPPED(&six) &&
            is_loopback4(&six.s6_addr[sizeof six.s6_addr - sizeof four.s_addr]));
}

std::optional<Authority> parse_authority(std::string_view text) {
    const std::string_view host = host_of(text);
    if (host.empty()) return std::nullopt;
    const bool bracketed = text.starts_with('[');
    std::string_view rest = text.substr(host.size() + (bracketed ? 2 : 0));
    Authority authority{.host = lower_case(host)};
    if (!rest.empty()) {
        if (!rest.starts_with(':')) return std::nullopt;
        const auto port = parse_count(rest.substr(1));
        if (!port || *port > UINT16_MAX) return std::nullopt;
        authority.port = static_cast<std::uint16_t>(*port);
    }
    if (bracketed) {
        authority.is_local = is_loopback(host);
        return authority;
    }
    if (authority.host.ends_with('.')) authority.host.pop_back();
    authority.is_local = authority.host == "localhost" || is_loopback(authority.host);
    return authority;
}

std::optional<Authority> parse_origin(std::string_view text) {
    constexpr std::string_view kScheme = "http://";
    if (!text.starts_with(kScheme)) return std::nullopt;
    return parse_authority(text.substr(kScheme.size()));
}

}  // namespace proxstream
