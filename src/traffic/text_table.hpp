/// Tables of text with a line of column names. Commas, semicolons, tabs or blanks separate values.
#pragma once

#include "io/row_splitter.hpp"
#include "traffic/pair_index.hpp"

#include <span>

namespace proxstream {

struct TableColumn {
    const char* name;
    std::string_view known;  // accepted names in bare form, separated by blanks
    bool needed = false;

    bool is_called(std::string_view text) const;
};

class TextTable {
  public:
    /// csv refuses unknown columns. tntp skips them, ~ comments, <metadata> and semicolons at the end of
    /// lines.
    enum class Style { csv, tntp };
    /// Reads the line of names. Throws DataError if a required column is missing. `lines` must outlive the
    /// table.
    TextTable(LineReader& lines, std::span<const TableColumn> columns, Style style);

    bool next();
    bool has(Index column) const { return places_[column].has_value(); }
    /// Empty if the table has no such column.
    std::string_view text(Index column) const;
    /// The same, but it may not be empty. `what` names what is expected.
    std::string_view needed_text(Index column, const char* what) const;
    /// A number of at least 0; `fallback` if the column or the value is missing.
    Real amount(Index column) const;
    Real amount_or(Index column, Real fallback) const;
    Real positive(Index column) const;
    Real number(Index column) const;
    NodeIndex node(Index column, const Network& network) const;
    DataLocation locate(Index column) const;
    DataLocation here() const { return lines_.here(); }

  private:
    bool next_line(std::string_view& line);
    void read_names(std::string_view line);
    std::string allowed() const;

    LineReader& lines_;
    std::span<const TableColumn> columns_;
    Style style_;
    std::optional<RowSplitter> splitter_;
    std::vector<std::optional<Index>> places_;
    Index width_ = 0;
    const std::vector<std::string_view>* fields_ = nullptr;
};

/// Whether a line of names has every required column, to tell a table from another file.
bool names_columns(std::string_view line, std::span<const TableColumn> columns);

}  // namespace proxstream
