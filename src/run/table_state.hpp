/// How the columns of a table become features. A model keeps it, so that other rows are read in the same way.
#pragma once

#include "proxstream/core/types.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace proxstream {

enum class ColumnKind : std::uint8_t { number, text, time };

/// A column that is read, and what is known of it.
struct TableColumn {
    std::string name;
    ColumnKind kind = ColumnKind::number;
    bool marks_missing = false;            // number: a second feature is 1 where the value is missing
    Real mean = 0;                         // number: of the values seen; it stands for missing ones
    std::uint64_t count = 0;               // number: of these values
    Index slots = 0;                       // text: features, the last one for all values without one
    std::vector<std::string> values = {};  // text: with a feature of their own, in the order of these
    Real origin = 0;                       // time: seconds of the first row
    bool started = false;                  // time: there was a first row
};

struct TableState {
    std::vector<TableColumn> columns = {};
    Index hash_bits =
        0;  // values of text become one of 2^hash_bits features behind the others; 0: they do not
};

}  // namespace proxstream
