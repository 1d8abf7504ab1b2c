#include "store/run_identity.hpp"

#include "proxstream/core/error.hpp"

#include "core/json.hpp"
#include "store/store_file.hpp"

namespace proxstream {

using nlohmann::json;

std::string identity_json(const RunIdentity& identity) {
    json settings = json::array();
    for (const auto& [name, value] : identity.settings) settings.push_back({name, value});
    const json all{{"kind", identity.kind},
                   {"id", identity.id},
                   {"version", identity.version},
                   {"created", identity.created},
                   {"command", identity.command},
                   {"title", identity.title},
                   {"settings", settings},
                   {"channels", identity.channels},
                   {"scenery", identity.scenery},
                   {"parent",
                    {{"id", identity.parent.id},
                     {"store", identity.parent.store},
                     {"turn", identity.parent.turn},
                     {"begun", identity.parent.begun}}}};
    // What a command line held may not be UTF-8.
    return all.dump(-1, ' ', false, json::error_handler_t::replace);
}

RunIdentity parse_identity(std::string_view text, const std::string& source) {
    try {
        const json all = json::parse(text);
        RunIdentity identity;
        all.at("kind").get_to(identity.kind);
        all.at("id").get_to(identity.id);
        all.at("version").get_to(identity.version);
        all.at("created").get_to(identity.created);
        all.at("command").get_to(identity.command);
        all.at("title").get_to(identity.title);
        for (const json& pair : all.at("settings"))
            identity.settings.emplace_back(pair.at(0).get<std::string>(), pair.at(1).get<std::string>());
        all.at("channels").get_to(identity.channels);
        all.at("scenery").get_to(identity.scenery);
        const json& parent = all.at("parent");
        parent.at("id").get_to(identity.parent.id);
        parent.at("store").get_to(identity.parent.store);
        parent.at("turn").get_to(identity.parent.turn);
        parent.at("begun").get_to(identity.parent.begun);
        return identity;
    } catch (const json::exception& error) {
        refuse_store(source, std::string("what it says about its run cannot be read: ") + error.what());
    }
}

}  // namespace proxstream
