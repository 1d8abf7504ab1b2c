#include "core/parse_json.hpp"
#include "traffic/demand_reader.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace proxstream {
namespace {

class JsonDemand final : public DemandReader {
  public:
    JsonDemand(std::unique_ptr<LineReader> lines, const Network& network, const DemandOptions& options)
        : DemandReader(std::move(lines), network, options),
          zones_(options.zones == 0 ? network.nodes() : options.zones) {}

  private:
    using Json = nlohmann::json;

    bool read(std::vector<NetworkEvent>& events) override;
    Json parse(std::string_view line) const;
    std::string read_label(const Json& object) const;
    NetworkEvent read_event(const Json& event, const std::string& field) const;
    LinkIndex read_link(const Json& value, const std::string& field) const;
    void read_change(const std::string& key, const Json& value, const std::string& field,
                     NetworkEvent& event) const;
    void read_entries(const Json& entries);
    void read_matrix(const Json& matrix);
    void put(Pair pair, const Json& value, const std::string& field);
    Real amount(const Json& value, const std::string& field) const;
    NodeIndex node(const std::string& name, const std::string& field) const;
    [[noreturn]] void refuse(const std::string& field, const std::string& problem,
                             const std::string& expected) const {
        throw DataError(lines().here(field), problem, expected);
    }

    Index zones_;
};

/// Refuses objects with a repeated key: nlohmann::json would silently keep the last value.
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
    if (nests_deeply(line)) refuse("", "lists or objects are nested too deeply", "one object a line");
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
    if (!twice.empty()) refuse(twice, "the object has the key twice", "every key once");
    return object;
}

bool JsonDemand::read(std::vector<NetworkEvent>& events) {
    std::string_view text;
    if (!next_full_line(lines(), text)) return false;
    const Json object = parse(text);
    for (const auto& [key, value] : object.items()) {
        if (key == "period" || key == "demand" || key == "events") continue;
        refuse(key, "unknown key " + quoted_excerpt(key), "period, demand and events");
    }
    const auto entries = object.find("demand");
    if (const auto list = object.find("events"); list != object.end()) {
        if (!list->is_array())
            refuse("events", "this is not a list", "[{\"link\": .., \"close\": true}, ..]");
        for (const Json& event : *list)
            events.push_back(read_event(event, "events[" + std::to_string(events.size()) + "]"));
    } else if (entries == object.end()) {
        refuse("", "there is neither demand nor an event", "\"demand\", \"events\" or both");
    }
    begin_period(read_label(object), line(), entries != object.end());
    if (entries != object.end()) read_entries(*entries);
    return true;
}

std::string JsonDemand::read_label(const Json& object) const {
    const auto label = object.find("period");
    if (label == object.end()) return {};
    if (label->is_number()) return label->dump();
    if (!label->is_string() || label->get_ref<const std::string&>().empty())
        refuse("period", quoted_excerpt(label->dump()) + " is not a label", "a text or a number");
    return label->get<std::string>();
}

NetworkEvent JsonDemand::read_event(const Json& json, const std::string& field) const {
    constexpr const char* kAllowed = "link, one of capacity, close and open, and optionally text";
    NetworkEvent event;
    if (!json.is_object()) refuse(field, "this is not an object", kAllowed);
    for (const auto& [key, value] : json.items()) {
        const std::string place = field + "." + key;
        if (key == "link") {
            event.link = read_link(value, place);
        } else if (key == "capacity" || key == "close" || key == "open") {
            read_change(key, value, place, event);
        } else if (key == "text") {
            if (!value.is_string()) refuse(place, quoted_excerpt(value.dump()) + " is not a text", "a text");
            event.text = value.get<std::string>();
        } else {
            refuse(place, "unknown key " + quoted_excerpt(key), kAllowed);
        }
    }
    if (!json.contains("link")) refuse(field, "there is no link", kAllowed);
    if (json.contains("capacity") + json.contains("close") + json.contains("open") != 1)
        refuse(field, "the event has no effect, or several", kAllowed);
    return event;
}

LinkIndex JsonDemand::read_link(const Json& value, const std::string& field) const {
    const auto link = network().find_link(value.is_string() ? value.get<std::string>() : value.dump());
    if (link) return *link;
    refuse(field, quoted_excerpt(value.dump()) + " is not a link",
           "FROM-TO, FROM-TO#2 for a parallel link, or a link's name");
}

void JsonDemand::read_change(const std::string& key, const Json& value, const std::string& field,
                             NetworkEvent& event) const {
    if (key == "capacity") {
        event.kind = NetworkEvent::Kind::capacity;
        event.factor = amount(value, field);
        if (event.factor == 0) refuse(field, "0 leaves no capacity", "a factor above 0, or \"close\": true");
        return;
    }
    event.kind = key == "close" ? NetworkEvent::Kind::close : NetworkEvent::Kind::open;
    if (value != true) refuse(field, quoted_excerpt(value.dump()) + " is not allowed", "true");
}

void JsonDemand::read_entries(const Json& entries) {
    if (entries.is_array()) return read_matrix(entries);
    if (!entries.is_object()) {
        refuse("demand", "this is neither an object nor a matrix",
               "{\"A->B\": 1}, {\"A\": {\"B\": 1}} or [[..], ..]");
    }
    for (const auto& [key, value] : entries.items()) {
        const std::string field = "demand." + key;
        if (value.is_object()) {
            const NodeIndex origin = node(key, field);
            for (const auto& [name, number] : value.items())
                put({origin, node(name, field)}, number, field + "." + name);
        } else if (const auto pair = parse_pair(network(), key)) {
            put(*pair, value, field);
        } else {
            refuse(field, quoted_excerpt(key) + " is not a pair of nodes", "ORIGIN->DESTINATION");
        }
    }
}

void JsonDemand::put(Pair pair, const Json& value, const std::string& field) {
    demand().put(pair, amount(value, field), [&] { return lines().here(field); });
}

void JsonDemand::read_matrix(const Json& matrix) {
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
            put({origin, destination}, row[destination], field + "[" + std::to_string(destination) + "]");
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
    return read_node(network(), name, [&] { return lines().here(field); });
}

}  // namespace

std::unique_ptr<DemandReader> read_json_demand(std::unique_ptr<LineReader> lines, const Network& network,
                                               const DemandOptions& options) {
    return std::make_unique<JsonDemand>(std::move(lines), network, options);
}

void FedDemand::feed(std::string_view record, std::uint64_t number) {
    record_ = record;
    // The reader expects the object on one line.
    std::replace_if(
        record_.begin(), record_.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
    number_ = number;
    waiting_ = true;
}

bool FedDemand::announce(DemandPeriod& period) {
    if (!std::exchange(waiting_, false)) return false;
    DemandOptions options = options_;
    options.periods_before = number_ - 1;
    reading_ = read_json_demand(std::make_unique<LineReader>(memory_input(source(), record_).open()),
                                network_, options);
    return reading_->announce(period);
}

}  // namespace proxstream
