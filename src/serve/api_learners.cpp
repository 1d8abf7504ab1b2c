/// Learners: their state, decisions, rounds, predictions, certificates.
#include "serve/api_answers.hpp"
#include "serve/api_bodies.hpp"
#include "serve/api_routes.hpp"

#include <fmt/format.h>

namespace proxstream::api {
namespace {

/// Answers with the learner's state once something was done, or with what went wrong.
Desk::Done then_state(const CallPtr& call) {
    return [call](const std::string& problem) {
        if (!problem.empty()) return call->refuse({.status = 503, .message = problem, .retry_after = 1});
        call->send(200, learner_json(*call->desk, call->context.roster));
    };
}

void set_paused(const CallPtr& call, bool paused) {
    if (!call->desk->parent().empty()) {
        return call->refuse({.status = 409,
                             .message = fmt::format("'{}' is a fork: it does what '{}' does",
                                                    call->desk->name(), call->desk->parent())});
    }
    call->desk->pause(paused, then_state(call));
}

}  // namespace

void list_learners(const CallPtr& call) {
    std::string json = R"({"learners":[)";
    for (const auto& desk : call->context.roster.all())
        json += (json.back() == '[' ? "" : ",") + learner_json(*desk, call->context.roster);
    call->send(200, json + "]}");
}

void get_learner(const CallPtr& call) {
    call->send(200, learner_json(*call->desk, call->context.roster));
}

void get_decision(const CallPtr& call) {
    if (call->ordered) {
        return ask_run(call, [call](ServedRun& run) {
            return decision_json(*call->desk, run.journal().played() + 1, run.decision());
        });
    }
    call->desk->decision([call](Turn turn, const std::string& decision) {
        call->send(200, decision_json(*call->desk, turn, decision));
    });
}

void post_rounds(const CallPtr& call) {
    RoundsBody body = rounds_body(parse_body(call->request.body));
    call->desk->post(std::move(body.posts), call->flag("decide"),
                     [call, batch = body.batch](const PostResult& result) {
                         if (result.refusal) return call->refuse(*result.refusal);
                         call->send(200, rounds_json(*call->desk, result, batch));
                     });
}

void post_predict(const CallPtr& call) {
    ask_run(call, [call, rows = predict_body(parse_body(call->request.body))](ServedRun& run) {
        // An object of the run's own, with two members in front.
        const std::string predicted = run.predict(rows);
        return fmt::format(R"({{"learner":{},"turn":{},{})", json_string(call->desk->name()),
                           run.journal().played() + 1, predicted.substr(1));
    });
}

void get_certificate(const CallPtr& call) {
    ask_run(call, [call](ServedRun& run) {
        bool sound = false;
        const auto certificate = nlohmann::ordered_json::parse(run.certificate(sound));
        // On one line: it may go into a pipe.
        return fmt::format(R"({{"learner":{},"turn":{},"sound":{},"certificate":{}}})",
                           json_string(call->desk->name()), run.journal().played(), sound,
                           certificate.dump());
    });
}

void post_checkpoint(const CallPtr& call) {
    call->desk->save(then_state(call));
}

void post_pause(const CallPtr& call) {
    set_paused(call, true);
}

void post_resume(const CallPtr& call) {
    set_paused(call, false);
}

void post_fork(const CallPtr& call) {
    const ForkBody body =
        fork_body(parse_body(call->request.body), find_learner_kind(call->desk->identity().kind));
    call->context.roster.fork(call->desk, body.name, body.changes, body.events, [call](const auto& made) {
        if (const auto* refusal = std::get_if<Refusal>(&made)) return call->refuse(*refusal);
        const auto& fork = std::get<std::shared_ptr<Desk>>(made);
        call->send(201, learner_json(*fork, call->context.roster));
    });
}

void delete_fork(const CallPtr& call) {
    if (call->desk->parent().empty()) {
        return call->refuse(
            {.status = 409,
             .message = fmt::format("'{}' is no fork; only forks can be removed", call->desk->name())});
    }
    call->context.roster.remove(call->desk, [call](const std::string&) {
        call->send(200, fmt::format(R"({{"removed":{}}})", json_string(call->desk->name())));
    });
}

}  // namespace proxstream::api
