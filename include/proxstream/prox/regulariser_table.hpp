/// The one place that knows regularisers by name. Adding one is a file for it and a row in the table.
#pragma once

#include "proxstream/core/spec.hpp"
#include "proxstream/prox/sums.hpp"

#include <span>
#include <string_view>

namespace proxstream {

struct RegulariserRow {
    std::string_view name;
    std::string_view usage;    // an example of every argument
    std::string_view formula;  // g(x), or the set whose indicator it is
    std::string_view cost;     // of one prox
    std::string_view help;
    AnyRegulariser (*make)(const Spec& spec);
};

std::span<const RegulariserRow> regularisers();

/// `l1:0.01`, `box:-1,1`, `l1:0.1+box:-1,1`, `blocks:(simplex),size=4`. Throws ConfigError with the text, the
/// value and what is allowed.
AnyRegulariser parse_regulariser(std::string_view text);

}  // namespace proxstream
