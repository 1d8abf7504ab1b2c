/// A CSV table written row by row. Rows are handed to the system whole, so a run that is killed leaves whole
/// lines.
#pragma once

#include "proxstream/core/types.hpp"

#include "io/output_file.hpp"

#include <concepts>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace proxstream {

class CsvFile {
  public:
    /// A new file begins with a line of column names, "a,b,c".
    CsvFile(OutputFile file, std::string_view columns);
    CsvFile(const std::string& path, std::string_view columns) : CsvFile(OutputFile(path), columns) {}

    /// A number is written in the shortest form that reads back as the same bits, and as an empty field if it
    /// is not finite. Text is quoted where needed; its line breaks become blanks, so that a row is a line.
    template <class... Fields>
    void row(const Fields&... fields) {
        (add(fields), ...);
        end_row();
    }
    void flush();
    void close();
    /// Of the rows so far (OutputFile::mark).
    void mark(OutputMarks& marks);

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
