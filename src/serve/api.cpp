#include "serve/api.hpp"

#include "serve/api_routes.hpp"
#include "serve/serve_settings.hpp"

#include <algorithm>
#include <charconv>
#include <vector>

#include <fmt/format.h>

namespace proxstream {
namespace {

/// Does the path fit? Then `name` is what stands for {name} in it.
bool fits(std::string_view pattern, std::string_view path, std::string& name) {
    constexpr std::string_view kPlace = "{name}";
    const std::size_t place = pattern.find(kPlace);
    if (place == pattern.npos) return pattern == path;
    const std::string_view before = pattern.substr(0, place);
    const std::string_view after = pattern.substr(place + kPlace.size());
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

/// The host of "host:port", "[::1]:port".
std::string_view host_of(std::string_view authority) {
    if (authority.starts_with('[')) return authority.substr(1, authority.find(']') - 1);
    return authority.substr(0, authority.find(':'));
}

/// What pages of other sites could make a browser ask: without tokens the service answers those only who call
/// it by a name of this machine, and nobody whose page came from elsewhere.
std::optional<Refusal> from_elsewhere(const HttpRequest& request, bool tokens) {
    const std::string host = header(request, "host");
    if (!tokens && !host.empty() && !is_loopback(host_of(host)))
        return Refusal{.status = 403,
                       .message = "without tokens the service answers to names of this machine only"};
    const std::string origin = header(request, "origin");
    const std::size_t scheme = origin.find("://");
    if (!tokens && !origin.empty() && (scheme == origin.npos || origin.substr(scheme + 3) != host))
        return Refusal{.status = 403, .message = "a page of another site may not ask"};
    return std::nullopt;
}

std::optional<Refusal> check_query(const Route& route, const HttpRequest& request) {
    for (const auto& [name, value] : request.query) {
        const auto known =
            std::find_if(route.query.begin(), route.query.end(),
                         [&, wanted = &name](const auto& each) { return each.name == *wanted; });
        if (known == route.query.end()) {
            std::vector<std::string> names;
            for (const auto& each : route.query) names.emplace_back(each.name);
            return Refusal{.status = 400, .message = unknown_name("parameter", name, names), .field = name};
        }
        std::uint64_t number = 0;
        const char* end = value.data() + value.size();
        const auto [stop, status] = std::from_chars(value.data(), end, number);
        const bool whole = status == std::errc{} && stop == end;
        if (known->type == QueryParameter::Type::whole && !whole)
            return Refusal{.status = 400,
                           .message = fmt::format("{} = '{}': expected a whole number", name, value),
                           .field = name};
        if (known->type == QueryParameter::Type::flag && value != "true" && value != "false")
            return Refusal{.status = 400,
                           .message = fmt::format("{} = '{}': expected true or false", name, value),
                           .field = name};
    }
    return std::nullopt;
}

std::optional<Refusal> check_body(const Route& route, const HttpRequest& request) {
    if (route.body.empty() && request.body.empty()) return std::nullopt;
    if (route.body.empty() && route.method != "POST")
        return Refusal{.status = 400, .message = fmt::format("{} takes no body", route.method)};
    const std::string type = header(request, "content-type");
    std::string media = type.substr(0, type.find(';'));
    while (!media.empty() && media.back() == ' ') media.pop_back();
    std::transform(media.begin(), media.end(), media.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    if (media != "application/json")
        return Refusal{.status = 415,
                       .message = fmt::format("content type '{}': expected application/json", media),
                       .field = "content-type"};
    return std::nullopt;
}

}  // namespace

void Api::handle(HttpRequest request, std::shared_ptr<HttpReply> reply) const {
    dispatch(std::make_shared<Call>(Call{context_, std::move(request), std::move(reply)}));
}

void Api::handle_line(HttpRequest request, std::shared_ptr<HttpReply> reply) const {
    auto call = std::make_shared<Call>(Call{context_, std::move(request), std::move(reply)});
    call->ordered = true;
    dispatch(call);
}

void Api::dispatch(const CallPtr& call) const {
    const HttpRequest& request = call->request;
    const Route* route = nullptr;
    std::string name;
    std::string allowed;
    for (const Route& each : api_routes()) {
        std::string found;
        if (!fits(each.path, request.path, found)) continue;
        allowed += (allowed.empty() ? "" : ", ") + std::string(each.method);
        if (each.method != request.method) continue;
        route = &each;
        name = found;
    }
    const bool open = route != nullptr && route->open;
    if (!call->ordered && !open) {
        // Who may not ask is told nothing, not even what there is.
        if (!context_.tokens.allows(header(request, "authorization"))) {
            HttpResponse response =
                error_response({.status = 401, .message = "a token is needed: Authorization: Bearer .."});
            response.headers.emplace_back("WWW-Authenticate", "Bearer");
            return call->reply->send(std::move(response));
        }
        if (const auto refusal = from_elsewhere(request, context_.tokens.needed()))
            return call->refuse(*refusal);
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
    if (route->path.find("{name}") != route->path.npos) {
        call->desk = context_.roster.find(name);
        if (!call->desk)
            return call->refuse({.status = 404, .message = fmt::format("there is no learner '{}'", name)});
    }
    if (const auto refusal = check_query(*route, request)) return call->refuse(*refusal);
    if (const auto refusal = check_body(*route, request)) return call->refuse(*refusal);
    guarded(*call, [&] { route->handle(call); });
}

}  // namespace proxstream
