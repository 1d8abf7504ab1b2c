/// Numbers in certificates for programs.
#pragma once

#include "proxstream/core/types.hpp"

#include "core/json.hpp"

#include <cmath>

namespace proxstream {

/// JSON has no infinity and no NaN; they are written as strings, as in the ledger.
inline nlohmann::ordered_json json_number(Real value) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    return value;
}

}  // namespace proxstream
