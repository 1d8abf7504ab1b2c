#include "route/route_geojson.hpp"

#include "io/json_text.hpp"

namespace proxstream {
namespace {

void begin_collection(JsonText& json, const Network& network) {
    json.open('{');
    json.key("type");
    json.text("FeatureCollection");
    Index missing = 0;
    for (NodeIndex node = 0; node < network.nodes(); ++node) missing += network.place(node) ? 0 : 1;
    if (missing > 0) {
        json.key("note");
        json.text(missing == network.nodes()
                      ? "the network has no coordinates: all of these are made up"
                      : "coordinates of nodes marked made_up are not the network's: they lie between others");
    }
    json.key("features");
    json.open('[');
}

void place(JsonText& json, const ReportNode& node) {
    json.open('[');
    json.number(node.x);
    json.number(node.y);
    json.close(']');
}

/// Leaves the properties open.
void begin_link(JsonText& json, const Network& network, const ReportNetwork& drawn, LinkIndex link) {
    const Link& about = network.link(link);
    json.open('{');
    json.key("type");
    json.text("Feature");
    json.key("geometry");
    json.open('{');
    json.key("type");
    json.text("LineString");
    json.key("coordinates");
    json.open('[');
    place(json, drawn.nodes[about.from]);
    place(json, drawn.nodes[about.to]);
    json.close(']');
    json.close('}');
    json.key("properties");
    json.open('{');
    json.key("link");
    json.integer(link);
    json.key("name");
    json.text(drawn.links[link].name);
    json.key("from");
    json.text(network.node_name(about.from));
    json.key("to");
    json.text(network.node_name(about.to));
}

void number(JsonText& json, const char* key, Real value) {
    json.key(key);
    json.number(value);
}

std::string end_collection(JsonText& json) {
    json.close(']');
    json.close('}');
    return json.take() + "\n";
}

}  // namespace

std::string network_geojson(const Network& network, const ReportNetwork& drawn, ConstView capacity) {
    JsonText json;
    begin_collection(json, network);
    for (NodeIndex node = 0; node < network.nodes(); ++node) {
        json.open('{');
        json.key("type");
        json.text("Feature");
        json.key("geometry");
        json.open('{');
        json.key("type");
        json.text("Point");
        json.key("coordinates");
        place(json, drawn.nodes[node]);
        json.close('}');
        json.key("properties");
        json.open('{');
        json.key("node");
        json.text(network.node_name(node));
        if (!network.place(node)) {
            json.key("made_up");
            json.flag(true);
        }
        json.close('}');
        json.close('}');
    }
    for (LinkIndex link = 0; link < network.links(); ++link) {
        begin_link(json, network, drawn, link);
        number(json, "capacity", capacity[link]);
        number(json, "free_time", network.link(link).free_time);
        json.close('}');
        json.close('}');
    }
    return end_collection(json);
}

std::string flows_geojson(const Network& network, const ReportNetwork& drawn, const LinkFigures& links,
                          ConstView capacity, const std::string& label) {
    JsonText json;
    begin_collection(json, network);
    for (LinkIndex link = 0; link < network.links(); ++link) {
        begin_link(json, network, drawn, link);
        json.key("label");
        json.text(label);
        number(json, "load", links.load[link]);
        number(json, "time", links.time[link]);
        number(json, "utilisation", links.utilisation[link]);
        number(json, "capacity", capacity[link]);
        json.close('}');
        json.close('}');
    }
    return end_collection(json);
}

}  // namespace proxstream
