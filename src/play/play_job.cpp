#include "proxstream/play/play_job.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/core/linalg.hpp"
#include "proxstream/core/stopwatch.hpp"
#include "proxstream/play/open_game.hpp"
#include "proxstream/play/play_trace.hpp"
#include "proxstream/regret/ledger_writer.hpp"
#include "proxstream/run/header_of.hpp"
#include "proxstream/run/report_page.hpp"

#include "play/report_builder.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

namespace proxstream {
namespace {

constexpr const char* kCertificate = "certificate.json";
constexpr const char* kReport = "report.html";

/// With a folder every output has a place in it, unless it was given another.
PlaySettings with_places(PlaySettings settings) {
    if (settings.out.empty()) return settings;
    const auto place = [&](std::string& output, const char* name) {
        if (output.empty()) output = (std::filesystem::path(settings.out) / name).string();
    };
    place(settings.trace, "trace.csv");
    place(settings.save, "strategies.json");
    place(settings.certificate_json, kCertificate);
    place(settings.report, kReport);
    place(settings.ledger, "ledger");
    return settings;
}

/// What a run before has claimed in this folder does not stand beside ledgers that this one is writing. Its
/// strategies may stay: they claim nothing, and this run may begin with them.
void remove_claims(const std::string& folder) {
    for (const char* name : {kCertificate, kReport}) {
        const std::filesystem::path path = std::filesystem::path(folder) / name;
        std::error_code problem;
        std::filesystem::remove(path, problem);
        if (problem) throw IoError(path.string(), "cannot be removed", problem.value());
    }
}

std::vector<Real> steps_of(const PlayPlan& plan) {
    std::vector<Real> steps;
    for (const SeatPlan& seat : plan.seats) steps.push_back(seat.step);
    return steps;
}

/// A bank has no window of its own to measure by: its newest play stands for it.
std::vector<WindowWeights> windows_of(const GamePlay& play) {
    std::vector<WindowWeights> windows;
    for (Index i = 0; i < play.players(); ++i) {
        const LearnerFacts facts = play.learner(i).facts();
        windows.push_back(facts.members.empty() ? WindowWeights::parse(facts.window_text) : WindowWeights(1));
    }
    return windows;
}

std::string ledger_path(const std::string& prefix, Index player, const std::string& name) {
    std::string plain;
    for (const char each : name) {
        const bool usual = (each >= 'a' && each <= 'z') || (each >= 'A' && each <= 'Z') ||
                           (each >= '0' && each <= '9') || each == '-' || each == '_';
        plain += usual ? each : '_';
    }
    return fmt::format("{}-{}-{}.jsonl", prefix, player + 1, plain);
}

void require_folder_of(const std::string& path) {
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    if (!folder.empty() && !std::filesystem::is_directory(folder))
        throw IoError(path, "cannot be written", ENOENT);
}

bool unrefereed(const LearnerFacts& facts) {
    return facts.noise && !facts.noise->refereed;
}

Real largest(std::span<const SeatFigures> seats, Real SeatFigures::*figure) {
    Real most = 0;
    for (const SeatFigures& seat : seats) {
        if (std::isnan(seat.*figure)) return kNotKnown;
        most = std::max(most, seat.*figure);
    }
    return most;
}

}  // namespace

struct PlayJob::Outputs {
    std::optional<PlayTrace> trace;
    std::vector<std::optional<LedgerWriter>> ledgers;
    std::optional<ReportBuilder> report;
    std::vector<std::string> problems;

    /// False: an output failed, which is noted; the run ends.
    template <class Write>
    bool guarded(Write write) {
        try {
            write();
            return true;
        } catch (const IoError& error) {
            problems.emplace_back(error.what());
            return false;
        }
    }
    /// An output that failed is closed, and is not written to again.
    template <class Output, class Write>
    void guarded(std::optional<Output>& output, Write write) {
        if (output && !guarded([&] { write(*output); })) output.reset();
    }
};

PlayJob::PlayJob(const PlaySettings& settings, const Game& game, StopFlag stop, const ReportOrigin& origin)
    : settings_(with_places(settings)),
      stop_(stop),
      plan_(plan_play(settings_, game)),
      play_(game, make_players(settings_, game, plan_), plan_.turns),
      referee_(play_.game(), steps_of(plan_), windows_of(play_), {.samples = settings_.measure_samples}),
      tally_(rules(), headers()),
      outputs_(std::make_unique<Outputs>()),
      instants_(play_.players()),
      gains_(play_.players()) {
    if (!settings_.report.empty()) require_report_page();
    if (!settings_.out.empty()) {
        std::error_code problem;
        std::filesystem::create_directories(settings_.out, problem);
        if (problem) throw IoError(settings_.out, "cannot be made a folder", problem.value());
        remove_claims(settings_.out);
    }
    // What is written at the end: that there is no place for it is better known now.
    for (const std::string& path : {settings_.save, settings_.certificate_json, settings_.report})
        require_folder_of(path);
    if (!settings_.trace.empty()) outputs_->trace.emplace(settings_.trace, play_.game());
    if (!settings_.ledger.empty()) {
        const std::vector<RunHeader> all = headers();
        for (Index i = 0; i < all.size(); ++i) {
            outputs_->ledgers.emplace_back(
                std::in_place, ledger_path(settings_.ledger, i, play_.game().players[i].name), all[i]);
        }
    }
    if (!settings_.report.empty()) {
        outputs_->report.emplace(settings_, plan_, play_.game());
        outputs_->report->set_origin(origin.version, origin.command);
    }
    for (Index i = 0; i < play_.players(); ++i)
        refereed_.push_back(unrefereed(play_.learner(i).facts()) ? 0 : 1);
    measures_ = {kNotKnown, kNotKnown, kNotKnown, kNotKnown, kNotKnown, false};
}

PlayJob::~PlayJob() = default;

GameRules PlayJob::rules() const {
    GameRules rules{.game = play_.game().name, .epsilon = {}, .variations = {}};
    if (settings_.epsilon > 0) rules.epsilon = settings_.epsilon;
    for (const SeatPlan& seat : plan_.seats) rules.variations.push_back(seat.variation);
    return rules;
}

std::vector<RunHeader> PlayJob::headers() const {
    std::vector<RunHeader> headers;
    for (Index i = 0; i < play_.players(); ++i) {
        RunHeader header = header_of(play_.learner(i).facts(), play_.layout().dimension(i));
        header.name = play_.game().players[i].name;
        for (const auto& row : play_options()) {
            if (bears_on_figures(row)) header.settings.emplace_back(row.name, present(row, settings_));
        }
        header.settings.emplace_back("learner-in-use", plan_.seats[i].learner);
        if (header.members.empty()) header.max_steps = settings_.max_steps;
        if (settings_.max_seconds < kInfinity) header.max_seconds = settings_.max_seconds;
        note_rules(rules(), i, header);
        headers.push_back(std::move(header));
    }
    return headers;
}

bool PlayJob::due(Index every, Round round) const {
    return round == 1 || round == settings_.rounds || round % every == 0;
}

void PlayJob::measure(const GameRound& round, RoundFigures& figures) {
    const Index hundredth = std::max<Index>(1, settings_.rounds / 100);
    const Index measure_every = settings_.measure_every > 0 ? settings_.measure_every
                                : plan_.sampled             ? hundredth
                                                            : 1;
    const bool measured = due(measure_every, figures.round);
    for (Index i = 0; i < play_.players(); ++i) {
        if (refereed_[i] == 0) referee_.observe(i, play_.record(i));
    }
    if (measured) measure_instants(round.joint);
    for (Index i = 0; i < play_.players(); ++i) {
        const RoundReport& report = round.reports[i];
        SeatFigures& seat = figures.seats[i];
        if (measured) seat.instant = instants_[i];
        if (refereed_[i] != 0) {
            seat.residual = report.entry_residual;
            seat.variation = report.variation;
            seat.regret = tally_.player(i).regret();
            seat.bound = tally_.bound(i);
        } else if (measured) {
            seat.residual = referee_.smoothed_residual(i, play_.layout().block(round.joint, i));
        }
        seat.cost = report.loss + report.regulariser;
        seat.steps = report.steps;
        seat.base_samples = report.cost.base_samples;
    }
    figures.gap = largest(figures.seats, &SeatFigures::residual);
    figures.gap_bound = largest(figures.seats, &SeatFigures::bound);
    figures.instant_gap = largest(figures.seats, &SeatFigures::instant);
    const Index responses = settings_.responses_every > 0 ? settings_.responses_every : hundredth;
    const bool responded = !plan_.sampled && due(responses, figures.round);
    if (responded) {
        measure_gains(round.joint);
        figures.gain = measures_.gain_last;
        figures.gain_exact = measures_.gain_exact;
    }
    last_.joint.assign(round.joint.begin(), round.joint.end());
    last_.measured = measured;
    last_.responded = responded;
}

void PlayJob::measure_instants(ConstView joint) {
    referee_.instant_residuals(joint, instants_);
    instant_gaps_.push_back(*std::max_element(instants_.begin(), instants_.end()));
}

void PlayJob::measure_gains(ConstView joint) {
    referee_.gains(joint, gains_);
    measures_.gain_last = sum(gains_);
    measures_.gain_exact = referee_.gains_exact();
}

PlayOutcome PlayJob::run(const OnRound& on_round) {
    PlayOutcome outcome;
    double seconds = 0;
    {
        const Stopwatch watch(seconds);
        RoundFigures figures;
        std::vector<RowExtras> extras(play_.players());
        for (Round t = 1; t <= settings_.rounds; ++t) {
            if (stop_ != nullptr && *stop_) {
                outcome.ending = RunEnding::interrupted;
                break;
            }
            const GameRound round = play_.play();
            for (Index i = 0; i < extras.size(); ++i)
                extras[i].bank = round.refused_by ? nullptr : play_.learner(i).bank();
            tally_.add(round.reports, extras);
            for (Index i = 0; i < outputs_->ledgers.size(); ++i) {
                outputs_->guarded(outputs_->ledgers[i],
                                  [&](LedgerWriter& ledger) { ledger.write(round.reports[i], extras[i]); });
            }
            if (round.refused_by) {
                outcome.ending = RunEnding::refused;
                outcome.refusal = fmt::format(
                    "round {}: the cost of player '{}' is not a finite number here; the round was "
                    "refused for all players",
                    t, play_.game().players[*round.refused_by].name);
                break;
            }
            figures.round = t;
            figures.gain = kNotKnown;
            figures.gain_exact = false;
            figures.seats.assign(play_.players(), SeatFigures{});
            measure(round, figures);
            if (outputs_->report) outputs_->report->add(figures, round.joint);
            outputs_->guarded(outputs_->trace, [&](PlayTrace& trace) { trace.write(figures); });
            if (on_round) on_round(figures);
            if (!outputs_->problems.empty()) {
                outcome.ending = RunEnding::failed;
                break;
            }
        }
    }
    outcome.seconds = seconds;
    finish(outcome);
    return outcome;
}

void PlayJob::finish(PlayOutcome& outcome) {
    outcome.joint.resize(play_.layout().dimension());
    play_.positions(outcome.joint);
    std::vector<RunFooter> footers;
    for (Index i = 0; i < play_.players(); ++i) {
        RowLearner& learner = play_.learner(i);
        outcome.player_seconds += learner.seconds();
        footers.push_back(tally_.player(i).footer(learner.close(), outcome.ending, learner.seconds()));
    }
    outcome.certificate = tally_.certificate(footers);
    // A run that ended early has not measured its last play yet.
    if (!last_.joint.empty() && !last_.measured) measure_instants(last_.joint);
    if (!last_.joint.empty() && !last_.responded && !plan_.sampled) measure_gains(last_.joint);
    if (!instant_gaps_.empty()) {
        measures_.instant_last = instant_gaps_.back();
        std::sort(instant_gaps_.begin(), instant_gaps_.end());
        measures_.instant_smallest = instant_gaps_.front();
        measures_.instant_largest = instant_gaps_.back();
        measures_.instant_median = instant_gaps_[instant_gaps_.size() / 2];
        outcome.certificate.measures = measures_;
    }
    const Round played = outcome.certificate.rounds;
    for (Index i = 0; i < outputs_->ledgers.size(); ++i)
        outputs_->guarded(outputs_->ledgers[i], [&](LedgerWriter& ledger) { ledger.finish(footers[i]); });
    outputs_->guarded(outputs_->trace, [](PlayTrace& trace) { trace.close(); });
    if (!settings_.save.empty()) {
        outputs_->guarded(
            [&] { write_whole_file(settings_.save, strategies_json(play_.game(), outcome.joint, played)); });
    }
    if (!settings_.certificate_json.empty()) {
        outputs_->guarded(
            [&] { write_whole_file(settings_.certificate_json, to_json(outcome.certificate) + "\n"); });
    }
    if (outputs_->report) {
        outputs_->guarded([&] {
            write_report(settings_.report, outputs_->report->finish(outcome.certificate, outcome.joint));
        });
    }
    outcome.problems = outputs_->problems;
    if (!outcome.problems.empty() && outcome.ending == RunEnding::finished)
        outcome.ending = RunEnding::failed;
}

}  // namespace proxstream
