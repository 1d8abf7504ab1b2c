/// The table of the API: what can be asked, with what, and what comes back. The router and the OpenAPI
/// document are both made from it, so they cannot disagree.
#pragma once

#include "serve/api_call.hpp"

#include <span>
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

struct RouteAnswer {
    int status;
    std::string_view help;
    std::string_view schema;  // of api_schemas.cpp; empty: not JSON, or nothing
    std::string_view type = "application/json";
};

struct Route {
    std::string_view method;
    std::string_view path;  // {name} stands for a learner's
    std::string_view id;    // what generated clients call it
    std::string_view help;
    std::vector<QueryParameter> query;
    std::string_view body;  // schema; empty: none
    std::vector<RouteAnswer> answers;
    void (*handle)(const CallPtr& call);
    bool open = false;  // to everybody, without a token
};

std::span<const Route> api_routes();

// Handlers, by what they are about.
namespace api {

void list_learners(const CallPtr& call);
void get_learner(const CallPtr& call);
void get_decision(const CallPtr& call);
void post_rounds(const CallPtr& call);
void post_predict(const CallPtr& call);
void get_certificate(const CallPtr& call);
void post_checkpoint(const CallPtr& call);
void post_pause(const CallPtr& call);
void post_resume(const CallPtr& call);

void get_ledger(const CallPtr& call);
void get_turns(const CallPtr& call);
void get_page(const CallPtr& call);
void get_events(const CallPtr& call);

void post_fork(const CallPtr& call);
void delete_fork(const CallPtr& call);

void get_index_html(const CallPtr& call);
void get_learner_html(const CallPtr& call);
void get_openapi(const CallPtr& call);
void get_metrics(const CallPtr& call);
void get_health(const CallPtr& call);
void get_ready(const CallPtr& call);

}  // namespace api
}  // namespace proxstream
