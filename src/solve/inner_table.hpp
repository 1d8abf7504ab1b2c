/// Inner solvers by name, one row each.
#pragma once

#include "proxstream/core/spec.hpp"

#include "solve/inner_solver.hpp"

#include <span>
#include <string_view>

namespace proxstream {

struct InnerRow {
    std::string_view name;
    std::string_view usage;
    std::string_view help;
    InnerSolver (*make)(const Spec& spec, Real claimed_smoothness);
};

std::span<const InnerRow> inner_solvers();

/// `claimed_smoothness` is the L a fixed step relies on; solvers that search their step ignore it.
InnerSolver parse_inner(std::string_view text, Real claimed_smoothness);

}  // namespace proxstream
