#include "route/route_geojson.hpp"

#include "core/json.hpp"

namespace proxstream {
namespace {

using Json = nlohmann::ordered_json;

Json feature(const char* type, Json coordinates, Json properties) {
    return {{"type", "Feature"},
            {"geometry", {{"type", type}, {"coordinates", std::move(coordinates)}}},
            {"properties", std::move(properties)}};
}

Json place_of(const Network& drawn, NodeIndex node) {
    return Json::array({drawn.place(node)->x, drawn.place(node)->y});
}

/// A line with the properties that `figures` adds.
Json link_feature(const Network& drawn, LinkIndex index, const Json& figures) {
    const Link& link = drawn.link(index);
    Json properties{{"link", index},
                    {"name", drawn.link_name(index)},
                    {"from", drawn.node_name(link.from)},
                    {"to", drawn.node_name(link.to)}};
    properties.update(figures);
    return feature("LineString", Json::array({place_of(drawn, link.from), place_of(drawn, link.to)}),
                   std::move(properties));
}

std::string collection(const Network& network, Json features) {
    Json map{{"type", "FeatureCollection"}};
    Index missing = 0;
    for (NodeIndex node = 0; node < network.nodes(); ++node) missing += network.place(node) ? 0 : 1;
    if (missing > 0) {
        map["note"] =
            missing == network.nodes()
                ? "the network has no coordinates; all of them are made up"
                : "coordinates of nodes marked made_up are not from the network, but between neighbours";
    }
    map["features"] = std::move(features);
    return map.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string network_geojson(const Network& network, const Network& drawn, ConstView capacity) {
    Json features = Json::array();
    for (NodeIndex node = 0; node < network.nodes(); ++node) {
        Json properties{{"node", network.node_name(node)}};
        if (!network.place(node)) properties["made_up"] = true;
        features.push_back(feature("Point", place_of(drawn, node), std::move(properties)));
    }
    for (LinkIndex link = 0; link < network.links(); ++link) {
        features.push_back(link_feature(
            drawn, link, {{"capacity", capacity[link]}, {"free_time", network.link(link).free_time}}));
    }
    return collection(network, std::move(features));
}

std::string flows_geojson(const Network& network, const Network& drawn, const LinkFigures& links,
                          ConstView capacity, const std::string& label) {
    Json features = Json::array();
    for (LinkIndex link = 0; link < network.links(); ++link) {
        features.push_back(link_feature(drawn, link,
                                        {{"label", label},
                                         {"load", links.load[link]},
                                         {"time", links.time[link]},
                                         {"utilisation", links.utilisation[link]},
                                         {"capacity", capacity[link]}}));
    }
    return collection(network, std::move(features));
}

}  // namespace proxstream
