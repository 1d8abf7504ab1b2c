#include "serve/api_call.hpp"

#include <algorithm>

namespace proxstream {

std::string error_json(const Refusal& refusal) {
    nlohmann::ordered_json error{{"status", refusal.status}, {"message", refusal.message}};
    if (!refusal.field.empty()) error["field"] = refusal.field;
    if (refusal.index) error["index"] = *refusal.index;
    if (refusal.turn) error["turn"] = *refusal.turn;
    if (!refusal.violations.empty()) error["violations"] = refusal.violations;
    return nlohmann::ordered_json{{"error", std::move(error)}}.dump(-1, ' ', false,
                                                                    Json::error_handler_t::replace);
}

HttpResponse error_response(const Refusal& refusal) {
    HttpResponse response{.status = refusal.status, .body = error_json(refusal)};
    if (refusal.retry_after > 0)
        response.headers.emplace_back("Retry-After", std::to_string(refusal.retry_after));
    return response;
}

void Call::refuse(const Refusal& refusal) const {
    reply->send(error_response(refusal));
}

bool Call::wanted() const {
    const Demand demand = reply->demand();
    if (demand == Demand::busy)
        refuse({.status = 503, .message = "the memory for requests and answers is full", .retry_after = 1});
    return demand == Demand::wanted;
}

void ask_run(const CallPtr& call, std::function<std::string(ServedRun&)> make) {
    call->queue->read([call, make = std::move(make)](ServedRun& run) -> Workers::Task {
        std::string json;
        if (!call->wanted()) return {};
        if (!guarded(*call, [&] { json = make(run); })) return {};
        return [call, json = std::move(json)]() mutable { call->send(std::move(json)); };
    });
}

void ask_store(const CallPtr& call, std::function<void(const RunStore&)> look) {
    call->queue->look_up([call, look = std::move(look)](const RunStore* store, const std::string& problem) {
        if (!call->wanted()) return;
        if (store == nullptr) return call->refuse({.status = 503, .message = problem, .retry_after = 1});
        guarded(*call, [&] { look(*store); });
    });
}

namespace {

void send_rest(const CallPtr& call, const std::shared_ptr<PieceStream>& stream, const NextPiece& next) {
    stream->when_taken([=] {
        call->queue->look_up([=](const RunStore* store, const std::string& /*problem*/) {
            if (!stream->open()) return;
            std::string piece;
            bool more = false;
            try {
                if (store == nullptr) return stream->abort();
                more = next(*store, piece);
            } catch (const std::exception&) {
                return stream->abort();
            }
            stream->send(piece);
            if (!more) return stream->close();
            send_rest(call, stream, next);
        });
    });
}

}  // namespace

void send_pieces(const CallPtr& call, const RunStore& store, HttpResponse head, const NextPiece& next) {
    std::string piece;
    if (!next(store, piece)) {
        head.body = std::move(piece);
        return call->reply->send(std::move(head));
    }
    const std::shared_ptr<PieceStream> stream = call->reply->send_pieces(std::move(head));
    stream->send(piece);
    send_rest(call, stream, next);
}

void put_figures(JsonWriter& to, const LearnerQueue& queue, const std::vector<Real>& figures) {
    const std::vector<std::string>& channels = queue.identity().channels;
    to.object("figures", [&] {
        for (std::size_t i = 0; i < std::min(channels.size(), figures.size()); ++i)
            to.put(channels[i], figures[i]);
    });
}

}  // namespace proxstream
