/// Does a window of past opponents help a small GAN?
#include "proxstream/core/spec.hpp"

#include "core/find_row.hpp"
#include "game/gan.hpp"
#include "play/open_game.hpp"
#include "studies/plans.hpp"
#include "studies/played_game.hpp"

#include <array>

#include <fmt/format.h>

namespace proxstream {
namespace {

constexpr StudyFigure kModes{"modes", "modes", Better::higher};
constexpr StudyFigure kQuality{"high_quality_percent", "high quality, %", Better::higher};
constexpr StudyFigure kDivergence{"reverse_kl", "reverse KL", Better::lower};
constexpr StudyFigure kLastGap{"gap", "gap over own window, last"};
constexpr StudyFigure kInstant{"instant", "play alone, last"};
constexpr StudyFigure kGanRate{"rate", "learning rate"};
constexpr StudyFigure kOverBatch{"over_batch", "samples / equal share"};
constexpr StudyFigure kGanSeconds{"seconds", "seconds"};

/// Games have seeds 11, 12, ..: the first ones were used while networks, batches and rounds were chosen.
constexpr std::uint64_t kSeedsBefore = 10;

/// All methods have the same number of samples a round and player, for all opponents together.
struct GanMethod {
    const char* name;
    const char* rule;
    const char* turns;
    const char* window;         // of both players
    const char* discriminator;  // window of the discriminator, where it has another
    const char* weights = "free";

    bool adaptive() const { return std::string_view(rule).ends_with("adam"); }
    /// The best of three learning rates (3e-4, 1e-3, 3e-3; for rules that do not scale their steps 0.01,
    /// 0.03, 0.1) on seed 100, by share of modes times high quality, added up over both mixtures.
    Real rate() const { return adaptive() ? 1e-3 : 0.01; }
};

/// Half the samples from the newest opponent, half from ten older ones, 50 rounds apart.
std::string queue_window() {
    std::string text = "weights:0.5";
    for (int age = 1; age <= 500; ++age) text += age % 50 == 0 ? ",0.05" : ",0";
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

struct GanStream {
    std::string name;
    std::string game;  // without weights and seed
    Index rounds;
    Index samples;  // a round and player
    Index measure_samples;
};

std::vector<GanStream> gan_streams(StudyPreset preset) {
    if (preset == StudyPreset::full) {
        return {{"ring of 8", "gan:ring8", 10'000, 64, 1024}, {"grid of 25", "gan:grid25", 20'000, 64, 1024}};
    }
    return {{"ring of 8", "gan:ring8,hidden=8", 200, 32, 64},
            {"grid of 25", "gan:grid25,hidden=8", 200, 32, 64}};
}

PlaySettings settings_of(const GanStream& stream, const GanMethod& method, std::uint64_t seed) {
    PlaySettings settings;
    settings.game = fmt::format("{},weights={},seed={}", stream.game, method.weights, seed);
    settings.rounds = stream.rounds;
    settings.turns = method.turns;
    settings.window = method.window;
    settings.learner =
        fmt::format("sampled-steps:rule={},step={},samples={}{}", method.rule, format_short(method.rate()),
                    stream.samples, method.adaptive() ? ",beta1=0.5" : "");
    if (method.discriminator != nullptr) {
        const std::string window =
            method.discriminator == std::string_view(kQueue) ? queue_window() : method.discriminator;
        settings.learners = fmt::format("{0},window=({1});{0}", settings.learner, window);
    }
    settings.samples = stream.samples;
    settings.measure_every = stream.rounds;
    settings.measure_samples = stream.measure_samples;
    settings.seed = seed;
    return settings;
}

/// The options of `play` for a method.
std::string gan_command(const GanMethod& method) {
    const GanStream any{"", "", 0, 64, 0};
    const PlaySettings settings = settings_of(any, method, 1);
    const std::string learners = method.discriminator == nullptr ? "" : settings.learners;
    return fmt::format("--turns {} --window {} {}{}", settings.turns, settings.window,
                       learners.empty()         ? "--learner " + settings.learner
                       : learners.size() > 1000 ? "--learners, the discriminator's window weights:0.5,0,.. "
                                                  "with 0.05 at ages 50, 100, .., 500"
                                                : "--learners '" + learners + "'",
                       std::string_view(method.weights) != "free"
                           ? fmt::format(", the game with weights={}", method.weights)
                           : "");
}

void run_gan(const GanStream& stream, Cell& cell) {
    const GanMethod& method = find_row(kGanMethods, "method", cell.method().name);
    const PlaySettings settings = settings_of(stream, method, kSeedsBefore + cell.seed);
    const PlayedGame played = play_game(settings, method.name, cell);
    if (cell.interrupted) return;
    const GameDefinition game = open_game(settings);
    Scratch scratch;
    const ConstView generator = game.layout().block(ConstView(played.outcome.joint), kGeneratorSeat);
    const GanQuality quality = measure_quality(*game.gan, generator, settings.seed, scratch);
    cell.add(kModes, static_cast<Real>(quality.modes));
    cell.add(kQuality, 100 * quality.high_quality);
    cell.add(kDivergence, quality.reverse_kl);
    cell.add(kLastGap, played.last.gap);
    cell.add(kInstant, played.last.instant_gap);
    cell.add(kGanRate, method.rate());
    cell.add("base_samples", played.base_samples);
    cell.add(kOverBatch, played.base_samples / (2 * static_cast<Real>(stream.samples)));
    cell.add(kGanSeconds, played.outcome.player_seconds);
}

}  // namespace

StudyPlan plan_gans(StudyPreset preset) {
    const std::vector<GanStream> streams = gan_streams(preset);
    StudyPlan plan;
    plan.question = fmt::format(
        "Does a window of past opponents help a GAN? A generator and a discriminator on the ring of 8 and "
        "the grid of 25 Gaussians, {} and {} rounds.\nEvery method has {} samples a round and player, spread "
        "over the opponents of its window. Quality of {} generated points: modes covered,\nshare within 3 "
        "standard deviations of a mode, reverse KL. The gap is the largest stationarity gap of a player "
        "against its own window after\nthe last round. The learning rates were the best of three on another "
        "seed.",
        streams[0].rounds, streams[1].rounds, streams[0].samples, kQualityPoints);
    plan.subtitle = "equal samples for all methods";
    plan.figures = {kModes, kQuality, kDivergence, kLastGap, kInstant, kGanRate, kOverBatch, kGanSeconds};
    std::vector<Method> methods;
    for (const GanMethod& method : kGanMethods) methods.push_back({method.name, gan_command(method)});
    for (const GanStream& stream : streams) {
        plan.streams.push_back(
            {.name = stream.name,
             .text = fmt::format("proxstream play {},seed=S --seed S --rounds {}, S = {} + seed", stream.game,
                                 stream.rounds, kSeedsBefore),
             .methods = methods,
             .run = [=](Cell& cell) { run_gan(stream, cell); }});
        for (const GanMethod& method : kGanMethods)
            plan.expectations.push_back({Measure::value, stream.name, method.name, kOverBatch, 0.99, 1.01});
    }
    plan.charts = {{.file = "quality.svg",
                    .title = "Modes covered and quality of points",
                    .y = {"points of high quality, %"},
                    .figures = {{kQuality}},
                    .x_figure = kModes,
                    .x = {"modes covered"}}};
    return plan;
}

}  // namespace proxstream
