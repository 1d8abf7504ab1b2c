#include "front/play_plan.hpp"

#include "proxstream/core/draw.hpp"
#include "proxstream/core/error.hpp"
#include "proxstream/core/linalg.hpp"

#include "core/violations.hpp"
#include "game/play_batch.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace proxstream {
namespace {

constexpr const char* kUsualWindow = "16";
constexpr Round kTrialRounds = 200;
constexpr Real kTrialMargin = 1.25;

/// The steepest change of the player's gradient between nearby plays of its set, while the other players stay
/// at their starts. A lower bound on L; 0: the gradient did not change.
Real trial_smoothness(const GameDefinition& game, Index player, std::uint64_t seed) {
    constexpr std::uint64_t kPairs = 32;
    constexpr Real kNear = 1e-3;  // of the spread of the first points: close, and far above rounding
    const GamePlayer& self = game.players[player];
    Scratch scratch;
    const PlayBatch batch = PlayBatch::of_play(self.cost, game.start(), scratch);

    const Index n = self.cost->dimension();
    const Real spread = std::max<Real>(1, norm(self.start)) / std::sqrt(static_cast<Real>(n));
    std::vector<Real> from(n), to(n), before(n), after(n);
    const auto scatter = [&](ConstView centre, Real width, std::uint32_t step, std::uint64_t pair, View out) {
        for (Index i = 0; i < n; ++i)
            out[i] = centre[i] +
                     width * normal({.seed = seed, .round = pair, .record = 0, .step = step, .sample = i});
        self.g.prox(out, kNear, out, scratch);
    };
    Real steepest = 0;
    for (std::uint64_t pair = 0; pair < kPairs; ++pair) {
        scatter(self.start, spread, 1, pair, from);
        scatter(from, kNear * spread, 2, pair, to);
        const Real moved = distance(from, to);
        if (!(moved > 0)) continue;
        batch.value_and_gradient(0, from, before, scratch);
        batch.value_and_gradient(0, to, after, scratch);
        const Real change = distance(before, after) / moved;
        if (std::isfinite(change)) steepest = std::max(steepest, change);
    }
    return steepest;
}

/// The largest d_t of each player in kTrialRounds rounds.
std::vector<Real> trial_variations(const GameDefinition& game,
                                   std::vector<std::unique_ptr<AnyLearner>> learners, Turns turns) {
    GamePlay play(game, std::move(learners), turns);
    std::vector<Real> largest(play.players());
    for (Round t = 0; t < kTrialRounds; ++t) {
        const GameRound round = play.play();
        if (round.refused_by) break;
        for (Index i = 0; i < largest.size(); ++i)
            largest[i] = std::max(largest[i], round.reports[i].variation);
    }
    return largest;
}

bool exact(const SeatSettings& settings) {
    return Spec::parse(settings.oracle).name() == "exact";
}

std::vector<std::string> learner_texts(const SeatSettings& settings, const GameDefinition& game) {
    const Index players = game.players.size();
    if (!settings.learners.empty()) {
        std::vector<std::string> texts = split_outside_parentheses(settings.learners, ';');
        if (texts.size() != players) {
            throw ConfigError(fmt::format("learners: {} of them for {} players", texts.size(), players));
        }
        return texts;
    }
    std::vector<std::string> texts;
    for (const GamePlayer& player : game.players) {
        const bool sampled = player.cost->parts() > 1;
        texts.push_back(settings.learner != "auto" ? settings.learner
                        : sampled ? fmt::format("sampled-steps:rule=adam,step=0.001,beta1=0.5,samples={}",
                                                settings.samples)
                                  : "time-smoothed");
    }
    return texts;
}

/// Whether the text of a learner sets its window.
bool has_own_window(const std::string& learner) {
    const Spec spec = Spec::parse(learner);
    return spec.has("window") || spec.name() == "ensemble";
}

/// D from the game's constants. It is proved for weights by age (docs/theory.md, section 20), not for a
/// running mean, whose weights all change in every round.
std::optional<Real> known_variation(const GamePlayer& player, const SeatPlan& seat) {
    const bool by_age =
        Spec::parse(seat.window).name() == "auto" || !WindowWeights::parse(seat.window).varies();
    return by_age ? player.cost->variation() : std::nullopt;
}

bool has_fixed_steps(const SeatSettings& settings, const SeatPlan& seat) {
    const Spec learner = Spec::parse(seat.learner);
    const std::string inner = Spec::parse(learner.word_or("inner", settings.inner)).name();
    return learner.name() == "window-steps" || inner == "prox-grad" || inner == "spider";
}

/// eta: the given step; 1/L if the cost's L is known and not far above the result of a trial; 1 for a linear
/// cost, where no step is too long.
void choose_step(const SeatSettings& settings, const GameDefinition& game, Index player, SeatPlan& seat) {
    const PlayerCost& cost = *game.players[player].cost;
    if (const auto given = number_or_auto("step", settings.step)) {
        seat.step = *given;
        seat.step_origin = "given";
        seat.smoothness =
            settings.smoothness > 0 ? settings.smoothness : cost.smoothness().value_or(1 / *given);
        if (seat.smoothness == 0) seat.smoothness = 1 / *given;
        return;
    }
    constexpr Real kFarAbove = 10;
    std::optional<Real> smoothness = cost.smoothness();
    seat.step_origin = "1/L of the game's own constants";
    if (settings.smoothness > 0) {
        smoothness = settings.smoothness;
        seat.step_origin = "1/L as given";
    } else if (cost.parts() > 1) {
        smoothness = 1;
        seat.step_origin = "1: nothing is known of the cost's curvature";
    } else if (exact(settings) && (!smoothness || *smoothness > 0)) {
        // Stationarity gaps can be measured at any step. Fixed steps and estimated gradients need L.
        const Real seen = trial_smoothness(game, player, settings.seed);
        if (has_fixed_steps(settings, seat)) {
            if (!smoothness) {
                smoothness = 2 * seen;
                seat.step_origin = "1/L, twice what a trial found";
            }
        } else if (!smoothness || *smoothness > kFarAbove * seen) {
            smoothness = seen;
            seat.step_origin = "1/L as a trial found it";
        }
    } else if (!smoothness) {
        throw ConfigError(
            fmt::format("player '{}': estimated gradients need an L that is known; give it by smoothness",
                        game.players[player].name));
    }
    if (*smoothness == 0) {
        seat.step = 1;
        seat.smoothness = 1;
        seat.step_origin = "1: the cost is linear in the own play";
        return;
    }
    // A larger L is one too, and keeps the step within its range.
    seat.smoothness = std::max(*smoothness, 2 / kAbsurd);
    seat.step = (exact(settings) ? 1 : Real{1} / 2) / seat.smoothness;
    if (!exact(settings)) seat.step_origin = "1/(2L), gradients being estimated";
}

/// Chooses D of every player, if it can be found.
void choose_variations(const SeatSettings& settings, const GameDefinition& game, PlayPlan& plan) {
    const std::string& how = settings.variation;
    if (how == "auto" || how == "proved") {
        bool missing = false;
        for (Index i = 0; i < game.players.size(); ++i) {
            const auto known = known_variation(game.players[i], plan.seats[i]);
            if (known) plan.seats[i].variation = {*known, true, "the game's own constants"};
            missing = missing || !known;
        }
        if (how == "proved" && missing) {
            throw ConfigError(
                "variation = proved: the game does not bound it for every player and its window; take pilot "
                "or a number");
        }
        // Only an epsilon needs a trial.
        if (!missing || settings.epsilon == 0 || plan.sampled) return;
    } else if (how != "pilot") {
        for (SeatPlan& seat : plan.seats) seat.variation = {parse_real(how, "variation"), false, "given"};
        return;
    }
    if (plan.sampled) throw ConfigError("variation = pilot: needs costs that can be evaluated exactly");
    SeatSettings trial = settings;
    trial.oracle = "exact";
    const std::vector<Real> found = trial_variations(game, make_players(trial, game, plan), plan.turns);
    for (Index i = 0; i < found.size(); ++i) {
        if (plan.seats[i].variation) continue;
        plan.seats[i].variation = {
            kTrialMargin * found[i], false,
            fmt::format("{:g} times the largest of a trial of {} rounds", kTrialMargin, kTrialRounds)};
    }
}

/// Chooses the window that guarantees epsilon, and the tolerances.
void choose_windows(const SeatSettings& settings, PlayPlan& plan) {
    const bool every_bound = std::all_of(plan.seats.begin(), plan.seats.end(),
                                         [](const SeatPlan& seat) { return seat.variation.has_value(); });
    if (!every_bound) return;
    std::vector<PlayerFigures> figures;
    for (SeatPlan& seat : plan.seats) {
        // Half of D: a tighter tolerance costs steps and hardly shortens the window.
        if (settings.tolerance == "auto") seat.tolerance = format_short(seat.variation->variation / 2);
        const auto delta = Tolerance::parse(seat.tolerance).fixed_delta();
        if (!delta) throw ConfigError("tolerance: with --epsilon it is a number or plain auto");
        figures.push_back({.delta = *delta, .sigma = 0, .variation = seat.variation->variation});
    }
    plan.advice = equilibrium_window(figures, settings.epsilon);
    if (settings.window != "auto" || settings.opponents > 0) return;
    for (SeatPlan& seat : plan.seats) {
        if (!has_own_window(seat.learner)) seat.window = std::to_string(plan.advice->every_round);
    }
}

}  // namespace

PlayPlan plan_play(const SeatSettings& settings, const GameDefinition& game) {
    check(game);
    PlayPlan plan;
    for (const GamePlayer& player : game.players) plan.sampled = plan.sampled || player.cost->parts() > 1;
    plan.turns = settings.turns != "auto" ? parse_turns(settings.turns)
                 : game.gan != nullptr    ? Turns::alternating
                                          : Turns::simultaneous;
    std::string window = settings.window != "auto" ? settings.window : plan.sampled ? "1" : kUsualWindow;
    if (settings.opponents > 0) {
        window = settings.stride == 1 ? std::to_string(settings.opponents)
                                      : fmt::format("season:{},{}", settings.stride, settings.opponents);
    }
    const std::vector<std::string> learners = learner_texts(settings, game);
    for (Index i = 0; i < game.players.size(); ++i) {
        const Spec spec = Spec::parse(learners[i]);
        SeatPlan seat{.learner = learners[i],
                      .window = spec.has("window")          ? spec.word(Spec::kByNameOnly, "window")
                                : spec.name() == "ensemble" ? "auto"
                                                            : window,
                      .tolerance = settings.tolerance,
                      .step_origin = {},
                      .variation = {}};
        choose_step(settings, game, i, seat);
        plan.seats.push_back(std::move(seat));
    }
    choose_variations(settings, game, plan);
    if (settings.epsilon > 0 && exact(settings)) choose_windows(settings, plan);
    if (settings.epsilon > 0 && settings.window == "auto" && settings.opponents == 0 && !exact(settings))
        throw ConfigError(
            "epsilon: with estimated gradients a window has to be given; see 'proxstream advise'");
    return plan;
}

std::vector<std::unique_ptr<AnyLearner>> make_players(const SeatSettings& settings,
                                                      const GameDefinition& game, const PlayPlan& plan) {
    std::vector<std::unique_ptr<AnyLearner>> learners;
    Violations violations;
    for (Index i = 0; i < game.players.size(); ++i) {
        const GamePlayer& player = game.players[i];
        const SeatPlan& seat = plan.seats[i];
        LearnerConfig parts = player_parts(player);
        parts.window = seat.window;
        parts.model = ForecastRule::parse(settings.model);
        parts.step = seat.step;
        parts.smoothness = seat.smoothness;
        parts.tolerance = Tolerance::parse(seat.tolerance);
        parts.budget = {settings.max_steps, settings.max_seconds};
        parts.inner = settings.inner;
        parts.noise = noise_parts(settings);
        if (player.cost->parts() > 1) parts.noise.record_rows = player.cost->parts();
        constexpr Index kMostWhole = Index{1} << 16U;
        if (player.cost->parts() > kMostWhole && Spec::parse(seat.learner).name() != "sampled-steps" &&
            !settings.force) {
            violations.require(
                false,
                "player '{}': learner = {} evaluates all {} samples of its cost in every round; take "
                "sampled-steps, a game of at most {} samples, or --force",
                player.name, seat.learner, player.cost->parts(), kMostWhole);
            continue;
        }
        // Players need independent draws.
        parts.seed = settings.seed + 0x9e3779b97f4a7c15ULL * (i + 1);
        violations.collect("player '" + player.name + "'",
                           [&] { learners.push_back(make_learner(seat.learner, std::move(parts))); });
    }
    violations.conclude();
    return learners;
}

GameRules rules_of(const SeatSettings& settings, const PlayPlan& plan, const GameDefinition& game) {
    GameRules rules{.game = game.name, .epsilon = {}, .variations = {}};
    if (settings.epsilon > 0) rules.epsilon = settings.epsilon;
    for (const SeatPlan& seat : plan.seats) rules.variations.push_back(seat.variation);
    return rules;
}

std::vector<RunHeader> headers_of(const SeatSettings& settings, const PlayPlan& plan, const GamePlay& play) {
    const GameRules rules = rules_of(settings, plan, play.game());
    std::vector<RunHeader> headers;
    for (Index i = 0; i < play.players(); ++i) {
        RunHeader header = play.learner(i).facts();
        header.name = play.game().players[i].name;
        if (header.members.empty()) header.max_steps = settings.max_steps;
        if (settings.max_seconds < kInfinity) header.max_seconds = settings.max_seconds;
        note_rules(rules, i, header);
        headers.push_back(std::move(header));
    }
    return headers;
}

std::vector<WindowWeights> referee_windows(const GamePlay& play) {
    std::vector<WindowWeights> windows;
    for (Index i = 0; i < play.players(); ++i) {
        const RunHeader facts = play.learner(i).facts();
        windows.push_back(facts.members.empty() ? WindowWeights::parse(facts.window_text) : WindowWeights(1));
    }
    return windows;
}

std::vector<Real> reference_steps(const PlayPlan& plan) {
    std::vector<Real> steps;
    for (const SeatPlan& seat : plan.seats) steps.push_back(seat.step);
    return steps;
}

}  // namespace proxstream
