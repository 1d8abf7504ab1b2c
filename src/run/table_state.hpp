/// How the columns of a table become features. A model stores it, so that later rows are read in the same
/// way.
#pragma once

#include "proxstream/core/types.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace proxstream {

enum class ColumnKind : std::uint8_t { number, text, time };

/// A column in use.
struct TableColumn {
    std::string name;
    ColumnKind kind = ColumnKind::number;
    bool marks_missing = false;  // number: a second feature is 1 where the value is missing
    Real mean = 0;               // number: the mean of the known values, which replaces missing ones
    std::uint64_t count = 0;     // number: count of the known values
    Index slots = 0;  // text: features; the last one serves all values without a feature of their own
    std::vector<std::string> values = {};  // text: values with a feature of their own, in its order
    Real origin = 0;                       // time: seconds of the first row
    bool started = false;                  // time: `origin` is set
};

struct TableState {
    std::vector<TableColumn> columns = {};
    Index hash_bits = 0;  // text becomes one of 2^hash_bits features after the others; 0: one of its column's
};

}  // namespace proxstream
