/// A play in its store: what is kept of a round, and how it goes on from there.
#include "core/checksum.hpp"
#include "game/play_batch.hpp"
#include "io/json_text.hpp"
#include "play/play_outputs.hpp"
#include "run/setting_list.hpp"

#include <utility>

namespace proxstream {
std::vector<std::string> play_channels() {
    return {"gap", "gap_bound", "instant_gap", "steps", "gradients"};
}

RunIdentity play_identity(const PlaySettings& settings, const GameDefinition& game,
                          const ReportOrigin& origin) {
    RunIdentity identity{.kind = "play", .settings = setting_list(settings), .channels = play_channels()};
    identity.version = origin.version;
    identity.command = origin.command;
    identity.title = game.name;
    return identity;
}

JournalOptions play_journal_options(const PlaySettings& settings, const std::string& version) {
    return journal_options(settings, settings.max_seconds < kInfinity, version);
}

/// What the play was told at its beginning: a number of rounds may be another one now.
PlaySettings PlayJob::original_settings() const {
    PlaySettings told = settings_;
    if (journal_) take_settings(journal_->identity().settings, told);
    return told;
}

void PlayJob::open_store(const ReportOrigin& origin) {
    if (!journal_ && !settings_.store.empty()) {
        journal_ = Journal::create(settings_.store, play_identity(settings_, play_.game(), origin),
                                   play_journal_options(settings_, origin.version));
    }
    if (!journal_) return open_outputs();
    bool begun = false;
    journal_->restore([&](StateArchive& archive) {
        serialise(archive);
        begun = true;
    });
    if (!begun) open_outputs();
    const std::vector<RunHeader> all = headers(original_settings());
    for (Index i = 0; i < all.size(); ++i) journal_->open_account(i, all[i]);
    journal_->when_saving([this] {
        const std::vector<RunFooter> last = footers(ending_);
        for (Index i = 0; i < last.size(); ++i) journal_->close_account(i, last[i]);
    });
}

void PlayJob::store_turn(const GameRound& round, const RoundFigures& figures) {
    // A round that an output has missed is played again.
    if (!journal_ || !outputs_->problems.empty()) return;
    outputs_->guarded([&] {
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
        journal_->decision(played.take());
        journal_->figures(
            std::vector<Real>{figures.gap, figures.gap_bound, figures.instant_gap, steps, gradients});
        journal_->end_turn([this](StateArchive& archive) { serialise(archive); });
    });
}

void PlayJob::save() {
    if (!journal_) return;
    const Journal::Serialise state = [this](StateArchive& archive) { serialise(archive); };
    journal_->commit(&state);
}

void PlayJob::finish_store(const PlayOutcome& outcome) {
    if (!journal_) return;
    outputs_->guarded([&] {
        // An output has missed the last round: the rounds since the last state are played again.
        if (!outputs_->problems.empty()) return journal_->commit();
        journal_->finish([this](StateArchive& archive) { serialise(archive); }, to_json(outcome.certificate),
                         to_json(outputs_->report->finish(outcome.certificate, outcome.joint)),
                         outcome.ending == RunEnding::finished);
    });
}

/// Names, sets, starts, and costs at the start: another game is told from this one.
std::uint64_t PlayJob::game_checksum() const {
    Checksum sum;
    const GameDefinition& game = play_.game();
    std::vector<Real> joint;
    for (const GamePlayer& player : game.players)
        joint.insert(joint.end(), player.start.begin(), player.start.end());
    sum.add(ConstView(joint));
    Scratch scratch;
    for (const GamePlayer& player : game.players) {
        sum.add(std::string_view(player.name));
        sum.add(std::string_view(player.set));
        if (player.cost->parts() > 1) continue;  // a mean over many samples
        std::vector<Real> condensed(player.cost->record_size());
        player.cost->condense(joint, condensed, scratch);
        RowBlock record;
        record.add_dense(condensed, 0);
        PlayBatch batch(player.cost, 1);
        batch.push(record);
        std::vector<Real> gradient(player.start.size());
        const Real value = batch.value_and_gradient(0, player.start, gradient, scratch);
        sum.add(ConstView(&value, 1));
        sum.add(ConstView(gradient));
    }
    return sum.value();
}

void PlayJob::serialise(StateArchive& archive) {
    archive.agree("game", game_checksum());
    archive.field("rounds", rounds_);
    archive.section("players", play_);
    archive.section("referee", referee_);
    archive.section("tally", tally_);
    archive.section("instant gaps", instant_gaps_);
    archive.field("gain", measures_.gain_last);
    archive.field("gain is exact", measures_.gain_exact);
    archive.list("last play", last_.joint);
    archive.require(last_.joint.empty() || last_.joint.size() == play_.layout().dimension(), "a joint play");
    archive.field("measured", last_.measured);
    archive.field("responded", last_.responded);
    archive.agree("gathered", outputs_->report ? 1 : 0);
    if (outputs_->report) archive.section("report", *outputs_->report);
    serialise_outputs(archive);
}

/// Last: reading cuts files.
void PlayJob::serialise_outputs(StateArchive& archive) {
    archive.agree("a trace is written", settings_.trace.empty() ? 0 : 1);
    archive.agree("ledgers are written", settings_.ledger.empty() ? 0 : 1);
    const bool reading = archive.reading();
    if (!settings_.trace.empty()) {
        std::uint64_t bytes = reading ? 0 : outputs_->trace->bytes();
        archive.field("trace", bytes);
        if (reading) outputs_->trace.emplace(settings_.trace, bytes);
    }
    if (settings_.ledger.empty()) return;
    const std::vector<RunHeader> all = headers(original_settings());
    for (Index i = 0; i < all.size(); ++i) {
        LedgerMark mark;
        if (!reading) {
            outputs_->ledgers[i]->flush();
            mark = outputs_->ledgers[i]->mark();
        }
        archive.section("ledger", mark);
        if (!reading) continue;
        outputs_->ledgers.emplace_back(
            std::in_place, ledger_path(settings_.ledger, i, play_.game().players[i].name), all[i], mark);
    }
}

}  // namespace proxstream
