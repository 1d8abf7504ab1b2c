/// The facts about a run that are known before its first turn.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace proxstream {

using SettingList = std::vector<std::pair<std::string, std::string>>;

/// The run that a fork was made from.
struct Ancestry {
    std::string id = {};
    std::string store = {};  // its file at that time
    std::uint64_t turn = 0;  // the last turn that both have
    std::string begun = {};  // in words: with the whole state, or from the point alone

    friend bool operator==(const Ancestry&, const Ancestry&) = default;
};

struct RunIdentity {
    std::string kind;                   // learn, route, play, fit
    std::string id = {};                // random, drawn when the store is created
    std::string version = {};           // of the program that created it
    std::string created = {};           // UTC, ISO 8601
    std::string command = {};           // the command line
    std::string title = {};             // for people
    SettingList settings;               // every option of the verb: resume needs nothing else
    std::vector<std::string> channels;  // names of the figures of a turn, in order
    std::string scenery = {};           // JSON of the page that no turn changes, such as a map; may be empty
    Ancestry parent = {};               // of a fork

    friend bool operator==(const RunIdentity&, const RunIdentity&) = default;
};

std::string identity_json(const RunIdentity& identity);
/// Throws DataError about the store `source`.
RunIdentity parse_identity(std::string_view json, const std::string& source);
std::string settings_json(const SettingList& settings);
/// Throws DataError about the store `source`.
SettingList parse_settings(std::string_view json, const std::string& source);

}  // namespace proxstream
