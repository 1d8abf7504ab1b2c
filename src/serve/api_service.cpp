/// The service itself: its document, its metrics, its health.
#include "serve/api_routes.hpp"
#include "serve/metrics.hpp"
#include "serve/openapi.hpp"

#include <fmt/format.h>

namespace proxstream::api {

void get_openapi(const CallPtr& call) {
    call->send(200, openapi_document(call->context.roster, call->context.version).dump());
}

void get_metrics(const CallPtr& call) {
    call->reply->send(
        {.type = "text/plain; version=0.0.4; charset=utf-8",
         .body = metrics_text(call->context.roster, call->context.counts(), call->context.version)});
}

void get_health(const CallPtr& call) {
    call->send(200, R"({"status":"alive"})");
}

void get_ready(const CallPtr& call) {
    for (const auto& desk : call->context.roster.all()) {
        // A fork is an experiment: what becomes of it does not count.
        const auto now = desk->snapshot();
        if (!desk->parent().empty() || (now->state.status != "failed" && now->state.status != "stopped"))
            continue;
        return call->refuse(
            {.status = 503,
             .message = fmt::format("learner {}: {} {}", desk->name(), now->state.status, now->state.message),
             .retry_after = 1});
    }
    call->send(200, R"({"status":"ready"})");
}

}  // namespace proxstream::api
