#include "serve/api_answers.hpp"

#include "io/json_text.hpp"
#include "io/json_writer.hpp"

#include <fmt/format.h>

namespace proxstream {
namespace {

/// What a run or a store has written, or null where it has nothing.
std::string_view or_null(const std::string& json) {
    return json.empty() ? std::string_view("null") : std::string_view(json);
}

std::string round_json(const Desk& desk, const PlayedPost& post) {
    const PlayedTurn& played = post.turn->played;
    JsonText alarms;
    alarms.open('[');
    for (const StoredAlarm& alarm : played.alarms) {
        alarms.open('{');
        alarms.key("id"), alarms.integer(alarm.id);
        alarms.key("raised"), alarms.flag(alarm.raised);
        alarms.key("kind"), alarms.text(alarm.kind);
        alarms.key("subject"), alarms.text(alarm.subject);
        alarms.key("text"), alarms.text(alarm.text);
        alarms.close('}');
    }
    alarms.close(']');
    return fmt::format(R"({{"turn":{},"status":{},"replayed":{},"answer":{},"figures":{},"alarms":{}}})",
                       played.turn, json_string(played.status), post.replayed, or_null(played.answer),
                       figures_json(desk.identity().channels, played.figures), alarms.take());
}

}  // namespace

std::string json_string(std::string_view text) {
    JsonText json;
    json.text(text);
    return json.take();
}

std::string figures_json(const std::vector<std::string>& channels, const std::vector<Real>& figures) {
    JsonText json;
    json.open('{');
    for (std::size_t i = 0; i < std::min(channels.size(), figures.size()); ++i) {
        json.key(channels[i]);
        json.number(figures[i]);
    }
    json.close('}');
    return json.take();
}

std::string rounds_json(const Desk& desk, const PostResult& result, bool batch) {
    std::string text;
    if (batch) text = R"({"rounds":[)";
    for (std::size_t i = 0; i < result.played.size(); ++i) {
        if (i > 0) text += ',';
        text += round_json(desk, result.played[i]);
    }
    if (batch) text += "]}";
    if (result.decision.empty()) return text;
    text.back() = ',';
    text += fmt::format(R"("next":{}}})", decision_json(desk, result.next, result.decision));
    return text;
}

std::string decision_json(const Desk& desk, Turn turn, const std::string& decision) {
    return fmt::format(R"({{"learner":{},"turn":{},"decision":{}}})", json_string(desk.name()), turn,
                       or_null(decision));
}

std::string stored_turn_json(const Desk& desk, const StoredTurn& turn) {
    return fmt::format(R"({{"turn":{},"time":{},"key":{},"record":{},"answer":{},"figures":{}}})", turn.turn,
                       turn.time, turn.key.empty() ? "null" : json_string(turn.key), or_null(turn.input),
                       or_null(turn.decision), figures_json(desk.identity().channels, turn.figures));
}

std::string learner_json(const Desk& desk, const Roster& roster) {
    const RunIdentity& identity = desk.identity();
    const auto now = desk.snapshot();
    JsonWriter json;
    json.out.open('{');
    json.put("name", desk.name());
    json.put("kind", identity.kind);
    json.put("id", identity.id);
    json.put("title", identity.title);
    json.put("version", identity.version);
    json.put("created", identity.created);
    json.put("follows", desk.parent().empty() ? std::optional<std::string>() : desk.parent());
    json.put("turn", now->state.turn);
    json.put("saved", now->state.saved);
    json.put("folded", now->state.folded);
    json.put("finished", now->state.finished);
    json.put("status", now->state.status);
    json.put("message", now->state.message);
    json.put("waiting", desk.waiting());
    json.objects("settings", identity.settings, [&](const auto& setting) {
        json.put("name", setting.first);
        json.put("value", setting.second);
    });
    json.objects("forks", roster.forks_of(desk), [&](const PageFork& fork) {
        json.put("name", fork.name);
        json.put("url", fork.url);
        json.put("begun", fork.begun);
        json.put("turn", fork.turn);
    });
    json.out.close('}');
    std::string text = json.out.take();
    text.back() = ',';
    return text + fmt::format(R"("figures":{}}})", figures_json(identity.channels, now->figures));
}

}  // namespace proxstream
