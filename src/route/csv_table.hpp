/// Tables read back as strictly as they were written: the very columns, every field, every line whole.
#pragma once

#include "proxstream/core/types.hpp"

#include <cstdint>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace proxstream {

class CsvTable {
  public:
    /// Throws IoError if it cannot be read, DataError if its first line are not `columns`.
    CsvTable(std::string path, std::span<const std::string_view> columns);

    /// The next row; false at the end. Throws DataError for a row of another width, or one cut off.
    bool next();
    /// The same for tables in the order of periods, their first column: false at the end of `period`. Throws
    /// DataError when a row of an earlier one comes.
    bool next_of(Index period);

    /// Whether the last next_of() ended at a row of a later period.
    bool holds_row() const noexcept { return held_; }

    std::string_view text(Index column) const { return fields_[column]; }
    bool empty(Index column) const { return fields_[column].empty(); }
    Real number(Index column) const;
    /// NaN where the field is empty.
    Real number_or_none(Index column) const;
    Index count(Index column) const;
    /// A count below `end`.
    Index index(Index column, Index end, std::string_view of) const;
    [[noreturn]] void refuse(Index column, const std::string& problem, const std::string& expected) const;
    std::uint64_t line() const noexcept { return line_; }
    const std::string& path() const noexcept { return path_; }

  private:
    bool read_line();
    std::string_view take_field(std::size_t& at);

    std::string path_;
    std::span<const std::string_view> columns_;
    std::ifstream file_;
    std::string row_;
    std::string unescaped_;
    std::vector<std::string_view> fields_;
    std::uint64_t line_ = 0;
    bool held_ = false;  // the row was read and is of a later period
};

}  // namespace proxstream
