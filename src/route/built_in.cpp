#include "route/built_in.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/core/spec.hpp"

#include "core/find_row.hpp"
#include "traffic/city_demand.hpp"
#include "traffic/mesh_demand.hpp"

#include <array>
#include <span>

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
               "of a mesh: heavy-tailed, with little correlation"},
};

std::string with_seed(const std::string& text, std::uint64_t seed) {
    if (Spec::parse(text).has("seed")) return text;
    return text + (text.find(':') == std::string::npos ? ":" : ",") + "seed=" + std::to_string(seed);
}

NetworkSource city(const std::string& network, const std::string& demand, std::uint64_t seed) {
    CityDemandOptions options = CityDemandOptions::parse(demand.empty() ? "week" : demand);
    options.seed = seed;
    const auto made = std::make_shared<const City>(make_city(CityOptions::parse(with_seed(network, seed))));
    city_demand(*made, options);  // throws here, not when it is opened
    NetworkSource built;
    built.title = "built-in city";
    built.network = {made, &made->network};
    built.open_demand = [made, options] { return city_demand(*made, options); };
    built.minutes = static_cast<Real>(options.minutes);
    built.demand_unit = "veh/h";
    built.cost_unit = "veh min/h";
    return built;
}

NetworkSource mesh(const std::string& network, const std::string& demand, std::uint64_t seed) {
    MeshOptions options = MeshOptions::parse(network, demand.empty() ? "bursts" : demand);
    options.seed = seed;
    const auto made = std::make_shared<const Network>(make_mesh(options));
    NetworkSource built;
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

NetworkSource make_built_in(const std::string& network, const std::string& demand, std::uint64_t seed) {
    const BuiltInRow& row = find_row(kNetworks, "built-in network", Spec::parse(network).name());
    return row.name == "mesh" ? mesh(network, demand, seed) : city(network, demand, seed);
}

}  // namespace proxstream
