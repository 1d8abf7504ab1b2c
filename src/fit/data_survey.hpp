/// A summary of a data set before a fit: its size, its labels, and likely mistakes in it.
#pragma once

#include "proxstream/loss/row_block.hpp"

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace proxstream {

struct DataSurvey {
    /// At most this many columns and label values are listed.
    static constexpr Index kMostNamed = 10;

    bool sparse = false;
    Index rows = 0;
    Index features = 0;
    Index nonzeros = 0;
    Index zero_rows = 0;         // rows whose features are all 0
    Index first_zero_row = 0;    // counted from 1
    Index empty_columns = 0;     // 0 in every row
    Index constant_columns = 0;  // the same value in every row, not 0
    /// The first empty and constant columns, by name or by number from 1. Of sparse rows only the constant
    /// ones, because most columns are often empty.
    std::vector<std::string> columns;
    Real least_label = 0;
    Real largest_label = 0;
    Real mean_label = 0;
    /// Ascending, each with its count; empty if there are more than kMostNamed.
    std::vector<std::pair<Real, Index>> labels;

    Real density() const {
        return static_cast<Real>(nonzeros) / (static_cast<Real>(rows) * static_cast<Real>(features));
    }
    /// As text, a line each: the first two always, then one for each finding.
    std::vector<std::string> lines() const;
};

/// Takes one pass, and memory for the columns. `names`: of the features, or empty. Needs at least one row.
DataSurvey survey_data(const RowBlock& rows, Index features, std::span<const std::string> names = {});

}  // namespace proxstream
