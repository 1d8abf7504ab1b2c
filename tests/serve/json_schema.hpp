/// Does a JSON value have the form a schema asks for? As much of JSON schema as the API's document uses; a
/// keyword that is not known here fails, so that nothing goes unchecked.
#pragma once

#include "proxstream/core/types.hpp"

#include "core/json.hpp"

#include <set>
#include <string>

#include <fmt/format.h>

namespace proxstream {

class SchemaChecker {
  public:
    explicit SchemaChecker(const nlohmann::json& document) : document_(document) {}

    /// "" or what is wrong, and where.
    std::string check(const nlohmann::json& schema, const nlohmann::json& value,
                      const std::string& place = "$") const {
        static const std::set<std::string> known{
            "$ref",        "type",     "nullable", "required",  "properties",
            "items",       "enum",     "oneOf",    "anyOf",     "additionalProperties",
            "minimum",     "minItems", "maxItems", "minLength", "maxLength",
            "description", "pattern"};
        for (const auto& [keyword, content] : schema.items())
            if (!known.contains(keyword)) return place + ": the checker does not know " + keyword;
        if (schema.contains("$ref")) return check(resolve(schema["$ref"]), value, place);
        if (value.is_null() && schema.value("nullable", false)) return {};
        for (const char* choice : {"oneOf", "anyOf"}) {
            std::string problem = check_choice(choice, schema, value, place);
            if (!problem.empty()) return problem;
        }
        if (schema.contains("type") && !is(schema["type"], value))
            return fmt::format("{}: {} is no {}", place, value.dump().substr(0, 60), schema["type"].dump());
        if (schema.contains("enum")) {
            const auto& allowed = schema["enum"];
            if (std::find(allowed.begin(), allowed.end(), value) == allowed.end())
                return fmt::format("{}: {} is not in {}", place, value.dump(), allowed.dump());
        }
        if (schema.contains("minimum") && value.get<double>() < schema["minimum"].get<double>())
            return place + ": below the minimum";
        if (value.is_array()) return check_array(schema, value, place);
        if (value.is_object()) return check_object(schema, value, place);
        return {};
    }

  private:
    const nlohmann::json& resolve(const std::string& reference) const {
        return document_.at(nlohmann::json::json_pointer(reference.substr(1)));
    }
    static bool is(const std::string& type, const nlohmann::json& value) {
        if (type == "object") return value.is_object();
        if (type == "array") return value.is_array();
        if (type == "string") return value.is_string();
        if (type == "integer") return value.is_number_integer();
        if (type == "number") return value.is_number();
        if (type == "boolean") return value.is_boolean();
        return false;
    }
    std::string check_choice(const std::string& choice, const nlohmann::json& schema,
                             const nlohmann::json& value, const std::string& place) const {
        if (!schema.contains(choice)) return {};
        std::size_t fits = 0;
        std::string problems;
        for (const auto& each : schema[choice]) {
            const std::string problem = check(each, value, place);
            if (problem.empty()) {
                ++fits;
            } else {
                problems += " | " + problem;
            }
        }
        if (choice == "oneOf" ? fits == 1 : fits > 0) return {};
        return fmt::format("{}: {} of {} fit{}", place, fits, choice, problems);
    }
    std::string check_array(const nlohmann::json& schema, const nlohmann::json& value,
                            const std::string& place) const {
        if (schema.contains("minItems") && value.size() < schema["minItems"]) return place + ": too few";
        if (schema.contains("maxItems") && value.size() > schema["maxItems"]) return place + ": too many";
        if (!schema.contains("items")) return {};
        for (std::size_t i = 0; i < value.size(); ++i) {
            std::string problem = check(schema["items"], value[i], fmt::format("{}[{}]", place, i));
            if (!problem.empty()) return problem;
        }
        return {};
    }
    std::string check_object(const nlohmann::json& schema, const nlohmann::json& value,
                             const std::string& place) const {
        if (schema.contains("required")) {
            for (const auto& name : schema["required"])
                if (!value.contains(name)) return fmt::format("{}: {} is missing", place, name.dump());
        }
        const nlohmann::json none = nlohmann::json::object();
        const auto& properties = schema.contains("properties") ? schema["properties"] : none;
        for (const auto& [name, member] : value.items()) {
            std::string problem;
            if (properties.contains(name)) {
                problem = check(properties[name], member, place + "." + name);
            } else if (schema.contains("additionalProperties")) {
                const auto& other = schema["additionalProperties"];
                if (other == false) return fmt::format("{}: {} is not in the schema", place, name);
                problem = check(other, member, place + "." + name);
            }
            if (!problem.empty()) return problem;
        }
        return {};
    }

    const nlohmann::json& document_;
};

}  // namespace proxstream
