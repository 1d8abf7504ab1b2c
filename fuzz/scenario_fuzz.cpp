/// Games written down in TOML, and saved strategies to begin with: a game that can be played, or a
/// ConfigError or DataError. The first byte says how it is played, and which of the two the rest is.
#include "game/game_table.hpp"
#include "game_checks.hpp"

using namespace proxstream;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Choices choices(data, size);
    const std::uint8_t choice = choices.byte();
    GameDefinition game;
    try {
        if (choice % 64 >= 48) {
            game = parse_game("trio");
            start_from(game, choices.rest(), "f");
        } else {
            game = scenario_game(choices.rest(), "f");
        }
        check(game);
    } catch (const ConfigError& error) {
        fuzz::require(!error.violations().empty());
        return 0;
    } catch (const DataError&) {
        return 0;
    }
    if (fuzz::is_small(game)) fuzz::play_a_little(game, choice);
    return 0;
}
