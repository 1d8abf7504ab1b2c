/// What there is to know of a data set before anything is fitted to it: its size, its labels, and what is
/// most likely a mistake in it.
#pragma once

#include "proxstream/loss/row_block.hpp"

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace proxstream {

struct DataSurvey {
    /// Columns are named and label values listed up to so many.
    static constexpr Index kMostNamed = 10;

    bool sparse = false;
    Index rows = 0;
    Index features = 0;
    Index nonzeros = 0;
    Index zero_rows = 0;               // rows without a feature that is not 0
    Index first_zero_row = 0;          // counted from 1
    Index empty_columns = 0;           // 0 in every row
    Index constant_columns = 0;        // the same in every row, and not 0
    std::vector<std::string> columns;  // the first of both, by name or number from 1; of sparse rows only
                                       // those that are not empty: most of them often are
    Real least_label = 0;
    Real largest_label = 0;
    Real mean_label = 0;
    /// Ascending, each with how often it occurs; empty where there are more than kMostNamed.
    std::vector<std::pair<Real, Index>> labels;

    Real density() const {
        return static_cast<Real>(nonzeros) / (static_cast<Real>(rows) * static_cast<Real>(features));
    }
    /// In words, a line each; the first two always, then one for each finding.
    std::vector<std::string> lines() const;
};

/// `names` are those of the features, where they have any. One pass, and memory for the columns. At least one
/// row.
DataSurvey survey_data(const RowBlock& rows, Index features, std::span<const std::string> names = {});

}  // namespace proxstream
