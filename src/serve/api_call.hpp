/// One request to the API on its way: what was asked, of whom, and how it is answered.
#pragma once

#include "proxstream/core/error.hpp"

#include "serve/http_server.hpp"
#include "serve/json_body.hpp"
#include "serve/roster.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace proxstream {

class Tokens;

/// What handlers work with.
struct ApiContext {
    Roster& roster;
    const Tokens& tokens;
    std::string version;
    std::function<HttpCounts()> counts = [] { return HttpCounts{}; };
};

struct Call {
    const ApiContext& context;
    HttpRequest request;
    std::shared_ptr<HttpReply> reply;
    std::shared_ptr<Desk> desk = nullptr;  // of paths that name a learner
    bool ordered = false;                  // what came before it on the same line counts for it

    /// A query parameter that the route's table has let pass; `otherwise` if it is not there.
    std::uint64_t number(const std::string& name, std::uint64_t otherwise) const;
    bool flag(const std::string& name) const;

    void send(int status, std::string json) const {
        reply->send({.status = status, .body = std::move(json)});
    }
    void refuse(const Refusal& refusal) const;
};
using CallPtr = std::shared_ptr<Call>;

/// {"error":{..}}
std::string error_json(const Refusal& refusal, const std::vector<std::string>& violations = {});
HttpResponse error_response(const Refusal& refusal, const std::vector<std::string>& violations = {});

/// Whatever `work` throws is answered: 400 for what was asked, 503 for what the system refuses.
template <class Work>
void guarded(const Call& call, const Work& work) {
    try {
        work();
    } catch (const DataError& error) {
        call.refuse({.status = 400, .message = error.what(), .field = error.where().field});
    } catch (const ConfigError& error) {
        call.reply->send(error_response({.status = 400, .message = error.what()}, error.violations()));
    } catch (const IoError& error) {
        call.refuse({.status = 503, .message = error.what(), .retry_after = 1});
    } catch (const std::exception& error) {
        call.refuse({.status = 500, .message = error.what()});
    }
}

/// Asks the run between two turns and answers with the JSON that `make` returns, after the commit.
void ask_run(const CallPtr& call, std::function<std::string(ServedRun&)> make);
/// Reads the store, beside the desk; `look` answers.
void ask_store(const CallPtr& call, std::function<void(const RunStore&)> look);

}  // namespace proxstream
