/// What a request asks for, decoded: the path and the query of its target.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace proxstream {

struct HttpTarget {
    std::string path;
    std::map<std::string, std::string> query;
};

/// None unless it is a path (perhaps behind a scheme and a host) whose escapes are whole and which is, once
/// decoded, UTF-8 without control characters: nobody behind this has to think of those.
std::optional<HttpTarget> parse_http_target(std::string_view target);

}  // namespace proxstream
