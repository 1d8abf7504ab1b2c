/// One request to the API: what was asked, of which learner, and how it is answered.
#pragma once

#include "io/json_writer.hpp"
#include "serve/http_server.hpp"
#include "serve/json_body.hpp"
#include "serve/learner_registry.hpp"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace proxstream {

class Tokens;

/// What handlers work with.
struct ApiContext {
    LearnerRegistry& registry;
    const Tokens& tokens;
    std::string version;
    std::function<HttpCounts()> counts = [] { return HttpCounts{}; };
};

struct Call {
    const ApiContext& context;
    HttpRequest request;
    std::shared_ptr<HttpReply> reply;
    std::shared_ptr<LearnerQueue> queue = nullptr;      // of paths that name a learner
    std::map<std::string, std::uint64_t> parameters{};  // of the query; flags are 0 or 1

    std::uint64_t parameter(const std::string& name, std::uint64_t otherwise) const {
        const auto found = parameters.find(name);
        return found == parameters.end() ? otherwise : found->second;
    }
    void send(std::string json, int status = 200) const {
        reply->send({.status = status, .body = std::move(json)});
    }
    /// Sends the object with the members that `write` puts into it.
    template <class Write>
    void send_object(const Write& write) const {
        send(json_object(write));
    }
    void refuse(const Refusal& refusal) const;
    /// Whether to work for the answer: the client is there, and so is memory. Answers if it is not.
    bool wanted() const;
    /// The body as JSON; its text is not kept.
    Json take_body() { return parse_body(std::exchange(request.body, {})); }
};
using CallPtr = std::shared_ptr<Call>;

/// {"error":{..}}
std::string error_json(const Refusal& refusal);
HttpResponse error_response(const Refusal& refusal);

/// Runs `work`, and answers with the error that it throws.
template <class Work>
bool guarded(const Call& call, const Work& work) {
    try {
        work();
        return true;
    } catch (const std::exception& error) {
        call.refuse(refusal_of(error));
        return false;
    }
}

/// Asks the run between two turns. Sends the JSON that `make` returns, after the commit.
void ask_run(const CallPtr& call, std::function<std::string(ServedRun&)> make);
/// Reads the store while the learner works; `look` answers.
void ask_store(const CallPtr& call, std::function<void(const RunStore&)> look);
/// Appends the next piece of an answer; false: it was the last one.
using NextPiece = std::function<bool(const RunStore& store, std::string& piece)>;
/// Sends an answer whose pieces are read from the store when the client has taken those before. The first one
/// is read from `store`. If a later one cannot be read, the client is disconnected.
void send_pieces(const CallPtr& call, const RunStore& store, HttpResponse head, const NextPiece& next);
inline constexpr std::size_t kPiece = std::size_t{1} << 15U;  // bytes, about

/// "figures": a number for each channel; null: not known.
void put_figures(JsonWriter& to, const LearnerQueue& queue, const std::vector<Real>& figures);

}  // namespace proxstream
