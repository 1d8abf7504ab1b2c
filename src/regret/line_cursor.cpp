#include "line_cursor.hpp"

#include "core/json.hpp"

#include <charconv>
#include <cmath>

namespace proxstream {
namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool starts_number(std::string_view text) {
    if (text.starts_with('-')) text.remove_prefix(1);
    return !text.empty() && is_digit(text.front());
}

}  // namespace

std::string_view expectation(Real value, Range range) {
    if (fits(value, range)) return "";
    if (range.infinite)
        return range.nonnegative ? "a number >= 0 or \"inf\"" : "a number, \"inf\" or \"-inf\"";
    return range.nonnegative ? "a finite number >= 0" : "a finite number";
}

void LineCursor::fail(const std::string& expected) const {
    constexpr std::size_t kShown = 24;
    std::string seen;
    for (const char c : rest_.substr(0, kShown)) seen += c >= ' ' && c <= '~' ? c : '?';
    fail(seen.empty() ? "the line ends" : "found '" + seen + "'", expected);
}

void LineCursor::fail(const std::string& problem, const std::string& expected) const {
    throw DataError({source_, line_, 0, field_.empty() ? "" : "key " + std::string(field_)}, problem,
                    expected);
}

bool LineCursor::at_key(std::string_view key) const {
    std::string_view text = rest_;
    for (const std::string_view part :
         {std::string_view(first_ ? "{\"" : ",\""), key, std::string_view("\":")}) {
        if (!text.starts_with(part)) return false;
        text.remove_prefix(part.size());
    }
    return true;
}

void LineCursor::key(std::string_view key) {
    field_ = key;
    if (!at_key(key)) fail("the key \"" + std::string(key) + "\" here");
    rest_.remove_prefix(key.size() + 4);
    first_ = false;
}

bool LineCursor::take(std::string_view literal) {
    if (!rest_.starts_with(literal)) return false;
    rest_.remove_prefix(literal.size());
    return true;
}

bool LineCursor::take_quoted(std::string_view word) {
    const std::string_view seen = rest_.substr(0, word.size() + 2);
    if (seen.size() < word.size() + 2 || seen.front() != '"' || seen.back() != '"') return false;
    return seen.substr(1, word.size()) == word && take(seen);
}

void LineCursor::expect(std::string_view literal) {
    if (!take(literal)) fail("'" + std::string(literal) + "'");
}

Real LineCursor::real(Range range) {
    Real value = 0;
    if (take("\"inf\"")) {
        value = kInfinity;
    } else if (take("\"-inf\"")) {
        value = -kInfinity;
    } else {
        if (!starts_number(rest_)) fail(std::string(expectation(std::nan(""), range)));
        const auto [end, problem] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
        if (problem != std::errc()) fail("a number that fits a double");
        rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    }
    if (const std::string_view expected = expectation(value, range); !expected.empty()) {
        fail("the value is out of range", std::string(expected));
    }
    return value;
}

std::uint64_t LineCursor::integer() {
    std::uint64_t value = 0;
    const auto [end, problem] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (problem != std::errc()) fail("an integer in 0..2^64-1");
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
}

bool LineCursor::boolean() {
    if (take("true")) return true;
    if (take("false")) return false;
    fail("true or false");
}

std::string LineCursor::string() {
    std::size_t end = 1;
    while (end < rest_.size() && rest_[end] != '"') end += rest_[end] == '\\' ? 2 : 1;
    if (!rest_.starts_with('"') || end >= rest_.size()) fail("a string");
    const auto parsed = nlohmann::json::parse(rest_.substr(0, end + 1), nullptr, false);
    if (!parsed.is_string()) fail("a string in JSON form");
    rest_.remove_prefix(end + 1);
    return parsed.get<std::string>();
}

void LineCursor::integers(std::span<std::uint64_t> out) {
    std::string_view before = "[";
    for (std::uint64_t& value : out) {
        expect(before);
        value = integer();
        before = ",";
    }
    expect("]");
}

void LineCursor::integers(std::vector<Index>& out) {
    out.clear();
    expect("[");
    if (take("]")) return;
    do {
        out.push_back(integer());
    } while (take(","));
    expect("]");
}

void LineCursor::reals(std::vector<Real>& out, Range range) {
    out.clear();
    expect("[");
    if (take("]")) return;
    do {
        out.push_back(real(range));
    } while (take(","));
    expect("]");
}

}  // namespace proxstream
