#include "play/play_job.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/core/linalg.hpp"

#include "core/stopwatch.hpp"
#include "front/header_of.hpp"
#include "play/open_game.hpp"
#include "play/play_outputs.hpp"
#include "run/report_page.hpp"

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

std::string ledger_path(const std::string& prefix, Index player, const std::string& name) {
    std::string plain;
    for (const char each : name) {
        const bool usual = (each >= 'a' && each <= 'z') || (each >= 'A' && each <= 'Z') ||
                           (each >= '0' && each <= '9') || each == '-' || each == '_';
        plain += usual ? each : '_';
    }
    return fmt::format("{}-{}-{}.jsonl", prefix, player + 1, plain);
}

PlayJob::PlayJob(const PlaySettings& settings, const GameDefinition& game, StopFlag stop,
                 const ReportOrigin& origin, std::optional<Journal> journal)
    : settings_(with_places(settings)),
      stop_(stop),
      plan_(plan_play(settings_, game)),
      play_(game, make_players(settings_, game, plan_), plan_.turns),
      referee_(play_.game(), reference_steps(plan_), referee_windows(play_),
               {.samples = settings_.measure_samples}),
      tally_(rules(), headers(settings_)),
      outputs_(std::make_unique<Outputs>()),
      instants_(play_.players()),
      gains_(play_.players()),
      extras_(play_.players()),
      journal_(std::move(journal)) {
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
    for (Index i = 0; i < play_.players(); ++i)
        refereed_.push_back(unrefereed(play_.learner(i).facts()) ? 0 : 1);
    measures_ = {kNotKnown, kNotKnown, kNotKnown, kNotKnown, kNotKnown, false};
    // A store can make the page later.
    if (!settings_.report.empty() || !settings_.store.empty()) {
        outputs_->report.emplace(settings_, plan_, play_.game());
        outputs_->report->set_origin(origin.version, origin.command);
    }
    open_store(origin);
}

void PlayJob::open_outputs() {
    if (!settings_.trace.empty()) outputs_->trace.emplace(settings_.trace, play_.game());
    if (settings_.ledger.empty()) return;
    const std::vector<RunHeader> all = headers(original_settings());
    for (Index i = 0; i < all.size(); ++i) {
        outputs_->ledgers.emplace_back(
            std::in_place, ledger_path(settings_.ledger, i, play_.game().players[i].name), all[i]);
    }
}

PlayJob::~PlayJob() = default;

GameRules PlayJob::rules() const {
    return rules_of(settings_, plan_, play_.game());
}

std::vector<RunHeader> PlayJob::headers(const PlaySettings& told) const {
    std::vector<RunHeader> headers;
    for (Index i = 0; i < play_.players(); ++i) {
        RunHeader header = header_of(play_.learner(i).facts(), play_.layout().dimension(i));
        header.name = play_.game().players[i].name;
        header.settings = result_settings(told);
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
            seat.gap = report.entry_gap;
            seat.variation = report.variation;
            seat.regret = tally_.player(i).regret();
            seat.bound = tally_.bound(i);
        } else if (measured) {
            seat.gap = referee_.smoothed_gap(i, play_.layout().block(round.joint, i));
        }
        seat.cost = report.loss + report.regulariser;
        seat.steps = report.steps;
        seat.base_samples = report.cost.base_samples;
    }
    figures.gap = largest(figures.seats, &SeatFigures::gap);
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
    referee_.instant_gaps(joint, instants_);
    instant_gaps_.add(*std::max_element(instants_.begin(), instants_.end()));
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
        while (rounds_ < settings_.rounds) {
            if (stop_ != nullptr && *stop_) {
                outcome.ending = RunEnding::interrupted;
                break;
            }
            const bool played = play_round(on_round);
            if (!outputs_->problems.empty()) {
                outcome.ending = RunEnding::failed;
                break;
            }
            if (!played) {
                outcome.ending = RunEnding::refused;
                break;
            }
        }
    }
    if (outcome.ending == RunEnding::refused) {
        outcome.refusal = fmt::format(
            "round {}: the cost of player '{}' is not a finite number here; the round was refused for all "
            "players",
            rounds_, play_.game().players[*refused_by_].name);
    }
    outcome.seconds = seconds;
    finish(outcome);
    return outcome;
}

bool PlayJob::play_round(const OnRound& on_round) {
    const GameRound round = play_.play();
    ++rounds_;
    refused_by_ = round.refused_by;
    for (Index i = 0; i < extras_.size(); ++i)
        extras_[i].ensemble = round.refused_by ? nullptr : play_.learner(i).ensemble();
    tally_.add(round.reports, extras_);
    for (Index i = 0; i < outputs_->ledgers.size(); ++i) {
        outputs_->guarded(outputs_->ledgers[i],
                          [&](LedgerWriter& ledger) { ledger.write(round.reports[i], extras_[i]); });
    }
    RoundFigures& figures = figures_;
    figures.round = rounds_;
    figures.gap = figures.gap_bound = figures.instant_gap = figures.gain = kNotKnown;
    figures.gain_exact = false;
    figures.seats.assign(play_.players(), SeatFigures{});
    if (!round.refused_by) {
        measure(round, figures);
        if (outputs_->report) outputs_->report->add(figures, round.joint);
        outputs_->guarded(outputs_->trace, [&](PlayTrace& trace) { trace.write(figures); });
    }
    store_turn(round, figures);
    if (!round.refused_by && on_round) on_round(figures);
    return !round.refused_by;
}

std::vector<RunFooter> PlayJob::footers(RunEnding ending) {
    std::vector<RunFooter> all;
    for (Index i = 0; i < play_.players(); ++i) {
        AnyLearner& learner = play_.learner(i);
        all.push_back(tally_.player(i).footer(learner.close(), ending, learner.seconds()));
    }
    return all;
}

/// What the play alone was like, its last round included: a run that ended early has not measured that yet.
GameMeasures PlayJob::measures() {
    // Nobody would have measured here if the run had gone on: it leaves no trace.
    const QuantileSketch gaps_so_far = instant_gaps_;
    const GameMeasures so_far = measures_;
    if (!last_.joint.empty() && !last_.measured) measure_instants(last_.joint);
    if (!last_.joint.empty() && !last_.responded && !plan_.sampled) measure_gains(last_.joint);
    GameMeasures measures = std::exchange(measures_, so_far);
    const QuantileSketch gaps = std::exchange(instant_gaps_, gaps_so_far);
    if (gaps.count() == 0) return measures;
    measures.instant_last = gaps.last();
    measures.instant_smallest = gaps.smallest();
    measures.instant_largest = gaps.largest();
    measures.instant_median = gaps.at_rank(gaps.count() / 2);
    return measures;
}

void PlayJob::finish(PlayOutcome& outcome) {
    outcome.joint.resize(play_.layout().dimension());
    play_.positions(outcome.joint);
    ending_ = outcome.ending;
    for (Index i = 0; i < play_.players(); ++i) outcome.player_seconds += play_.learner(i).seconds();
    const std::vector<RunFooter> last = footers(outcome.ending);
    outcome.certificate = tally_.certificate(last);
    if (const GameMeasures all = measures(); !std::isnan(all.instant_last))
        outcome.certificate.measures = all;
    // Before files are closed: the state says how far they went.
    finish_store(outcome);
    const Round played = outcome.certificate.rounds;
    for (Index i = 0; i < outputs_->ledgers.size(); ++i)
        outputs_->guarded(outputs_->ledgers[i], [&](LedgerWriter& ledger) { ledger.finish(last[i]); });
    outputs_->guarded(outputs_->trace, [](PlayTrace& trace) { trace.close(); });
    if (!settings_.save.empty()) {
        outputs_->guarded(
            [&] { write_whole_file(settings_.save, strategies_json(play_.game(), outcome.joint, played)); });
    }
    if (!settings_.certificate_json.empty()) {
        outputs_->guarded(
            [&] { write_whole_file(settings_.certificate_json, to_json(outcome.certificate) + "\n"); });
    }
    if (!settings_.report.empty()) {
        outputs_->guarded([&] {
            write_report(settings_.report, outputs_->report->finish(outcome.certificate, outcome.joint));
        });
    }
    outcome.problems = outputs_->problems;
    if (!outcome.problems.empty() && outcome.ending == RunEnding::finished)
        outcome.ending = RunEnding::failed;
}

}  // namespace proxstream
