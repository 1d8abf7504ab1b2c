#include "run/json_reader.hpp"

#include "proxstream/core/error.hpp"

#include "core/parse_json.hpp"
#include "io/field_text.hpp"
#include "run/table_columns.hpp"

#include <algorithm>
#include <utility>

namespace proxstream {
namespace {

constexpr Index kMostKeys = 10'000;

/// The text of the value as a CSV file would have it.
std::string text_of(const nlohmann::ordered_json& value) {
    if (value.is_null()) return {};
    if (value.is_boolean()) return value.get<bool>() ? "1" : "0";
    return value.is_string() ? value.get<std::string>() : value.dump();
}

/// NaN and Infinity, which are no JSON but which other programs write, become null: a missing value.
std::string without_infinities(std::string_view line) {
    std::string text;
    bool quoted = false;
    while (!line.empty()) {
        std::size_t length = 1;
        if (quoted && line.front() == '\\') length = std::min<std::size_t>(2, line.size());
        if (line.front() == '"') quoted = !quoted;
        for (const std::string_view word : {"NaN", "Infinity", "-Infinity"})
            if (!quoted && line.starts_with(word)) length = word.size();
        const std::string_view piece = line.substr(0, length);
        text += !quoted && length > 1 ? "null" : piece;
        line.remove_prefix(length);
    }
    return text;
}

}  // namespace

JsonReader::JsonReader(InputQueue inputs, TableOptions options, TargetRule target)
    : TableReader(std::move(options), std::move(target)), inputs_(std::move(inputs)) {
    if (inputs_.lines() == nullptr && !inputs_.advance()) throw ConfigError("no input is given");
    look_ahead();
}

bool JsonReader::next_line(std::string_view& line) {
    while (inputs_.lines() == nullptr || !next_full_line(*inputs_.lines(), line)) {
        if (!inputs_.advance()) return false;
    }
    inputs_.count_row();
    return true;
}

std::vector<JsonReader::Field> JsonReader::parse(std::string_view line) const {
    // A parser that keeps the order of the keys searches them one by one.
    if (shape_of_json(line).elements > kMostKeys) {
        throw DataError({inputs_.name(), line_, 0, ""},
                        "the object has more than " + std::to_string(kMostKeys) + " keys",
                        "fewer; CSV takes up to a million columns");
    }
    auto object = parse_json<nlohmann::ordered_json>(line);
    if (object.is_discarded()) object = parse_json<nlohmann::ordered_json>(without_infinities(line));
    if (!object.is_object()) {
        throw DataError({inputs_.name(), line_, 0, ""}, quoted_excerpt(line) + " is not a whole JSON object",
                        "one object a line, such as {\"x\": 1.5, \"city\": \"Oslo\"}");
    }
    std::vector<Field> fields;
    for (const auto& [key, value] : object.items()) {
        if (value.is_structured()) {
            throw DataError({inputs_.name(), line_, 0, key}, "the value is a list or an object",
                            "a number, a text, true, false or null; leave the key out with --ignore " + key);
        }
        fields.push_back({key, text_of(value)});
    }
    return fields;
}

void JsonReader::look_ahead() {
    std::vector<std::string> columns;
    const auto add = [&](const std::string& key) {
        if (!key.empty() && places_of_.emplace(key, columns.size()).second) columns.push_back(key);
    };
    if (options_.model) {
        for (const TableColumn& column : options_.model->columns) add(column.name);
        add(options_.label);
        add(options_.weight);
        add(options_.key);
    }
    std::string_view line;
    const Index rows = std::max<Index>(options_.look_ahead, 1);
    while (ahead_.size() < rows && next_line(line)) {
        RowAhead row{.fields = {}, .line = line_ = inputs_.line()};
        try {
            row.fields = parse(line);
        } catch (const DataError&) {
            row.error = std::current_exception();
        }
        if (!options_.model) {
            for (const Field& field : row.fields) add(field.key);
        }
        ahead_.push_back(std::move(row));
    }
    if (ahead_.empty())
        throw DamagedFile({inputs_.name(), 0, 0, ""}, "the input is empty: it has no rows",
                          "one JSON object a line");
    if (columns.empty() && ahead_.front().error) std::rethrow_exception(ahead_.front().error);
    // Keys have no order, so the last key of the first row cannot be the default label.
    if (options_.label.empty() && !options_.model && target_parser_.rule().kind != TargetKind::none)
        throw ConfigError({"--label: name the key to be predicted",
                           "the keys of " + inputs_.name() + " are: " + list_columns(columns)});
    if (options_.model) require_key();
    std::vector<Fields> first;
    columns_ = columns;
    for (const RowAhead& row : ahead_) {
        if (row.error) continue;
        spread(row.fields);
        first.push_back(fields_);
    }
    unknown_ = 0;
    set_columns(columns, first);
}

/// A model's rows are read by names, so that a wrong name would go unnoticed.
void JsonReader::require_key() const {
    std::vector<std::string> keys;
    for (const RowAhead& row : ahead_)
        for (const Field& field : row.fields) keys.push_back(field.key);
    if (options_.key.empty() || keys.empty() ||
        std::find(keys.begin(), keys.end(), options_.key) != keys.end())
        return;
    throw ConfigError({"--key: no column is called '" + options_.key + "'",
                       "the keys of " + inputs_.name() + " are: " + list_columns(keys)});
}

void JsonReader::spread(const std::vector<Field>& fields) {
    fields_.assign(columns_.size(), std::string_view());
    for (const Field& field : fields) {
        const auto place = places_of_.find(field.key);
        if (place != places_of_.end()) {
            fields_[place->second] = field.text;
        } else if (unknown_++ == 0) {
            unknown_key_ = field.key;
        }
    }
}

bool JsonReader::read_row(RowBlock& block) {
    RowAhead row;
    if (!ahead_.empty()) {
        row = std::move(ahead_.front());
        ahead_.pop_front();
        line_ = row.line;
        if (row.error) std::rethrow_exception(row.error);
    } else {
        std::string_view line;
        if (!next_line(line)) return false;
        line_ = inputs_.line();
        row.fields = parse(line);
    }
    spread(row.fields);
    take_fields(fields_);
    finish_row(block);
    return true;
}

std::vector<std::string> JsonReader::notes() const {
    std::vector<std::string> notes = TableReader::notes();
    if (unknown_ > 0)
        notes.push_back((options_.model
                             ? "values of keys that the model does not use are ignored, such as '"
                             : "values of keys that the first rows do not have are ignored, such as '") +
                        unknown_key_ + "'");
    return notes;
}

DataLocation JsonReader::locate(Index column) const {
    return {inputs_.name(), line_, 0, columns_[column]};
}

}  // namespace proxstream
