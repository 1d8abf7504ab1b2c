/// Windows in games: the gap and its bound, and whether the play itself comes to rest.
#include "studies/plans.hpp"
#include "studies/played_game.hpp"
#include "studies/route_streams.hpp"
#include "studies/row_streams.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

namespace proxstream {
namespace {

constexpr StudyFigure kPlayedWindow{"window", "window"};
constexpr StudyFigure kOwnGap{"gap_own", "gap over the window, largest"};
constexpr StudyFigure kWorstRatio{"worst_ratio", "worst R / bound"};
constexpr StudyFigure kEpsilon{"over_epsilon", "R^2 / epsilon, largest"};
constexpr StudyFigure kInstantMedian{"instant_median", "play alone, median of 2nd half", Better::lower};
constexpr StudyFigure kInstantLast{"instant_last", "play alone, last", Better::lower};
constexpr StudyFigure kGain{"gain_last", "best responses save", Better::lower};
constexpr StudyFigure kGainMean{"gain_of_mean", "to the mean play", Better::lower};
constexpr StudyFigure kGameSamples{"base_samples", "base samples a round"};

constexpr const char* kWindowLine = "windows";
constexpr const char* kRps = "rock, paper, scissors";
constexpr const char* kBilinear = "bilinear on boxes";
constexpr const char* kRoads = "SiouxFalls, three carriers";
/// Noise of this length and never more, for each player.
constexpr const char* kGameNoise = "sphere:0.05";
constexpr Real kWantedEpsilon = 1e-3;

Method window_method(Index window) {
    Method method = fixed_window(window, kWindowLine);
    method.x = static_cast<Real>(window);
    return method;
}

/// All players of a game use the same method. The steps of the baselines are below 1/(2L) of every game here,
/// L being that of the joint gradient; they are not tuned. A window of 100 measures them.
std::vector<Method> game_methods() {
    std::vector<Method> all{window_method(1), window_method(10), window_method(100)};
    for (const std::string learner :
         {"prox-gradient:0.1", "optimistic:0.1", "extragradient:0.1", "adam:0.01"})
        all.push_back({learner.substr(0, learner.find(':')), learner + ",window=100"});
    return all;
}

PlaySettings settings_of(const Cell& cell, const std::string& game, Index rounds) {
    PlaySettings settings;
    settings.game = game;
    settings.rounds = rounds;
    settings.seed = cell.seed;
    settings.learner = cell.method().text;
    return settings;
}

PlaySettings with_noise(PlaySettings settings) {
    settings.oracle = kGameNoise;
    settings.confirm = 2;
    return settings;
}

void add_game(const PlayedGame& game, Cell& cell) {
    const GameCertificate& certificate = game.outcome.certificate;
    cell.add(kOwnGap, certificate.largest_gap);
    if (game.worst_ratio > 0) cell.add(kWorstRatio, game.worst_ratio);
    cell.add(kInstantMedian, game.instant_median);
    cell.add(kInstantLast, game.last.instant_gap);
    if (certificate.measures) cell.add(kGain, certificate.measures->gain_last);
    cell.add(kGainMean, game.gain_mean);
    cell.add(kGradients, game.gradients);
    if (game.base_samples > 0) cell.add(kGameSamples, game.base_samples);
    cell.add(kMicroseconds, 1e6 * game.outcome.player_seconds / static_cast<Real>(certificate.rounds));
}

void run_game(const PlaySettings& settings, Cell& cell) {
    const PlayedGame played = play_game(settings, cell.method().name, cell);
    if (!cell.interrupted) add_game(played, cell);
}

/// `chance`: the game takes a seed.
StudyStream game_stream(const char* name, const std::string& game, Index rounds, bool chance) {
    return {.name = name,
            .text = fmt::format("proxstream play {}{} --learner ..", game, chance ? ",seed=SEED" : ""),
            .methods = game_methods(),
            .run =
                [=](Cell& cell) {
                    const std::string seeded = fmt::format("{},seed={}", game, cell.seed);
                    run_game(settings_of(cell, chance ? seeded : game, rounds), cell);
                },
            .random = chance};
}

/// A different kind of game for every number.
std::string random_game(Index number, std::uint64_t seed) {
    constexpr const char* kKinds[] = {"bilinear:n=4,set=box", "bilinear:n=5,set=simplex",
                                      "quadratic:n=3,players=3,set=simplex,curvature=-1",
                                      "quadratic:n=4,players=2,set=box,curvature=-0.5",
                                      "bilinear:n=3,players=4,set=box,zero-sum=no"};
    return fmt::format("{},seed={}", kKinds[number % std::size(kKinds)], seed);
}

/// The worst of many games, with exact gradients or with bounded noise.
StudyStream random_games(bool noisy, Index games, Index rounds) {
    StudyStream stream{.name = noisy ? "random games, bounded noise" : "random games, exact gradients",
                       .text = noisy ? fmt::format("--oracle {} --confirm 2", kGameNoise) : "",
                       .methods = {window_method(1), window_method(10), window_method(100)}};
    stream.run = [=](Cell& cell) {
        Real ratio = 0, largest = 0, samples = 0;
        for (Index number = 0; number < games && !cell.interrupted; ++number) {
            PlaySettings settings = settings_of(cell, random_game(number, 1000 * cell.seed + number), rounds);
            settings.max_steps = 100'000;
            if (noisy) settings = with_noise(settings);
            const PlayedGame played = play_game(settings, settings.game, cell);
            ratio = std::max(ratio, played.worst_ratio);
            largest = std::max(largest, played.outcome.certificate.largest_gap);
            samples += played.base_samples / static_cast<Real>(games);
        }
        cell.add(kOwnGap, largest);
        cell.add(kWorstRatio, ratio);
        if (noisy) cell.add(kGameSamples, samples);
    };
    return stream;
}

StudyStream noisy_trio(Index rounds) {
    return {.name = "trio, bounded noise",
            .text = fmt::format("proxstream play trio --oracle {} --confirm 2", kGameNoise),
            .methods = {window_method(10), window_method(100)},
            .run = [=](Cell& cell) {
                PlaySettings settings = with_noise(settings_of(cell, "trio", rounds));
                settings.max_steps = 100'000;
                run_game(settings, cell);
            }};
}

/// Carriers with the window that guarantees epsilon.
StudyStream road_game(const std::filesystem::path& roads, Index rounds) {
    const std::string game = fmt::format("congestion:{},carriers=3,shares=.5/.3/.2", roads.string());
    return {.name = kRoads,
            .text = fmt::format("proxstream play {} --epsilon {} --variation pilot", game, kWantedEpsilon),
            .methods = {{"carrier 1", "", "carriers"},
                        {"carrier 2", "", "carriers"},
                        {"carrier 3", "", "carriers"}},
            .run =
                [=](Cell& cell) {
                    PlaySettings settings = settings_of(cell, game, rounds);
                    settings.learner = "auto";
                    settings.epsilon = kWantedEpsilon;
                    settings.variation = "pilot";
                    const PlayedGame played = play_game(settings, kRoads, cell);
                    if (cell.interrupted) return;
                    const GameCertificate& certificate = played.outcome.certificate;
                    for (Index i = 0; i < cell.methods.size(); ++i) {
                        const std::string& name = cell.methods[i].name;
                        const Real gap = certificate.summaries[i].largest_gap;
                        cell.add(name, kPlayedWindow, certificate.players[i].header.effective_length);
                        cell.add(name, kOwnGap, gap);
                        cell.add(name, kEpsilon, gap * gap / kWantedEpsilon);
                        cell.add(name, kWorstRatio, played.worst_ratio);
                        cell.add(name, kInstantMedian, played.instant_median);
                    }
                },
            .random = false,
            .together = true};
}

}  // namespace

StudyPlan plan_games(StudyPreset preset) {
    const bool full = preset == StudyPreset::full;
    const Index rounds = full ? 5000 : 400;
    const Index random_rounds = full ? 500 : 60;
    const Index games = full ? 200 : 10;
    const std::filesystem::path roads = data_folder() / "tntp" / "SiouxFalls";
    StudyPlan plan;
    plan.question = fmt::format(
        "Does every round of a game keep (delta + sigma + d_t)/w, and what is that worth? All players of a "
        "game use the same method, {} rounds.\nThe gap is the largest stationarity gap of a player against "
        "the "
        "mean of its costs in past plays: those of its own window, or 100\nfor methods without one. Beside "
        "it "
        "stands the gap of the play alone, and what best responses would save: to the last play, and to\nthe "
        "mean of all plays. Random games: the worst of {} games of {} rounds each.",
        rounds, games, random_rounds);
    plan.figures = {kPlayedWindow,
                    kOwnGap,
                    kWorstRatio,
                    kEpsilon,
                    kInstantMedian,
                    kInstantLast,
                    kGain,
                    kGainMean,
                    {kGradients.key, "gradients a round"},
                    kGameSamples,
                    {kMicroseconds.key, "us a round"}};
    plan.streams = {
        game_stream(kBilinear, "bilinear:n=5,set=box", rounds, true), game_stream(kRps, "rps", rounds, false),
        game_stream("matching pennies", "pennies", rounds, false),
        game_stream("forsaken", "forsaken", rounds, false), game_stream("trio", "trio", rounds, false)};
    std::vector<std::string> shown;
    for (const StudyStream& stream : plan.streams) shown.push_back(stream.name);
    plan.streams.push_back(random_games(false, games, random_rounds));
    plan.streams.push_back(random_games(true, games, random_rounds));
    plan.streams.push_back(noisy_trio(random_rounds));
    for (const StudyStream& stream : plan.streams)
        plan.expectations.push_back({Measure::largest, stream.name, kWindowLine, kWorstRatio, 0, 1 + 1e-9});
    if (std::filesystem::exists(roads / "SiouxFalls_net.tntp")) {
        plan.streams.push_back(road_game(roads, full ? 1500 : 40));
        plan.expectations.push_back({Measure::largest, kRoads, "carriers", kWorstRatio, 0, 1 + 1e-9});
        plan.expectations.push_back({Measure::largest, kRoads, "carriers", kEpsilon, 0, 1});
    } else {
        plan.skipped.push_back(fmt::format("{}: there is no '{}'", kRoads, roads.string()));
    }
    plan.expectations.push_back({Measure::smallest, kRps, kWindowLine, kInstantMedian, 0.5});
    for (const char* method : {"optimistic", "extragradient"}) {
        plan.expectations.push_back({Measure::value, kRps, method, kInstantLast, 0, full ? 1e-9 : 0.1});
        plan.expectations.push_back(
            {Measure::value, kBilinear, method, kInstantMedian, 0, full ? 0.1 : 0.5, "", "window 100"});
    }
    plan.charts = {{.file = "rest.svg",
                    .title = "Which methods come to rest: gap of the play alone, median of the second half",
                    .y = {"gap of the play alone"},
                    .figures = {{kInstantMedian}},
                    .panels = ChartPlan::Panels::one,
                    .streams = shown}};
    return plan;
}

}  // namespace proxstream
