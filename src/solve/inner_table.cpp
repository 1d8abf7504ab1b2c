#include "solve/inner_table.hpp"

#include "proxstream/core/error.hpp"

#include "core/find_row.hpp"
#include "core/violations.hpp"
#include "solve/auto_inner.hpp"
#include "solve/backtracking.hpp"
#include "solve/block_sweeps.hpp"
#include "solve/panoc.hpp"
#include "solve/prox_grad.hpp"

#include <array>
#include <string>
#include <vector>

namespace proxstream {
namespace {

constexpr Index kMostMemory = 1000;

BacktrackingOptions backtracking_options(const Spec& spec) {
    BacktrackingOptions options;
    options.lambda = spec.number_or(0, "lambda", options.lambda);
    options.shrink = spec.number_or(1, "shrink", options.shrink);
    options.grow = spec.number_or(2, "grow", options.grow);
    Violations violations;
    const auto require = [&](bool holds, const char* what) {
        violations.require(holds, "'{}': {}", spec.text(), what);
    };
    require(options.lambda > 0 && options.lambda < 2, "lambda must lie in (0, 2)");
    require(options.shrink > 0 && options.shrink < 1, "shrink must lie in (0, 1)");
    require(options.grow >= 1 && options.grow <= 100, "grow must lie in [1, 100]");
    violations.conclude();
    return options;
}

InnerSolver make_auto(const Spec& /*spec*/, Real /*claimed_smoothness*/) {
    return AutoInner();
}

InnerSolver make_backtracking(const Spec& spec, Real /*claimed_smoothness*/) {
    return Backtracking(backtracking_options(spec));
}

InnerSolver make_panoc(const Spec& spec, Real /*claimed_smoothness*/) {
    PanocOptions options;
    options.memory = spec.count_or("memory", options.memory);
    if (options.memory > kMostMemory) {
        throw ConfigError("'" + spec.text() + "': memory must lie in [1, " + std::to_string(kMostMemory) +
                          "]");
    }
    return Panoc(options);
}

InnerSolver make_blocks(const Spec& spec, Real /*claimed_smoothness*/) {
    return BlockSweeps(backtracking_options(spec));
}

InnerSolver make_prox_grad(const Spec& /*spec*/, Real claimed_smoothness) {
    return ProxGrad(claimed_smoothness);
}

/// Estimates gradients, so it is made together with the window it estimates them of.
InnerSolver refuse_spider(const Spec& spec, Real /*claimed_smoothness*/) {
    throw ConfigError("'" + spec.text() + "': only time-smoothed can use it");
}

constexpr std::array kInnerSolvers{
    InnerRow{"auto", "auto", "backtracking, then panoc in long rounds; with an oracle prox-grad", make_auto},
    InnerRow{"backtracking", "backtracking[:lambda=1,shrink=0.5,grow=1.6]",
             "prox-gradient with a line search; needs no L", make_backtracking},
    InnerRow{"panoc", "panoc[:memory=5]",
             "quasi-Newton steps on the prox-gradient mapping; needs no L. Long rounds use a reduced copy of "
             "the rows of linear models, or the matrix of squared losses",
             make_panoc},
    InnerRow{"blocks", "blocks[:lambda=1,shrink=0.5,grow=1.6]",
             "Newton sweeps over the pairs of a network; backtracking elsewhere", make_blocks},
    InnerRow{"prox-grad", "prox-grad",
             "prox-gradient with the reference step, the paper's loop; needs step <= 1/L", make_prox_grad},
    InnerRow{"spider", "spider[:batch=B,samples=b,restart=q]",
             "prox-grad on sampled gradients that are updated by differences; needs an oracle",
             refuse_spider},
};

}  // namespace

std::span<const InnerRow> inner_solvers() {
    return kInnerSolvers;
}

InnerSolver parse_inner(std::string_view text, Real claimed_smoothness) {
    const Spec spec = Spec::parse(text);
    InnerSolver inner = find_row(kInnerSolvers, "inner solver", spec.name()).make(spec, claimed_smoothness);
    spec.finish();
    return inner;
}

}  // namespace proxstream
