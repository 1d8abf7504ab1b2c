/// A data centre with bursts: pods with links between each two, and demand that is uneven, heavy-tailed
/// (lognormal) and hardly correlated over time. A pair's demand is its mean, a product of the weights of both
/// pods, times a lognormal burst.
///
/// Scale: in 95 % of periods the busiest link can stay below `peak` of its capacity. Splits are then near the
/// user equilibrium of that period's own demand (scale_to_utilisation). It is found from 100 periods that are
/// not part of the stream. Splits chosen before the demand is known need about twice the capacity.
///
/// Every number is a function of options, period and pair alone.
#pragma once

#include "traffic/demand_stream.hpp"

#include <memory>
#include <string_view>

namespace proxstream {

struct MeshOptions {
    Index pods = 8;  // from 3 to 32
    Index periods = 2000;
    Real peak = 0.5;    // from 0.01 to 10
    Real burst = 0.45;  // deviation of a burst's logarithm, from 0 to 3
    Real memory = 0.3;  // correlation of bursts from one period to the next, from 0 to 0.95
    std::uint64_t seed = 1;

    /// Reads `mesh[:pods=8]` and `bursts[:periods=2000,peak=0.5,..]`, all but the seed. Throws ConfigError.
    static MeshOptions parse(std::string_view network, std::string_view demand);
};

/// A link from every pod to every other: 100 Gbit/s, times around 1, each a little different. Throws
/// ConfigError.
Network make_mesh(const MeshOptions& options);

/// For a network of make_mesh(), which must outlive the stream. Throws ConfigError.
std::unique_ptr<DemandStream> mesh_demand(const Network& network, const MeshOptions& options);

}  // namespace proxstream
