/// `advise game`: the window that makes every round of a game a smoothed local equilibrium of wanted
/// accuracy.
#include "app/command_line.hpp"
#include "app/exit_code.hpp"
#include "app/scenario_argument.hpp"
#include "app/verbs.hpp"
#include "front/play_plan.hpp"

#include <cmath>
#include <optional>

#include <fmt/format.h>

namespace proxstream::app {
namespace {

struct Texts {
    std::string players;
    std::string sigma;
    std::string mean_square;
};

std::optional<Real> read(std::string_view name, const std::string& text) {
    if (text.empty()) return std::nullopt;
    return parse_real(text, name);
}

/// The same figures for every player, from the options alone.
std::vector<PlayerFigures> given_figures(const PlaySettings& settings, const Texts& texts) {
    const Real count = parse_real(texts.players, "players");
    if (!(count >= 2 && count <= 1e6 && count == std::floor(count)))
        throw ConfigError("players = " + texts.players + ": must be a whole number, 2 or more");
    std::vector<std::string> violations;
    PlayerFigures player;
    collect(violations, "", [&] { player.variation = parse_real(settings.variation, "variation"); });
    collect(violations, "", [&] { player.delta = parse_real(settings.tolerance, "tolerance"); });
    if (!violations.empty()) {
        violations.emplace_back("without a game, variation (D) and tolerance (delta) have to be given");
        throw ConfigError(violations);
    }
    return std::vector<PlayerFigures>(static_cast<Index>(count), player);
}

/// A game's own figures, found as `play` finds them.
std::vector<PlayerFigures> game_figures(const PlaySettings& settings) {
    const GameDefinition game = open_game(settings);
    const PlayPlan plan = plan_play(settings, game);
    std::vector<PlayerFigures> figures;
    fmt::print("{}: {} players\n", game.name, game.players.size());
    for (Index i = 0; i < plan.seats.size(); ++i) {
        const SeatPlan& seat = plan.seats[i];
        if (!seat.variation)
            throw ConfigError(fmt::format("player '{}': nothing bounds its variation; give it by variation",
                                          game.players[i].name));
        const Real delta =
            Tolerance::parse(seat.tolerance).fixed_delta().value_or(seat.variation->variation / 2);
        fmt::print("  {:<16} D {:<10.5g} {:<44} delta {:.5g}\n", game.players[i].name,
                   seat.variation->variation, "(" + seat.variation->origin + ")", delta);
        figures.push_back({.delta = delta, .sigma = 0, .variation = seat.variation->variation});
    }
    return figures;
}

void print_advice(const EquilibriumWindow& advice, Real epsilon) {
    fmt::print("windows for R^2 <= {:g}\n", epsilon);
    fmt::print(
        "  {:<12} every player in every round from the second on: ceil(max_i (delta+sigma+D) / sqrt "
        "eps)\n",
        advice.every_round);
    fmt::print("  {:<12} all players together in some round: ceil(sqrt(m/eps) (delta+sqrt c))\n",
               advice.some_round);
    fmt::print("  {:<12} the paper's proof: ceil(1/2 + sqrt(1/4 + 2m(delta^2+c)/eps)), in w^2 rounds\n",
               advice.paper_route);
    fmt::print("  {:<12} the paper's formula: ceil(2m(delta^2+c) / sqrt eps){}\n", advice.paper_printed,
               advice.printed_suffices ? "" : "; too short for its own proof");
}

}  // namespace

int advise_game(const std::vector<std::string>& given) {
    std::vector<std::string> arguments = given;
    const std::string file = take_scenario(arguments);
    PlaySettings settings;
    Texts texts;
    const auto done = parse_command_line(
        "advise game",
        "Computes how long windows must be so that every round of a game is a smoothed local equilibrium.\n"
        "Give a game, or figures: --players, --variation, --tolerance.",
        arguments, settings,
        {.extras = {{"players", "M", "number of players, without a game", &texts.players},
                    {"sigma", "S", "sure bound on w times the error of estimated gradients [0]",
                     &texts.sigma},
                    {"mean-square", "C", "mean square of the variations, for the last three lines [D^2]",
                     &texts.mean_square}},
         .takes =
             [](const OptionRow<PlaySettings>& row) {
                 return row.group == "Game" || row.group == "Equilibrium" || row.name == "tolerance" ||
                        row.name == "seed";
             },
         .checks = {[&] {
             settle_game(settings.game, file);
             if (settings.epsilon == 0) throw ConfigError("epsilon: say how close, R^2 <= EPS");
             if (settings.game.empty() == texts.players.empty())
                 throw ConfigError("give a game, or players with variation and tolerance");
             PlaySettings complete = settings;
             if (complete.game.empty()) complete.game = "figures";
             validate(complete);
         }},
         .elsewhere = scenario_keys()});
    if (done) return *done;

    std::vector<PlayerFigures> figures =
        settings.game.empty() ? given_figures(settings, texts) : game_figures(settings);
    for (PlayerFigures& player : figures) player.sigma = read("sigma", texts.sigma).value_or(0);
    print_advice(equilibrium_window(figures, settings.epsilon, read("mean-square", texts.mean_square)),
                 settings.epsilon);
    return kOk;
}

}  // namespace proxstream::app
