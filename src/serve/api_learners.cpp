/// Routes of learners: their state, decisions, rounds, predictions, certificates and forks.
#include "serve/api_bodies.hpp"
#include "serve/api_routes.hpp"

#include <fmt/format.h>

namespace proxstream {
namespace {

void put_learner(JsonWriter& to, const LearnerQueue& queue, const LearnerRegistry& registry) {
    const RunIdentity& identity = queue.identity();
    const auto now = queue.snapshot();
    to.put("name", queue.name());
    to.put("kind", identity.kind);
    to.put("id", identity.id);
    to.put("title", identity.title);
    to.put("version", identity.version);
    to.put("created", identity.created);
    to.put("follows", queue.parent().empty() ? std::optional<std::string>() : queue.parent());
    put_members(to, now->state);
    to.put("waiting", queue.waiting());
    put_settings(to, identity.settings);
    to.objects("forks", registry.forks_of(queue), [&](const PageFork& fork) { put_members(to, fork); });
    put_figures(to, queue, now->figures);
}

void put_decision(JsonWriter& to, const LearnerQueue& queue, Turn turn, const std::string& decision) {
    to.put("learner", queue.name());
    to.put("turn", turn);
    to.json("decision", decision);
}

void put_round(JsonWriter& to, const LearnerQueue& queue, const PlayedPost& post) {
    const PlayedTurn& played = post.turn->played;
    to.put("turn", played.turn);
    to.put("status", played.status);
    to.put("replayed", post.replayed);
    to.json("answer", played.answer);
    put_figures(to, queue, played.figures);
    to.objects("alarms", played.alarms, [&](const StoredAlarm& alarm) {
        to.put("id", alarm.id);
        to.put("raised", alarm.raised);
        to.put("kind", alarm.kind);
        to.put("subject", alarm.subject);
        to.put("text", alarm.text);
    });
}

void send_learner(const CallPtr& call) {
    call->send_object([&](JsonWriter& to) { put_learner(to, *call->queue, call->context.registry); });
}

/// Sends the learner's state once something was done, or what went wrong.
LearnerQueue::Done then_send_learner(const CallPtr& call) {
    return [call](const std::string& problem) {
        if (!problem.empty()) return call->refuse({.status = 503, .message = problem, .retry_after = 1});
        send_learner(call);
    };
}

void list_learners(const CallPtr& call) {
    call->send_object([&](JsonWriter& to) {
        to.objects("learners", call->context.registry.all(),
                   [&](const auto& queue) { put_learner(to, *queue, call->context.registry); });
    });
}

void get_decision(const CallPtr& call) {
    call->queue->decision([call](Turn turn, const std::string& decision) {
        call->send_object([&](JsonWriter& to) { put_decision(to, *call->queue, turn, decision); });
    });
}

void post_rounds(const CallPtr& call) {
    RoundsBody body = rounds_body(call->take_body());
    const auto answer = [call, batch = body.batch](const PostResult& result) {
        if (result.refusal) return call->refuse(*result.refusal);
        const LearnerQueue& queue = *call->queue;
        call->send_object([&](JsonWriter& to) {
            if (batch) {
                to.objects("rounds", result.played,
                           [&](const PlayedPost& post) { put_round(to, queue, post); });
            } else {
                put_round(to, queue, result.played.front());
            }
            if (result.decision.empty()) return;
            to.object("next", [&] { put_decision(to, queue, result.next, result.decision); });
        });
    };
    call->queue->post(std::move(body.posts), call->parameter("decide", 0) != 0, answer,
                      [call] { return call->reply->demand() != Demand::gone; });
}

void post_predict(const CallPtr& call) {
    ask_run(call, [call, rows = predict_body(call->take_body())](ServedRun& run) {
        std::string answer = json_object([&](JsonWriter& to) {
            to.put("learner", call->queue->name());
            to.put("turn", run.journal().played() + 1);
        });
        answer.back() = ',';
        return answer + run.predict(rows).substr(1);  // an object too
    });
}

void get_certificate(const CallPtr& call) {
    ask_run(call, [call](ServedRun& run) {
        bool sound = false;
        const auto certificate = nlohmann::ordered_json::parse(run.certificate(sound));
        return json_object([&](JsonWriter& to) {
            to.put("learner", call->queue->name());
            to.put("turn", run.journal().played());
            to.put("sound", sound);
            to.json("certificate", certificate.dump());
        });
    });
}

void post_checkpoint(const CallPtr& call) {
    call->queue->save(then_send_learner(call));
}

template <bool kPaused>
void set_paused(const CallPtr& call) {
    const LearnerQueue& queue = *call->queue;
    if (queue.parent().empty()) return call->queue->pause(kPaused, then_send_learner(call));
    call->refuse({.status = 409,
                  .message = fmt::format("'{}' is a fork of '{}'; pause and resume that learner instead",
                                         queue.name(), queue.parent())});
}

void post_fork(const CallPtr& call) {
    const ForkBody body = fork_body(call->take_body(), find_learner_kind(call->queue->identity().kind));
    call->context.registry.fork(call->queue, body.name, body.changes, body.events, [call](const auto& made) {
        if (const auto* refusal = std::get_if<Refusal>(&made)) return call->refuse(*refusal);
        const auto& fork = std::get<std::shared_ptr<LearnerQueue>>(made);
        call->send(json_object([&](JsonWriter& to) { put_learner(to, *fork, call->context.registry); }), 201);
    });
}

void delete_fork(const CallPtr& call) {
    const std::string& name = call->queue->name();
    if (call->queue->parent().empty())
        return call->refuse(
            {.status = 409, .message = fmt::format("'{}' is not a fork; only forks can be removed", name)});
    call->context.registry.remove(call->queue, [call](const std::string& /*problem*/) {
        call->send_object([&](JsonWriter& to) { to.put("removed", call->queue->name()); });
    });
}

}  // namespace

std::vector<Route> learner_routes() {
    return {
        Route{"GET", "/v1/learners", "listLearners", "All learners and their state", "all learners, by name",
              "Learners", list_learners},
        Route{"GET", "/v1/learners/{name}", "getLearner", "A learner's state", "its state", "Learner",
              send_learner},
        Route{"DELETE", "/v1/learners/{name}", "deleteFork",
              "Ends a fork and removes its store; only forks can be removed", "it is removed", "Removed",
              delete_fork},
        Route{"GET", "/v1/learners/{name}/decision", "getDecision", "The decision for the next turn",
              "the decision", "Decision", get_decision},
        Route{
            "POST", "/v1/learners/{name}/rounds", "postRounds",
            "Plays a record, or a batch of them in order. A post that is repeated under the same turn or key "
            "is not played again",
            "the decision for each record, made before it was known, and its result", "Played", post_rounds}
            .takes("Rounds")
            .with({{"decide", QueryParameter::Type::flag, "also return the decision for the next turn"}}),
        Route{"POST", "/v1/learners/{name}/predict", "postPredict",
              "Predictions for rows at the present decision", "one for each row", "Predictions", post_predict}
            .takes("Rows"),
        Route{"GET", "/v1/learners/{name}/certificate", "getCertificate",
              "The certificate of the turns so far", "the certificate", "Certificate", get_certificate},
        Route{"POST", "/v1/learners/{name}/checkpoint", "postCheckpoint", "Saves the state now",
              "it is on the disk", "Learner", post_checkpoint},
        Route{"POST", "/v1/learners/{name}/pause", "postPause", "Takes no more records until it is resumed",
              "it is paused", "Learner", set_paused<true>},
        Route{"POST", "/v1/learners/{name}/resume", "postResume", "Takes records again", "it is running",
              "Learner", set_paused<false>},
        Route{"POST", "/v1/learners/{name}/fork", "postFork",
              "Starts a learner from the present state under other settings; it gets the same records",
              "the fork, a learner like the others", "Learner", post_fork}
            .takes("Fork")
            .answers_with(201),
    };
}

}  // namespace proxstream
