/// The expectation problems a user can name: one row each.
#pragma once

#include "proxstream/core/spec.hpp"

#include "offline/sampled_loss.hpp"

#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace proxstream {

struct Sampler {
    std::shared_ptr<const SampledLoss> loss;
    std::vector<Real> start;
    Real noise = 0;  // sigma_0: at most the root mean square distance of a sample's gradient; 0: not known
};

struct SamplerRow {
    std::string_view name;
    std::string_view usage;    // an example of every argument
    std::string_view formula;  // F(x, xi), and f where it is known
    std::string_view help;
    Sampler (*make)(const Spec& spec, std::uint64_t seed);
};

std::span<const SamplerRow> samplers();

/// `ramp:noise=2`, `regression:features=50,loss=cauchy:0.5`, ... Another seed gives other samples of the same
/// problem. Throws ConfigError if the name or an argument is unknown or out of range.
Sampler parse_sampler(std::string_view text, std::uint64_t seed);

}  // namespace proxstream
