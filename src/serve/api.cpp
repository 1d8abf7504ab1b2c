#include "serve/api.hpp"

#include "io/field_text.hpp"
#include "serve/api_routes.hpp"
#include "serve/loopback.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include <fmt/format.h>

namespace proxstream {
namespace {

constexpr std::string_view kName = "{name}";

/// Whether the path has the form of the pattern. Sets `name` to what stands for {name} in it.
bool fits(std::string_view pattern, std::string_view path, std::string& name) {
    const std::size_t place = pattern.find(kName);
    if (place == pattern.npos) return pattern == path;
    const std::string_view before = pattern.substr(0, place);
    const std::string_view after = pattern.substr(place + kName.size());
    if (path.size() <= before.size() + after.size() || !path.starts_with(before) || !path.ends_with(after))
        return false;
    const std::string_view found = path.substr(before.size(), path.size() - before.size() - after.size());
    if (found.find('/') != found.npos) return false;
    name = found;
    return true;
}

std::string header(const HttpRequest& request, const std::string& name) {
    const auto found = request.headers.find(name);
    return found == request.headers.end() ? std::string() : found->second;
}

/// Without tokens, a page of another site could make a browser send requests. So only requests to a loopback
/// address or localhost are answered, and none of a page that came from elsewhere. Only HTTP/1.0 may have no
/// Host header, which no browser speaks.
std::optional<Refusal> refuse_other_sites(const HttpRequest& request) {
    const std::string text = header(request, "host");
    const std::optional<Authority> host = parse_authority(text);
    if (request.headers.contains("host") && !(host && host->is_local))
        return Refusal{
            .status = 403,
            .message = fmt::format("Host '{}': without tokens the service answers only to loopback "
                                   "addresses, such as 127.0.0.1, and localhost",
                                   text),
            .field = "host"};
    if (request.headers.contains("origin") && (!host || parse_origin(header(request, "origin")) != host))
        return Refusal{
            .status = 403, .message = "a page of another site may not use this service", .field = "origin"};
    return std::nullopt;
}

/// Throws DataError for an unknown parameter or a bad value.
std::map<std::string, std::uint64_t> parse_query(const Route& route, const HttpRequest& request) {
    std::map<std::string, std::uint64_t> parameters;
    for (const auto& [name, value] : request.query) {
        const auto known = std::ranges::find(route.query, name, &QueryParameter::name);
        if (known == route.query.end()) {
            std::vector<std::string> names;
            for (const QueryParameter& each : route.query) names.emplace_back(each.name);
            refuse_field("query", name, unknown_name("parameter", name, names), "");
        }
        const bool flag = known->type == QueryParameter::Type::flag;
        std::optional<std::uint64_t> number = parse_count(value);
        if (flag)
            number = value == "true"    ? std::optional(1U)
                     : value == "false" ? std::optional(0U)
                                        : std::nullopt;
        if (!number)
            refuse_field("query", name, fmt::format("'{}'", value),
                         flag ? "true or false" : "a whole number");
        parameters[name] = *number;
    }
    return parameters;
}

std::optional<Refusal> check_body(const Route& route, const HttpRequest& request) {
    if (route.body.empty() && request.body.empty()) return std::nullopt;
    if (route.body.empty() && route.method != "POST")
        return Refusal{.status = 400, .message = fmt::format("{} takes no body", route.method)};
    const std::string coding = lower_case(header(request, "content-encoding"));
    if (!coding.empty() && coding != "identity")
        return Refusal{.status = 415,
                       .message = fmt::format("content encoding '{}': send the body as it is", coding),
                       .field = "content-encoding"};
    std::string media = lower_case(header(request, "content-type"));
    media.erase(std::min(media.find_first_of("; "), media.size()));
    if (media == "application/json") return std::nullopt;
    return Refusal{.status = 415,
                   .message = fmt::format("content type '{}': expected application/json", media),
                   .field = "content-type"};
}

/// The route of the method, if there is one; what the path takes; and the learner that it names.
struct Found {
    const Route* route = nullptr;
    std::string allowed = {};
    std::string learner = {};
};

Found find_route(const HttpRequest& request) {
    Found found;
    for (const Route& each : api_routes()) {
        if (!fits(each.path, request.path, found.learner)) continue;
        found.allowed += (found.allowed.empty() ? "" : ", ") + std::string(each.method);
        if (each.method == request.method) found.route = &each;
    }
    return found;
}

}  // namespace

void Api::handle(HttpRequest asked, std::shared_ptr<HttpReply> reply) const {
    const auto call = std::make_shared<Call>(Call{context_, std::move(asked), std::move(reply)});
    const HttpRequest& request = call->request;
    const auto [route, allowed, learner] = find_route(request);
    if (route == nullptr || !route->open) {
        // A client without a token learns nothing, not even which paths exist.
        if (!context_.tokens.allows(header(request, "authorization"))) {
            HttpResponse response =
                error_response({.status = 401, .message = "a token is needed: Authorization: Bearer .."});
            response.headers.emplace_back("WWW-Authenticate", "Bearer");
            return call->reply->send(std::move(response));
        }
        if (!context_.tokens.needed()) {
            if (const auto refusal = refuse_other_sites(request)) return call->refuse(*refusal);
        }
    }
    if (allowed.empty())
        return call->refuse(
            {.status = 404, .message = fmt::format("there is nothing at '{}'", request.path)});
    if (route == nullptr) {
        HttpResponse response = error_response(
            {.status = 405,
             .message = fmt::format("'{}' takes {}, not {}", request.path, allowed, request.method)});
        response.headers.emplace_back("Allow", allowed);
        return call->reply->send(std::move(response));
    }
    if (route->path.find(kName) != route->path.npos) {
        call->queue = context_.registry.find(learner);
        if (!call->queue)
            return call->refuse({.status = 404, .message = fmt::format("there is no learner '{}'", learner)});
    }
    guarded(*call, [&, the_route = route] {
        call->parameters = parse_query(*the_route, request);
        if (const auto refusal = check_body(*the_route, request)) return call->refuse(*refusal);
        if (the_route->body.empty()) return the_route->handle(call);
        // A large body takes a worker's time, not that of the thread that serves all connections.
        call->queue->take_in([call, handle = the_route->handle] {
            if (call->wanted()) guarded(*call, [&] { handle(call); });
        });
    });
}

}  // namespace proxstream
