/// A table written row by row. Rows are handed to the system whole, never half of one, so that a run that is
/// killed leaves whole lines.
#pragma once

#include "proxstream/core/types.hpp"

#include "io/output_file.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace proxstream {

class CsvFile {
  public:
    CsvFile(const std::string& path, std::span<const std::string_view> columns);
    /// Goes on with a table behind its first `bytes` (OutputFile::go_on).
    CsvFile(const std::string& path, std::uint64_t bytes) : file_(OutputFile::go_on(path, bytes)) {}

    CsvFile& number(Real value);  // shortest form that reads back as the same bits; empty if not finite
    CsvFile& integer(std::uint64_t value);
    CsvFile& text(std::string_view value);  // quoted where needed; line breaks become blanks: a row is a line
    void end_row();
    void flush();
    void close();
    /// Of the whole rows so far, all of which are handed over.
    std::uint64_t bytes();

  private:
    void separate();
    void hand_over(std::size_t bytes);

    OutputFile file_;
    std::string pending_;
    std::size_t whole_ = 0;  // bytes of pending_ that are whole rows
    bool first_ = true;      // of the row
};

}  // namespace proxstream
