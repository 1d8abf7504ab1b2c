#include "route/built_in.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/core/spec.hpp"

#include "core/find_row.hpp"
#include "traffic/city_demand.hpp"
#include "traffic/mesh_demand.hpp"

#include <array>
#include <span>
#include <utility>

namespace proxstream {
namespace {

constexpr std::array kNetworks{
    BuiltInRow{"ring", "ring[:rings=5,spokes=12,zones=24]", "a city of rings and spokes, with arterials"},
    BuiltInRow{"grid", "grid[:rows=8,columns=8,zones=24]", "a city of streets and avenues, with arterials"},
    BuiltInRow{"mesh", "mesh[:pods=8]", "pods of a data centre, each linked with each"},
};
constexpr std::array kDemands{
    BuiltInRow{"week", "week[:days=7,minutes=15,peak=0.9,burst=0.3,memory=0.7,surges=2,incidents=2]",
               "of a city: rush hours, weekends, bursts, surges and incidents"},
    BuiltInRow{"bursts", "bursts[:periods=2000,peak=0.5,burst=0.45,memory=0.3]",
               "of a mesh: heavy-tailed and hardly correlated"},
};

std::string with_seed(const std::string& text, std::uint64_t seed) {
    if (Spec::parse(text).has("seed")) return text;
    return text + (text.find(':') == std::string::npos ? ":" : ",") + "seed=" + std::to_string(seed);
}

Real within(const Spec& spec, std::string_view key, Real fallback, Real low, Real high) {
    const Real value = spec.number_or(Spec::kByNameOnly, key, fallback);
    if (!(value >= low && value <= high)) {
        throw ConfigError("'" + spec.text() + "': " + std::string(key) + " must lie in [" +
                          format_short(low) + ", " + format_short(high) + "]");
    }
    return value;
}

BuiltIn city(const std::string& network, const std::string& demand, std::uint64_t seed) {
    const Spec spec = Spec::parse(demand.empty() ? "week" : demand);
    if (spec.name() != "week") throw ConfigError(unknown_name("demand of a city", spec.name(), {"week"}));
    CityDemandOptions options;
    options.days = spec.count_or("days", options.days);
    options.minutes = spec.count_or("minutes", options.minutes);
    options.peak = within(spec, "peak", options.peak, 0.01, 0.99);
    options.burst = within(spec, "burst", options.burst, 0, 2);
    options.memory = within(spec, "memory", options.memory, 0, 0.95);
    options.surges = within(spec, "surges", options.surges, 0, 100);
    options.incidents = within(spec, "incidents", options.incidents, 0, 100);
    options.seed = seed;
    spec.finish();
    const auto made = std::make_shared<const City>(make_city(CityOptions::parse(with_seed(network, seed))));
    city_demand(*made, options);  // refused now, not when it is opened
    BuiltIn built;
    built.title = "built-in city";
    built.network = {made, &made->network};
    built.open_demand = [made, options] { return city_demand(*made, options); };
    built.minutes = static_cast<Real>(options.minutes);
    built.demand_unit = "veh/h";
    built.cost_unit = "veh min/h";
    return built;
}

BuiltIn mesh(const std::string& network, const std::string& demand, std::uint64_t seed) {
    const Spec shape = Spec::parse(network);
    const Spec spec = Spec::parse(demand.empty() ? "bursts" : demand);
    if (spec.name() != "bursts") throw ConfigError(unknown_name("demand of a mesh", spec.name(), {"bursts"}));
    MeshOptions options;
    options.pods = shape.count_or("pods", options.pods);
    shape.finish();
    options.periods = spec.count_or("periods", options.periods);
    options.peak = within(spec, "peak", options.peak, 0.01, 10);
    options.burst = within(spec, "burst", options.burst, 0, 3);
    options.memory = within(spec, "memory", options.memory, 0, 0.95);
    options.seed = seed;
    spec.finish();
    const auto made = std::make_shared<const Network>(make_mesh(options));
    BuiltIn built;
    built.title = "built-in data centre";
    built.network = made;
    built.open_demand = [made, options] { return mesh_demand(*made, options); };
    built.open_demand();
    built.demand_unit = "Gbit/s";
    return built;
}

}  // namespace

std::span<const BuiltInRow> built_in_networks() {
    return kNetworks;
}

std::span<const BuiltInRow> built_in_demands() {
    return kDemands;
}

BuiltIn make_built_in(const std::string& network, const std::string& demand, std::uint64_t seed) {
    const BuiltInRow& row = find_row(kNetworks, "built-in network", Spec::parse(network).name());
    return row.name == "mesh" ? mesh(network, demand, seed) : city(network, demand, seed);
}

}  // namespace proxstream
