#include "serve/api_bodies.hpp"

#include "proxstream/core/error.hpp"

#include "serve/serve_settings.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace proxstream {
namespace {

Post post_of(const Json& item, const std::string& place) {
    require_members(kBody, item, place, {"record", "turn", "key"});
    const auto record = item.find("record");
    if (record == item.end())
        refuse_field(kBody, inside(place, "record"), "missing", "the record, an object");
    if (!record->is_object()) refuse_field(kBody, inside(place, "record"), "not an object", "an object {..}");
    Post post{.record = canonical(*record)};
    if (const auto turn = item.find("turn"); turn != item.end()) {
        if (!turn->is_number_unsigned() || *turn == 0U)
            refuse_field(kBody, inside(place, "turn"), "not a turn", "a whole number from 1 on");
        post.turn = turn->get<Turn>();
    }
    if (const auto key = item.find("key"); key != item.end()) {
        const auto* text = key->get_ptr<const std::string*>();
        if (text == nullptr || text->empty() || text->size() > kLongestKey || text->find('\0') != text->npos)
            refuse_field(kBody, inside(place, "key"), "not a key",
                         fmt::format("a text of 1 to {} bytes", kLongestKey));
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
    if (!body.is_object()) refuse_field(kBody, "", "not an object", "{\"record\":{..}} or {\"batch\":[..]}");
    if (!body.contains("batch")) return {.posts = {post_of(body, "")}, .batch = false};
    require_members(kBody, body, "", {"batch"});
    const Json& batch = body["batch"];
    if (!batch.is_array() || batch.empty() || batch.size() > kLargestBatch)
        refuse_field(kBody, "batch", "not a batch", fmt::format("a list of 1 to {} records", kLargestBatch));
    RoundsBody rounds{.posts = {}, .batch = true};
    for (std::size_t i = 0; i < batch.size(); ++i)
        rounds.posts.push_back(post_of(batch[i], fmt::format("batch[{}]", i)));
    return rounds;
}

std::string predict_body(const Json& body) {
    if (!body.is_object()) refuse_field(kBody, "", "not an object", "a row, or {\"rows\":[..]}");
    return canonical(body);
}

ForkBody fork_body(const Json& body, const LearnerKind& kind) {
    require_members(kBody, body, "", {"name", "settings", "events"});
    ForkBody fork;
    const auto name = body.find("name");
    if (name == body.end() || !name->is_string() || !is_learner_name(name->get_ref<const std::string&>()))
        refuse_field(kBody, "name", "not a name", "1 to 40 of a-z, 0-9 and -");
    fork.name = *name;
    if (const auto settings = body.find("settings"); settings != body.end()) {
        if (!settings->is_object()) refuse_field(kBody, "settings", "not an object", "an object {..}");
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
        if (!events->is_array()) refuse_field(kBody, "events", "not a list", "a list of events");
        fork.events = canonical(*events);
    }
    return fork;
}

}  // namespace proxstream
