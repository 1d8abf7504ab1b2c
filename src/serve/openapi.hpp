/// The API's description of itself: OpenAPI 3.0, made from the table of routes.
#pragma once

#include "core/json.hpp"
#include "serve/roster.hpp"

#include <string>

namespace proxstream {

/// Schemas of bodies and answers by name, without those of records.
const nlohmann::ordered_json& api_schemas();

/// With the records of the learners there are.
nlohmann::ordered_json openapi_document(const Roster& roster, const std::string& version);

}  // namespace proxstream
