#include "serve/openapi.hpp"

#include "serve/api_routes.hpp"

namespace proxstream {
namespace {

using Ordered = nlohmann::ordered_json;

Ordered reference(std::string_view schema) {
    return {{"$ref", "#/components/schemas/" + std::string(schema)}};
}

/// The media type without its parameters.
std::string media(std::string_view type) {
    return std::string(type.substr(0, type.find(';')));
}

Ordered content(std::string_view type, std::string_view schema) {
    const Ordered is = schema.empty() ? Ordered{{"type", "string"}} : reference(schema);
    return {{media(type), {{"schema", is}}}};
}

Ordered operation(const Route& route) {
    Ordered described{{"operationId", route.id}, {"summary", route.help}};
    Ordered parameters = Ordered::array();
    if (route.path.find("{name}") != route.path.npos) {
        parameters.push_back({{"name", "name"},
                              {"in", "path"},
                              {"required", true},
                              {"description", "the learner"},
                              {"schema", {{"type", "string"}, {"pattern", "^[a-z0-9-]{1,40}$"}}}});
    }
    for (const QueryParameter& parameter : route.query) {
        Ordered schema{{"type", "boolean"}};
        if (parameter.type == QueryParameter::Type::whole) schema = {{"type", "integer"}, {"minimum", 0}};
        parameters.push_back(
            {{"name", parameter.name}, {"in", "query"}, {"description", parameter.help}, {"schema", schema}});
    }
    if (!parameters.empty()) described["parameters"] = std::move(parameters);
    if (!route.body.empty())
        described["requestBody"] = {{"required", true}, {"content", content("application/json", route.body)}};
    Ordered answers = Ordered::object();
    for (const RouteAnswer& answer : route.answers) {
        answers[std::to_string(answer.status)] = {{"description", answer.help},
                                                  {"content", content(answer.type, answer.schema)}};
    }
    answers["default"] = {{"description", "it was not done, and why"},
                          {"content", content("application/json", "Error")}};
    described["responses"] = std::move(answers);
    if (route.open) described["security"] = Ordered::array();
    return described;
}

}  // namespace

Ordered openapi_document(const Roster& roster, const std::string& version) {
    Ordered paths = Ordered::object();
    for (const Route& route : api_routes()) {
        std::string method(route.method);
        for (char& c : method) c = static_cast<char>(c - 'A' + 'a');
        paths[std::string(route.path)][method] = operation(route);
    }
    Ordered schemas = api_schemas();
    Ordered records = Ordered::array();
    for (const auto& desk : roster.all()) {
        Ordered record = Ordered::parse(desk->record_schema());
        if (std::find(records.begin(), records.end(), record) == records.end())
            records.push_back(std::move(record));
    }
    schemas["Record"] = {{"description", "as the learner takes them"}, {"anyOf", std::move(records)}};
    return {
        {"openapi", "3.0.3"},
        {"info",
         {{"title", "proxstream"},
          {"version", version},
          {"description", "Online learners that are asked and told over HTTP; docs/serve.md explains it."}}},
        {"security", {{{"token", Ordered::array()}}, Ordered::object()}},
        {"paths", std::move(paths)},
        {"components",
         {{"schemas", std::move(schemas)},
          {"securitySchemes", {{"token", {{"type", "http"}, {"scheme", "bearer"}}}}}}}};
}

}  // namespace proxstream
