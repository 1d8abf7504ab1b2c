#include "proxstream/core/spec.hpp"

#include "game/gan_quality.hpp"
#include "play/open_game.hpp"
#include "play/play_job.hpp"
#include "study/plans.hpp"
#include "study/stream_study.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <optional>

#include <fmt/format.h>

namespace proxstream {
namespace {

constexpr const char* kModes = "modes";
constexpr const char* kQuality = "high_quality_percent";
constexpr const char* kDivergence = "reverse_kl";
constexpr const char* kLastGap = "gap";      // of the last play, for the own window
constexpr const char* kInstant = "instant";  // of the last play alone
constexpr const char* kGanStep = "step";
constexpr const char* kGanSamples = "base_samples";
constexpr const char* kGanSeconds = "seconds";

/// Of a step's choice; none of the presets'.
constexpr std::uint64_t kTuningSeed = 100;
/// Games are those of seeds 11, 12, ..: the first few were looked at while networks, batches and rounds were
/// chosen.
constexpr std::uint64_t kSeedsBefore = 10;

/// Everybody gets so many samples a round and player, however many opponents they are spread over.
struct GanMethod {
    const char* name;
    const char* rule;
    const char* turns;
    const char* window;          // of both players
    const char* discriminators;  // window of the discriminator, where it has another
    const char* weights = "free";
};

/// Half the samples of the newest opponent, half of ten older ones, 50 rounds apart.
std::string queue_window() {
    constexpr int kOpponents = 10;
    constexpr int kApart = 50;
    std::string text = "weights:0.5";
    for (int age = 1; age <= kOpponents * kApart; ++age)
        text += age % kApart == 0 ? fmt::format(",{}", 0.5 / kOpponents) : ",0";
    return text;
}
constexpr const char* kQueue = "queue";

constexpr std::array<GanMethod, 13> kGanMethods{{
    {"adam, alternating", "adam", "alternating", "1", nullptr},
    {"adam, simultaneous", "adam", "simultaneous", "1", nullptr},
    {"optimistic adam", "optimistic-adam", "simultaneous", "1", nullptr},
    {"extragradient", "extragradient", "simultaneous", "1", nullptr},
    {"sgd", "sgd", "alternating", "1", nullptr},
    {"window 5", "adam", "alternating", "5", nullptr},
    {"window 20", "adam", "alternating", "20", nullptr},
    {"5 opponents, 20 apart", "adam", "alternating", "season:20,5", nullptr},
    {"20 opponents, 20 apart", "adam", "alternating", "season:20,20", nullptr},
    {"5, 20 apart, discriminator's", "adam", "alternating", "1", "season:20,5"},
    {"queue of past generators", "adam", "alternating", "1", kQueue},
    {"adam, weights in a box", "adam", "alternating", "1", nullptr, "box:1"},
    {"adam, L1 on weights", "adam", "alternating", "1", nullptr, "l1:1e-5"},
}};

/// One grid for all rules that scale their steps, one for those that do not.
std::array<Real, 3> steps_of(const GanMethod& method) {
    const bool adaptive = std::string_view(method.rule).ends_with("adam");
    return adaptive ? std::array<Real, 3>{3e-4, 1e-3, 3e-3} : std::array<Real, 3>{0.01, 0.03, 0.1};
}

struct GanStream {
    std::string name;
    std::string game;  // without weights and seed
    Index rounds;
    Index samples;  // a round and player
    Index measure_samples;
    bool tuned;
};

std::vector<GanStream> streams(StudyPreset preset) {
    if (preset == StudyPreset::full) {
        return {{"ring of 8", "gan:ring8", 10'000, 64, 1024, true},
                {"grid of 25", "gan:grid25", 20'000, 64, 1024, true}};
    }
    return {{"ring of 8", "gan:ring8,hidden=8", 200, 32, 64, false},
            {"grid of 25", "gan:grid25,hidden=8", 200, 32, 64, false}};
}

PlaySettings settings_of(const GanStream& stream, const GanMethod& method, Real step, std::uint64_t seed) {
    PlaySettings settings;
    settings.game = fmt::format("{},weights={},seed={}", stream.game, method.weights, seed);
    settings.rounds = stream.rounds;
    settings.turns = method.turns;
    settings.window = method.window;
    const std::string rest = std::string_view(method.rule).ends_with("adam") ? ",beta1=0.5" : std::string();
    const std::string learner = fmt::format("sampled-steps:rule={},step={},samples={}{}", method.rule,
                                            format_short(step), stream.samples, rest);
    settings.learner = learner;
    if (method.discriminators != nullptr) {
        const std::string window =
            method.discriminators == std::string_view(kQueue) ? queue_window() : method.discriminators;
        settings.learners = fmt::format("{0},window=({1});{0}", learner, window);
    }
    settings.samples = stream.samples;
    settings.measure_every = stream.rounds;
    settings.measure_samples = stream.measure_samples;
    settings.seed = seed;
    return settings;
}

struct Trained {
    GanQuality quality;
    RoundFigures last;
    PlayOutcome outcome;
    Real samples = 0;  // base samples a round
    Real score = 0;    // what steps are chosen by: share of modes covered times share of points close to one
};

Trained train(const PlaySettings& settings, StopFlag stop, const std::function<void(Real)>& on_share) {
    PlayJob job(settings, open_game(settings), stop);
    Trained trained;
    const Index often = std::max<Index>(1, settings.rounds / 50);
    std::uint64_t samples = 0;
    trained.outcome = job.run([&](const RoundFigures& figures) {
        for (const SeatFigures& seat : figures.seats) samples += seat.base_samples;
        if (figures.round % often == 0)
            on_share(static_cast<Real>(figures.round) / static_cast<Real>(settings.rounds));
        if (figures.round == settings.rounds) trained.last = figures;
    });
    trained.samples = static_cast<Real>(samples) / static_cast<Real>(settings.rounds);
    Scratch scratch;
    const Gan& gan = *job.game().gan;
    const JointLayout layout = job.game().layout();
    trained.quality = measure_quality(gan, layout.block(ConstView(trained.outcome.joint), kGeneratorSeat),
                                      settings.seed, scratch);
    if (trained.outcome.ending == RunEnding::finished) {
        trained.score = trained.quality.high_quality * static_cast<Real>(trained.quality.modes) /
                        static_cast<Real>(gan.data().modes.size());
    }
    return trained;
}

/// Steps by the method's name: chosen once, for all mixtures and seeds.
using Tuned = std::map<std::string, Real>;

/// The step whose scores add up to most over the mixtures: one run may be luck. Nothing: it was stopped.
std::optional<Real> choose_step(const std::vector<GanStream>& all, const GanMethod& asked, Tuned& tuned,
                                StopFlag stop, const std::function<void(Real)>& on_share) {
    // Limits on weights are variants of the first method, with its step.
    const GanMethod& method = asked.weights == std::string_view("free") ? asked : kGanMethods.front();
    const std::array<Real, 3> steps = steps_of(method);
    if (!all.front().tuned) return steps[1];
    if (const auto known = tuned.find(method.name); known != tuned.end()) return known->second;
    const auto runs = static_cast<Real>(steps.size() * all.size());
    Real done = 0;
    Real best = -kInfinity;
    Real chosen = steps[1];
    for (const Real step : steps) {
        Real score = 0;
        for (const GanStream& stream : all) {
            const Trained trained = train(settings_of(stream, method, step, kTuningSeed), stop,
                                          [&](Real share) { on_share((done + share) / (runs + 1)); });
            if (trained.outcome.ending == RunEnding::interrupted) return std::nullopt;
            score += trained.score;
            ++done;
        }
        if (score <= best) continue;
        best = score;
        chosen = step;
    }
    return tuned.emplace(method.name, chosen).first->second;
}

CellResult run_cell(const std::vector<GanStream>& all, const GanStream& stream, const GanMethod& method,
                    std::uint64_t seed, Tuned& tuned, StopFlag stop,
                    const std::function<void(Real)>& on_share) {
    CellResult result;
    const auto step = choose_step(all, method, tuned, stop, on_share);
    if (!step) {
        result.interrupted = true;
        return result;
    }
    const Trained trained = train(settings_of(stream, method, *step, kSeedsBefore + seed), stop, on_share);
    result.interrupted = trained.outcome.ending == RunEnding::interrupted;
    if (!trained.outcome.refusal.empty())
        result.notes.push_back(std::string(method.name) + ": " + trained.outcome.refusal);
    const auto add = [&](const char* figure, Real value) {
        result.measurements.push_back({stream.name, method.name, figure, seed, value});
    };
    add(kModes, static_cast<Real>(trained.quality.modes));
    add(kQuality, 100 * trained.quality.high_quality);
    add(kDivergence, trained.quality.reverse_kl);
    add(kLastGap, trained.last.gap);
    add(kInstant, trained.last.instant_gap);
    add(kGanStep, *step);
    add(kGanSamples, trained.samples);
    add(kGanSeconds, trained.outcome.player_seconds);
    return result;
}

/// A marker a method: thirteen of them are more than there are colours for bars.
Chart quality_chart(const ResultTable& table, Index seeds) {
    Chart chart{"Modes covered and quality of points",
                fmt::format("equal samples for all methods, {} seeds", seeds),
                {}};
    for (const std::string& stream : table.streams()) {
        Panel& panel = chart.panels.emplace_back();
        panel.title = stream;
        panel.x = {"modes covered"};
        panel.y = {"points of high quality, %"};
        for (const GanMethod& method : kGanMethods) {
            panel.series.push_back({method.name, {point_of(table, stream, method.name, kModes, kQuality)}});
        }
    }
    return chart;
}

std::vector<Finding> gan_findings(const ResultTable& table, const std::vector<GanStream>& all) {
    std::vector<Finding> found;
    for (const GanStream& stream : all) {
        Estimate furthest;
        for (const GanMethod& method : kGanMethods) {
            const Estimate samples =
                over(table.at(stream.name, method.name, kGanSamples), 2 * static_cast<Real>(stream.samples));
            if (furthest.count == 0 || std::abs(samples.mean - 1) > std::abs(furthest.mean - 1))
                furthest = samples;
        }
        found.push_back({fmt::format("{}: samples a round over a batch for either player, the method that is "
                                     "furthest from 1",
                                     stream.name),
                         furthest, 0.99, 1.01});
    }
    return found;
}

std::string command(const GanMethod& method) {
    const std::string learner =
        fmt::format("sampled-steps:rule={},step=STEP,samples=64{}", method.rule,
                    std::string_view(method.rule).ends_with("adam") ? ",beta1=0.5" : "");
    std::string text = "--turns " + std::string(method.turns);
    if (method.discriminators == nullptr) {
        text += fmt::format(" --learner {} --window {}", learner, method.window);
    } else {
        const bool queue = method.discriminators == std::string_view(kQueue);
        text +=
            fmt::format(" --learners '{0},window=({1});{0}'", learner,
                        queue ? "weights:0.5,0,.. and 0.05 at ages 50, 100, .., 500" : method.discriminators);
    }
    return method.weights == std::string_view("free")
               ? text
               : text + fmt::format(", the game with weights={}", method.weights);
}

}  // namespace

StudyPlan plan_gans(StudyPreset preset, Index seeds) {
    const std::vector<GanStream> all = streams(preset);
    const auto tuned = std::make_shared<Tuned>();
    StudyPlan plan;
    plan.question = fmt::format(
        "Does a window of past opponents help a GAN? A generator and a discriminator on the ring of 8 and "
        "the grid of 25 Gaussians, {} and {} rounds,\n{} samples a round and player for everybody, spread "
        "over the opponents of its window. Quality of {} generated points: modes covered, share\nwithin 3 "
        "standard deviations of a mode, reverse KL. The gap is the largest residual of a player against its "
        "own window after the last\nround. {}",
        all[0].rounds, all[1].rounds, all[0].samples, kQualityPoints,
        all[0].tuned
            ? fmt::format("Of three steps every method has the one that is best on seed {}, by share of "
                          "modes times high quality, added up\nover both mixtures; nothing else is "
                          "tuned.",
                          kTuningSeed)
            : "Nothing is tuned.");
    plan.figures = {{kModes, "modes", Better::higher},
                    {kQuality, "high quality, %", Better::higher},
                    {kDivergence, "reverse KL", Better::lower},
                    {kLastGap, "gap over own window, last", Better::neither},
                    {kInstant, "play alone, last", Better::neither},
                    {kGanStep, "step", Better::neither},
                    {kGanSamples, "samples a round", Better::neither},
                    {kGanSeconds, "seconds", Better::neither}};
    plan.layout = TableLayout::by_stream;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        for (const GanStream& stream : all) {
            for (const GanMethod& method : kGanMethods) {
                plan.cells.push_back({fmt::format("{}, {}, seed {}", stream.name, method.name, seed),
                                      [=](StopFlag stop, const std::function<void(Real)>& on_share) {
                                          return run_cell(all, stream, method, seed, *tuned, stop, on_share);
                                      }});
            }
        }
    }
    plan.charts = [seeds](const ResultTable& table) {
        return std::vector<NamedChart>{{"quality.svg", quality_chart(table, seeds)}};
    };
    plan.findings = [all](const ResultTable& table) { return gan_findings(table, all); };
    for (const GanStream& stream : all) {
        plan.glossary.emplace_back(
            stream.name, fmt::format("proxstream play {},seed=S --seed S --rounds {}, S = {} + seed",
                                     stream.game, stream.rounds, kSeedsBefore));
    }
    for (const GanMethod& method : kGanMethods) plan.glossary.emplace_back(method.name, command(method));
    return plan;
}

}  // namespace proxstream
