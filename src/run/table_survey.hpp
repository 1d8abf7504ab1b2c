/// What the columns of a table hold, judged by its first rows.
#pragma once

#include "run/row_reader.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace proxstream {

struct TableSurvey {
    TableState state;
    std::vector<bool> left_out;      // of the columns given; these are not in the state
    std::vector<std::string> notes;  // a sentence for each decision that is not obvious
};

/// A column is one of numbers, if most of its known values are; else of times, if all are; else of text.
/// Times and texts that never repeat are left out unless an option names the column. `rows` hold the fields
/// of these columns. Throws ConfigError if an option does not fit.
TableSurvey survey_table(const std::vector<std::string>& columns,
                         const std::vector<std::vector<std::string_view>>& rows, const TableOptions& options);

}  // namespace proxstream
