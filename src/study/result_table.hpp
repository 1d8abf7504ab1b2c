/// Everything a study measured: one figure of one method on one stream under one seed is a row. The CSV keeps
/// the raw rows, the Markdown tables their means.
#pragma once

#include "study/estimate.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace proxstream {

struct Measurement {
    std::string stream;
    std::string method;
    std::string figure;  // StudyFigure::key
    std::uint64_t seed = 0;
    Real value = 0;
};

enum class Better : std::uint8_t { lower, higher, neither };

struct StudyFigure {
    std::string key;      // as in the CSV
    std::string heading;  // as in tables
    Better better = Better::lower;
    bool yes_no = false;  // 1 is yes, 0 is no
};

enum class TableLayout : std::uint8_t {
    by_figure,  // a table a figure: methods down, streams across
    by_stream,  // a table a stream: methods down, figures across
};

class ResultTable {
  public:
    void add(Measurement measurement) { rows_.push_back(std::move(measurement)); }
    void add(std::span<const Measurement> measurements) {
        rows_.insert(rows_.end(), measurements.begin(), measurements.end());
    }

    const std::vector<Measurement>& rows() const noexcept { return rows_; }
    bool empty() const noexcept { return rows_.empty(); }
    /// In the order of their first appearance.
    std::vector<std::string> streams() const;
    std::vector<std::string> methods() const;
    Estimate at(std::string_view stream, std::string_view method, std::string_view figure) const;
    /// The largest mean among these methods; nothing if one of them was not measured.
    Estimate largest(std::string_view stream, std::span<const std::string> methods,
                     std::string_view figure) const;

    /// Tables of mean +- standard error under a heading each; the best mean of a stream is bold.
    std::string to_markdown(std::span<const StudyFigure> figures, TableLayout layout) const;

  private:
    std::vector<Measurement> rows_;
};

/// Lines of cells as a Markdown table, the first of them its head. Columns are padded, so that the source
/// reads like the table; '|' has to be escaped in the cells.
std::string markdown_table(const std::vector<std::vector<std::string>>& lines);

/// The first line of the CSV file, and a line for each measurement. Values are exact: they read back to the
/// same numbers.
std::string csv_header();
std::string to_csv(std::span<const Measurement> measurements);

}  // namespace proxstream
