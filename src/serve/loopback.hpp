/// Which addresses and names lead to this machine only, and what a Host header or an origin says.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace proxstream {

/// Whether the text is an address that only this machine can reach: 127.0.0.0/8, ::1, or the former within
/// IPv6. Names are none: other machines may own them, whatever they begin with.
bool is_loopback(std::string_view address);

struct Authority {
    std::string host;  // in lower case, without brackets and without the last dot
    std::uint16_t port = 80;
    bool is_local = false;  // a loopback address, or the name localhost

    bool operator==(const Authority&) const = default;
};

/// Reads host, host:port or [address]:port; nullopt if the text has another form.
std::optional<Authority> parse_authority(std::string_view text);
/// Reads http://AUTHORITY; nullopt for another scheme.
std::optional<Authority> parse_origin(std::string_view text);

}  // namespace proxstream
