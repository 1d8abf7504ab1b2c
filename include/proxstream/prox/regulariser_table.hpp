/// The one place that knows regularisers by name: built-in ones are rows of a table, your own are registered.
#pragma once

#include "proxstream/core/spec.hpp"
#include "proxstream/prox/sums.hpp"

#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace proxstream {

struct RegulariserRow {
    std::string name;
    std::string usage;    // an example of every argument
    std::string formula;  // g(x), or the set whose indicator it is; registered ones say it in `help`
    std::string cost;     // of one prox
    std::string help;
    std::function<AnyRegulariser(const Spec& spec)> make;
};

/// Those that are built in, then those that were registered.
std::span<const RegulariserRow> regularisers();

/// Makes `name` a regulariser wherever texts name one: parse_regulariser, the program's options, model files,
/// run stores and the service. `usage` shows its arguments, `help` says what it is. `make` reads the
/// arguments from the spec; arguments that it does not read are refused. Throws ConfigError if the name is in
/// use or ill-formed. Register before other threads parse texts: the table is not locked.
void register_regulariser(std::string name, std::string usage, std::string help,
                          std::function<AnyRegulariser(const Spec& spec)> make);

/// `l1:0.01`, `box:-1,1`, `l1:0.1+box:-1,1`, `blocks:(simplex),size=4`. Throws ConfigError with the text, the
/// value and what is allowed.
AnyRegulariser parse_regulariser(std::string_view text);

/// g on the first `count` of `dimension` coordinates; the others are free. Intercepts and biases come last.
AnyRegulariser on_first(AnyRegulariser g, Index count, Index dimension);

}  // namespace proxstream
