/// Coordinates of nodes: TNTP node files and CSV, which are tables, and GeoJSON.
#include "proxstream/traffic/open_network.hpp"

#include "core/parse_json.hpp"
#include "traffic/text_table.hpp"

namespace proxstream {
namespace {

using Json = nlohmann::json;

enum PlaceColumn : Index { kNode, kX, kY };

constexpr TableColumn kPlaceColumns[] = {{"node", "node nodeid id name", true},
                                         {"x", "x xcoord lon longitude", true},
                                         {"y", "y ycoord lat latitude", true}};

class PlaceSetter {
  public:
    explicit PlaceSetter(Network& network) : network_(network) {}

    void set(std::string_view name, Place place) {
        if (const auto node = network_.find_node(name)) {
            network_.set_place(*node, place);
        } else {
            ++strangers_;
        }
    }

    void finish(const std::string& source, std::vector<std::string>& notes) const {
        if (!network_.has_places()) {
            throw DamagedFile({source, 0, 0, ""}, "it names no node of the network",
                              "coordinates of its nodes");
        }
        Index without = 0;
        for (NodeIndex node = 0; node < network_.nodes(); ++node) without += network_.place(node) ? 0U : 1U;
        if (without > 0) notes.push_back(count_of(without, "node") + " without coordinates");
        if (strangers_ > 0) {
            notes.push_back("coordinates of " + count_of(strangers_, "node") +
                            " that the network does not have");
        }
    }

  private:
    Network& network_;
    Index strangers_ = 0;
};

std::string feature_name(const Json& feature) {
    const auto text_of = [](const Json& value) {
        return value.is_string() ? value.get<std::string>() : value.is_number_integer() ? value.dump() : "";
    };
    if (const auto properties = feature.find("properties");
        properties != feature.end() && properties->is_object()) {
        for (const char* key : {"id", "name", "node"}) {
            if (const auto value = properties->find(key); value != properties->end()) {
                if (std::string text = text_of(*value); !text.empty()) return text;
            }
        }
    }
    const auto id = feature.find("id");
    return id != feature.end() ? text_of(*id) : "";
}

void read_geojson(const std::string& source, const std::string& bytes, PlaceSetter& setter) {
    const Json document = parse_json<Json>(bytes);
    if (document.is_discarded()) {
        throw DamagedFile({source, 0, 0, ""}, "this is not valid JSON", "a GeoJSON FeatureCollection");
    }
    const auto features = document.is_object() ? document.find("features") : document.end();
    if (!document.is_object() || features == document.end() || !features->is_array()) {
        throw DamagedFile({source, 0, 0, "features"}, "there is no list of features",
                          "a GeoJSON FeatureCollection");
    }
    Index number = 0;
    for (const Json& feature : *features) {
        ++number;
        const auto refuse = [&](const char* problem, const char* expected) {
            throw DataError({source, 0, 0, "features[" + std::to_string(number - 1) + "]"}, problem,
                            expected);
        };
        if (!feature.is_object()) refuse("the feature is not an object", "a GeoJSON Feature");
        const auto geometry = feature.find("geometry");
        if (geometry == feature.end() || !geometry->is_object()) continue;
        if (geometry->value("type", Json()) != "Point") continue;  // lines and areas place no node
        const auto at = geometry->find("coordinates");
        if (at == geometry->end() || !at->is_array() || at->size() < 2 || !(*at)[0].is_number() ||
            !(*at)[1].is_number()) {
            refuse("the point has no coordinates", "\"coordinates\": [x, y]");
        }
        const std::string name = feature_name(feature);
        if (name.empty()) refuse("the point has no name", "a property id, name or node");
        setter.set(name, {(*at)[0].get<Real>(), (*at)[1].get<Real>()});
    }
}

}  // namespace

void read_places(const Input& input, Network& network, std::vector<std::string>& notes) {
    std::string bytes = read_all(input);
    PlaceSetter setter(network);
    const auto first = bytes.find_first_not_of("\xef\xbb\xbf \t\r\n");
    if (first != std::string::npos && bytes[first] == '{') {
        read_geojson(input.name, bytes.substr(first), setter);
    } else {
        LineReader lines(memory_input(input.name, std::move(bytes)).open());
        TextTable table(lines, kPlaceColumns, TextTable::Style::tntp);
        while (table.next()) setter.set(table.text(kNode), {table.number(kX), table.number(kY)});
    }
    setter.finish(input.name, notes);
}

}  // namespace proxstream
