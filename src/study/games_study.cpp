#include "study/data_folder.hpp"
#include "study/plans.hpp"
#include "study/played_game.hpp"
#include "study/stream_study.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>

#include <fmt/format.h>

namespace proxstream {
namespace {

constexpr const char* kCommon = "gap_100";
constexpr const char* kCommonLast = "gap_100_last";
constexpr const char* kOwn = "gap_own";
constexpr const char* kWorstRatio = "worst_ratio";
constexpr const char* kWithin = "within_percent";
constexpr const char* kInstantMedian = "instant_median";
constexpr const char* kInstantLast = "instant_last";
constexpr const char* kGain = "gain_last";
constexpr const char* kGainMean = "gain_of_mean";
constexpr const char* kEpsilon = "over_epsilon";
constexpr const char* kPlayedWindow = "window";
constexpr const char* kSamples = "base_samples";
constexpr const char* kMicroseconds = "microseconds";
constexpr const char* kTotalCost = "total_cost";

constexpr Index kCommonWindow = 100;
constexpr Real kSlack = 1e-9;  // of sides that may be equal

/// How everybody at the table plays. The steps of the baselines are below 1/(2L) of every game here, L being
/// that of the joint gradient; they are not tuned.
struct GameMethod {
    const char* name;
    const char* learner;
    const char* window;
};
constexpr std::array<GameMethod, 7> kGameMethods{{
    {"window 1", "time-smoothed", "1"},
    {"window 10", "time-smoothed", "10"},
    {"window 100", "time-smoothed", "100"},
    {"prox-gradient", "prox-gradient:0.1", "1"},
    {"optimistic", "optimistic:0.1", "1"},
    {"extragradient", "extragradient:0.1", "1"},
    {"adam", "adam:0.01", "1"},
}};
constexpr Index kWindows = 3;  // the first ones

/// `chance`: its text goes on with a seed.
struct PlayedStream {
    const char* name;
    const char* game;
    bool chance;
};
constexpr const char* kBilinear = "bilinear on boxes";
constexpr const char* kRps = "rock, paper, scissors";
constexpr std::array<PlayedStream, 5> kGameStreams{{{kBilinear, "bilinear:n=5,set=box", true},
                                                    {kRps, "rps", false},
                                                    {"matching pennies", "pennies", false},
                                                    {"forsaken", "forsaken", false},
                                                    {"trio", "trio", false}}};

constexpr const char* kExactGames = "random games, exact gradients";
constexpr const char* kNoisyGames = "random games, bounded noise";
constexpr const char* kNoisyTrio = "trio, bounded noise";
constexpr const char* kRoads = "SiouxFalls, three carriers";
constexpr std::array<const char*, 3> kCarriers{"carrier 1", "carrier 2", "carrier 3"};
constexpr const char* kAllCarriers = "all of them";
constexpr const char* kRoadsGame = "congestion:{},carriers=3,shares=.5/.3/.2";
constexpr Real kWantedEpsilon = 1e-3;
/// A spot each, as far from the truth as this and never further.
constexpr const char* kGameNoise = "sphere:0.05";

struct Sizes {
    Index rounds;
    Index random_games;
    Index random_rounds;
    Index road_rounds;
    std::vector<Round> marks;  // of the chart
};

Sizes sizes_of(StudyPreset preset) {
    const bool full = preset == StudyPreset::full;
    Sizes sizes{full ? 5000U : 400U, full ? 200U : 10U, full ? 500U : 60U, full ? 1500U : 40U, {}};
    std::set<Round> marks;
    for (Real mark = 2; mark < static_cast<Real>(sizes.rounds); mark *= 1.25)
        marks.insert(static_cast<Round>(mark));
    marks.insert(sizes.rounds);
    sizes.marks.assign(marks.begin(), marks.end());
    return sizes;
}

std::string at_mark(const char* figure, Round mark) {
    return fmt::format("{}_until_{}", figure, mark);
}
constexpr const char* kGapCurve = "gap";
constexpr const char* kBoundCurve = "bound";
constexpr const char* kInstantCurve = "instant";

PlaySettings settings_of(const PlayedStream& stream, const GameMethod& method, std::uint64_t seed) {
    PlaySettings settings;
    settings.game = stream.chance ? fmt::format("{},seed={}", stream.game, seed) : stream.game;
    settings.learner = method.learner;
    settings.window = method.window;
    settings.seed = seed;
    return settings;
}

CellResult run_stream(const PlayedStream& stream, const Sizes& sizes, std::uint64_t seed, StopFlag stop,
                      const std::function<void(Real)>& on_share) {
    CellResult result;
    for (Index i = 0; i < kGameMethods.size(); ++i) {
        const GameMethod& method = kGameMethods[i];
        GameTrial trial{.settings = settings_of(stream, method, seed),
                        .common_window = kCommonWindow,
                        .responses = true,
                        .marks = sizes.marks};
        trial.settings.rounds = sizes.rounds;
        const PlayedGame played = play_game(trial, stop);
        note_game(played, method.name, result);
        if (result.interrupted) return result;
        const auto add = [&](const std::string& figure, Real value) {
            result.measurements.push_back({stream.name, method.name, figure, seed, value});
        };
        add(kCommon, played.common_largest);
        add(kCommonLast, played.common_last);
        if (played.promised > 0) {
            add(kOwn, played.certificate.largest_gap);
            add(kWorstRatio, played.worst_ratio);
            add(kWithin, 100 * static_cast<Real>(played.within) / static_cast<Real>(played.promised));
        }
        add(kInstantMedian, played.instant_median);
        add(kInstantLast, played.instant_last);
        add(kGain, played.gain_last);
        add(kGainMean, played.gain_mean);
        add(kTotalCost, played.cost_last);
        add(kGradients, played.gradients);
        add(kMicroseconds, played.microseconds);
        if (i < kWindows && stream.name == kRps) {
            for (const GameStretch& stretch : played.stretches) {
                add(at_mark(kGapCurve, stretch.until), stretch.gap);
                add(at_mark(kBoundCurve, stretch.until), stretch.bound);
                add(at_mark(kInstantCurve, stretch.until), stretch.instant);
            }
        }
        on_share(static_cast<Real>(i + 1) / static_cast<Real>(kGameMethods.size()));
    }
    return result;
}

/// A different kind of game for every number.
std::string random_game(Index number, std::uint64_t seed) {
    switch (number % 5) {
        case 0:
            return fmt::format("bilinear:n=4,set=box,seed={}", seed);
        case 1:
            return fmt::format("bilinear:n=5,set=simplex,seed={}", seed);
        case 2:
            return fmt::format("quadratic:n=3,players=3,set=simplex,curvature=-1,seed={}", seed);
        case 3:
            return fmt::format("quadratic:n=4,players=2,set=box,curvature=-0.5,seed={}", seed);
        default:
            return fmt::format("bilinear:n=3,players=4,set=box,zero-sum=no,seed={}", seed);
    }
}

/// The worst of many games, all in one row.
struct Worst {
    Real ratio = 0, largest = 0, samples = 0;
    Index promised = 0, within = 0, games = 0;

    void add(const PlayedGame& played) {
        ratio = std::max(ratio, played.worst_ratio);
        largest = std::max(largest, played.certificate.largest_gap);
        samples += played.base_samples;
        promised += played.promised;
        within += played.within;
        ++games;
    }
};

CellResult run_random(bool noisy, const char* window, const Sizes& sizes, std::uint64_t seed, StopFlag stop,
                      const std::function<void(Real)>& on_share) {
    CellResult result;
    const char* stream = noisy ? kNoisyGames : kExactGames;
    const std::string method = fmt::format("window {}", window);
    Worst worst;
    for (Index number = 0; number < sizes.random_games; ++number) {
        GameTrial trial;
        PlaySettings& settings = trial.settings;
        settings.game = random_game(number, 1000 * seed + number);
        settings.rounds = sizes.random_rounds;
        settings.window = window;
        settings.max_steps = 100'000;
        settings.seed = seed;
        if (noisy) {
            settings.oracle = kGameNoise;
            settings.confirm = 2;
        }
        const PlayedGame played = play_game(trial, stop);
        note_game(played, settings.game, result);
        if (result.interrupted) return result;
        worst.add(played);
        on_share(static_cast<Real>(number + 1) / static_cast<Real>(sizes.random_games));
    }
    const auto add = [&](const char* figure, Real value) {
        result.measurements.push_back({stream, method, figure, seed, value});
    };
    add(kOwn, worst.largest);
    add(kWorstRatio, worst.ratio);
    add(kWithin, 100 * static_cast<Real>(worst.within) / static_cast<Real>(worst.promised));
    if (noisy) add(kSamples, worst.samples / static_cast<Real>(worst.games));
    return result;
}

CellResult run_noisy_trio(const Sizes& sizes, std::uint64_t seed, StopFlag stop) {
    CellResult result;
    for (const char* window : {"10", "100"}) {
        GameTrial trial;
        trial.settings.game = "trio";
        trial.settings.rounds = sizes.random_rounds;
        trial.settings.window = window;
        trial.settings.oracle = kGameNoise;
        trial.settings.confirm = 2;
        trial.settings.max_steps = 100'000;
        trial.settings.seed = seed;
        const PlayedGame played = play_game(trial, stop);
        const std::string method = fmt::format("window {}", window);
        note_game(played, method, result);
        if (result.interrupted) return result;
        const auto add = [&](const char* figure, Real value) {
            result.measurements.push_back({kNoisyTrio, method, figure, seed, value});
        };
        add(kOwn, played.certificate.largest_gap);
        add(kWorstRatio, played.worst_ratio);
        add(kWithin, 100 * static_cast<Real>(played.within) / static_cast<Real>(played.promised));
        add(kInstantMedian, played.instant_median);
        add(kInstantLast, played.instant_last);
        add(kSamples, played.base_samples);
        add(kMicroseconds, played.microseconds);
    }
    return result;
}

std::filesystem::path roads() {
    return data_folder() / "tntp" / "SiouxFalls";
}
bool has_roads() {
    return std::filesystem::exists(roads() / "SiouxFalls_net.tntp");
}

/// Carriers with the window that is advised for the epsilon they want.
CellResult run_roads(const Sizes& sizes, StopFlag stop, const std::function<void(Real)>& on_share) {
    GameTrial trial;
    trial.settings.game = fmt::format(fmt::runtime(kRoadsGame), roads().string());
    trial.settings.rounds = sizes.road_rounds;
    trial.settings.epsilon = kWantedEpsilon;
    trial.settings.variation = "pilot";
    const PlayedGame played = play_game(trial, stop, on_share);
    CellResult result;
    note_game(played, kRoads, result);
    if (result.interrupted) return result;
    const auto add = [&](const char* method, const char* figure, Real value) {
        result.measurements.push_back({kRoads, method, figure, 1, value});
    };
    for (Index i = 0; i < kCarriers.size(); ++i) {
        const Real residual = played.certificate.summaries[i].largest_residual;
        add(kCarriers[i], kPlayedWindow, played.certificate.players[i].header.effective_length);
        add(kCarriers[i], kOwn, residual);
        add(kCarriers[i], kEpsilon, residual * residual / kWantedEpsilon);
    }
    add(kAllCarriers, kWorstRatio, played.worst_ratio);
    add(kAllCarriers, kWithin, 100 * static_cast<Real>(played.within) / static_cast<Real>(played.promised));
    add(kAllCarriers, kInstantMedian, played.instant_median);
    add(kAllCarriers, kInstantLast, played.instant_last);
    add(kAllCarriers, kMicroseconds, played.microseconds);
    return result;
}

std::vector<StudyCell> make_cells(const Sizes& sizes, Index seeds) {
    std::vector<StudyCell> cells;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        for (const PlayedStream& stream : kGameStreams) {
            if (seed > 1 && !stream.chance) continue;
            cells.push_back({fmt::format("{}, seed {}", stream.name, seed),
                             [=](StopFlag stop, const std::function<void(Real)>& on_share) {
                                 return run_stream(stream, sizes, seed, stop, on_share);
                             }});
        }
        for (const bool noisy : {false, true}) {
            for (const char* window : {"1", "10", "100"}) {
                cells.push_back(
                    {fmt::format("{}, window {}, seed {}", noisy ? kNoisyGames : kExactGames, window, seed),
                     [=](StopFlag stop, const std::function<void(Real)>& on_share) {
                         return run_random(noisy, window, sizes, seed, stop, on_share);
                     }});
            }
        }
        cells.push_back({fmt::format("{}, seed {}", kNoisyTrio, seed),
                         [=](StopFlag stop, const std::function<void(Real)>& /*on_share*/) {
                             return run_noisy_trio(sizes, seed, stop);
                         }});
        if (seed > 1 || !has_roads()) continue;
        cells.push_back({kRoads, [=](StopFlag stop, const std::function<void(Real)>& on_share) {
                             return run_roads(sizes, stop, on_share);
                         }});
    }
    return cells;
}

Chart rps_chart(const ResultTable& table, const Sizes& sizes) {
    Chart chart{"Rock, paper, scissors: what a window makes small, and what it does not",
                "largest over the players and over the rounds since the point before; zeros are left out",
                {}};
    for (Index i = 0; i < kWindows; ++i) {
        Panel& panel = chart.panels.emplace_back();
        panel.title = kGameMethods[i].name;
        panel.x = {"round", Scale::log};
        panel.y = {"residual", Scale::log};
        for (const auto& [name, figure] :
             {std::pair{"gap over the window", kGapCurve}, std::pair{"its bound", kBoundCurve},
              std::pair{"of the play alone", kInstantCurve}}) {
            ChartSeries& series = panel.series.emplace_back(ChartSeries{name, {}, Mark::band});
            for (const Round mark : sizes.marks) {
                series.points.push_back(point_of(table, kRps, kGameMethods[i].name, static_cast<Real>(mark),
                                                 at_mark(figure, mark).c_str()));
            }
        }
    }
    return chart;
}

/// The last residual of the play alone, everybody on one axis.
Chart last_chart(const ResultTable& table) {
    Chart chart{"Who comes to rest", "residual of the play alone, median of the second half", {}};
    Panel& panel = chart.panels.emplace_back();
    panel.y = {"residual of the play alone"};
    for (const PlayedStream& stream : kGameStreams) panel.categories.emplace_back(stream.name);
    for (const GameMethod& method : kGameMethods) {
        ChartSeries& series = panel.series.emplace_back(ChartSeries{method.name, {}, Mark::bar});
        for (Index k = 0; k < kGameStreams.size(); ++k) {
            series.points.push_back(
                point_of(table, kGameStreams[k].name, method.name, static_cast<Real>(k), kInstantMedian));
        }
    }
    chart.columns = 1;
    return chart;
}

std::vector<Finding> game_findings(const ResultTable& table, bool full) {
    std::vector<Finding> found;
    const auto worst = [&](const std::string& stream, const std::vector<std::string>& methods) {
        found.push_back({fmt::format("{}: largest R_t over (delta + sigma + d_t)/w", stream),
                         table.largest(stream, methods, kWorstRatio), 0, 1 + kSlack});
        Estimate least;
        for (const std::string& method : methods) {
            const Estimate share = table.at(stream, method, kWithin);
            if (least.count == 0 || share.mean < least.mean) least = share;
        }
        found.push_back(
            {fmt::format("{}: rounds and players that keep it, per cent", stream), least, 100, 100});
    };
    const std::vector<std::string> windows{"window 1", "window 10", "window 100"};
    for (const PlayedStream& stream : kGameStreams) worst(stream.name, windows);
    worst(kExactGames, windows);
    worst(kNoisyGames, windows);
    worst(kNoisyTrio, {"window 10", "window 100"});
    if (has_roads()) {
        const std::vector<std::string> carriers(kCarriers.begin(), kCarriers.end());
        worst(kRoads, {kAllCarriers});
        found.push_back({fmt::format("{}: largest R^2 over the wanted epsilon, advised window", kRoads),
                         table.largest(kRoads, carriers, kEpsilon), 0, 1});
    }
    for (const std::string& window : windows) {
        found.push_back(
            {fmt::format("{}, {}: residual of the play alone, median of the second half", kRps, window),
             table.at(kRps, window, kInstantMedian), 0.5, kInfinity});
    }
    for (const char* method : {"optimistic", "extragradient"}) {
        found.push_back({fmt::format("{}, {}: residual of the last play alone", kRps, method),
                         table.at(kRps, method, kInstantLast), 0, full ? 1e-9 : 0.1});
        const Real window = table.at(kBilinear, "window 100", kInstantMedian).mean;
        found.push_back(
            {fmt::format("{}, {}: residual of the play alone over that of window 100", kBilinear, method),
             over(table.at(kBilinear, method, kInstantMedian), window), 0, full ? 0.1 : 0.5});
    }
    return found;
}

}  // namespace

StudyPlan plan_games(StudyPreset preset, Index seeds) {
    const Sizes sizes = sizes_of(preset);
    StudyPlan plan;
    plan.question = fmt::format(
        "Does every round of a game keep (delta + sigma + d_t)/w, and what is that worth? All players of a "
        "game play alike, {} rounds.\nThe gap is the largest residual of a player against the mean of its "
        "costs in past plays: {} of them for everybody, and those of its own\nwindow; beside it stands the "
        "residual of the play alone, and what best responses would save: to the last play, and to the mean\n"
        "of all plays. Random games: the worst of {} games of {} rounds each.{}",
        sizes.rounds, kCommonWindow, sizes.random_games, sizes.random_rounds,
        has_roads()
            ? ""
            : fmt::format("\n**Skipped: {}: {} is not here (PROXSTREAM_DATA).**", kRoads, roads().string()));
    plan.figures = {{kCommon, "gap over 100 plays, largest", Better::neither},
                    {kCommonLast, "gap over 100, last", Better::neither},
                    {kPlayedWindow, "window", Better::neither},
                    {kOwn, "gap over own window, largest", Better::neither},
                    {kWorstRatio, "worst R / bound", Better::neither},
                    {kWithin, "within bound, %", Better::neither},
                    {kEpsilon, "R^2 / epsilon, largest", Better::neither},
                    {kInstantMedian, "play alone, median of 2nd half", Better::lower},
                    {kInstantLast, "play alone, last", Better::lower},
                    {kGain, "best responses save", Better::lower},
                    {kGainMean, "to the mean play", Better::lower},
                    {kGradients, "gradients a round", Better::neither},
                    {kSamples, "base samples a round", Better::neither},
                    {kMicroseconds, "us a round", Better::neither}};
    plan.layout = TableLayout::by_stream;
    plan.cells = make_cells(sizes, seeds);
    plan.charts = [sizes](const ResultTable& table) {
        return std::vector<NamedChart>{{"rps.svg", rps_chart(table, sizes)}, {"rest.svg", last_chart(table)}};
    };
    plan.findings = [preset](const ResultTable& table) {
        return game_findings(table, preset == StudyPreset::full);
    };
    for (const PlayedStream& stream : kGameStreams) {
        plan.glossary.emplace_back(
            stream.name, fmt::format("proxstream play {}{}", stream.game, stream.chance ? ",seed=SEED" : ""));
    }
    for (const GameMethod& method : kGameMethods) {
        plan.glossary.emplace_back(method.name,
                                   fmt::format("--learner {} --window {}", method.learner, method.window));
    }
    plan.glossary.emplace_back(kNoisyGames, fmt::format("--oracle {} --confirm 2", kGameNoise));
    plan.glossary.emplace_back(
        kRoads, fmt::format("proxstream play {} --epsilon {} --variation pilot",
                            fmt::format(fmt::runtime(kRoadsGame), "tntp/SiouxFalls"), kWantedEpsilon));
    return plan;
}

}  // namespace proxstream
