/// The rows of methods that evaluate f itself: inner solvers, each driven by ExactMethod.
#include "offline/argument_reader.hpp"
#include "offline/exact_method.hpp"
#include "offline/method_rows.hpp"
#include "solve/accelerated.hpp"
#include "solve/backtracking.hpp"
#include "solve/panoc.hpp"
#include "solve/prox_grad.hpp"

#include <array>

namespace proxstream {
namespace {

/// The arguments that step searches share.
struct Search {
    explicit Search(ArgumentReader& arguments)
        : step(arguments.step(arguments.problem().reference_step, "the reference step, to begin with")),
          shrink(arguments.fraction("shrink", 0.5, "as for windows")),
          grow(arguments.positive("grow", 1.6, "as for windows")) {
        arguments.require(shrink >= 0.01 && shrink <= 0.99, "shrink must lie in [0.01, 0.99]");
        arguments.require(grow >= 1 && grow <= 100, "grow must lie in [1, 100]");
    }
    Real step;
    Real shrink;
    Real grow;
};

std::unique_ptr<OfflineMethod> searching(const ArgumentReader& arguments, InnerSolver solver, Real step) {
    return std::make_unique<ExactMethod>(
        arguments.problem(),
        ExactPlan{.solver = std::move(solver), .step = step, .parameters = arguments.parameters()});
}

std::unique_ptr<OfflineMethod> make_prox_grad(const Spec& spec, const MethodParts& parts) {
    ArgumentReader arguments(spec, parts);
    const Real smoothness = arguments.mean_smoothness();
    const Real step = arguments.step(1 / smoothness, "1/L");
    const Real gain = step * (1 - step * smoothness / 2);
    const bool proves = parts.problem.smoothness.proved && gain > 0;
    return std::make_unique<ExactMethod>(parts.problem, ExactPlan{.solver = ProxGrad(smoothness),
                                                                  .step = step,
                                                                  .proves = proves,
                                                                  .parameters = arguments.parameters()});
}

std::unique_ptr<OfflineMethod> make_backtracking(const Spec& spec, const MethodParts& parts) {
    ArgumentReader arguments(spec, parts);
    const Search search(arguments);
    const Real lambda = arguments.positive("lambda", 1, "(T3) of docs/theory.md");
    arguments.require(lambda < 2, "lambda must lie in (0, 2)");
    return searching(arguments,
                     Backtracking({.lambda = lambda, .shrink = search.shrink, .grow = search.grow}),
                     search.step);
}

std::unique_ptr<OfflineMethod> make_accelerated(const Spec& spec, const MethodParts& parts) {
    ArgumentReader arguments(spec, parts);
    const Search search(arguments);
    return searching(arguments, Accelerated({.shrink = search.shrink, .grow = search.grow}), search.step);
}

std::unique_ptr<OfflineMethod> make_panoc(const Spec& spec, const MethodParts& parts) {
    ArgumentReader arguments(spec, parts);
    const Search search(arguments);
    PanocOptions options{.shrink = search.shrink, .grow = search.grow};
    options.memory = arguments.count("memory", options.memory, "measured on robust regression");
    options.trials = arguments.count("trials", options.trials, "measured on robust regression");
    arguments.require(options.memory <= 1000, "memory must lie in [1, 1000]");
    arguments.require(options.trials <= 100, "trials must lie in [1, 100]");
    // A surrogate phase takes many candidates on the reduced model.
    constexpr std::uint64_t kPhase = 64;
    return std::make_unique<ExactMethod>(parts.problem,
                                         ExactPlan{.solver = Panoc(options),
                                                   .step = search.step,
                                                   .parameters = arguments.parameters(),
                                                   .candidates = parts.problem.loss->reducible() ? kPhase : 1,
                                                   .epsilon = parts.epsilon});
}

}  // namespace

std::span<const OfflineMethodRow> exact_method_rows() {
    static constexpr std::array kRows{
        OfflineMethodRow{
            "panoc", "panoc[:memory=5,trials=3,step=0.1,shrink=0.5,grow=1.6]",
            "Stella, Themelis, Sopasakis & Patrinos 2017; every point feasible, search on F",
            "quasi-Newton steps on the prox-gradient mapping, a pass each; needs no L. On a reduced "
            "copy of large linear models up to 64 an iteration",
            false, false, make_panoc},
        OfflineMethodRow{
            "accelerated", "accelerated[:step=0.1,shrink=0.5,grow=1.6]",
            "Li & Lin 2015 (monitor), O'Donoghue & Candes 2015 (restart); step by backtracking",
            "prox-gradient from extrapolated points, kept where F falls enough; two passes a step", false,
            false, make_accelerated},
        OfflineMethodRow{"backtracking", "backtracking[:step=0.1,lambda=1,shrink=0.5,grow=1.6]",
                         "Beck & Teboulle 2009, with a step that may grow again",
                         "prox-gradient with a line search; needs no L", false, false, make_backtracking},
        OfflineMethodRow{"prox-grad", "prox-grad[:step=0.1]", "step 1/L",
                         "prox-gradient with one step; relies on L", false, false, make_prox_grad},
    };
    return kRows;
}

}  // namespace proxstream
