/// A CSV table written row by row. Rows are handed to the system whole, so a run that is killed leaves whole
/// lines.
#pragma once

#include "proxstream/core/types.hpp"

#include "io/output_file.hpp"

#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace proxstream {

class CsvFile {
  public:
    /// Begins a file with a line of column names, "a,b,c".
    CsvFile(const std::string& path, std::string_view columns);
    /// Continues a table behind its first `bytes` (OutputFile::continue_after).
    CsvFile(const std::string& path, std::uint64_t bytes) : file_(OutputFile::continue_after(path, bytes)) {}

    /// A number is written in the shortest form that reads back as the same bits, and as an empty field if it
    /// is not finite. Text is quoted where needed; its line breaks become blanks, so that a row is a line.
    template <class... Fields>
    void row(const Fields&... fields) {
        (add(fields), ...);
        end_row();
    }
    void flush();
    void close();
    /// Bytes of the rows so far, all of which are handed over.
    std::uint64_t bytes();

  private:
    void add(Real value);
    void add(std::string_view text);
    void add(std::span<const Real> values) {
        for (const Real value : values) add(value);
    }
    template <std::unsigned_integral Count>
    void add(Count value) {
        pending_ += std::to_string(value) + ',';
    }
    void end_row();

    OutputFile file_;
    std::string pending_;
};

}  // namespace proxstream
