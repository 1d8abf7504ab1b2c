#include "play/open_game.hpp"

#include "proxstream/core/error.hpp"

#include "core/parse_json.hpp"
#include "game/game_table.hpp"
#include "io/output_file.hpp"
#include "run/settings_file.hpp"

#include <cmath>

#include <fmt/format.h>

namespace proxstream {
namespace {

using Json = nlohmann::ordered_json;
constexpr const char* kFormat = "proxstream-strategies";

/// The strategies of a file, and what is wrong with it.
struct StrategyFile {
    const std::string& source;

    [[noreturn]] void refuse(const std::string& field, const std::string& problem,
                             const std::string& expected) const {
        throw DataError({.source = source, .line = 0, .column = 0, .field = field}, problem, expected);
    }
    /// The list of players.
    Json parse(std::string_view json) const {
        if (nests_deeply(json))
            refuse("", "lists are nested too deeply", "strategies written by play --save");
        Json saved;
        try {
            saved = Json::parse(json);
        } catch (const Json::parse_error& error) {
            refuse("", fmt::format("not JSON from byte {} on", error.byte),
                   "strategies written by play --save");
        } catch (const Json::exception&) {
            refuse("", "a number is too large", "strategies written by play --save");
        }
        if (!saved.is_object() || saved.value("format", Json()) != kFormat || !saved["players"].is_array())
            refuse("format", "the file has no strategies", "a file written by play --save");
        return saved["players"];
    }
    /// The play in entry i of the list, which is for that player.
    std::vector<Real> play(const Json& entry, Index i, const GamePlayer& player) const {
        const Json name = entry.is_object() ? entry.value("name", Json(player.name)) : Json();
        if (name != player.name) {
            refuse(fmt::format("players[{}].name", i),
                   name.is_string() ? name.dump() : std::string("no name"),
                   "'" + player.name + "', as in this game");
        }
        const std::string field = fmt::format("players[{}].play", i);
        const Json saved = entry.is_object() ? entry.value("play", Json()) : Json();
        if (!saved.is_array() || saved.size() != player.cost->dimension()) {
            refuse(field, saved.is_array() ? fmt::format("{} numbers", saved.size()) : std::string("no list"),
                   fmt::format("{} numbers, a play of '{}'", player.cost->dimension(), player.name));
        }
        std::vector<Real> play;
        for (const Json& each : saved) {
            if (!each.is_number() || !std::isfinite(each.get<Real>()))
                refuse(field, "not a number", "numbers");
            play.push_back(each.get<Real>());
        }
        return play;
    }
};

}  // namespace

bool is_scenario(std::string_view game) {
    return game.ends_with(".toml");
}

GameDefinition open_game(const PlaySettings& settings) {
    GameDefinition game = is_scenario(settings.game)
                              ? scenario_game(read_settings_file(settings.game), settings.game)
                              : parse_game(settings.game);
    if (!settings.start.empty()) start_from(game, read_whole_file(settings.start), settings.start);
    return game;
}

std::string strategies_json(const GameDefinition& game, ConstView joint, Round rounds) {
    Json json = Json::object();
    json["format"] = kFormat;
    json["version"] = 1;
    json["game"] = game.name;
    json["rounds"] = rounds;
    json["players"] = Json::array();
    const JointLayout layout = game.layout();
    for (Index i = 0; i < game.players.size(); ++i) {
        const ConstView play = layout.block(joint, i);
        json["players"].push_back({{"name", game.players[i].name},
                                   {"set", game.players[i].set},
                                   {"play", std::vector<Real>(play.begin(), play.end())}});
    }
    // File names need not be UTF-8, and the name of a game may be a file name.
    return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

void start_from(GameDefinition& game, std::string_view json, const std::string& source) {
    const StrategyFile file{source};
    const Json players = file.parse(json);
    if (players.size() != game.players.size()) {
        file.refuse("players", fmt::format("{} players", players.size()),
                    fmt::format("{}, as '{}' has", game.players.size(), game.name));
    }
    for (Index i = 0; i < game.players.size(); ++i)
        game.players[i].start = file.play(players[i], i, game.players[i]);
}

}  // namespace proxstream
