/// A CSV file of metrics over time. Its columns are `row`, every metric over all rows so far, and, with the
/// prefix `recent_`, over the newest rows.
#pragma once

#include "io/output_file.hpp"
#include "run/metrics.hpp"

#include <cstdint>
#include <string>

namespace proxstream {

/// The end of a file of metrics.
struct MetricsPlace {
    std::uint64_t bytes = 0;
    std::uint64_t rows = 0;  // in the last line

    void serialise(StateArchive& archive) { archive.fields(Field{"bytes", bytes}, Field{"rows", rows}); }
};

class MetricsFile {
  public:
    /// Begins a file with its header, unless it is continued at a place. A line is due after every `every`
    /// rows.
    MetricsFile(OutputFile file, std::uint64_t every, const Metrics& metrics, MetricsPlace place = {});

    /// Writes a line if one is due.
    void on_rows(const Metrics& metrics);
    /// Writes a last line if there are rows since the last one, and closes the file.
    void finish(const Metrics& metrics);
    MetricsPlace place() const noexcept { return place_; }

  private:
    void line(const Metrics& metrics);
    void write(const std::string& text);

    OutputFile file_;
    std::uint64_t every_;
    MetricsPlace place_;
};

}  // namespace proxstream
