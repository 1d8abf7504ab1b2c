/// Turns the fields of a table's row into features. A number stays a number, a text becomes one of the
/// features of its column, a time becomes several features.
#pragma once

#include "proxstream/core/scratch.hpp"
#include "proxstream/loss/row_block.hpp"

#include "run/table_state.hpp"

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace proxstream {

/// Whether a field stands for an unknown value: empty, NA, N/A, NaN, null, None or ?.
bool is_missing(std::string_view field);

class TableEncoder {
  public:
    TableEncoder() = default;
    /// `learns`: accept() counts numbers and gives features to new texts.
    TableEncoder(TableState state, bool learns);

    Index features() const noexcept { return features_; }
    bool sparse() const noexcept { return state_.hash_bits > 0; }
    const std::vector<std::string>& names() const noexcept { return names_; }
    bool is_quantity(Index feature) const { return feature < quantities_.size() && quantities_[feature]; }
    ColumnKind kind(Index column) const { return state_.columns[column].kind; }
    /// The place of a column's number among row().
    Index place(Index column) const { return columns_[column].first; }
    TableState state() const;

    /// For each row: begin(), one put for each column, then add_to() and accept() if the whole row is good.
    void begin();
    /// Returns false if the text is not a value of this column.
    bool put(Index column, std::string_view text);
    /// For a column of numbers or times.
    void put_missing(Index column);
    /// The dense part of the row. Numbers may be written to their places directly.
    View row() noexcept { return row_; }
    void add_to(RowBlock& block, Real target);
    /// Counts the row, which was good.
    void accept();

    std::uint64_t missing() const noexcept { return missing_; }  // missing numbers that the mean replaced
    std::uint64_t missing_times() const noexcept { return missing_times_; }
    std::uint64_t others() const noexcept { return others_; }  // texts that share their column's last feature

  private:
    struct Column {
        Index first = 0;  // the column's first feature
        std::unordered_map<std::string, Index> slots = {};
        Index hot = 0;           // text: the slot that gets the mark 1
        std::string added = {};  // text: the value that this row adds
        bool adds = false;
        bool absent = false;  // number or time: missing in this row
        std::uint64_t absences = 0;
        Real time = 0;
    };
    void add_column(const TableColumn& stated);
    void put_text(Index column, std::string_view text);
    bool put_time(Index column, std::string_view text);
    Real mean(Index column) const;

    TableState state_;
    bool learns_ = false;
    Index features_ = 0;
    std::vector<std::string> names_;
    std::vector<bool> quantities_;
    std::vector<Column> columns_;
    std::vector<Index> changing_;  // columns that do not hold numbers
    std::vector<Real> row_;        // the dense part of the row
    std::vector<Real> sums_;       // sums of row_ over all accepted rows
    std::uint64_t rows_ = 0;
    std::uint64_t missing_ = 0;
    std::uint64_t missing_times_ = 0;
    std::uint64_t others_ = 0;
    bool any_absent_ = false;
    std::vector<FeatureIndex> hashed_;  // hashed features of this row
    std::vector<FeatureIndex> indices_;
    std::vector<Real> values_;
};

}  // namespace proxstream
