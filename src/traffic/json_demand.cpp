#include "traffic/json_demand.hpp"

#include "proxstream/core/spec.hpp"

#include "traffic/field_text.hpp"

#include <set>

namespace proxstream {

JsonDemand::JsonDemand(std::unique_ptr<LineReader> lines, const Network& network,
                       const DemandOptions& options)
    : LineDemand(std::move(lines), network, options),
      zones_(options.zones == 0 ? network.nodes() : options.zones) {}

std::vector<Pair> JsonDemand::scan_pairs(const Input& input, const Network& network,
                                         const DemandOptions& options) {
    JsonDemand demand(std::make_unique<LineReader>(input.open()), network, options);
    std::set<Pair> pairs;
    DemandPeriod period;
    while (demand.announce(period)) {
        try {
            demand.for_each_demand([&](Pair pair, Real value, const std::string&) {
                if (value > 0 && pair.origin != pair.destination) pairs.insert(pair);
            });
        } catch (const DataError&) {
            continue;
        }
    }
    return {pairs.begin(), pairs.end()};
}

/// JSON in which no object has a key twice: the library would keep the last of them and say nothing.
JsonDemand::Json JsonDemand::parse(std::string_view line) const {
    std::vector<std::set<std::string>> open;
    std::string twice;
    const auto watch = [&](int /*depth*/, Json::parse_event_t event, Json& parsed) {
        if (event == Json::parse_event_t::object_start) open.emplace_back();
        if (event == Json::parse_event_t::object_end) open.pop_back();
        if (event == Json::parse_event_t::key) {
            const auto& key = parsed.get_ref<const std::string&>();
            if (!open.back().insert(key).second) twice = key;
        }
        return true;
    };
    Json object;
    try {
        object = Json::parse(line.begin(), line.end(), watch);
    } catch (const Json::parse_error& error) {
        refuse("", "this is not valid JSON, from byte " + std::to_string(error.byte) + " on",
               "one object a line");
    } catch (const Json::exception&) {
        refuse("", "a number is too large", "finite numbers");
    }
    if (!object.is_object()) refuse("", "this is not a JSON object", "{\"period\": .., \"demand\": ..}");
    if (!twice.empty()) refuse(twice, "the key stands in its object twice", "every key once");
    return object;
}

LineDemand::Head JsonDemand::read_head(std::string_view line, std::vector<NetworkEvent>& events) {
    object_ = Json();
    object_ = parse(line);
    for (const auto& [key, value] : object_.items()) {
        if (key == "period" || key == "demand" || key == "events") continue;
        refuse(key, "unknown key " + quoted_excerpt(key), "period, demand and events");
    }
    if (const auto list = object_.find("events"); list != object_.end()) {
        if (!list->is_array())
            refuse("events", "this is not a list", "[{\"link\": .., \"close\": true}, ..]");
        for (const Json& event : *list) {
            events.push_back(read_event(event, "events[" + std::to_string(events.size()) + "]"));
        }
    } else if (!object_.contains("demand")) {
        refuse("", "there is neither demand nor an event", "\"demand\", \"events\" or both");
    }
    return {read_label(), object_.contains("demand")};
}

std::string JsonDemand::read_label() const {
    const auto label = object_.find("period");
    if (label == object_.end()) return {};
    if (label->is_number()) return label->dump();
    if (!label->is_string() || label->get_ref<const std::string&>().empty()) {
        refuse("period", quoted_excerpt(label->dump()) + " is no label", "a text or a number");
    }
    return label->get<std::string>();
}

NetworkEvent JsonDemand::read_event(const Json& json, const std::string& field) const {
    constexpr const char* kAllowed = "link, one of capacity, close and open, and text where wanted";
    NetworkEvent event;
    if (!json.is_object()) refuse(field, "this is not an object", kAllowed);
    Index kinds = 0;
    bool linked = false;
    for (const auto& [key, value] : json.items()) {
        const std::string place = field + "." + key;
        if (key == "link") {
            const auto link =
                network().find_link(value.is_string() ? value.get<std::string>() : value.dump());
            if (!link)
                refuse(place, quoted_excerpt(value.dump()) + " is no link",
                       "FROM-TO, FROM-TO#2 for a parallel link, or a link's name");
            event.link = *link;
            linked = true;
        } else if (key == "capacity") {
            event.kind = NetworkEvent::Kind::capacity;
            event.factor = amount(value, place);
            if (event.factor == 0)
                refuse(place, "0 leaves no capacity", "a factor above 0, or \"close\": true");
            ++kinds;
        } else if (key == "close" || key == "open") {
            event.kind = key == "close" ? NetworkEvent::Kind::close : NetworkEvent::Kind::open;
            if (value != true) refuse(place, quoted_excerpt(value.dump()) + " is not allowed", "true");
            ++kinds;
        } else if (key == "text") {
            if (!value.is_string()) refuse(place, quoted_excerpt(value.dump()) + " is not a text", "a text");
            event.text = value.get<std::string>();
        } else {
            refuse(place, "unknown key " + quoted_excerpt(key), kAllowed);
        }
    }
    if (!linked || kinds != 1)
        refuse(field, linked ? "what happens is not clear" : "there is no link", kAllowed);
    return event;
}

void JsonDemand::read_body(std::string_view /*line*/, std::vector<Real>& demand) {
    for_each_demand([&](Pair pair, Real value, const std::string& field) {
        const Real amount = scaled(value, [&] { return locate(field); });
        const auto slot = index().find(pair);
        if (pair.origin == pair.destination) {
            dropped_ += amount;
        } else if (slot) {
            demand[*slot] = amount;
        } else if (value > 0) {
            refuse_stranger(locate(field));
        }
    });
}

void JsonDemand::for_each_demand(const Take& take) const {
    const auto demand = object_.find("demand");
    if (demand == object_.end()) return;
    if (demand->is_array()) {
        take_matrix(*demand, take);
        return;
    }
    if (!demand->is_object()) {
        refuse("demand", "this is neither an object nor a matrix",
               "{\"A->B\": 1}, {\"A\": {\"B\": 1}} or [[..], ..]");
    }
    std::set<Pair> given;  // "1-2" and "1->2" are one pair
    const auto hand_on = [&](Pair pair, const Json& value, const std::string& field) {
        if (!given.insert(pair).second) refuse(field, "the pair is given twice", "every pair once");
        take(pair, amount(value, field), field);
    };
    for (const auto& [key, value] : demand->items()) {
        const std::string field = "demand." + key;
        if (value.is_object()) {
            const NodeIndex origin = node(key, field);
            for (const auto& [name, number] : value.items()) {
                hand_on({origin, node(name, field)}, number, field + "." + name);
            }
        } else if (const auto pair = parse_pair(network(), key)) {
            hand_on(*pair, value, field);
        } else {
            refuse(field, quoted_excerpt(key) + " is no pair of nodes", "ORIGIN->DESTINATION");
        }
    }
}

void JsonDemand::take_matrix(const Json& matrix, const Take& take) const {
    const Index size = matrix.size();
    if (size != network().nodes() && size != zones_) {
        refuse("demand", "the matrix has " + count_of(size, "row"),
               std::to_string(network().nodes()) +
                   (zones_ == network().nodes() ? "" : " or " + std::to_string(zones_)));
    }
    for (NodeIndex origin = 0; origin < size; ++origin) {
        const Json& row = matrix[origin];
        const std::string field = "demand[" + std::to_string(origin) + "]";
        if (!row.is_array() || row.size() != size) {
            refuse(field,
                   row.is_array() ? "the row has " + count_of(row.size(), "value") : "this is not a list",
                   "a list of " + std::to_string(size));
        }
        for (NodeIndex destination = 0; destination < size; ++destination) {
            const std::string cell = field + "[" + std::to_string(destination) + "]";
            take({origin, destination}, amount(row[destination], cell), cell);
        }
    }
}

Real JsonDemand::amount(const Json& value, const std::string& field) const {
    if (!value.is_number())
        refuse(field, quoted_excerpt(value.dump()) + " is not a number", "a finite number");
    const Real number = value.get<Real>();
    if (number < 0) refuse(field, quoted_excerpt(value.dump()) + " is negative", "a number of at least 0");
    return number;
}

NodeIndex JsonDemand::node(const std::string& name, const std::string& field) const {
    if (const auto found = network().find_node(name)) return *found;
    refuse(field, quoted_excerpt(name) + " is no node", "nodes of the network");
}

std::vector<std::string> JsonDemand::notes() const {
    if (dropped_ == 0) return {};
    return {"demand of nodes with themselves is dropped: " + format_short(dropped_) + " so far"};
}

}  // namespace proxstream
