/// Which column is what: the names a user gave against the names a header has.
#pragma once

#include "run/row_reader.hpp"

#include <cstdint>

namespace proxstream {

inline constexpr std::int32_t kSkippedColumn = -1;
inline constexpr std::int32_t kLabelColumn = -2;

struct ColumnRoles {
    std::vector<std::int32_t> roles;  // per column: the feature's place, kSkippedColumn or kLabelColumn
    std::vector<std::string> feature_names;
    std::string label_name;  // empty without a label
};

/// Throws ConfigError with every violation of options and rule at once.
ColumnRoles assign_columns(const std::string& source, const std::vector<std::string>& columns,
                           const CsvOptions& options, const TargetRule& target);

/// At most 40 names, separated by commas.
std::string list_columns(const std::vector<std::string>& columns);

}  // namespace proxstream
