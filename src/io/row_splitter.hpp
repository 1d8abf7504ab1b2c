/// Rows of delimited text: how a line is cut into fields, and how a field is written.
#pragma once

#include "proxstream/core/types.hpp"

#include "io/line_reader.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace proxstream {

/// The comma, semicolon or tab that occurs most often outside quotes; `fallback` if there is none.
char find_delimiter(std::string_view line, char fallback);

/// Cuts lines at a delimiter. The delimiter ' ' stands for any run of blanks and tabs. Fields may be quoted,
/// with
/// "" for a quote inside; blanks around a field do not belong to it.
class RowSplitter {
  public:
    explicit RowSplitter(char delimiter) : delimiter_(delimiter) {}

    /// The fields of `record`, which `lines` has just returned. A quoted field may contain line breaks: the
    /// record then grows to at most `max_lines` lines. Fields stay valid until the next call. Throws
    /// DataError for a quote that is not closed, after which reading continues with the line below, and for
    /// text after a closing quote.
    const std::vector<std::string_view>& split(std::string_view& record, LineReader& lines,
                                               Index max_lines = 1);

  private:
    bool is_blank(char c) const noexcept { return c == ' ' || (c == '\t' && delimiter_ != '\t'); }
    const char* skip_blanks(const char* p, const char* last) const noexcept;
    const char* find_end(const char* p, const char* last) const noexcept;
    bool cut(std::string_view record);
    const char* take_quoted(const char* p, const char* last);

    char delimiter_;
    std::vector<std::string_view> fields_;
    std::string unescaped_;    // what quoted fields point into
    std::uint64_t stray_ = 0;  // the first field with text after its closing quote, from 1; 0: none
};

/// Appends a field, in quotes where it would otherwise be read as something else.
void append_csv_field(std::string& out, std::string_view text);

/// Splits at blanks and tabs; no field is empty.
void split_at_blanks(std::string_view text, std::vector<std::string_view>& fields);
/// Splits at every `separator`; blanks around fields are removed, and fields may be empty.
void split_at(std::string_view text, char separator, std::vector<std::string_view>& fields);

}  // namespace proxstream
