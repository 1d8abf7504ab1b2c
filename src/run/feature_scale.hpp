/// Standardises the features that are quantities. Marks of categories stay 0 and 1.
#pragma once

#include "run/row_reader.hpp"
#include "run/standardiser.hpp"

#include <cstdint>
#include <vector>

namespace proxstream {

class FeatureScale {
  public:
    /// `count`: counts each row, then scales it. `as_next`: scales each row as if it were counted next,
    /// without counting it. `as_is`: scales by the present statistics.
    enum class Use : std::uint8_t { count, as_next, as_is };

    explicit FeatureScale(const RowReader& reader);
    /// Continues with statistics. Throws ConfigError if they do not fit the reader.
    FeatureScale(const RowReader& reader, Standardiser statistics);

    const Standardiser& statistics() const noexcept { return statistics_; }
    /// Throws DataError if the last row of the reader has a value too large to be counted.
    void check(const RowBlock& rows, Index row, const RowReader& reader);
    /// Counts a row without scaling it.
    void count(const RowBlock& rows, Index row);
    /// Scales all rows in place; check() must have passed.
    void apply(RowBlock& rows, Use use);
    void serialise(StateArchive& archive) { archive.section("statistics", statistics_); }

  private:
    /// The quantities of a row.
    ConstView gather(const RowBlock& rows, Index row);

    bool all_ = false;                   // every feature is a quantity, and rows are dense
    std::vector<std::int32_t> columns_;  // by feature: its place among the quantities, or -1
    Standardiser statistics_;
    std::vector<Index> places_;  // of the quantities in the row from gather()
    std::vector<Real> gathered_;
};

}  // namespace proxstream
