#include "offline/offline_problem.hpp"

#include "proxstream/core/linalg.hpp"
#include "proxstream/core/spec.hpp"

#include "core/violations.hpp"

#include <algorithm>
#include <utility>

namespace proxstream {
namespace {

void check(const SampledLoss& loss, ConstView start, const ProblemOptions& options) {
    Violations violations;
    violations.require(start.size() == loss.dimension(), "start: it has {} numbers, the loss takes {}",
                       start.size(), loss.dimension());
    violations.require(all_finite(start), "start: it has to be finite");
    const auto require_constant = [&](const char* what, Real value) {
        violations.require(value >= 0 && value <= kAbsurd,
                           "{} = {}: it has to be positive, or 0 for one that is found", what,
                           format_short(value));
    };
    require_constant("smoothness", options.smoothness);
    require_constant("reference step", options.reference_step);
    violations.conclude();
}

SmoothnessFacts find_constants(const SampledLoss& loss, ConstView start, const ProblemOptions& options,
                               Scratch& scratch) {
    std::optional<SmoothnessFacts> known = loss.smoothness();
    SmoothnessFacts facts = known ? *known : measure_smoothness(loss, start, options.seed, scratch);
    if (options.smoothness == 0) return facts;
    // The claim is about f. For single samples it is only a lower bound.
    facts.proved = facts.proved && options.smoothness >= facts.mean;
    facts.mean = options.smoothness;
    facts.mean_square = std::max(facts.mean_square, facts.mean);
    facts.largest = std::max(facts.largest, facts.mean_square);
    facts.origin = "L given; of samples: " + facts.origin;
    return facts;
}

}  // namespace

OfflineProblem make_offline_problem(std::shared_ptr<const SampledLoss> loss, AnyRegulariser g,
                                    std::vector<Real> start, const ProblemOptions& options) {
    check(*loss, start, options);
    g.check_dimension(start.size());
    Scratch scratch;
    if (g.value(start, scratch) == kInfinity) g.prox(start, 1, start, scratch);

    OfflineProblem problem{.loss = std::move(loss), .g = std::move(g), .start = std::move(start)};
    problem.smoothness = find_constants(*problem.loss, problem.start, options, scratch);
    // A larger constant is one too, and keeps steps within their range.
    SmoothnessFacts& found = problem.smoothness;
    for (Real* each : {&found.mean, &found.mean_square, &found.largest})
        if (*each > 0) *each = std::max(*each, 2 / kAbsurd);
    if (options.reference_step > 0) {
        problem.reference_step = options.reference_step;
        problem.step_origin = "given";
    } else if (problem.smoothness.mean > 0) {
        problem.reference_step = 1 / problem.smoothness.mean;
        problem.step_origin = "1/L; " + problem.smoothness.origin;
    } else {
        problem.reference_step = 1;
        problem.step_origin = "1: f has no curvature, any step would do; " + problem.smoothness.origin;
    }
    return problem;
}

}  // namespace proxstream
