#include "serve/api_call.hpp"

#include <charconv>

namespace proxstream {

std::uint64_t Call::number(const std::string& name, std::uint64_t otherwise) const {
    const auto found = request.query.find(name);
    if (found == request.query.end()) return otherwise;
    std::from_chars(found->second.data(), found->second.data() + found->second.size(), otherwise);
    return otherwise;
}

bool Call::flag(const std::string& name) const {
    const auto found = request.query.find(name);
    return found != request.query.end() && found->second == "true";
}

std::string error_json(const Refusal& refusal, const std::vector<std::string>& violations) {
    nlohmann::ordered_json error{{"status", refusal.status}, {"message", refusal.message}};
    if (!refusal.field.empty()) error["field"] = refusal.field;
    if (refusal.index) error["index"] = *refusal.index;
    if (refusal.turn) error["turn"] = *refusal.turn;
    if (!violations.empty()) error["violations"] = violations;
    return nlohmann::ordered_json{{"error", std::move(error)}}.dump(-1, ' ', false,
                                                                    Json::error_handler_t::replace);
}

HttpResponse error_response(const Refusal& refusal, const std::vector<std::string>& violations) {
    HttpResponse response{.status = refusal.status, .body = error_json(refusal, violations)};
    if (refusal.retry_after > 0)
        response.headers.emplace_back("Retry-After", std::to_string(refusal.retry_after));
    return response;
}

void Call::refuse(const Refusal& refusal) const {
    reply->send(error_response(refusal));
}

void ask_run(const CallPtr& call, std::function<std::string(ServedRun&)> make) {
    call->desk->read([call, make = std::move(make)](ServedRun& run) -> Workers::Task {
        std::string json;
        bool made = false;
        guarded(*call, [&] {
            json = make(run);
            made = true;
        });
        if (!made) return {};
        return [call, json = std::move(json)]() mutable { call->send(200, std::move(json)); };
    });
}

void ask_store(const CallPtr& call, std::function<void(const RunStore&)> look) {
    call->desk->look_up([call, look = std::move(look)](const RunStore* store, const std::string& problem) {
        if (store == nullptr) return call->refuse({.status = 503, .message = problem, .retry_after = 1});
        guarded(*call, [&] { look(*store); });
    });
}

}  // namespace proxstream
