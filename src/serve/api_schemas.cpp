#include "serve/api_routes.hpp"

namespace proxstream {
namespace {

/// In the form of OpenAPI 3.0, which has `nullable` instead of a type null.
constexpr const char* kSchemas = R"json({
"Error": {"type": "object", "required": ["error"], "additionalProperties": false, "properties": {
  "error": {"type": "object", "required": ["status", "message"], "additionalProperties": false, "properties": {
    "status": {"type": "integer", "description": "as in the reply's head"},
    "message": {"type": "string"},
    "field": {"type": "string", "description": "which field is wrong"},
    "index": {"type": "integer", "description": "the record of a batch, from 0"},
    "turn": {"type": "integer", "description": "the turn of the problem: the expected one, or the one that was played"},
    "violations": {"type": "array", "items": {"type": "string"}, "description": "each violation"}}}}},
"Status": {"type": "object", "required": ["status"], "additionalProperties": false, "properties": {
  "status": {"type": "string", "enum": ["alive", "ready"]}}},
"Document": {"type": "object", "required": ["openapi", "info", "paths", "components"], "properties": {
  "openapi": {"type": "string"}, "info": {"type": "object"}, "paths": {"type": "object"},
  "components": {"type": "object"}}},
"Figures": {"type": "object", "description": "a number a channel; null: not known",
  "additionalProperties": {"type": "number", "nullable": true}},
"Setting": {"type": "object", "required": ["name", "value"], "additionalProperties": false, "properties": {
  "name": {"type": "string"}, "value": {"type": "string"}}},
"Learner": {"type": "object", "additionalProperties": false,
  "required": ["name", "kind", "id", "title", "version", "created", "follows", "turn", "saved", "folded", "finished",
    "status", "message", "waiting", "settings", "forks", "figures"],
  "properties": {
    "name": {"type": "string"},
    "kind": {"type": "string", "enum": ["learn", "route"]},
    "id": {"type": "string", "description": "of the run in its store"},
    "title": {"type": "string"},
    "version": {"type": "string", "description": "of the program that began it"},
    "created": {"type": "string"},
    "follows": {"type": "string", "nullable": true, "description": "of a fork: its parent, which passes its records on"},
    "turn": {"type": "integer", "description": "the last one played"},
    "saved": {"type": "integer", "description": "the turn of the last saved state"},
    "folded": {"type": "integer", "description": "turns up to this one are kept as sums only"},
    "finished": {"type": "boolean"},
    "status": {"type": "string", "enum": ["running", "paused", "stopped", "failed"]},
    "message": {"type": "string", "description": "the reason of the status"},
    "waiting": {"type": "integer", "description": "records in the queue"},
    "settings": {"type": "array", "items": {"$ref": "#/components/schemas/Setting"}},
    "forks": {"type": "array", "items": {"type": "object", "required": ["name", "url", "begun", "settings", "turn"],
      "additionalProperties": false, "properties": {"name": {"type": "string"}, "url": {"type": "string"},
        "begun": {"type": "integer", "description": "the last turn in common"},
        "settings": {"type": "array", "items": {"$ref": "#/components/schemas/Setting"},
          "description": "those that differ"}, "turn": {"type": "integer"}}}},
    "figures": {"$ref": "#/components/schemas/Figures"}}},
"Learners": {"type": "object", "required": ["learners"], "additionalProperties": false, "properties": {
  "learners": {"type": "array", "items": {"$ref": "#/components/schemas/Learner"}}}},
"Removed": {"type": "object", "required": ["removed"], "additionalProperties": false, "properties": {
  "removed": {"type": "string"}}},
"Decision": {"type": "object", "required": ["learner", "turn", "decision"], "additionalProperties": false,
  "properties": {
    "learner": {"type": "string"},
    "turn": {"type": "integer", "description": "the next turn"},
    "decision": {"type": "object"}}},
"Post": {"type": "object", "required": ["record"], "additionalProperties": false, "properties": {
  "record": {"$ref": "#/components/schemas/Record"},
  "turn": {"type": "integer", "minimum": 1, "description":
    "the turn it is for: the next one, or an earlier one to get its answer again; others are refused with 409"},
  "key": {"type": "string", "minLength": 1, "maxLength": 200, "description":
    "the sender's name for the record: a known key gets its answer again, and nothing is played"}}},
"Rounds": {"oneOf": [{"$ref": "#/components/schemas/Post"},
  {"type": "object", "required": ["batch"], "additionalProperties": false, "properties": {
    "batch": {"type": "array", "minItems": 1, "maxItems": 10000,
      "items": {"$ref": "#/components/schemas/Post"}}}}]},
"Round": {"type": "object", "required": ["turn", "status", "replayed", "answer", "figures", "alarms"],
  "additionalProperties": false, "properties": {
    "turn": {"type": "integer"},
    "status": {"type": "string", "description":
      "quiet, solved, budget_exhausted, held, waiting (records are gathered), refused (the loss was not finite)"},
    "replayed": {"type": "boolean", "description": "it was played before, and this is its first answer"},
    "answer": {"type": "object", "nullable": true, "description":
      "the decision that was made before the record was known, its loss and its gaps"},
    "figures": {"$ref": "#/components/schemas/Figures"},
    "alarms": {"type": "array", "items": {"type": "object", "required": ["id", "raised", "kind", "subject", "text"],
      "additionalProperties": false, "properties": {"id": {"type": "integer"}, "raised": {"type": "boolean"},
        "kind": {"type": "string"}, "subject": {"type": "string"}, "text": {"type": "string"}}}},
    "next": {"$ref": "#/components/schemas/Decision"}}},
"Played": {"oneOf": [{"$ref": "#/components/schemas/Round"},
  {"type": "object", "required": ["rounds"], "additionalProperties": false, "properties": {
    "rounds": {"type": "array", "items": {"$ref": "#/components/schemas/Round"}},
    "next": {"$ref": "#/components/schemas/Decision"}}}]},
"Rows": {"type": "object", "description":
  "one row {\"x\":..} as in a record, without what is predicted, or several {\"rows\":[{\"x\":..},..]}"},
"Predictions": {"type": "object", "required": ["learner", "turn"], "additionalProperties": false,
  "properties": {
    "learner": {"type": "string"},
    "turn": {"type": "integer", "description": "the next turn, whose decision was used"},
    "predictions": {"type": "array", "items": {"type": "number", "nullable": true}},
    "probabilities": {"type": "array", "description": "of the classes, in their order, where the loss has them",
      "items": {"type": "array", "items": {"type": "number", "nullable": true}}},
    "waiting": {"type": "object", "description": "records that are still gathered before it can learn"}}},
"Certificate": {"type": "object", "required": ["learner", "turn", "sound", "certificate"],
  "additionalProperties": false, "properties": {
    "learner": {"type": "string"},
    "turn": {"type": "integer", "description": "the last turn it covers"},
    "sound": {"type": "boolean", "description": "nothing is violated"},
    "certificate": {"type": "object"}}},
"Turns": {"type": "object", "required": ["turns", "next"], "additionalProperties": false, "properties": {
  "turns": {"type": "array", "items": {"type": "object",
    "required": ["turn", "time", "key", "record", "answer", "figures"], "additionalProperties": false,
    "properties": {
      "turn": {"type": "integer"},
      "time": {"type": "integer", "description": "milliseconds since 1970, never going back"},
      "key": {"type": "string", "nullable": true},
      "record": {"type": "object", "nullable": true},
      "answer": {"type": "object", "nullable": true},
      "figures": {"$ref": "#/components/schemas/Figures"}}}},
  "next": {"type": "integer", "nullable": true, "description": "the first turn of the next page, if there is one"}}},
"Fork": {"type": "object", "required": ["name"], "additionalProperties": false, "properties": {
  "name": {"type": "string", "pattern": "^[a-z0-9-]{1,40}$"},
  "settings": {"type": "object", "description": "options that differ; those that name files are refused"},
  "events": {"type": "array", "items": {"type": "object"}, "description":
    "events that happen to it before its next turn, such as {\"link\":\"A-B\",\"close\":true}"}}},
"Page": {"type": "object", "required": ["kind", "run", "title", "id", "settings", "state", "channels", "series",
    "alarms", "certificate", "decision", "scenery", "picture", "live", "forks"],
  "properties": {
    "kind": {"type": "string", "enum": ["run"]},
    "run": {"type": "string"},
    "state": {"type": "object", "required": ["turn", "saved", "folded", "finished", "status", "message"]},
    "series": {"type": "object"},
    "live": {"type": "object", "required": ["url"]}}}
})json";

}  // namespace

const nlohmann::ordered_json& api_schemas() {
    static const auto schemas = nlohmann::ordered_json::parse(kSchemas);
    return schemas;
}

}  // namespace proxstream
