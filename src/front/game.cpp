#include "proxstream/game.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/core/linalg.hpp"
#include "proxstream/core/spec.hpp"

#include "core/violations.hpp"
#include "front/play_plan.hpp"
#include "game/function_cost.hpp"
#include "game/game_referee.hpp"
#include "game/game_table.hpp"
#include "regret/game_tally.hpp"

#include <algorithm>
#include <exception>
#include <mutex>
#include <utility>

#include <fmt/format.h>

namespace proxstream {

/// Keeps the first exception of a cost. Costs are called inside learners, from several threads. The learner
/// rolls the round back, and the exception is thrown again after the round.
class CostFailure {
  public:
    void keep(std::exception_ptr exception) {
        const std::lock_guard lock(mutex_);
        if (!first_) first_ = std::move(exception);
    }
    bool any() const noexcept { return first_ != nullptr; }
    void rethrow() {
        if (std::exception_ptr exception = std::exchange(first_, nullptr)) std::rethrow_exception(exception);
    }

  private:
    std::mutex mutex_;
    std::exception_ptr first_;
};

namespace {

/// The cost with a gradient in every call, and with NaN instead of an exception.
FunctionCost::Function guarded(std::function<Real(ConstView, View)> cost, Index dimension,
                               std::shared_ptr<CostFailure> failure) {
    return [cost = std::move(cost), dimension, failure = std::move(failure)](ConstView joint, View gradient) {
        try {
            if (!gradient.empty()) return cost(joint, gradient);
            std::vector<Real> unused(dimension);
            return cost(joint, unused);
        } catch (...) {
            failure->keep(std::current_exception());
            fill(gradient, std::numeric_limits<Real>::quiet_NaN());
            return std::numeric_limits<Real>::quiet_NaN();
        }
    };
}

std::string name_of(const Player& player, Index number) {
    return player.name.empty() ? fmt::format("player {}", number + 1) : player.name;
}

void check(const std::vector<Player>& players) {
    Violations violations;
    violations.require(players.size() >= 2, "players: there are {}; a game needs at least 2", players.size());
    for (Index i = 0; i < players.size(); ++i) {
        const Player& player = players[i];
        const std::string who = fmt::format("player '{}': ", name_of(player, i));
        violations.require(player.dimension > 0, "{}dimension = 0: must be at least 1", who);
        violations.require(static_cast<bool>(player.cost), "{}it has no cost; give a function", who);
        violations.require(player.start.empty() || player.start.size() == player.dimension,
                           "{}its start has {} numbers, its play {}", who, player.start.size(),
                           player.dimension);
        violations.require(all_finite(player.start), "{}its start has to be finite", who);
    }
    violations.conclude();
}

GameDefinition define(const std::vector<Player>& players, const std::shared_ptr<CostFailure>& failure) {
    check(players);
    std::vector<Index> dimensions;
    for (const Player& player : players) dimensions.push_back(player.dimension);
    const JointLayout layout(dimensions);
    GameDefinition game{.name = "own game", .players = {}};
    for (Index i = 0; i < players.size(); ++i) {
        const Player& player = players[i];
        std::vector<Real> start = player.start;
        if (start.empty()) {
            player.regulariser.check_dimension(player.dimension);
            start.assign(player.dimension, 0);
            Scratch scratch;
            player.regulariser.prox(start, 1, start, scratch);
        }
        game.players.push_back({.name = name_of(player, i),
                                .cost = std::make_shared<FunctionCost>(
                                    layout, i, guarded(player.cost, player.dimension, failure)),
                                .g = player.regulariser,
                                .set = "as given",
                                .start = std::move(start)});
    }
    return game;
}

SeatSettings settings_of(const GameOptions& options) {
    Violations violations;
    violations.positive_or_automatic("step", options.step);
    violations.at_least_zero("epsilon", options.epsilon);
    violations.at_least_one("max_steps", options.max_steps);
    violations.above_zero("max_seconds", options.max_seconds);
    if (options.turns != "auto") violations.collect("turns", [&] { parse_turns(options.turns); });
    if (options.window != "auto") violations.collect("window", [&] { WindowWeights::parse(options.window); });
    violations.collect("tolerance", [&] { Tolerance::parse(options.tolerance); });
    if (options.variation != "auto" && options.variation != "proved" && options.variation != "pilot")
        violations.collect("", [&] { number_or_auto("variation", options.variation); });
    violations.conclude();

    SeatSettings settings;
    settings.turns = options.turns;
    settings.learner = options.learner;
    settings.window = options.window;
    settings.tolerance = options.tolerance;
    if (options.step > 0) settings.step = fmt::format("{}", options.step);
    settings.max_steps = options.max_steps;
    settings.max_seconds = options.max_seconds;
    settings.seed = options.seed;
    settings.epsilon = options.epsilon;
    settings.variation = options.variation;
    return settings;
}

/// Runs `body`. An exception of a cost takes precedence over the errors that follow from it.
template <class Body>
auto passing_on(CostFailure& failure, const Body& body) {
    try {
        auto result = body();
        failure.rethrow();
        return result;
    } catch (const Error&) {
        failure.rethrow();
        throw;
    }
}

}  // namespace

struct Game::State {
    State(GameDefinition game, const GameOptions& options, std::shared_ptr<CostFailure> the_failure)
        : failure(std::move(the_failure)),
          settings(settings_of(options)),
          plan(passing_on(*failure, [&] { return plan_play(settings, game); })),
          play(passing_on(*failure,
                          [&] { return GamePlay(game, make_players(settings, game, plan), plan.turns); })),
          referee(play.game(), reference_steps(plan), referee_windows(play)),
          tally(rules_of(settings, plan, play.game()), headers_of(settings, plan, play)),
          extras(play.players()) {}

    std::shared_ptr<CostFailure> failure;
    SeatSettings settings;
    PlayPlan plan;
    GamePlay play;
    GameReferee referee;
    GameTally tally;
    std::vector<RowExtras> extras;
    Round rounds = 0;

    std::vector<std::vector<Real>> split(ConstView joint) const {
        std::vector<std::vector<Real>> plays;
        for (Index i = 0; i < play.players(); ++i) {
            const ConstView own = play.layout().block(joint, i);
            plays.emplace_back(own.begin(), own.end());
        }
        return plays;
    }
    std::vector<Real> joint() const {
        std::vector<Real> all(play.layout().dimension());
        play.positions(all);
        return all;
    }

    /// Plays a round. Its views are valid until the next round.
    GameRound step() {
        const GameRound round = play.play();
        // Solvers avoid points where a cost is NaN, so the round may have ended normally.
        if (failure->any() && !round.refused_by) play.rollback();
        failure->rethrow();
        if (round.refused_by) {
            throw DataError({.source = fmt::format("round {}", rounds + 1),
                             .line = 0,
                             .column = 0,
                             .field = play.game().players[*round.refused_by].name},
                            "the cost of this player is not a finite number here",
                            "costs that are finite at every play of the players' sets");
        }
        for (Index i = 0; i < extras.size(); ++i) extras[i].ensemble = play.learner(i).ensemble();
        tally.add(round.reports, extras);
        ++rounds;
        return round;
    }
};

Game::Game(const std::vector<Player>& players, const GameOptions& options) {
    const auto failure = std::make_shared<CostFailure>();
    state_ = std::make_unique<State>(define(players, failure), options, failure);
}

Game::Game(std::string_view built_in, const GameOptions& options)
    : state_(std::make_unique<State>(parse_game(built_in), options, std::make_shared<CostFailure>())) {}

Game::~Game() = default;
Game::Game(Game&&) noexcept = default;
Game& Game::operator=(Game&&) noexcept = default;

GameTurn Game::play() {
    const GameRound round = state_->step();
    GameTurn turn{
        .number = state_->rounds, .plays = state_->split(round.joint), .costs = {}, .smoothed_gaps = {}};
    for (const RoundReport& report : round.reports) {
        turn.costs.push_back(report.loss + report.regulariser);
        turn.smoothed_gaps.push_back(report.entry_gap);
    }
    return turn;
}

void Game::play(Round rounds) {
    for (Round round = 0; round < rounds; ++round) state_->step();
}

Round Game::rounds() const noexcept {
    return state_->rounds;
}

Index Game::players() const noexcept {
    return state_->play.players();
}

const std::string& Game::name(Index player) const {
    if (player >= players())
        throw ConfigError(fmt::format("player {}: there are {}, counted from 0", player, players()));
    return state_->play.game().players[player].name;
}

std::vector<std::vector<Real>> Game::plays() const {
    return state_->split(state_->joint());
}

std::vector<Real> Game::stationarity_gaps() {
    return passing_on(*state_->failure, [&] {
        std::vector<Real> gaps(players());
        state_->referee.instant_gaps(state_->joint(), gaps);
        return gaps;
    });
}

std::vector<Real> Game::best_response_gains() {
    return passing_on(*state_->failure, [&] {
        std::vector<Real> gains(players());
        state_->referee.gains(state_->joint(), gains);
        return gains;
    });
}

GameReport Game::certificate() const {
    std::vector<RunFooter> footers;
    for (Index i = 0; i < players(); ++i) {
        AnyLearner& learner = state_->play.learner(i);
        footers.push_back(
            state_->tally.player(i).footer(learner.close(), RunEnding::finished, learner.seconds()));
    }
    GameReport report{state_->tally.certificate(footers), {}, {}};
    report.text = to_text(report);
    report.json = to_json(report);
    return report;
}

}  // namespace proxstream
