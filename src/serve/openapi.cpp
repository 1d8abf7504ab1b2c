/// The table of all routes, and the OpenAPI document that is made from it.
#include "serve/api_routes.hpp"

#include <algorithm>
#include <iterator>

namespace proxstream {
namespace {

using Ordered = nlohmann::ordered_json;

/// The media type without its parameters, and the schema of what it carries.
Ordered content(std::string_view type, std::string_view schema) {
    const Ordered is = schema.empty() ? Ordered{{"type", "string"}}
                                      : Ordered{{"$ref", "#/components/schemas/" + std::string(schema)}};
    return {{std::string(type.substr(0, type.find(';'))), {{"schema", is}}}};
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
    described["responses"] = {
        {std::to_string(route.status),
         {{"description", route.answer}, {"content", content(route.type, route.schema)}}},
        {"default",
         {{"description", "it was not done, and why"}, {"content", content("application/json", "Error")}}}};
    if (route.open) described["security"] = Ordered::array();
    return described;
}

}  // namespace

const std::vector<Route>& api_routes() {
    static const std::vector<Route> routes = [] {
        std::vector<Route> all;
        for (auto part : {learner_routes(), history_routes(), service_routes()})
            std::ranges::move(part, std::back_inserter(all));
        return all;
    }();
    return routes;
}

Ordered openapi_document(const LearnerRegistry& registry, const std::string& version) {
    Ordered paths = Ordered::object();
    for (const Route& route : api_routes()) {
        std::string method(route.method);
        for (char& c : method) c = static_cast<char>(c - 'A' + 'a');
        paths[std::string(route.path)][method] = operation(route);
    }
    Ordered schemas = api_schemas();
    Ordered records = Ordered::array();
    for (const auto& queue : registry.all()) {
        Ordered record = Ordered::parse(queue->record_schema());
        if (std::find(records.begin(), records.end(), record) == records.end())
            records.push_back(std::move(record));
    }
    schemas["Record"] = {{"description", "as the learner takes them"}, {"anyOf", std::move(records)}};
    return {{"openapi", "3.0.3"},
            {"info",
             {{"title", "proxstream"},
              {"version", version},
              {"description", "Online learning and routing over HTTP; docs/serve.md explains it."}}},
            {"security", {{{"token", Ordered::array()}}, Ordered::object()}},
            {"paths", std::move(paths)},
            {"components",
             {{"schemas", std::move(schemas)},
              {"securitySchemes", {{"token", {{"type", "http"}, {"scheme", "bearer"}}}}}}}};
}

}  // namespace proxstream
