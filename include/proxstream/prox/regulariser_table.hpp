/// Regularisers by name: built-in ones and those that were registered.
#pragma once

#include "proxstream/core/spec.hpp"
#include "proxstream/prox/sums.hpp"

#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace proxstream {

/// One entry of the table of regularisers: name, usage, formula and how to make it. regularisers() lists all
/// entries; `proxstream list regularisers` prints them.
///
/// \code
/// for (const RegulariserRow& row : regularisers()) std::cout << row.usage << ": " << row.help << '\n';
/// \endcode
struct RegulariserRow {
    std::string name;     ///< the word before the colon
    std::string usage;    ///< an example with every argument
    std::string formula;  ///< g(x), or the set; registered ones say it in `help`
    std::string cost;     ///< cost of one prox
    std::string help;     ///< what it is for
    /// Makes the regulariser from its arguments.
    std::function<AnyRegulariser(const Spec& spec)> make;
};

/// All regularisers: built-in ones, then registered ones.
std::span<const RegulariserRow> regularisers();

/// Registers a regulariser under `name`, which then works everywhere: in parse_regulariser, the program's
/// options, model files, run stores and the service. `usage` shows its arguments, `help` says what it is.
/// `make` reads the arguments from the spec; arguments that it does not read are refused. Throws ConfigError
/// if the name is taken or ill-formed. Register before other threads parse texts: the table is not locked.
/// Example: examples/plugin/plugin.cpp
void register_regulariser(std::string name, std::string usage, std::string help,
                          std::function<AnyRegulariser(const Spec& spec)> make);

/// Makes a regulariser from a text: `l1:0.01`, `box:-1,1`, `l1:0.1+box:-1,1`, `blocks:(simplex),size=4`.
/// Throws ConfigError with the text, the wrong value and what is allowed.
AnyRegulariser parse_regulariser(std::string_view text);

/// Restricts g to the first `count` of `dimension` coordinates; the others are free. Intercepts and biases
/// come last.
AnyRegulariser on_first(AnyRegulariser g, Index count, Index dimension);

}  // namespace proxstream
