/// Decides what the columns of a table hold, from its first rows.
#pragma once

#include "run/row_reader.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace proxstream {

struct TableSurvey {
    TableState state;
    std::vector<bool> left_out;      // by column; columns left out are not in the state
    std::vector<std::string> notes;  // a sentence for each decision that is not obvious
};

/// A column holds numbers if most of its known values are numbers, times if all are times, otherwise text.
/// Times, and texts that never repeat, are left out unless an option names the column. `rows`: the fields of
/// these columns. Throws ConfigError if an option does not fit.
TableSurvey survey_table(const std::vector<std::string>& columns,
                         const std::vector<std::vector<std::string_view>>& rows, const TableOptions& options);

}  // namespace proxstream
