#include "play/play_job.hpp"

#include "proxstream/core/error.hpp"

#include "io/json_writer.hpp"
#include "play/open_game.hpp"
#include "run/report_page.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

namespace proxstream {
namespace {

constexpr const char* kCertificate = "certificate.json";
constexpr const char* kReport = "report.html";

/// Outputs without a name get one in the folder, if there is a folder.
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

/// Removes the claims of an earlier run, which must not be beside the ledgers of this one. Its strategies
/// claim nothing, and stay until this run has its own.
void remove_claims(const std::string& folder) {
    for (const char* name : {kCertificate, kReport}) {
        const std::filesystem::path path = std::filesystem::path(folder) / name;
        std::error_code problem;
        std::filesystem::remove(path, problem);
        if (problem) throw IoError(path.string(), "cannot be removed", problem.value());
    }
}

}  // namespace

PlayJob::PlayJob(const PlaySettings& settings, const GameDefinition& game, RunOrigin origin)
    : TurnRun(std::move(origin)),
      settings_(with_places(settings)),
      plan_(plan_play(settings_, game)),
      play_(game, make_players(settings_, game, plan_), plan_.turns),
      measures_(settings_, plan_, play_),
      tally_(rules_of(settings_, plan_, play_.game()), headers(settings_)),
      extras_(play_.players()) {
    if (!settings_.report.empty()) require_report_page();
    if (!settings_.out.empty()) {
        std::error_code problem;
        std::filesystem::create_directories(settings_.out, problem);
        if (problem) throw IoError(settings_.out, "cannot be made a folder", problem.value());
        remove_claims(settings_.out);
    }
    // A store can make the page later, so its data are gathered.
    if (!settings_.report.empty() || !settings_.store.empty())
        outputs_.report.emplace(settings_, plan_, play_.game());
}

void PlayJob::begin(bool /*restored*/) {
    if (!settings_.trace.empty())
        outputs_.trace.emplace(open_output(journal_, settings_.trace), play_.game());
    if (settings_.ledger.empty()) return;
    const std::vector<RunHeader> all = headers(original_settings());
    outputs_.marks.resize(all.size());
    for (Index i = 0; i < all.size(); ++i)
        outputs_.ledgers.emplace_back(std::in_place, open_output(journal_, ledger_path(i)), all[i],
                                      outputs_.marks[i]);
}

std::string PlayJob::ledger_path(Index player) const {
    std::string plain;
    for (const char each : play_.game().players[player].name) {
        const bool usual = (each >= 'a' && each <= 'z') || (each >= 'A' && each <= 'Z') ||
                           (each >= '0' && each <= '9') || each == '-' || each == '_';
        plain += usual ? each : '_';
    }
    return fmt::format("{}-{}-{}.jsonl", settings_.ledger, player + 1, plain);
}

std::vector<RunHeader> PlayJob::headers(const PlaySettings& stated) const {
    std::vector<RunHeader> headers = headers_of(settings_, plan_, play_);
    for (Index i = 0; i < headers.size(); ++i) {
        auto settings = result_settings(stated);
        settings.emplace_back("learner-in-use", plan_.seats[i].learner);
        headers[i].settings.insert(headers[i].settings.begin(), settings.begin(), settings.end());
    }
    return headers;
}

TurnResult PlayJob::play() {
    const GameRound round = play_.play();
    ++rounds_;
    const bool refused = round.refused_by.has_value();
    for (Index i = 0; i < extras_.size(); ++i)
        extras_[i].ensemble = refused ? nullptr : play_.learner(i).ensemble();
    tally_.add(round.reports, extras_);
    for (Index i = 0; i < outputs_.ledgers.size(); ++i) {
        outcome_.guarded(outputs_.ledgers[i],
                         [&](LedgerWriter& ledger) { ledger.write(round.reports[i], extras_[i]); });
    }
    figures_ = {.round = rounds_, .seats = std::vector<SeatFigures>(play_.players())};
    if (refused) {
        outcome_.ending = RunEnding::refused;
        outcome_.refused = 1;
        outcome_.problems.push_back(fmt::format(
            "round {}: the cost of player '{}' is not a finite number here; the round was refused for all "
            "players",
            rounds_, play_.game().players[*round.refused_by].name));
    } else {
        measures_.measure(play_, tally_, round, figures_);
        if (outputs_.report) outputs_.report->add(figures_, round.joint);
        outcome_.guarded(outputs_.trace, [&](PlayTrace& trace) { trace.write(figures_); });
    }
    if (journal_ != nullptr && !outcome_.io_error) note_record(round);
    return {.last = refused};
}

void PlayJob::note_record(const GameRound& round) {
    JsonText played;
    played.open('{');
    played.key("x");
    played.open('[');
    Real steps = 0;
    Real gradients = 0;
    for (Index i = 0; i < round.reports.size(); ++i) {
        played.open('[');
        for (const Real each : play_.layout().block(round.joint, i)) played.number(each);
        played.close(']');
        journal_->row(i, round.reports[i], extras_[i]);
        steps += static_cast<Real>(round.reports[i].steps);
        gradients += static_cast<Real>(round.reports[i].cost.record_gradients);
    }
    played.close(']');
    played.close('}');
    record_ = {.decision = played.take(),
               .figures = {figures_.gap, figures_.gap_bound, figures_.instant_gap, steps, gradients}};
}

RunFooter PlayJob::footer(Index player, RunEnding ending) {
    AnyLearner& learner = play_.learner(player);
    return tally_.player(player).footer(learner.close(), ending, learner.seconds());
}

void PlayJob::certify(RunEnding ending) {
    outcome_.joint.resize(play_.layout().dimension());
    play_.positions(outcome_.joint);
    outcome_.player_seconds = 0;
    std::vector<RunFooter> footers;
    for (Index i = 0; i < play_.players(); ++i) {
        outcome_.player_seconds += play_.learner(i).seconds();
        footers.push_back(footer(i, ending));
    }
    outcome_.certificate = tally_.certificate(footers);
    outcome_.sound = outcome_.certificate.sound();
    if (const GameMeasures all = measures_.all(); !std::isnan(all.instant_last))
        outcome_.certificate.measures = all;
}

PlayReport PlayJob::page() const {
    PlayReport report = outputs_.report->finish(outcome_.certificate, outcome_.joint);
    report.version = origin_.version;
    report.command = origin_.command;
    return report;
}

RunResult PlayJob::result() const {
    return {.certificate = to_json(outcome_.certificate),
            .page = outputs_.report ? to_json(page()) : std::string()};
}

void PlayJob::finish() {
    for (Index i = 0; i < outputs_.ledgers.size(); ++i) {
        outcome_.guarded(outputs_.ledgers[i],
                         [&](LedgerWriter& ledger) { ledger.finish(footer(i, outcome_.ending)); });
    }
    outcome_.guarded(outputs_.trace, [](PlayTrace& trace) { trace.close(); });
    const auto write = [&](const std::string& path, const auto& make) {
        if (!path.empty()) outcome_.guarded([&] { make(); });
    };
    if (!settings_.save.empty()) {
        outcome_.save_or_rescue(settings_.save,
                                strategies_json(play_.game(), outcome_.joint, outcome_.certificate.rounds),
                                "strategies");
    }
    write(settings_.certificate_json,
          [&] { write_whole_file(settings_.certificate_json, to_json(outcome_.certificate) + "\n"); });
    write(settings_.report, [&] { write_report(settings_.report, page()); });
}

}  // namespace proxstream
