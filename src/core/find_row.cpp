#include "core/find_row.hpp"

#include <algorithm>

namespace proxstream {

void check_new_name(std::string_view kind, std::string_view name) {
    constexpr std::size_t kLongest = 64;
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    const auto may_follow = [&](char c) {
        return is_letter(c) || (c >= '0' && c <= '9') || c == '-' || c == '_';
    };
    if (!name.empty() && name.size() <= kLongest && is_letter(name.front()) &&
        std::all_of(name.begin(), name.end(), may_follow)) {
        return;
    }
    throw ConfigError(std::string(kind) + " '" + std::string(name) +
                      "': a name is a letter followed by letters, digits, '-' or '_', at most 64 characters");
}

}  // namespace proxstream
