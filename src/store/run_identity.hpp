/// What a store says about its run before the first turn.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace proxstream {

using SettingList = std::vector<std::pair<std::string, std::string>>;

/// The run this one was forked from.
struct Ancestry {
    std::string id = {};
    std::string store = {};  // its file, as it was called then
    std::uint64_t turn = 0;  // the last turn the two have in common
    std::string begun = {};  // in words: with all of its state, or with its point alone

    friend bool operator==(const Ancestry&, const Ancestry&) = default;
};

struct RunIdentity {
    std::string kind;                   // learn, route, play, fit
    std::string id = {};                // drawn when the store is made
    std::string version = {};           // of the program that began it
    std::string created = {};           // UTC, ISO 8601
    std::string command = {};           // as typed, to be typed again
    std::string title = {};             // for people
    SettingList settings;               // every option of the verb with its value: resume needs nothing else
    std::vector<std::string> channels;  // names of the figures of a turn, in order
    std::string scenery =
        {};  // what the report page shows that no turn changes (JSON; a network's map); may be empty
    Ancestry parent = {};  // of a fork

    friend bool operator==(const RunIdentity&, const RunIdentity&) = default;
};

}  // namespace proxstream
