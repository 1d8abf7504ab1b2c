#include "serve/row_json.hpp"

#include "proxstream/core/error.hpp"

#include "core/json.hpp"
#include "serve/json_body.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

namespace proxstream {
namespace {

using nlohmann::json;

constexpr std::size_t kExcerpt = 40;

[[noreturn]] void refuse_row(const std::string& field, const std::string& problem,
                             const std::string& expected) {
    throw DataError({.source = "record", .line = 0, .column = 0, .field = field}, problem, expected);
}

std::string excerpt(const json& value) {
    std::string text = value.dump(-1, ' ', true, json::error_handler_t::replace);
    if (text.size() > kExcerpt) text = text.substr(0, kExcerpt) + "..";
    return text;
}

Real number(const json& value, const std::string& field) {
    if (!value.is_number()) refuse_row(field, "it is " + excerpt(value), "a finite number");
    const Real found = value.get<Real>();
    if (!std::isfinite(found)) refuse_row(field, "it is not finite", "a finite number");
    return found;
}

json parse(std::string_view text) {
    json value = parse_body(text);
    if (!value.is_object()) refuse_row("", "it is " + excerpt(value), "an object {\"x\": .., \"y\": ..}");
    return value;
}

void check_members(const json& object, const std::string& where, std::initializer_list<const char*> known) {
    for (const auto& [name, value] : object.items()) {
        const auto same = [&name = name](const char* each) { return name == each; };
        if (std::none_of(known.begin(), known.end(), same))
            refuse_row(where + name, "there is no such field", fmt::format("{}", fmt::join(known, ", ")));
    }
}

/// Features of one row, in the order of the reader.
class RowFeatures {
  public:
    RowFeatures(const FedReader::Shape& shape, bool zero_based) : shape_(shape), first_(zero_based ? 0 : 1) {}

    void read(const json& x, const std::string& field) {
        values.clear();
        indices.clear();
        if (shape_.sparse) return read_sparse(x, field);
        if (x.is_array()) return read_list(x, field);
        if (x.is_object() && !shape_.names.empty()) return read_named(x, field);
        refuse_row(field, "it is " + excerpt(x), allowed());
    }

    std::string allowed() const {
        if (shape_.sparse) return "an object of the features that are not 0, {\"7\": 1.5, ..}";
        std::string text = fmt::format("a list of {} numbers", shape_.features);
        if (!shape_.names.empty()) text += ", or an object with a number for each feature by its name";
        return text;
    }

    std::vector<Real> values;
    std::vector<FeatureIndex> indices;

  private:
    void read_list(const json& x, const std::string& field) {
        if (x.size() != shape_.features)
            refuse_row(field, fmt::format("it has {} numbers", x.size()), allowed());
        for (Index i = 0; i < x.size(); ++i) values.push_back(number(x[i], fmt::format("{}[{}]", field, i)));
    }

    void read_named(const json& x, const std::string& field) {
        for (const std::string& name : shape_.names) {
            const auto found = x.find(name);
            if (found == x.end()) refuse_row(field + '.' + name, "it is missing", "a finite number");
            values.push_back(number(*found, field + '.' + name));
        }
        if (x.size() == shape_.names.size()) return;
        for (const auto& [name, value] : x.items()) {
            if (std::find(shape_.names.begin(), shape_.names.end(), name) == shape_.names.end())
                refuse_row(field + '.' + name, "no feature has this name",
                           fmt::format("{}", fmt::join(shape_.names, ", ")));
        }
    }

    void read_sparse(const json& x, const std::string& field) {
        if (!x.is_object()) refuse_row(field, "it is " + excerpt(x), allowed());
        std::vector<std::pair<FeatureIndex, Real>> found;
        for (const auto& [name, value] : x.items()) {
            FeatureIndex index = 0;
            const auto [end, status] = std::from_chars(name.data(), name.data() + name.size(), index);
            const bool whole = status == std::errc{} && end == name.data() + name.size();
            if (!whole || index < first_ || index - first_ >= shape_.features) {
                refuse_row(field + '.' + name, "no feature has this number",
                           fmt::format("{} to {}", first_, shape_.features - 1 + first_));
            }
            found.emplace_back(index - first_, number(value, field + '.' + name));
        }
        std::sort(found.begin(), found.end());
        for (Index i = 0; i < found.size(); ++i) {
            if (i > 0 && found[i].first == found[i - 1].first)
                refuse_row(field, fmt::format("feature {} is there twice", found[i].first + first_),
                           allowed());
            indices.push_back(found[i].first);
            values.push_back(found[i].second);
        }
    }

    const FedReader::Shape& shape_;
    FeatureIndex first_;
};

void add_row(const RowFeatures& features, bool sparse, Real target, RowBlock& rows) {
    if (sparse) {
        rows.add_sparse(features.indices, features.values, target);
    } else {
        rows.add_dense(features.values, target);
    }
}

/// Each row of a body with its name in messages.
template <class Take>
void for_rows(const json& body, const Take& take) {
    if (!body.contains("rows")) return take(body, "");
    check_members(body, "", {"rows"});
    const json& rows = body["rows"];
    if (!rows.is_array() || rows.empty()) refuse_row("rows", "it is " + excerpt(rows), "a list of rows");
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::string where = fmt::format("rows[{}].", i);
        if (!rows[i].is_object())
            refuse_row(fmt::format("rows[{}]", i), "it is " + excerpt(rows[i]),
                       "an object {\"x\": .., \"y\": ..}");
        take(rows[i], where);
    }
}

}  // namespace

void RowJson::read(std::string_view text, RowBlock& rows) {
    const json body = parse(text);
    RowBlock read(shape_.sparse);
    RowFeatures features(shape_, zero_based_);
    TargetParser target = target_;
    const bool labelled = target.rule().kind != TargetKind::none;
    for_rows(body, [&](const json& row, const std::string& where) {
        check_members(row, where, {"x", "y"});
        if (!row.contains("x")) refuse_row(where + "x", "it is missing", features.allowed());
        features.read(row["x"], where + "x");
        Real label = 0;
        if (labelled) {
            if (!row.contains("y")) refuse_row(where + "y", "it is missing", target.allowed());
            const json& y = row["y"];
            const bool plain = y.is_number() || y.is_string();
            const std::string written = y.is_string() ? y.get<std::string>() : excerpt(y);
            if (target.rule().kind == TargetKind::number && y.is_number()) {
                label = number(y, where + "y");
            } else if (!plain || !target.parse(written, label) || !std::isfinite(label)) {
                refuse_row(where + "y", "it is " + excerpt(y), target.allowed());
            }
        }
        add_row(features, shape_.sparse, label, read);
    });
    if (read.rows() != rows_)
        refuse_row("rows", fmt::format("the record has {} rows", read.rows()),
                   fmt::format("{} (batch)", rows_));
    rows = std::move(read);
    target_ = std::move(target);
}

void RowJson::read_features(std::string_view text, RowBlock& rows) const {
    const json body = parse(text);
    RowFeatures features(shape_, zero_based_);
    rows = RowBlock(shape_.sparse);
    for_rows(body, [&](const json& row, const std::string& where) {
        if (!row.contains("x")) refuse_row(where + "x", "it is missing", features.allowed());
        features.read(row["x"], where + "x");
        add_row(features, shape_.sparse, 0, rows);
    });
}

std::string RowJson::schema() const {
    json x;
    if (shape_.sparse) {
        x = {{"type", "object"},
             {"additionalProperties", {{"type", "number"}}},
             {"description", "features that are not 0, by their numbers"}};
    } else {
        const json list{{"type", "array"},
                        {"items", {{"type", "number"}}},
                        {"minItems", shape_.features},
                        {"maxItems", shape_.features}};
        x = list;
        if (!shape_.names.empty()) {
            json properties = json::object();
            for (const std::string& name : shape_.names) properties[name] = {{"type", "number"}};
            x = {{"oneOf",
                  {list, {{"type", "object"}, {"properties", properties}, {"required", shape_.names}}}}};
        }
    }
    json row{{"type", "object"}, {"properties", {{"x", x}}}, {"required", json::array({"x"})}};
    if (target_.rule().kind != TargetKind::none) {
        row["properties"]["y"] = {{"oneOf", {{{"type", "number"}}, {{"type", "string"}}}},
                                  {"description", target_.allowed()}};
        row["required"].push_back("y");
    }
    if (rows_ == 1) return row.dump();
    return json{{"type", "object"},
                {"properties",
                 {{"rows", {{"type", "array"}, {"items", row}, {"minItems", rows_}, {"maxItems", rows_}}}}},
                {"required", json::array({"rows"})}}
        .dump();
}

}  // namespace proxstream
