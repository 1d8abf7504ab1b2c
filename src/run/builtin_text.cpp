#include "run/builtin_text.hpp"

#include "proxstream/core/error.hpp"

#include <charconv>

namespace proxstream {

Spec builtin_spec(std::string_view text) {
    std::string spelled(text);
    if (const auto comma = spelled.find(','); comma != std::string::npos) spelled[comma] = ':';
    return Spec::parse(spelled);
}

std::uint64_t whole_number(const Spec& spec, const std::string& key, std::uint64_t fallback) {
    const std::string text = spec.word_or(key, std::to_string(fallback));
    std::uint64_t value = 0;
    const char* last = text.data() + text.size();
    const auto [end, status] = std::from_chars(text.data(), last, value);
    if (status == std::errc{} && end == last) return value;
    throw ConfigError("'" + spec.text() + "': " + key + " = '" + text + "' is not a whole number");
}

}  // namespace proxstream
