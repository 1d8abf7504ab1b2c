#include "traffic/tntp_metadata.hpp"

#include "io/field_text.hpp"
#include "traffic/network_formats.hpp"

namespace proxstream {
namespace {

/// Upper case, with single blanks.
std::string key_of(std::string_view text) {
    std::string key;
    for (const char c : without_blanks(text)) {
        if (c == ' ' || c == '\t') {
            if (key.back() != ' ') key += ' ';
        } else {
            key += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
        }
    }
    return key;
}

}  // namespace

bool TntpMetadata::take(std::string_view text, const LineReader& lines) {
    text = without_blanks(text);
    if (text.empty() || text.front() != '<') return false;
    const auto close = text.find('>');
    if (close == std::string_view::npos)
        throw DataError(lines.here(), quoted_excerpt(text) + " is not closed", "<KEY> and a value");
    const std::string key = key_of(text.substr(1, close - 1));
    if (key == "END OF METADATA") {
        ended_ = true;
        return true;
    }
    const bool free_text = key == "ORIGINAL HEADER";
    const std::string_view value =
        free_text ? text.substr(close + 1) : without_tntp_comment(text.substr(close + 1));
    const auto [known, made] = values_.try_emplace(key, Value{std::string(value), lines.here(key)});
    if (!made && !free_text) {
        throw DataError(lines.here(key),
                        "the key is on line " + std::to_string(known->second.where.line) + " already",
                        "every key once");
    }
    return true;
}

std::optional<std::uint64_t> TntpMetadata::count(const std::string& key) const {
    if (!has(key)) return std::nullopt;
    return read_count(values_.at(key).text, [&] { return where(key); });
}

std::optional<Real> TntpMetadata::number(const std::string& key) const {
    if (!has(key)) return std::nullopt;
    return read_amount(values_.at(key).text, [&] { return where(key); });
}

std::string_view without_tntp_comment(std::string_view line) noexcept {
    return without_blanks(line.substr(0, line.find('~')));
}

bool begins_tntp(std::string_view line) {
    const std::string start = lower_case(line.substr(0, 7));
    return line.starts_with('<') || line.starts_with('~') || start == "origin " || start == "origin\t";
}

}  // namespace proxstream
