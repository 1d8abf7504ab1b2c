#include "traffic/field_text.hpp"

#include <algorithm>
#include <charconv>

namespace proxstream {

std::string read_all(const Input& input) {
    constexpr std::size_t kPiece = std::size_t{1} << 16U;
    const auto source = input.open();
    std::string bytes;
    for (;;) {
        const std::size_t before = bytes.size();
        bytes.resize(before + kPiece);
        const std::size_t count = source->read(std::span(bytes).subspan(before));
        bytes.resize(before + count);
        if (count == 0) return bytes;
    }
}

std::string lower_case(std::string_view text) {
    std::string lower(text);
    for (char& c : lower) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return lower;
}

std::string bare_name(std::string_view text) {
    std::string bare;
    for (const char c : lower_case(text.substr(0, text.find('(')))) {
        if (is_digit(c) || (c >= 'a' && c <= 'z')) bare += c;
    }
    return bare;
}

void split_at_blanks(std::string_view text, std::vector<std::string_view>& fields) {
    constexpr std::string_view kBlanks = " \t";
    fields.clear();
    for (auto begin = text.find_first_not_of(kBlanks); begin != std::string_view::npos;) {
        const auto end = std::min(text.find_first_of(kBlanks, begin), text.size());
        fields.push_back(text.substr(begin, end - begin));
        begin = text.find_first_not_of(kBlanks, end);
    }
}

void split_at(std::string_view text, char separator, std::vector<std::string_view>& fields) {
    fields.clear();
    for (std::size_t begin = 0;;) {
        const auto end = std::min(text.find(separator, begin), text.size());
        fields.push_back(without_blanks(text.substr(begin, end - begin)));
        if (end == text.size()) return;
        begin = end + 1;
    }
}

std::optional<std::uint64_t> parse_count(std::string_view text) {
    std::uint64_t value = 0;
    const char* const last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), last, value);
    if (text.empty() || error != std::errc{} || end != last) return std::nullopt;
    return value;
}

std::string count_of(std::uint64_t count, std::string_view noun) {
    return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

}  // namespace proxstream
