#include "run/model_file.hpp"

#include "proxstream/core/error.hpp"

#include "core/parse_json.hpp"
#include "io/output_file.hpp"
#include "run/turn_run.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>

namespace proxstream {
namespace {

using Json = nlohmann::json;
constexpr const char* kFormat = "proxstream-model";
constexpr Index kMostSlots = 1'000'000;
constexpr Index kMostHashBits = 24;

[[noreturn]] void refuse(const std::string& source, const std::string& key, const std::string& problem,
                         const std::string& expected) {
    throw DataError({.source = source, .line = 0, .column = 0, .field = key}, problem, expected);
}

template <class T>
T get(const Json& json, const std::string& source, const char* key, const char* expected) {
    if (!json.contains(key)) refuse(source, key, "is missing", expected);
    // nlohmann::json would convert 1e99 or -1 to an unsigned integer.
    constexpr bool kWhole = std::is_integral_v<T> && !std::is_same_v<T, bool>;
    if (kWhole && !json.at(key).is_number_unsigned()) refuse(source, key, "has the wrong type", expected);
    try {
        return json.at(key).get<T>();
    } catch (const Json::exception&) {
        refuse(source, key, "has the wrong type", expected);
    }
}

Standardiser read_standardiser(const Json& json, const std::string& source) {
    Standardiser::State state;
    state.count = get<std::uint64_t>(json, source, "count", "a whole number");
    state.mean = get<std::vector<Real>>(json, source, "mean", "a list of numbers");
    state.m2 = get<std::vector<Real>>(json, source, "m2", "a list of numbers");
    try {
        return Standardiser(std::move(state));
    } catch (const ConfigError& error) {
        refuse(source, "standardiser", error.what(), "a state this program saved");
    }
}

Json state_of(const std::optional<Standardiser>& standardiser) {
    if (!standardiser) return nullptr;
    const Standardiser::State& state = standardiser->state();
    return {{"count", state.count}, {"mean", state.mean}, {"m2", state.m2}};
}

constexpr std::array<const char*, 3> kKinds{"number", "text", "time"};

Json to_json(const TableState& table) {
    Json columns = Json::array();
    for (const TableColumn& column : table.columns) {
        Json entry{{"name", column.name}, {"kind", kKinds[static_cast<Index>(column.kind)]}};
        if (column.kind == ColumnKind::number) {
            entry["mean"] = column.mean;
            entry["count"] = column.count;
            if (column.marks_missing) entry["marks_missing"] = true;
        } else if (column.kind == ColumnKind::text) {
            entry["slots"] = column.slots;
            entry["values"] = column.values;
        } else if (column.started) {
            entry["origin"] = column.origin;
        }
        columns.push_back(std::move(entry));
    }
    return {{"hash_bits", table.hash_bits}, {"columns", std::move(columns)}};
}

TableColumn read_column(const Json& json, const std::string& source) {
    TableColumn column;
    column.name = get<std::string>(json, source, "name", "a text");
    const auto kind = get<std::string>(json, source, "kind", "number, text or time");
    const auto found = std::find(kKinds.begin(), kKinds.end(), kind);
    if (found == kKinds.end())
        refuse(source, "table.columns.kind", "is '" + kind + "'", "number, text or time");
    column.kind = static_cast<ColumnKind>(found - kKinds.begin());
    if (column.kind == ColumnKind::number) {
        column.mean = get<Real>(json, source, "mean", "a number");
        column.count = get<std::uint64_t>(json, source, "count", "a whole number");
        column.marks_missing = json.value("marks_missing", false);
    } else if (column.kind == ColumnKind::text) {
        column.slots = get<Index>(json, source, "slots", "a whole number");
        column.values = get<std::vector<std::string>>(json, source, "values", "a list of texts");
        if (column.slots == 0 || column.slots > kMostSlots || column.values.size() >= column.slots)
            refuse(source, "table.columns.slots", "is " + std::to_string(column.slots),
                   "more than its values");
    } else if (json.contains("origin")) {
        column.started = true;
        column.origin = get<Real>(json, source, "origin", "a number");
    }
    return column;
}

TableState read_table(const Json& json, const std::string& source) {
    TableState table;
    table.hash_bits = get<Index>(json, source, "hash_bits", "a whole number");
    if (table.hash_bits > kMostHashBits)
        refuse(source, "table.hash_bits", "is too large", "at most " + std::to_string(kMostHashBits));
    if (!json.contains("columns") || !json.at("columns").is_array())
        refuse(source, "table.columns", "is no list", "the columns of the rows");
    for (const Json& column : json.at("columns")) table.columns.push_back(read_column(column, source));
    return table;
}

void read_rows(const Json& json, const std::string& source, Model& model) {
    model.running = json.value("running", false);
    model.label = json.value("label", std::string());
    if (json.contains("table")) model.table = read_table(json.at("table"), source);
    if (!json.contains("label_range")) return;
    const auto range = get<std::vector<Real>>(json, source, "label_range", "two numbers");
    if (range.size() != 2) refuse(source, "label_range", "has the wrong length", "two numbers");
    model.labels = {range[0], range[1]};
}

/// Models written before lags and label scales existed lack these keys.
void read_forecasting(const Json& json, const std::string& source, Model& model) {
    if (json.contains("label_scale") && !json.at("label_scale").is_null()) {
        model.label_scale = read_standardiser(json.at("label_scale"), source);
        if (model.label_scale->features() != 1)
            refuse(source, "label_scale", "is not of one column", "the statistics of the label");
    }
    if (!json.contains("lags")) return;
    const Json& lags = json.at("lags");
    const bool whole = lags.is_array() && std::all_of(lags.begin(), lags.end(), [](const Json& lag) {
                           return lag.is_number_unsigned();
                       });
    if (!whole) refuse(source, "lags", "has the wrong type", "a list of whole numbers");
    model.lags = lags.get<std::vector<Index>>();
    const auto names = [&](const char* key) {
        return json.contains(key) ? get<std::vector<std::string>>(json, source, key, "a list of names")
                                  : std::vector<std::string>{};
    };
    model.lag_columns = names("lag_columns");
    model.past_only = names("past_only");
    if (json.contains("past")) model.past = get<std::vector<Real>>(json, source, "past", "a list of numbers");
}

}  // namespace

std::string to_json(const Model& model) {
    Json json = Json::object();
    json["format"] = kFormat;
    json["version"] = kModelVersion;
    json["loss"] = model.loss;
    json["regulariser"] = model.regulariser;
    json["intercept"] = model.intercept;
    // Hashed features have a number instead of a name.
    const Index hashed = model.table && model.table->hash_bits > 0 ? Index{1} << model.table->hash_bits : 0;
    const auto named =
        static_cast<std::ptrdiff_t>(model.features.size() - std::min(hashed, model.features.size()));
    json["features"] = std::vector<std::string>(model.features.begin(), model.features.begin() + named);
    json["feature_count"] = model.feature_count;
    json["classes"] = model.classes;
    json["standardiser"] = state_of(model.standardiser);
    if (model.label_scale) json["label_scale"] = state_of(model.label_scale);
    if (model.normalise) json["normalise"] = true;
    if (model.running) json["running"] = true;
    if (model.single) json["single"] = true;
    if (!model.label.empty()) json["label"] = model.label;
    if (model.labels.low <= model.labels.high) json["label_range"] = {model.labels.low, model.labels.high};
    if (model.table) json["table"] = to_json(*model.table);
    if (!model.lags.empty()) {
        json["lags"] = model.lags;
        json["lag_columns"] = model.lag_columns;
        json["past_only"] = model.past_only;
        json["past"] = model.past;
    }
    json["rounds"] = model.rounds;
    json["x"] = model.x;
    return json.dump(1) + "\n";
}

void save_model(const std::string& path, const Model& model) {
    write_whole_file(path, to_json(model));
}

void save_or_rescue(const std::string& path, const Model& model, RunOutcome& outcome) {
    outcome.save_or_rescue(path, to_json(model), "model");
}

void rescue_model(const Model& model, RunOutcome& outcome) {
    outcome.rescue(to_json(model), "model");
}

Model parse_model(const std::string& text, const std::string& source) {
    const Json json = parse_json<Json>(text);
    if (json.is_discarded()) refuse(source, "", "is not whole JSON", "a model saved by proxstream");
    if (!json.is_object() || json.value("format", Json()) != kFormat) {
        refuse(source, "format", "is not a proxstream model", std::string("\"") + kFormat + "\"");
    }
    if (const auto version = get<std::uint64_t>(json, source, "version", "a whole number");
        version != kModelVersion) {
        refuse(source, "version", "is " + std::to_string(version), std::to_string(kModelVersion));
    }
    Model model;
    model.loss = get<std::string>(json, source, "loss", "a text");
    model.regulariser = get<std::string>(json, source, "regulariser", "a text");
    model.intercept = get<bool>(json, source, "intercept", "true or false");
    model.features = get<std::vector<std::string>>(json, source, "features", "a list of names");
    model.feature_count = get<Index>(json, source, "feature_count", "a whole number");
    model.classes = get<std::vector<std::string>>(json, source, "classes", "a list of names");
    if (!json.contains("standardiser")) refuse(source, "standardiser", "is missing", "null or a state");
    if (!json.at("standardiser").is_null())
        model.standardiser = read_standardiser(json.at("standardiser"), source);
    if (json.contains("single")) model.single = get<bool>(json, source, "single", "true or false");
    if (json.contains("normalise")) model.normalise = get<bool>(json, source, "normalise", "true or false");
    read_forecasting(json, source, model);
    read_rows(json, source, model);
    model.rounds = get<Round>(json, source, "rounds", "a whole number");
    model.x = get<std::vector<Real>>(json, source, "x", "a list of numbers");
    for (const Real value : model.x) {
        if (!std::isfinite(value)) refuse(source, "x", "holds a number that is not finite", "finite numbers");
    }
    return model;
}

Model load_model(const std::string& path) {
    return parse_model(read_whole_file(path), path);
}

}  // namespace proxstream
