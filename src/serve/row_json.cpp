#include "serve/row_json.hpp"

#include "core/json.hpp"
#include "io/field_text.hpp"
#include "serve/json_body.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <fmt/format.h>

namespace proxstream {
namespace {

using nlohmann::json;

constexpr std::size_t kExcerpt = 40;

constexpr const char* kRecord = "record";
constexpr const char* kRowForm = "an object {\"x\": .., \"y\": ..}";

std::string excerpt(const json& value) {
    std::string text = value.dump(-1, ' ', true, json::error_handler_t::replace);
    if (text.size() > kExcerpt) text = text.substr(0, kExcerpt) + "..";
    return text;
}

[[noreturn]] void refuse_value(const std::string& field, const json& value, const std::string& expected) {
    refuse_field(kRecord, field, "it is " + excerpt(value), expected);
}

Real number(const json& value, const std::string& field) {
    if (!value.is_number()) refuse_value(field, value, "a finite number");
    const Real found = value.get<Real>();
    if (!std::isfinite(found)) refuse_field(kRecord, field, "it is not finite", "a finite number");
    return found;
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
        refuse_value(field, x, allowed());
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
            refuse_field(kRecord, field, fmt::format("it has {} numbers", x.size()), allowed());
        for (Index i = 0; i < x.size(); ++i) values.push_back(number(x[i], fmt::format("{}[{}]", field, i)));
    }

    void read_named(const json& x, const std::string& field) {
        for (const std::string& name : shape_.names) {
            const auto found = x.find(name);
            if (found == x.end())
                refuse_field(kRecord, inside(field, name), "it is missing", "a finite number");
            values.push_back(number(*found, inside(field, name)));
        }
        if (x.size() == shape_.names.size()) return;
        for (const auto& [name, value] : x.items()) {
            if (std::find(shape_.names.begin(), shape_.names.end(), name) == shape_.names.end())
                refuse_field(kRecord, inside(field, name), "no feature has this name",
                             fmt::format("{}", fmt::join(shape_.names, ", ")));
        }
    }

    void read_sparse(const json& x, const std::string& field) {
        if (!x.is_object()) refuse_value(field, x, allowed());
        std::vector<std::pair<FeatureIndex, Real>> found;
        for (const auto& [name, value] : x.items()) {
            const std::optional<std::uint64_t> index = parse_count(name);
            if (!index || *index < first_ || *index - first_ >= shape_.features) {
                refuse_field(kRecord, inside(field, name), "no feature has this number",
                             fmt::format("{} to {}", first_, shape_.features - 1 + first_));
            }
            found.emplace_back(static_cast<FeatureIndex>(*index - first_),
                               number(value, inside(field, name)));
        }
        std::sort(found.begin(), found.end());
        for (Index i = 0; i < found.size(); ++i) {
            if (i > 0 && found[i].first == found[i - 1].first)
                refuse_field(kRecord, field,
                             fmt::format("feature {} is there twice", found[i].first + first_), allowed());
            indices.push_back(found[i].first);
            values.push_back(found[i].second);
        }
    }

    const FedReader::Shape& shape_;
    FeatureIndex first_;
};

/// Calls `take` with each row of a body and its place.
template <class Take>
void for_rows(const json& body, const Take& take) {
    if (!body.is_object()) refuse_value("", body, kRowForm);
    if (!body.contains("rows")) return take(body, "");
    require_members(kRecord, body, "", {"rows"});
    const json& rows = body["rows"];
    if (!rows.is_array() || rows.empty()) refuse_value("rows", rows, "a list of rows");
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::string place = fmt::format("rows[{}]", i);
        if (!rows[i].is_object()) refuse_value(place, rows[i], kRowForm);
        take(rows[i], place);
    }
}

Real label_of(const json& row, const std::string& field, TargetParser& target) {
    const auto y = row.find("y");
    if (y == row.end()) refuse_field(kRecord, field, "it is missing", target.allowed());
    if (target.rule().kind == TargetKind::number && y->is_number()) return number(*y, field);
    const std::string written = y->is_string() ? y->get<std::string>() : excerpt(*y);
    Real label = 0;
    const bool plain = y->is_number() || y->is_string();
    if (!plain || !target.parse(written, label) || !std::isfinite(label))
        refuse_value(field, *y, target.allowed());
    return label;
}

}  // namespace

void RowJson::read(std::string_view text, RowBlock& rows) {
    TargetParser target = target_;
    RowBlock read = read_rows(text, &target);
    if (read.rows() != rows_)
        refuse_field(kRecord, "rows", fmt::format("the record has {} rows", read.rows()),
                     fmt::format("{} (batch)", rows_));
    rows = std::move(read);
    target_ = std::move(target);
}

void RowJson::read_features(std::string_view text, RowBlock& rows) const {
    rows = read_rows(text, nullptr);
}

RowBlock RowJson::read_rows(std::string_view text, TargetParser* target) const {
    RowBlock rows(shape_.sparse);
    RowFeatures features(shape_, zero_based_);
    for_rows(parse_body(text), [&](const json& row, const std::string& place) {
        if (target != nullptr) require_members(kRecord, row, place, {"x", "y"});
        const auto x = row.find("x");
        if (x == row.end()) refuse_field(kRecord, inside(place, "x"), "it is missing", features.allowed());
        features.read(*x, inside(place, "x"));
        // A row without a label is predicted; where losses have none it is 0.
        Real label = target != nullptr ? 0 : std::numeric_limits<Real>::quiet_NaN();
        if (target != nullptr && target->rule().kind != TargetKind::none)
            label = label_of(row, inside(place, "y"), *target);
        if (shape_.sparse) {
            rows.add_sparse(features.indices, features.values, label);
        } else {
            rows.add_dense(features.values, label);
        }
    });
    return rows;
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
