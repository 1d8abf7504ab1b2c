#include "io/row_splitter.hpp"

#include "io/parse_number.hpp"

#include <algorithm>
#include <cstring>

namespace proxstream {
namespace {

constexpr std::string_view kBlanks = " \t";

const char* find(const char* p, const char* last, char wanted) noexcept {
    const void* found = std::memchr(p, wanted, static_cast<std::size_t>(last - p));
    return found != nullptr ? static_cast<const char*>(found) : last;
}

}  // namespace

char find_delimiter(std::string_view line, char fallback) {
    constexpr char kCandidates[] = {',', ';', '\t'};
    Index counts[] = {0, 0, 0};
    bool quoted = false;
    for (const char c : line) {
        if (c == '"') quoted = !quoted;
        for (Index i = 0; i < 3; ++i) counts[i] += !quoted && c == kCandidates[i] ? 1 : 0;
    }
    const Index* const most = std::max_element(counts, counts + 3);
    return *most > 0 ? kCandidates[most - counts] : fallback;
}

const std::vector<std::string_view>& RowSplitter::split(std::string_view& record, LineReader& lines,
                                                        Index max_lines) {
    Index count = 1;
    while (!cut(record)) {
        const std::size_t before = record.size();
        do {
            if (count++ < max_lines && lines.extend(record)) continue;
            // The next record is the line below the one that opened the quote.
            lines.rewind();
            lines.next(record);
            throw DataError(lines.here({}, fields_.size()), "the quote that opens here is not closed",
                            max_lines == 1
                                ? "a closing quote"
                                : "a closing quote within " + std::to_string(max_lines) + " lines");
        } while (record.find('"', before) == std::string_view::npos);
    }
    if (stray_ == 0) return fields_;
    throw DataError(lines.here({}, stray_), "text follows the closing quote",
                    "a delimiter there, and \"\" for a quote inside a quoted field");
}

/// False if the last field is quoted and not closed.
bool RowSplitter::cut(std::string_view record) {
    fields_.clear();
    unescaped_.clear();
    unescaped_.reserve(record.size());  // fields point into it: it must not move
    stray_ = 0;
    const char* p = record.data();
    const char* const last = p + record.size();
    for (;; ++p) {
        p = skip_blanks(p, last);
        if (p == last && delimiter_ == ' ') return true;
        if (p != last && *p == '"') {
            p = take_quoted(p + 1, last);
            if (p == nullptr) return false;
        } else {
            const char* const end = find_end(p, last);
            fields_.push_back(without_blanks({p, static_cast<std::size_t>(end - p)}));
            p = end;
        }
        if (p == last) return true;
    }
}

/// Adds the field whose opening quote stands before `p`. Returns the delimiter after it, or null if the quote
/// is not closed.
const char* RowSplitter::take_quoted(const char* p, const char* last) {
    const std::size_t from = unescaped_.size();
    const char* close = find(p, last, '"');
    for (; close != last && close + 1 != last && close[1] == '"'; close = find(p, last, '"')) {
        unescaped_.append(p, close + 1);
        p = close + 2;
    }
    unescaped_.append(p, close);
    fields_.push_back(std::string_view(unescaped_).substr(from));
    if (close == last) return nullptr;
    p = delimiter_ == ' ' ? close + 1 : skip_blanks(close + 1, last);
    const char* const end = find_end(p, last);
    if (p != end && stray_ == 0) stray_ = fields_.size();
    return end;
}

const char* RowSplitter::skip_blanks(const char* p, const char* last) const noexcept {
    while (p != last && is_blank(*p)) ++p;
    return p;
}

const char* RowSplitter::find_end(const char* p, const char* last) const noexcept {
    if (delimiter_ != ' ') return find(p, last, delimiter_);
    while (p != last && !is_blank(*p)) ++p;
    return p;
}

void append_csv_field(std::string& out, std::string_view text) {
    if (text.find_first_of(",\"\r\n") == std::string_view::npos && without_blanks(text) == text) {
        out += text;
        return;
    }
    out += '"';
    for (const char c : text) {
        if (c == '"') out += '"';
        out += c;
    }
    out += '"';
}

void split_at_blanks(std::string_view text, std::vector<std::string_view>& fields) {
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

}  // namespace proxstream
