/// A CSV file of metrics over time. Its columns are `row`, every metric over all rows so far, and, with the
/// prefix `recent_`, over the newest rows.
#pragma once

#include "io/output_file.hpp"
#include "run/metrics.hpp"

#include <cstdint>
#include <string>

namespace proxstream {

class MetricsFile {
  public:
    /// A new file begins with a header. A line is due after every `every` rows. `rows`: in the last line of a
    /// file that is continued.
    MetricsFile(OutputFile file, std::uint64_t every, const Metrics& metrics, std::uint64_t rows = 0);

    /// Writes a line if one is due.
    void on_rows(const Metrics& metrics);
    /// Writes a last line if there are rows since the last one, and closes the file.
    void finish(const Metrics& metrics);
    /// In the last line.
    std::uint64_t rows() const noexcept { return rows_; }
    void mark(OutputMarks& marks) { file_.mark(marks); }

  private:
    void line(const Metrics& metrics);
    void write(const std::string& text);

    OutputFile file_;
    std::uint64_t every_;
    std::uint64_t rows_;
};

}  // namespace proxstream
