/// Repeated games: players who learn against each other, each with a smooth cost that need not be convex.
///
///   ps::Game game({{.name = "left", .dimension = 2, .regulariser = box, .cost = left_cost},
///                  {.name = "right", .dimension = 2, .regulariser = box, .cost = right_cost}});
///   game.play(1000);
///   std::cout << game.certificate().text;
///
/// What is certified is a smoothed local equilibrium, against the window of past plays; that is not a Nash
/// equilibrium (docs/games.md). stationarity_gaps() and best_response_gains() measure the plays by
/// themselves.
#pragma once

#include "proxstream/prox/regulariser.hpp"
#include "proxstream/prox/separable.hpp"
#include "proxstream/regret/certificate.hpp"

#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace proxstream {

struct Player {
    std::string name = {};  // empty: player 1, player 2, ..
    Index dimension = 0;    // of its own play
    AnyRegulariser regulariser = AnyRegulariser(Zero{});
    /// Returns what the player pays at a joint play, all players' plays one after the other, and writes the
    /// derivatives in its own play. Must be safe to call from several threads if set_threads() allows some.
    std::function<Real(ConstView joint, View own_gradient)> cost = {};
    std::vector<Real> start = {};  // empty: the point of its set nearest to 0
};

struct GameOptions {
    std::string learner = "auto";    // of every player, as `proxstream list learners` shows them
    std::string window = "auto";     // number of past plays; auto: what epsilon asks for, else 16
    std::string tolerance = "auto";  // of the exit test
    Real step = 0;                   // reference step; 0: 1/L of each player's cost, found by trying
    Real epsilon = 0;  // wanted: squared gap <= epsilon of every player; 0: nothing is asked for
    std::string variation = "auto";  // bound on what a round changes for a player: proved, pilot or a number
    std::string turns = "auto";      // simultaneous, or alternating
    Index max_steps = 1000;          // solver steps a round and player
    double max_seconds = std::numeric_limits<double>::infinity();  // the same in time
    std::uint64_t seed = 1;
};

/// A round as it was played.
struct GameTurn {
    Round number = 0;                      // from 1
    std::vector<std::vector<Real>> plays;  // by player: what was played
    std::vector<Real> costs;               // by player: what it paid, its regulariser included
    std::vector<Real> smoothed_gaps;       // by player: stationarity gap against its window
};

/// What was proved: G1 to G4 of the game, and every player's own certificate.
struct GameReport {
    std::vector<Inequality> inequalities;
    std::vector<Certificate> players;
    std::string text;
    std::string json;
    bool is_sound = true;

    /// No inequality is violated, here or in a player's own.
    bool sound() const noexcept { return is_sound; }
    /// Throws ConfigError if there is no such inequality.
    const Inequality& at(std::string_view id) const;
};

class Game {
  public:
    /// At least two players. Throws ConfigError for players and options that cannot be used; what a cost
    /// throws is passed on.
    explicit Game(std::vector<Player> players, const GameOptions& options = {});
    /// A built-in game as `proxstream list games` shows it: "rps", "cournot:firms=3".
    explicit Game(std::string_view built_in, const GameOptions& options = {});
    ~Game();
    Game(Game&&) noexcept;
    Game& operator=(Game&&) noexcept;

    /// Plays one round. Throws DataError if a player's cost is not finite there, and passes on what a cost
    /// throws; the game is then as before the call.
    GameTurn play();
    /// Plays so many rounds. If one throws, those before it count.
    void play(Round rounds);

    Round rounds() const noexcept;
    Index players() const noexcept;
    const std::string& name(Index player) const;
    /// What every player plays in the round to come.
    std::vector<std::vector<Real>> plays() const;

    /// By player, at the plays of the round to come alone, whatever came before: 0 at a local equilibrium.
    std::vector<Real> stationarity_gaps();
    /// By player: what a best response to those plays would save. At least that much where costs are not
    /// convex; NaN for costs that are means over samples.
    std::vector<Real> best_response_gains();

    /// As if the game ended here.
    GameReport certificate() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace proxstream
