/// Tables of text with a line of column names: values separated by commas, semicolons, tabs or blanks.
#pragma once

#include "io/line_reader.hpp"
#include "traffic/field_text.hpp"

#include <memory>
#include <span>

namespace proxstream {

/// Cuts lines at a separator that the first of them decides. Fields may be quoted, within a line.
class RowSplitter {
  public:
    explicit RowSplitter(std::string_view first_line);
    /// Fields stay valid until the next call. Throws DataError for a quote that is not closed.
    const std::vector<std::string_view>& split(std::string_view line, const LineReader& at);

  private:
    void split_quoted(std::string_view line, const LineReader& at);

    char separator_;  // a blank for any run of blanks and tabs
    std::vector<std::string_view> fields_;
    std::string unescaped_;
};

struct TableColumn {
    const char* name;
    std::vector<std::string> known;  // names it goes by, in bare form
    bool needed = false;
};

class TextTable {
  public:
    enum class Style {
        csv,  // columns that are not known are refused
        tntp  // and here they are skipped, like ~ comments, <metadata> and semicolons at the end of lines
    };
    /// Reads the line of names. Throws DataError when it lacks one that is needed.
    TextTable(std::unique_ptr<LineReader> lines, std::span<const TableColumn> columns, Style style);
    TextTable(const Input& input, std::span<const TableColumn> columns, Style style)
        : TextTable(std::make_unique<LineReader>(input.open()), columns, style) {}

    bool next();
    bool has(Index column) const { return places_[column].has_value(); }
    /// Empty where the table has no such column.
    std::string_view text(Index column) const;
    /// A number of at least 0; `fallback` where the column or the value is missing.
    Real amount(Index column) const;
    Real amount_or(Index column, Real fallback) const;
    Real number(Index column) const;
    DataLocation locate(Index column) const;
    DataLocation here() const { return {lines_->name(), lines_->line(), 0, ""}; }
    const std::string& source() const noexcept { return lines_->name(); }
    std::uint64_t line() const noexcept { return lines_->line(); }

  private:
    bool next_line(std::string_view& line);
    void read_names(std::string_view line);
    std::string allowed() const;

    std::unique_ptr<LineReader> lines_;
    std::span<const TableColumn> columns_;
    Style style_;
    std::optional<RowSplitter> splitter_;
    std::vector<std::optional<Index>> places_;
    Index width_ = 0;
    const std::vector<std::string_view>* fields_ = nullptr;
};

/// Whether a line of names has every column that is needed: what tells a table from another file.
bool names_columns(std::string_view line, std::span<const TableColumn> columns);

}  // namespace proxstream
