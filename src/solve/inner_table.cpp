#include "solve/inner_table.hpp"

#include "proxstream/core/error.hpp"

#include "core/find_row.hpp"

#include <array>
#include <string>
#include <vector>

namespace proxstream {
namespace {

constexpr Index kMostMemory = 1000;

AnyInner make_prox_grad(const Spec& /*spec*/, Real claimed_smoothness) {
    return AnyInner(ProxGrad(claimed_smoothness));
}

BacktrackingOptions backtracking_options(const Spec& spec, BacktrackingOptions options) {
    options.lambda = spec.number_or(0, "lambda", options.lambda);
    options.shrink = spec.number_or(1, "shrink", options.shrink);
    if (options.next != NextStep::adaptive) options.grow = spec.number_or(2, "grow", options.grow);
    std::vector<std::string> violations;
    const auto require = [&](bool holds, const char* what) {
        if (!holds) violations.push_back("'" + spec.text() + "': " + what);
    };
    require(options.lambda > 0 && options.lambda < 2, "lambda must lie in (0, 2)");
    require(options.shrink > 0 && options.shrink < 1, "shrink must lie in (0, 1)");
    require(options.grow >= 1 && options.grow <= 100, "grow must lie in [1, 100]");
    if (!violations.empty()) throw ConfigError(violations);
    return options;
}

AnyInner make_backtracking(const Spec& spec, Real /*claimed_smoothness*/) {
    return AnyInner(Backtracking(backtracking_options(spec, {})));
}

AnyInner make_measured(const Spec& spec, Real /*claimed_smoothness*/) {
    return AnyInner(Backtracking(backtracking_options(spec, {.grow = 4, .next = NextStep::met})));
}

AnyInner make_adaptive(const Spec& spec, Real /*claimed_smoothness*/) {
    return AnyInner(Backtracking(backtracking_options(spec, {.next = NextStep::adaptive})));
}

AnyInner make_sampled(const Spec& spec, Real /*claimed_smoothness*/) {
    const Index records = spec.count_or("records", 32);
    const Index updates = spec.count_or("updates", 8);
    return AnyInner(Confirmed(SampledGradient(records, updates)));
}

AnyInner make_window_spider(const Spec& spec, Real /*claimed_smoothness*/) {
    const Index samples = spec.count_or("samples", 0);
    const Index restart = spec.count_or("restart", 0);
    return AnyInner(Confirmed(WindowSpider(samples, restart)));
}

AnyInner make_blocks(const Spec& spec, Real /*claimed_smoothness*/) {
    return AnyInner(Confirmed(OwnMoves(), backtracking_options(spec, {})));
}

AnyInner make_panoc(const Spec& spec, Real /*claimed_smoothness*/) {
    PanocOptions options;
    options.memory = spec.count_or("memory", options.memory);
    if (options.memory > kMostMemory) {
        throw ConfigError("'" + spec.text() + "': memory must lie in [1, " + std::to_string(kMostMemory) +
                          "]");
    }
    return AnyInner(Panoc(options));
}

AnyInner make_accelerated(const Spec& /*spec*/, Real /*claimed_smoothness*/) {
    return AnyInner(Accelerated());
}

AnyInner make_plane(const Spec& /*spec*/, Real /*claimed_smoothness*/) {
    return AnyInner(PlaneSteps());
}

AnyInner make_compact(const Spec& /*spec*/, Real /*claimed_smoothness*/) {
    return AnyInner(CompactSteps());
}

AnyInner make_gram(const Spec& /*spec*/, Real /*claimed_smoothness*/) {
    return AnyInner(GramSteps());
}

AnyInner make_auto(const Spec& spec, Real /*claimed_smoothness*/) {
    const std::string clock = spec.word_or("clock", "work");
    if (clock != "work" && clock != "seconds") {
        throw ConfigError("'" + spec.text() + "': clock is work or seconds");
    }
    return AnyInner(AutoInner(clock == "work" ? AutoClock::work : AutoClock::seconds));
}

/// Estimates gradients, so it is made together with the window it estimates them of.
AnyInner refuse_spider(const Spec& spec, Real /*claimed_smoothness*/) {
    throw ConfigError("'" + spec.text() + "': only time-smoothed can use it");
}

constexpr std::array kInnerSolvers{
    InnerRow{"auto", "auto[:clock=work]",
             "backtracking; where rounds are long, gram, or whichever of adaptive, compact and itself gains "
             "most for its work (clock=seconds: for its time; runs then do not repeat bit for bit); with an "
             "oracle prox-grad, "
             "whose steps noise does not mislead",
             make_auto},
    InnerRow{"backtracking", "backtracking[:lambda=1,shrink=0.5,grow=1.6]",
             "prox-gradient whose step is found by trying; needs no L", make_backtracking},
    InnerRow{"measured", "measured[:lambda=1,shrink=0.5,grow=4]",
             "the same, with the next step taken from the curvature met along the last one", make_measured},
    InnerRow{"adaptive", "adaptive[:lambda=1,shrink=0.5]",
             "prox-gradient whose step follows the changes of the gradient; few candidates are refused",
             make_adaptive},
    InnerRow{"panoc", "panoc[:memory=5]",
             "quasi-Newton moves on the prox residual, each confirmed by its pass; needs no L", make_panoc},
    InnerRow{"accelerated", "accelerated",
             "prox-gradient from extrapolated points, kept where the window falls enough; needs no L",
             make_accelerated},
    InnerRow{"plane", "plane",
             "linear models: to where the plane of the last two moves is lowest, which carried scores tell "
             "without a pass; accelerated elsewhere",
             make_plane},
    InnerRow{"compact", "compact",
             "linear models: panoc on a copy of the rows in single precision, of few columns where few move, "
             "and a pass confirms; panoc elsewhere",
             make_compact},
    InnerRow{"gram", "gram",
             "quadratic losses with up to 512 coordinates: works on the window's matrix, a pass confirms; "
             "panoc elsewhere",
             make_gram},
    InnerRow{"sampled", "sampled[:records=32,updates=8]",
             "cheap updates on a few records of the window, each stretch confirmed by an exact pass",
             make_sampled},
    InnerRow{"window-spider", "window-spider[:samples=sqrt(w),restart=sqrt(w)]",
             "updates from differences of about sqrt(w) records, each stretch confirmed by an exact pass",
             make_window_spider},
    InnerRow{"blocks", "blocks[:lambda=1,shrink=0.5,grow=1.6]",
             "Newton sweeps over the pairs of a network, confirmed by an exact pass; backtracking elsewhere",
             make_blocks},
    InnerRow{"prox-grad", "prox-grad",
             "prox-gradient with the reference step, the paper's loop; relies on step <= 1/L",
             make_prox_grad},
    InnerRow{"spider", "spider[:batch=B,samples=b,restart=q]",
             "prox-grad on gradients kept up by differences from few samples, drawn anew every q steps",
             refuse_spider},
};

}  // namespace

std::span<const InnerRow> inner_solvers() {
    return kInnerSolvers;
}

AnyInner parse_inner(std::string_view text, Real claimed_smoothness) {
    const Spec spec = Spec::parse(text);
    AnyInner inner = find_row(kInnerSolvers, "inner solver", spec.name()).make(spec, claimed_smoothness);
    spec.finish();
    return inner;
}

}  // namespace proxstream
