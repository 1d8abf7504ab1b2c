/// Assigns roles to columns, by the names in the options and in the header.
#pragma once

#include "run/row_reader.hpp"

#include <cstdint>

namespace proxstream {

inline constexpr std::int32_t kSkippedColumn = -1;
inline constexpr std::int32_t kLabelColumn = -2;
inline constexpr std::int32_t kWeightColumn = -5;
inline constexpr std::int32_t kKeyColumn = -6;

struct ColumnRoles {
    std::vector<std::int32_t> roles;  // by column: the feature's place, or one of the above
    std::vector<std::string> feature_names;
    std::string label_name;                // empty without a label
    std::vector<std::string> unused = {};  // columns that a model does not use
};

/// Throws ConfigError with every violation of options and rule at once.
ColumnRoles assign_columns(const std::string& source, const std::vector<std::string>& columns,
                           const TableOptions& options, const TargetRule& target);

/// The same for the columns of a model: each is found by its name, other columns are skipped. The label may
/// be absent.
ColumnRoles find_columns(const std::string& source, const std::vector<std::string>& columns,
                         const TableOptions& options);

/// At most 40 names, separated by commas.
std::string list_columns(const std::vector<std::string>& columns);

}  // namespace proxstream
