/// The methods that a user can name, one row each, for `list methods`, the command line and TOML.
#pragma once

#include "proxstream/core/spec.hpp"

#include "offline/offline_method.hpp"

#include <memory>
#include <span>
#include <string_view>

namespace proxstream {

struct MethodParts {
    const OfflineProblem& problem;  // has to outlive the method
    Real epsilon = 0;               // wanted |P|, for methods whose parameters depend on it; 0: not said
    Real step_scale = 1;            // multiplies the step a method would take: for sweeps
    std::uint64_t seed = 1;
};

struct OfflineMethodRow {
    std::string_view name;
    std::string_view usage;   // an example of every argument
    std::string_view source;  // the publication, and the default parameters
    std::string_view help;
    bool stochastic;    // evaluates samples; others evaluate f itself, and need knows_f()
    bool random_index;  // its theory speaks of a point drawn among all of them
    std::unique_ptr<OfflineMethod> (*make)(const Spec& spec, const MethodParts& parts);
};

std::span<const OfflineMethodRow> offline_methods();
const OfflineMethodRow& method_row(std::string_view text);

/// `panoc`, `spiderboost:batch=100`, ... Throws ConfigError if the name or an argument is unknown or out of
/// range, or the method needs what the problem does not have.
std::unique_ptr<OfflineMethod> make_method(std::string_view text, const MethodParts& parts);

}  // namespace proxstream
