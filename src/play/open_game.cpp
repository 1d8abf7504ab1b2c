#include "play/open_game.hpp"

#include "proxstream/core/error.hpp"

#include "core/json.hpp"
#include "game/game_table.hpp"
#include "io/output_file.hpp"

#include <cmath>

#include <fmt/format.h>

namespace proxstream {
namespace {

using Json = nlohmann::ordered_json;
constexpr const char* kFormat = "proxstream-strategies";

}  // namespace

bool is_scenario(std::string_view game) {
    return game.ends_with(".toml");
}

GameDefinition open_game(const PlaySettings& settings) {
    GameDefinition game = is_scenario(settings.game)
                              ? scenario_game(read_whole_file(settings.game), settings.game)
                              : parse_game(settings.game);
    if (!settings.start.empty()) start_from(game, read_whole_file(settings.start), settings.start);
    return game;
}

std::string strategies_json(const GameDefinition& game, ConstView joint, Round rounds) {
    Json json;
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
    // Names of files need not be UTF-8, and a game may be called after one.
    return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

void start_from(GameDefinition& game, std::string_view json, const std::string& source) {
    const auto refuse = [&](const std::string& field, const std::string& problem,
                            const std::string& expected) {
        throw DataError({.source = source, .line = 0, .column = 0, .field = field}, problem, expected);
    };
    Json saved;
    try {
        saved = Json::parse(json);
    } catch (const nlohmann::json::exception& error) {
        refuse("", std::string("not JSON: ") + error.what(), "strategies written by play --save");
    }
    if (!saved.is_object() || saved.value("format", Json()) != kFormat || !saved["players"].is_array())
        refuse("format", "these are no strategies", "a file written by play --save");
    const Json& players = saved["players"];
    if (players.size() != game.players.size()) {
        refuse("players", fmt::format("{} players", players.size()),
               fmt::format("{}, as '{}' has", game.players.size(), game.name));
    }
    for (Index i = 0; i < game.players.size(); ++i) {
        GamePlayer& player = game.players[i];
        const std::string field = fmt::format("players[{}].play", i);
        const Json name = players[i].is_object() ? players[i].value("name", Json(player.name)) : Json();
        if (name != player.name) {
            refuse(fmt::format("players[{}].name", i),
                   name.is_string() ? name.dump() : std::string("no name"),
                   "'" + player.name + "', as in this game");
        }
        const Json play = players[i].is_object() ? players[i].value("play", Json()) : Json();
        if (!play.is_array() || play.size() != player.cost->dimension()) {
            refuse(field, play.is_array() ? fmt::format("{} numbers", play.size()) : std::string("no list"),
                   fmt::format("{} numbers, a play of '{}'", player.cost->dimension(), player.name));
        }
        player.start.clear();
        for (const Json& each : play) {
            if (!each.is_number() || !std::isfinite(each.get<Real>()))
                refuse(field, "not a number", "numbers");
            player.start.push_back(each.get<Real>());
        }
    }
}

}  // namespace proxstream
