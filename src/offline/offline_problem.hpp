/// What an offline method is given: minimise F = f + g, from a start in dom g.
#pragma once

#include "proxstream/prox/regulariser.hpp"

#include "offline/sampled_loss.hpp"

#include <memory>
#include <string>
#include <vector>

namespace proxstream {

struct OfflineProblem {
    std::shared_ptr<const SampledLoss> loss;  // f
    AnyRegulariser g;
    std::vector<Real> start;
    SmoothnessFacts smoothness = {};
    /// eta of every gap that is reported, whatever steps a method takes: methods are compared by it.
    Real reference_step = 0;
    std::string step_origin = {};  // where it comes from, in words

    Index dimension() const { return start.size(); }
};

struct ProblemOptions {
    Real smoothness = 0;      // L, if the user claims one; 0: the loss's own, or measured at the start
    Real reference_step = 0;  // 0: 1/L
    std::uint64_t seed = 1;   // of the samples that constants are measured on
};

/// Checks the dimensions, projects the start onto dom g and finds the constants. Throws ConfigError.
OfflineProblem make_offline_problem(std::shared_ptr<const SampledLoss> loss, AnyRegulariser g,
                                    std::vector<Real> start, const ProblemOptions& options = {});

/// Constants measured around x by power iteration on differences of gradients: the curvature of f, and of
/// samples in the mean square. They are not bounds: `proved` is false.
SmoothnessFacts measure_smoothness(const SampledLoss& loss, ConstView x, std::uint64_t seed,
                                   Scratch& scratch);

}  // namespace proxstream
