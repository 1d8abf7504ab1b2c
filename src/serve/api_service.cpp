/// Routes of the service itself: its document, metrics, health, and the list of learners for a browser.
#include "serve/api_routes.hpp"
#include "serve/metrics.hpp"

#include <fmt/format.h>

namespace proxstream {
namespace {

constexpr std::string_view kHtml = "text/html; charset=utf-8";
constexpr std::string_view kMetrics = "text/plain; version=0.0.4; charset=utf-8";

std::string escaped_html(std::string_view text) {
    std::string html;
    for (const char c : text) html += c == '&' ? "&amp;" : c == '<' ? "&lt;" : std::string(1, c);
    return html;
}

void get_index_html(const CallPtr& call) {
    std::string rows;
    for (const auto& queue : call->context.registry.all()) {
        const auto now = queue->snapshot();
        rows += fmt::format("<tr><td><a href=\"/learners/{0}\">{0}</a><td>{1}<td>{2}<td>{3} {4}\n",
                            queue->name(), escaped_html(queue->identity().kind), now->state.turn,
                            now->state.status, escaped_html(now->state.message));
    }
    call->reply->send(
        {.type = std::string(kHtml),
         .body = fmt::format("<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">"
                             "<meta name=\"viewport\" content=\"width=device-width\">"
                             "<title>proxstream</title><h1>Learners</h1>\n"
                             "<table><tr><th>learner<th>kind<th>turn<th>state\n{}</table>"
                             "<p><a href=\"/openapi.json\">API</a>",
                             rows),
         .headers = {{"Content-Security-Policy", "default-src 'none'"}, {"Cache-Control", "no-store"}}});
}

void get_openapi(const CallPtr& call) {
    call->send(openapi_document(call->context.registry, call->context.version).dump());
}

void get_metrics(const CallPtr& call) {
    call->reply->send(
        {.type = std::string(kMetrics),
         .body = metrics_text(call->context.registry, call->context.counts(), call->context.version)});
}

void get_health(const CallPtr& call) {
    call->send(R"({"status":"alive"})");
}

void get_ready(const CallPtr& call) {
    for (const auto& queue : call->context.registry.all()) {
        if (!queue->parent().empty()) continue;  // a fork is an experiment and does not count
        const auto now = queue->snapshot();
        if (now->state.status != "failed" && now->state.status != "stopped") continue;
        return call->refuse({.status = 503,
                             .message = fmt::format("learner {}: {} {}", queue->name(), now->state.status,
                                                    now->state.message),
                             .retry_after = 1});
    }
    call->send(R"({"status":"ready"})");
}

}  // namespace

std::vector<Route> service_routes() {
    std::vector<Route> routes{
        Route{"GET", "/", "getIndex", "The learners, for a browser", "a page", "", get_index_html}.sends(
            kHtml),
        Route{"GET", "/openapi.json", "getOpenapi", "This document", "OpenAPI 3.0", "Document", get_openapi},
        Route{"GET", "/metrics", "getMetrics", "Figures for Prometheus", "text format 0.0.4", "", get_metrics}
            .sends(kMetrics),
        Route{"GET", "/ready", "getReady", "Are all learners open, and none failed?", "they are", "Status",
              get_ready},
        Route{"GET", "/health", "getHealth", "Is the service alive?", "it is", "Status", get_health},
    };
    routes.back().open = true;
    return routes;
}

}  // namespace proxstream
