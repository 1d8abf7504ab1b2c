#include "serve/api_bodies.hpp"

#include "proxstream/core/error.hpp"

#include "serve/serve_settings.hpp"

#include <algorithm>
#include <initializer_list>

#include <fmt/format.h>

namespace proxstream {
namespace {

[[noreturn]] void refuse(const std::string& field, const std::string& problem, const std::string& expected) {
    throw DataError({.source = "body", .line = 0, .column = 0, .field = field}, problem, expected);
}

std::string inside(const std::string& place, const std::string& name) {
    return place.empty() ? name : place + "." + name;
}

/// An object with no other members than these.
void only(const Json& object, const std::string& place, std::initializer_list<const char*> names) {
    if (!object.is_object()) refuse(place, "not an object", "an object {..}");
    for (const auto& [name, value] : object.items()) {
        if (std::find(names.begin(), names.end(), name) == names.end())
            refuse(inside(place, name),
                   unknown_name("member", name, std::vector<std::string>(names.begin(), names.end())), "");
    }
}

Post post_of(const Json& item, const std::string& place) {
    only(item, place, {"record", "turn", "key"});
    if (!item.contains("record")) refuse(inside(place, "record"), "missing", "the record, an object");
    if (!item["record"].is_object()) refuse(inside(place, "record"), "not an object", "an object {..}");
    Post post{.record = canonical(item["record"])};
    if (const auto turn = item.find("turn"); turn != item.end()) {
        if (!turn->is_number_unsigned() || *turn == 0U)
            refuse(inside(place, "turn"), "not a turn", "a whole number from 1 on");
        post.turn = turn->get<Turn>();
    }
    if (const auto key = item.find("key"); key != item.end()) {
        const auto* text = key->get_ptr<const std::string*>();
        if (text == nullptr || text->empty() || text->size() > kLongestKey || text->find('\0') != text->npos)
            refuse(inside(place, "key"), "not a key", fmt::format("a text of 1 to {} bytes", kLongestKey));
        post.key = *text;
    }
    return post;
}

/// As it would stand in TOML; nullopt for what is no plain value.
std::optional<std::string> plain_text(const Json& value) {
    if (value.is_string()) return value.get<std::string>();
    if (value.is_boolean() || value.is_number()) return value.dump();
    return std::nullopt;
}

std::optional<std::vector<std::string>> plain_list(const Json& value) {
    if (!value.is_array()) return std::nullopt;
    std::vector<std::string> list;
    for (const Json& element : value) {
        auto text = plain_text(element);
        if (!text) return std::nullopt;
        list.push_back(std::move(*text));
    }
    return list;
}

/// "" or what is wrong with it.
std::string take_change(const SettingsSink& sink, const LearnerKind& kind, const std::string& name,
                        const Json& value) {
    const auto found = std::find(sink.names.begin(), sink.names.end(), name);
    if (found == sink.names.end()) return unknown_name("setting", name, sink.names);
    const auto row = static_cast<Index>(found - sink.names.begin());
    if (kind.options[row].names_file) return name + ": names a file, which a fork may not";
    if (const auto list = plain_list(value); list && sink.take_list(row, *list)) return {};
    const auto text = plain_text(value);
    if (!text) return name + ": expected a plain value or a list of them";
    if (text->find('\0') != text->npos) return name + ": has a zero byte in it";
    return sink.take(row, *text);
}

}  // namespace

RoundsBody rounds_body(const Json& body) {
    if (!body.is_object()) refuse("", "not an object", "{\"record\":{..}} or {\"batch\":[..]}");
    if (!body.contains("batch")) return {.posts = {post_of(body, "")}, .batch = false};
    only(body, "", {"batch"});
    const Json& batch = body["batch"];
    if (!batch.is_array() || batch.empty() || batch.size() > kLargestBatch)
        refuse("batch", "not a batch", fmt::format("a list of 1 to {} records", kLargestBatch));
    RoundsBody rounds{.posts = {}, .batch = true};
    for (std::size_t i = 0; i < batch.size(); ++i)
        rounds.posts.push_back(post_of(batch[i], fmt::format("batch[{}]", i)));
    return rounds;
}

std::string predict_body(const Json& body) {
    if (!body.is_object()) refuse("", "not an object", "a row, or {\"rows\":[..]}");
    return canonical(body);
}

ForkBody fork_body(const Json& body, const LearnerKind& kind) {
    only(body, "", {"name", "settings", "events"});
    ForkBody fork;
    const auto name = body.find("name");
    if (name == body.end() || !name->is_string() || !is_learner_name(name->get_ref<const std::string&>()))
        refuse("name", "not a name", "1 to 40 of a-z, 0-9 and -");
    fork.name = *name;
    if (const auto settings = body.find("settings"); settings != body.end()) {
        if (!settings->is_object()) refuse("settings", "not an object", "an object {..}");
        const SettingsSink sink = kind.sink(fork.changes);
        std::vector<std::string> violations;
        for (const auto& [option, value] : settings->items()) {
            std::string violation = take_change(sink, kind, option, value);
            if (!violation.empty()) violations.push_back(std::move(violation));
        }
        if (!violations.empty()) throw ConfigError(violations);
    }
    fork.events = "[]";
    if (const auto events = body.find("events"); events != body.end()) {
        if (!events->is_array()) refuse("events", "not a list", "a list of events");
        fork.events = canonical(*events);
    }
    return fork;
}

}  // namespace proxstream
