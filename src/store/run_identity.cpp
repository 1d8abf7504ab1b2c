#include "store/run_identity.hpp"

#include "core/parse_json.hpp"
#include "store/database.hpp"

namespace proxstream {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Ancestry, id, store, turn, begun)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RunIdentity, kind, id, version, created, command, title, settings,
                                   channels, scenery, parent)

std::string identity_json(const RunIdentity& identity) {
    // A command line need not be UTF-8.
    return nlohmann::json(identity).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

RunIdentity parse_identity(std::string_view text, const std::string& source) {
    try {
        return parse_json(text).get<RunIdentity>();
    } catch (const nlohmann::json::exception& error) {
        refuse_store(source, std::string("the identity of its run cannot be read: ") + error.what());
    }
}

std::string settings_json(const SettingList& settings) {
    return nlohmann::json(settings).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

SettingList parse_settings(std::string_view text, const std::string& source) {
    try {
        return nlohmann::json::parse(text).get<SettingList>();
    } catch (const nlohmann::json::exception& error) {
        refuse_store(source, std::string("the settings of its run cannot be read: ") + error.what());
    }
}

}  // namespace proxstream
