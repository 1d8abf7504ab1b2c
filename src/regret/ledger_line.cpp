#include "ledger_line.hpp"

#include "core/json.hpp"

#include <charconv>
#include <cmath>

#include <fmt/format.h>

namespace proxstream {
namespace {

bool starts_number(std::string_view text) {
    if (text.starts_with('-')) text.remove_prefix(1);
    return !text.empty() && text.front() >= '0' && text.front() <= '9';
}

}  // namespace

void LineWriter::put_key(Key key) {
    out_ += std::exchange(first_, false) ? "{\"" : ",\"";
    out_ += key.ledger;
    out_ += "\":";
}

void LineWriter::put(Real value, const Range& /*range*/) {
    if (std::isinf(value)) {
        out_ += value > 0 ? "\"inf\"" : "\"-inf\"";
    } else {
        out_ += fmt::format("{}", value);
    }
}

void LineWriter::put(std::uint64_t value, const Range& /*range*/) {
    out_ += fmt::format("{}", value);
}

void LineWriter::put(bool value, const Range& /*range*/) {
    out_ += value ? "true" : "false";
}

void LineWriter::put(const std::string& value, const Range& /*range*/) {
    out_ += nlohmann::json(value).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void LineWriter::put(const Cost& cost, const Range& /*range*/) {
    std::array<Index, kCostCounts.size()> counts{};
    for (Index i = 0; i < counts.size(); ++i) counts[i] = cost.*kCostCounts[i].second;
    put(std::span<const Index>(counts), kAny);
}

void LineWriter::put(const NamedTexts& texts, const Range& range) {
    out_ += '{';
    for (const auto& text : texts) {
        if (&text != texts.data()) out_ += ',';
        put(text.first, range);
        out_ += ':';
        put(text.second, range);
    }
    out_ += '}';
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

bool LineCursor::at_key(Key key) const {
    std::string_view text = rest_;
    for (const std::string_view part :
         {std::string_view(first_ ? "{\"" : ",\""), key.ledger, std::string_view("\":")}) {
        if (!text.starts_with(part)) return false;
        text.remove_prefix(part.size());
    }
    return true;
}

void LineCursor::take_key(Key key) {
    field_ = key.ledger;
    if (!at_key(key)) fail("the key \"" + std::string(field_) + "\" here");
    rest_.remove_prefix(field_.size() + 4);
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

void LineCursor::take(Real& value, const Range& range) {
    if (take("\"inf\"")) {
        value = kInfinity;
    } else if (take("\"-inf\"")) {
        value = -kInfinity;
    } else {
        if (!starts_number(rest_)) fail(std::string(range.words));
        const auto [end, problem] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
        if (problem != std::errc()) fail("a number that fits a double");
        rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    }
    if (!range.holds(value)) fail("the value is out of range", std::string(range.words));
}

void LineCursor::take(std::uint64_t& value, const Range& /*range*/) {
    const auto [end, problem] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (problem != std::errc()) fail("an integer in 0..2^64-1");
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
}

void LineCursor::take(bool& value, const Range& /*range*/) {
    value = take("true");
    if (!value && !take("false")) fail("true or false");
}

void LineCursor::take(std::string& value, const Range& /*range*/) {
    std::size_t end = 1;
    while (end < rest_.size() && rest_[end] != '"') end += rest_[end] == '\\' ? 2 : 1;
    if (!rest_.starts_with('"') || end >= rest_.size()) fail("a string");
    const auto parsed = nlohmann::json::parse(rest_.substr(0, end + 1), nullptr, false);
    if (!parsed.is_string()) fail("a string in JSON form");
    rest_.remove_prefix(end + 1);
    value = parsed.get<std::string>();
}

void LineCursor::take(Cost& cost, const Range& range) {
    std::string_view before = "[";
    for (const auto& [name, count] : kCostCounts) {
        expect(std::exchange(before, ","));
        take(cost.*count, range);
    }
    expect("]");
}

void LineCursor::take(NamedTexts& texts, const Range& range) {
    texts.clear();
    expect("{");
    if (take("}")) return;
    do {
        auto& [name, text] = texts.emplace_back();
        take(name, range);
        expect(":");
        take(text, range);
    } while (take(","));
    expect("}");
}

}  // namespace proxstream
