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
    Real epsilon = 0;               // target |P|, for methods whose parameters depend on it; 0: none
    Real step_scale = 1;            // multiplies the step of a method, for sweeps
    std::uint64_t seed = 1;
};

struct OfflineMethodRow {
    std::string_view name;
    std::string_view usage;   // an example of every argument
    std::string_view source;  // the publication, and the default parameters
    std::string_view help;
    bool stochastic;    // evaluates samples; other methods evaluate f itself and need knows_f()
    bool random_index;  // its theory bounds a randomly drawn iterate
    std::unique_ptr<OfflineMethod> (*make)(const Spec& spec, const MethodParts& parts);
};

std::span<const OfflineMethodRow> offline_methods();
const OfflineMethodRow& method_row(std::string_view text);

/// Makes `panoc`, `spiderboost:batch=100`, ... Throws ConfigError for an unknown name or argument, one out of
/// range, and a method that needs the exact gradient of an expectation.
std::unique_ptr<OfflineMethod> make_method(std::string_view text, const MethodParts& parts);

}  // namespace proxstream
