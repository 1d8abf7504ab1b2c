#include "route/reconcile_maps.hpp"

#include "proxstream/core/error.hpp"

#include "core/json.hpp"
#include "io/output_file.hpp"
#include "route/route_tables.hpp"

namespace proxstream {
namespace {

using Json = nlohmann::json;

/// The properties of every link, by its number.
std::vector<Json> link_properties(const std::string& path, Index count) {
    const auto refuse = [&](const std::string& problem) -> std::vector<Json> {
        throw DataError({path, 0, 0, "features"}, problem, "GeoJSON with every link once, in order");
    };
    const Json map = Json::parse(read_whole_file(path), nullptr, false);
    if (!map.is_object() || !map.contains("features") || !map["features"].is_array()) {
        return refuse("not GeoJSON");
    }
    std::vector<Json> links;
    for (const Json& feature : map["features"]) {
        if (!feature.is_object() || !feature.contains("properties")) return refuse("not a feature");
        const Json& properties = feature["properties"];
        if (!properties.is_object()) return refuse("a feature without properties");
        if (properties.contains("node")) continue;
        if (properties.value("link", Json()) != links.size()) return refuse("a link out of order");
        links.push_back(properties);
    }
    if (links.size() != count) return refuse(std::to_string(links.size()) + " links");
    return links;
}

Real number(const Json& properties, const char* key) {
    const auto found = properties.find(key);
    return found != properties.end() && found->is_number() ? found->get<Real>()
                                                           : std::numeric_limits<Real>::quiet_NaN();
}

}  // namespace

void compare_maps(const RunFolder& folder, const LinkAudit& links, const std::optional<PeriodRecord>& last,
                  CheckList& checks) {
    const auto network = link_properties(folder.path(route_tables::kNetworkMap), folder.links.size());
    const auto where = [&](std::string_view file, Index link, const char* key) {
        return [&folder, file, link, key] {
            return std::string(file) + ", link " + folder.links[link].name + ", " + key;
        };
    };
    for (Index link = 0; link < network.size(); ++link) {
        checks.compare(Check::maps, number(network[link], "capacity"), folder.links[link].capacity, 0,
                       where(route_tables::kNetworkMap, link, "capacity"));
        checks.confirm(Check::maps, network[link].value("name", "") == folder.links[link].name,
                       where(route_tables::kNetworkMap, link, "name"));
    }
    if (!folder.run.finished || !last) return;
    const auto flows = link_properties(folder.path(route_tables::kLastFlowsMap), folder.links.size());
    Real time = 0;
    for (Index link = 0; link < flows.size(); ++link) {
        time += number(flows[link], "load") * number(flows[link], "time");
        const auto compare = [&](const char* key, Real expected) {
            checks.compare(Check::maps, number(flows[link], key), expected, 0,
                           where(route_tables::kLastFlowsMap, link, key));
        };
        if (!links.has_flows()) continue;
        compare("load", links.load()[link]);
        compare("time", links.time()[link]);
    }
    checks.compare(Check::maps, time, last->figures.time, 0,
                   [] { return "time of all links in " + std::string(route_tables::kLastFlowsMap); });
}

}  // namespace proxstream
