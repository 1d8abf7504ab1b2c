/// Oracles by name.
#pragma once

#include "window/oracle.hpp"
#include "window/window_weights.hpp"

#include <optional>
#include <span>
#include <string_view>

namespace proxstream {

/// What an oracle has to know of the run it answers in.
struct OracleContext {
    WindowWeights window = 1;
    std::optional<Real> base_noise = {};  // sigma_0 of a row's gradient, for minibatches
    Index record_rows = 0;                // most rows of a record; 0: not known
};

struct OracleRow {
    std::string_view name;
    std::string_view usage;
    std::string_view help;
    AnyOracle (*make)(const class Spec& spec, const OracleContext& context);
};

std::span<const OracleRow> oracles();

/// Throws ConfigError with what is wrong.
AnyOracle parse_oracle(std::string_view text, const OracleContext& context);

}  // namespace proxstream
