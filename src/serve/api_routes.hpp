/// The routes of the API: request, answer and handler of each. The router and the OpenAPI document are both
/// made from this table.
#pragma once

#include "serve/api_call.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace proxstream {

struct QueryParameter {
    enum class Type { whole, flag };
    std::string_view name;
    Type type;
    std::string_view help;
};

struct Route {
    using Handler = void (*)(const CallPtr& call);

    std::string_view method;
    std::string_view path;  // {name} stands for a learner's name
    std::string_view id;    // the name in generated clients
    std::string_view help;
    std::string_view answer;  // what is sent
    std::string_view schema;  // of the answer, in api_schemas(); empty: not JSON
    Handler handle = nullptr;
    int status = 200;
    std::string_view type = "application/json";  // of the answer
    std::string_view body = {};                  // schema of the request's body; empty: none
    std::vector<QueryParameter> query = {};
    bool open = false;  // needs no token

    Route with(std::vector<QueryParameter> parameters) && {
        query = std::move(parameters);
        return std::move(*this);
    }
    Route takes(std::string_view body_schema) && {
        body = body_schema;
        return std::move(*this);
    }
    Route answers_with(int its_status) && {
        status = its_status;
        return std::move(*this);
    }
    Route sends(std::string_view media_type) && {
        type = media_type;
        return std::move(*this);
    }
};

/// All routes, in the order of the document.
const std::vector<Route>& api_routes();
std::vector<Route> learner_routes();  // state, decisions, rounds, predictions, certificates, forks
std::vector<Route> history_routes();  // ledger, turns, the page and its events
std::vector<Route> service_routes();  // the service itself

/// Schemas of bodies and answers by name, without those of records.
const nlohmann::ordered_json& api_schemas();
/// The API's description of itself, OpenAPI 3.0, with the records of the learners of this service.
nlohmann::ordered_json openapi_document(const LearnerRegistry& registry, const std::string& version);

}  // namespace proxstream
