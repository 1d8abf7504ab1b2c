/// The measurements of a study. A row is a figure of a method on a stream for a seed. The CSV file has the
/// rows; tables and charts show means over the seeds.
#pragma once

#include "proxstream/core/types.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace proxstream {

/// Mean of a figure over the seeds, and its standard error.
struct Estimate {
    Index count = 0;
    Real mean = 0;              // 0 if there is no value
    std::optional<Real> error;  // of the mean; one value has none
};

Estimate estimate(std::span<const Real> values);

/// "0.0870 +- 0.0031": the error to two digits, the mean to the same place and to at most four digits;
/// "(1.23 +- 0.04)e-05" for very small and very large means. Without an error, four digits; without values,
/// "-".
std::string to_text(const Estimate& estimate);

struct Measurement {
    std::string stream;
    std::string method;
    std::string figure;  // StudyFigure::key
    std::uint64_t seed = 0;
    Real value = 0;
};

enum class Better : std::uint8_t { neither, lower, higher };

struct StudyFigure {
    const char* key;      // as in the CSV file
    const char* heading;  // as in tables
    Better better = Better::neither;
    bool yes_no = false;  // 1 is yes, 0 is no

    operator std::string() const { return key; }
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
    Estimate at(std::string_view stream, std::string_view method, const std::string& figure) const;
    /// The method's figure over that of `below`, seed by seed; where `below` ran under the first seed only,
    /// over that.
    Estimate ratio(std::string_view stream, std::string_view method, std::string_view below,
                   const std::string& figure) const;

    /// A table for each stream: methods down, figures across, the best mean of a column bold.
    std::string to_markdown(std::span<const StudyFigure> figures) const;

  private:
    std::vector<Real> values(std::string_view stream, std::string_view method, const std::string& figure,
                             std::optional<std::uint64_t> seed = {}) const;

    std::vector<Measurement> rows_;
};

/// Lines of cells as a Markdown table; the first line is its head. Columns are padded, so that the source
/// reads like a table. '|' has to be escaped in the cells.
std::string markdown_table(const std::vector<std::vector<std::string>>& lines);

/// The first line of the CSV file, and a line for each measurement. Values read back to the same numbers.
std::string csv_header();
std::string to_csv(std::span<const Measurement> measurements);

}  // namespace proxstream
