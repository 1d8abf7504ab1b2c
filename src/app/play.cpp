#include "proxstream/core/parallel.hpp"

#include "app/command_line.hpp"
#include "app/drive_run.hpp"
#include "app/resume_settings.hpp"
#include "app/scenario_argument.hpp"
#include "app/verbs.hpp"
#include "core/text_lines.hpp"
#include "game/gan.hpp"
#include "io/standard_error.hpp"
#include "play/play_job.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

namespace proxstream::app {
namespace {

void echo_settings(const PlaySettings& settings, const PlayJob& job) {
    const GameDefinition& game = job.game();
    const PlayPlan& plan = job.plan();
    eprint("proxstream {} play\n", PROXSTREAM_VERSION);
    eprint("  game       {}: {} players, {} rounds, {}\n", game.name, game.players.size(), settings.rounds,
           name(plan.turns));
    for (Index i = 0; i < game.players.size(); ++i) {
        const SeatPlan& seat = plan.seats[i];
        eprint("  {:<10} {} numbers in {}; {}\n", game.players[i].name, game.players[i].cost->dimension(),
               game.players[i].set, seat.learner);
        const auto delta = Tolerance::parse(seat.tolerance).fixed_delta();
        eprint("             window {}, tolerance {}, eta {:.4g} ({})\n", seat.window,
               delta ? fmt::format("{:.4g}", *delta) : seat.tolerance, seat.step, seat.step_origin);
        if (seat.variation) {
            eprint("             D {:.4g} ({})\n", seat.variation->variation, seat.variation->origin);
        }
    }
    if (plan.advice) {
        const EquilibriumWindow& advice = *plan.advice;
        eprint(
            "  epsilon    {:g} in every round: w >= {}; in some round: {}; the paper's proof: {}, its "
            "formula: {}{}\n",
            settings.epsilon, advice.every_round, advice.some_round, advice.paper_route, advice.paper_printed,
            advice.printed_suffices ? "" : " (less than its own proof needs)");
    }
}

/// Of a GAN, how well the generator does at the end.
void print_quality(const PlaySettings& settings, const GameDefinition& game, const PlayOutcome& outcome) {
    if (game.gan == nullptr) return;
    Scratch scratch;
    const ConstView weights = game.layout().block(ConstView(outcome.joint), kGeneratorSeat);
    const GanQuality quality =
        measure_quality(*game.gan, weights, settings.seed, scratch, settings.quality_samples);
    eprint("generator: {} of {} modes, {:.1f} % of {} points of high quality, reverse KL {:.4g}\n",
           quality.modes, game.gan->data().modes.size(), 100 * quality.high_quality, quality.points,
           quality.reverse_kl);
}

std::string figure_or_dash(Real value) {
    return std::isnan(value) ? "-" : fmt::format("{:.3g}", value);
}

/// The table a person watches: a line at rounds 1, 2, 4, 8, ... (or every N).
class PlayProgress {
  public:
    /// `every` = 0: at powers of two.
    PlayProgress(const GameDefinition& game, Index every)
        : shown_(std::min<Index>(game.players.size(), 4)), schedule_(every) {
        constexpr std::size_t kNameWidth = 13;
        std::string head =
            fmt::format("{:>9} {:>9} {:>9} {:>9} {:>10} |", "", "gap over", "its", "of this", "best resp.");
        std::string below =
            fmt::format("{:>9} {:>9} {:>9} {:>9} {:>10} |", "round", "windows", "bound", "play", "save");
        for (Index i = 0; i < shown_; ++i) {
            head += fmt::format(" {:^19} |", shortened(game.players[i].name, kNameWidth));
            below += fmt::format(" {:>8} {:>10} |", "R", "cost");
        }
        if (shown_ < game.players.size()) head += fmt::format(" and {} more", game.players.size() - shown_);
        eprint("{}\n{}\n", head, below);
    }

    void on_round(const RoundFigures& figures) {
        remember(figures);
        if (schedule_.due(figures.round)) print_line();
    }
    /// The last line, if the run did not end on one.
    void finish() {
        if (last_.round != printed_) print_line();
    }

  private:
    /// Figures that are measured now and then are shown as of the last time.
    void remember(const RoundFigures& figures) {
        const auto keep = [](Real& kept, Real value) {
            if (!std::isnan(value)) kept = value;
        };
        last_.round = figures.round;
        last_.gap_bound = figures.gap_bound;
        keep(last_.gap, figures.gap);
        keep(last_.instant_gap, figures.instant_gap);
        keep(last_.gain, figures.gain);
        last_.seats.resize(figures.seats.size());
        for (Index i = 0; i < figures.seats.size(); ++i) {
            keep(last_.seats[i].gap, figures.seats[i].gap);
            last_.seats[i].cost = figures.seats[i].cost;
        }
    }
    void print_line() {
        std::string line = fmt::format("{:>9} {:>9} {:>9} {:>9} {:>10} |", last_.round,
                                       figure_or_dash(last_.gap), figure_or_dash(last_.gap_bound),
                                       figure_or_dash(last_.instant_gap), figure_or_dash(last_.gain));
        for (Index i = 0; i < shown_; ++i)
            line +=
                fmt::format(" {:>8} {:>10.5g} |", figure_or_dash(last_.seats[i].gap), last_.seats[i].cost);
        eprint("{}\n", line);
        printed_ = last_.round;
    }

    Index shown_;  // players with columns of their own
    LineSchedule schedule_;
    Round printed_ = 0;
    RoundFigures last_;
};

class PlayScreen {
  public:
    static constexpr const char* kTurn = "round";

    PlayScreen(const PlaySettings& settings, PlayJob& job)
        : settings_(settings), job_(job), progress_(job.game(), settings.progress) {}

    void on_turn() {
        if (job_.outcome().ending != RunEnding::refused) progress_.on_round(job_.figures());
    }
    void end() {
        const PlayOutcome& outcome = job_.outcome();
        progress_.finish();
        eprint("\n{}", to_text(outcome.certificate));
        print_quality(settings_, job_.game(), outcome);
        eprint("{:.3f} s in all, {:.3f} s of it the players' own\n", outcome.seconds, outcome.player_seconds);
    }

  private:
    const PlaySettings& settings_;
    PlayJob& job_;
    PlayProgress progress_;
};

int run_play(const PlaySettings& settings, const RunOrigin& origin, bool resumed) {
    set_threads(settings.threads);
    PlayJob job(settings, open_game(settings), origin);
    return drive_run<PlayScreen>(settings, job, resumed, [&] { echo_settings(settings, job); });
}

}  // namespace

int play(const std::vector<std::string>& given) {
    std::vector<std::string> arguments = given;
    const std::string file = take_scenario(arguments);
    PlaySettings settings;
    const auto done = parse_command_line(
        "play",
        "Plays a game: every player learns online against the others' recent plays. Ends with a certificate "
        "of how close every round was to a smoothed local equilibrium, and with measures of the newest play "
        "alone.",
        arguments, settings,
        {.files =
             [&](OutputPlan& plan) {
                 if (settings.out.empty()) return;
                 for (const char* name : {"trace.csv", "strategies.json", "certificate.json", "report.html"})
                     plan.writes_in("out", settings.out, name);
             },
         .checks = {[&] {
             settle_game(settings.game, file);
             validate(settings);
         }},
         .elsewhere = scenario_keys()});
    if (done) return *done;
    return run_play(settings, origin_of("play", given), false);
}

int resume_play(const std::string& path, const std::vector<std::string>& arguments) {
    PlaySettings settings;
    if (const auto done = resume_settings(path, arguments, settings, {"rounds"})) return *done;
    return run_play(settings, {PROXSTREAM_VERSION, {}}, true);
}

}  // namespace proxstream::app
