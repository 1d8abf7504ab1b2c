/// Repeated games: players that learn against each other, each with a smooth cost that need not be convex.
///
/// What is certified is a smoothed local equilibrium, for the window of past plays. This is not a Nash
/// equilibrium (docs/games.md); Game::stationarity_gaps and Game::best_response_gains measure the plays by
/// themselves.
#pragma once

#include "proxstream/prox/regulariser.hpp"
#include "proxstream/prox/separable.hpp"
#include "proxstream/regret/game_certificate.hpp"

#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace proxstream {

/// One player of a Game: its set, its cost and its start. The cost is a function of the joint play of all
/// players; it need not be convex.
///
/// \code
/// Player left{.name = "left", .dimension = 1, .regulariser = Box(0, 1)};
/// left.cost = [](ConstView joint, View own_gradient) {
///     own_gradient[0] = 2 * joint[0] + joint[1] - 1;
///     return joint[0] * (joint[0] + joint[1] - 1);
/// };
/// \endcode
/// Example: examples/09_game.cpp
struct Player {
    std::string name = {};                                ///< name; empty: "player 1", "player 2", ...
    Index dimension = 0;                                  ///< length of its own play
    AnyRegulariser regulariser = AnyRegulariser(Zero{});  ///< g, its penalty or set
    /// Returns the player's cost at a joint play (the plays of all players one after the other) and writes
    /// the derivatives in its own play. It must be safe to call from several threads if set_threads() allows
    /// more than one.
    std::function<Real(ConstView joint, View own_gradient)> cost = {};
    std::vector<Real> start = {};  ///< first play; empty: the point of its set nearest to 0
};

/// Settings of a Game: the learner of every player, its window, and the accuracy wanted. If `epsilon` is
/// given and the window is "auto", the window is long enough to guarantee R_i^2 <= epsilon from the second
/// round on. This needs bounds on the variation.
///
/// \code
/// Game game("rps", {.window = "10"});
/// game.play(2000);
/// \endcode
struct GameOptions {
    std::string learner = "auto";    ///< learner of every player, as `proxstream list learners` shows them
    std::string window = "auto";     ///< number of past plays; "auto": what epsilon needs, else 16
    std::string tolerance = "auto";  ///< tolerance of the exit test
    Real step = 0;     ///< eta, the reference step; 0: 1/L of each player's cost, found by trial
    Real epsilon = 0;  ///< accuracy wanted: R_i^2 <= epsilon for every player; 0: none
    /// D, bound on the variation of a player in a round: proved, pilot or a number.
    std::string variation = "auto";
    std::string turns = "auto";  ///< simultaneous or alternating
    Index max_steps = 1000;      ///< most solver steps of a player in a round
    double max_seconds = std::numeric_limits<double>::infinity();  ///< most seconds of a player in a round
    std::uint64_t seed = 1;                                        ///< random seed
};

/// One round of a game as it was played: plays, costs and gaps of every player. Game::play returns it.
///
/// \code
/// const GameTurn turn = game.play();
/// std::cout << "round " << turn.number << ": cost of the first player " << turn.costs[0] << '\n';
/// \endcode
struct GameTurn {
    Round number = 0;                      ///< t, counted from 1
    std::vector<std::vector<Real>> plays;  ///< for each player, its play
    std::vector<Real> costs;               ///< for each player, its cost, including its regulariser
    std::vector<Real> smoothed_gaps;       ///< for each player, R_i: its stationarity gap for its window
};

/// What a game proved: inequalities G1 to G4 of docs/games.md and the certificate of every player, also as
/// text and JSON. Game::certificate returns it.
///
/// \code
/// const GameReport certificate = game.certificate();
/// std::cout << certificate.text << certificate.at("G1").ratio() << '\n';
/// \endcode
struct GameReport : GameCertificate {
    std::string text;  ///< the certificate for a terminal
    std::string json;  ///< the certificate as JSON
};

/// A repeated game. In each round every player plays, then sees what it cost, and learns against the recent
/// plays of the others. certificate() says of every round whether it was a smoothed local equilibrium.
///
/// \code
/// Game game({left, right}, {.window = "20"});
/// game.play(400);
/// std::cout << game.certificate().text;
/// \endcode
/// Example: examples/09_game.cpp
class Game {
  public:
    /// At least two players. Throws ConfigError for players and options that cannot be used. An exception of
    /// a cost passes through.
    explicit Game(const std::vector<Player>& players, const GameOptions& options = {});
    /// A built-in game, as `proxstream list games` shows it: "rps", "cournot:firms=3".
    explicit Game(std::string_view built_in, const GameOptions& options = {});
    ~Game();
    Game(Game&&) noexcept;             ///< games can be moved, but not copied
    Game& operator=(Game&&) noexcept;  ///< games can be moved, but not copied

    /// Plays one round. Throws DataError if the cost of a player is not finite there; an exception of a cost
    /// passes through. In both cases the game is as it was before the call.
    GameTurn play();
    /// Plays that many rounds. If one throws, those before it count.
    void play(Round rounds);

    /// T: rounds played.
    Round rounds() const noexcept;
    /// Number of players.
    Index players() const noexcept;
    /// The name of a player.
    const std::string& name(Index player) const;
    /// For each player, its play of the next round.
    std::vector<std::vector<Real>> plays() const;

    /// For each player, its stationarity gap at the next plays alone, without the window: all are 0 at a
    /// local equilibrium.
    std::vector<Real> stationarity_gaps();
    /// For each player, the gain of a best response to the next plays. Where costs are not convex it is a
    /// lower bound; NaN for costs that are means over samples.
    std::vector<Real> best_response_gains();

    /// What the rounds so far prove.
    GameReport certificate() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace proxstream
