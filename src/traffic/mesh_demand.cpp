#include "traffic/mesh_demand.hpp"

#include "proxstream/core/error.hpp"

#include "traffic/demand_model.hpp"
#include "traffic/number_rows.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace proxstream {
namespace {

constexpr Index kSample = 100;  // periods for finding the scale, long after those of the stream
constexpr Index kMostPeriods = 10'000'000;
constexpr Real kQueueing = 2;  // J: waiting weighs more than distance

/// Each purpose draws with its own step number, so that draws are independent.
enum MeshPurpose : std::uint32_t { kTime, kWeight, kBurst };

constexpr NumberRows<MeshOptions, 1> kShapeNumbers{{{"pods", &MeshOptions::pods, 3, 32}}};
constexpr NumberRows<MeshOptions, 4> kBurstNumbers{{{"periods", &MeshOptions::periods, 1, kMostPeriods},
                                                    {"peak", &MeshOptions::peak, 0.01, 10},
                                                    {"burst", &MeshOptions::burst, 0, 3},
                                                    {"memory", &MeshOptions::memory, 0, 0.95}}};

void check(const MeshOptions& options) {
    Violations violations;
    check_numbers(kShapeNumbers, "mesh", options, violations);
    check_numbers(kBurstNumbers, "mesh", options, violations);
    violations.conclude();
}

class MeshDemand final : public DemandStream {
  public:
    MeshDemand(const Network& network, const MeshOptions& options)
        : options_(options), smooth_(options.memory) {
        const auto pods = static_cast<NodeIndex>(options.pods);
        std::vector<Real> weights;
        for (NodeIndex a = 0; a < pods; ++a)
            weights.push_back(std::exp(0.3 * normal({.seed = options.seed, .step = kWeight, .sample = a})));
        for (NodeIndex a = 0; a < pods; ++a) {
            for (NodeIndex b = 0; b < pods; ++b) {
                if (a == b) continue;
                pairs_.push_back({a, b});
                means_.push_back(weights[a] * weights[b]);
            }
        }
        const Real scale = find_scale(network);
        for (Real& mean : means_) mean *= scale;
    }

    const std::vector<Pair>& pairs() const override { return pairs_; }
    bool announce(DemandPeriod& period) override {
        if (next_ == options_.periods) return false;
        period.label = std::to_string(++next_);
        period.demand.clear();
        period.events.clear();
        return true;
    }
    void reveal(DemandPeriod& period) override { find_demand(next_, period.demand); }
    std::string source() const override { return "built-in data centre"; }
    std::uint64_t line() const override { return next_; }

  private:
    void find_demand(Index period, std::vector<Real>& out) const {
        out.resize(pairs_.size());
        const Real sd = options_.burst;
        for (Index i = 0; i < pairs_.size(); ++i) {
            const Draw at{.seed = options_.seed, .round = period, .step = kBurst, .sample = i};
            out[i] = means_[i] * std::exp(sd * (smooth_(at) - sd / 2));
        }
    }
    Real find_scale(const Network& network) const {
        constexpr Real kLoaded = 0.9;
        std::vector<Real> factors, demand;
        for (Index period = 0; period < kSample; ++period) {
            find_demand(2 * kMostPeriods + 100 * period, demand);
            factors.push_back(scale_to_utilisation(network, pairs_, demand, kLoaded, kQueueing));
        }
        std::sort(factors.begin(), factors.end());
        return factors[kSample / 20] * options_.peak / kLoaded;
    }

    MeshOptions options_;
    SmoothNormal smooth_;
    std::vector<Pair> pairs_;
    std::vector<Real> means_;
    Index next_ = 0;
};

}  // namespace

MeshOptions MeshOptions::parse(std::string_view network, std::string_view demand) {
    const Spec shape = Spec::parse(network);
    const Spec bursts = Spec::parse(demand);
    if (bursts.name() != "bursts")
        throw ConfigError(unknown_name("demand of a mesh", bursts.name(), {"bursts"}));
    MeshOptions options;
    read_numbers(kShapeNumbers, shape, options);
    shape.finish();
    read_numbers(kBurstNumbers, bursts, options);
    bursts.finish();
    return options;
}

Network make_mesh(const MeshOptions& options) {
    check(options);
    Network network;
    const auto pods = static_cast<NodeIndex>(options.pods);
    for (NodeIndex a = 0; a < pods; ++a) {
        const Real angle = 2 * std::numbers::pi * a / pods;
        network.set_place(network.node(fmt::format("pod{}", a + 1)), {std::sin(angle), std::cos(angle)});
    }
    for (NodeIndex a = 0; a < pods; ++a) {
        for (NodeIndex b = 0; b < pods; ++b) {
            if (a == b) continue;
            const Draw draw{.seed = options.seed, .record = a, .step = kTime, .sample = b};
            network.add_link({.from = a,
                              .to = b,
                              .capacity = 100,
                              .length = 1,
                              .free_time = 1 + 0.2 * uniform(draw),
                              .b = 0.15,
                              .power = 4});
        }
    }
    return network;
}

std::unique_ptr<DemandStream> mesh_demand(const Network& network, const MeshOptions& options) {
    check(options);
    if (network.nodes() != options.pods)
        throw ConfigError(
            fmt::format("mesh: pods = {}, and the network has {} nodes", options.pods, network.nodes()));
    return std::make_unique<MeshDemand>(network, options);
}

}  // namespace proxstream
