/// An offline problem: minimise F = f + g, from a start in dom g.
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
    /// eta of all reported gaps, independent of the method, so that methods can be compared.
    Real reference_step = 0;
    std::string step_origin = {};  // its source, as text

    Index dimension() const { return start.size(); }
};

struct ProblemOptions {
    Real smoothness = 0;      // L as claimed by the user; 0: from the loss, or measured at the start
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
