/// A play in its store: its identity and its state.
#include "core/checksum.hpp"
#include "core/serialise_each.hpp"
#include "game/play_batch.hpp"
#include "io/json_writer.hpp"
#include "play/play_job.hpp"
#include "run/setting_list.hpp"

#include <utility>

namespace proxstream {
namespace {

/// A checksum of names, sets, starts, and costs at the start, to recognise another game.
std::uint64_t game_checksum(const GameDefinition& game) {
    Checksum sum;
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

}  // namespace

RunIdentity PlayJob::identity() const {
    return make_identity("play", play_.game().name, setting_list(settings_),
                         {"gap", "gap_bound", "instant_gap", "steps", "gradients"}, origin_);
}

JournalOptions PlayJob::journal_options() const {
    return proxstream::journal_options(settings_, settings_.max_seconds < kInfinity, origin_.version);
}

/// The settings at the beginning of the play; the number of rounds may have changed since.
PlaySettings PlayJob::original_settings() const {
    PlaySettings original = settings_;
    if (journal_ != nullptr) take_settings(journal_->identity().settings, original);
    return original;
}

void PlayJob::open_accounts() {
    const std::vector<RunHeader> all = headers(original_settings());
    for (Index i = 0; i < all.size(); ++i) journal_->open_account(i, all[i]);
}

void PlayJob::close_accounts(RunEnding ending) {
    for (Index i = 0; i < play_.players(); ++i)
        journal_->close_account(i, footer(i, ending), tally_.player(i));
}

void PlayJob::serialise(StateArchive& archive) {
    archive.agree("game", game_checksum(play_.game()));
    archive.fields(Field{"rounds", rounds_}, Field{"players", play_}, Field{"tally", tally_},
                   Field{"measures", measures_});
    archive.require(played().empty() || played().size() == play_.layout().dimension(), "a joint play");
    archive.agree("gathered", outputs_.report ? 1 : 0);
    if (outputs_.report) archive.section("report", *outputs_.report);
    serialise_ledgers(archive);
}

void PlayJob::serialise_ledgers(StateArchive& archive) {
    archive.agree("ledgers are written", settings_.ledger.empty() ? 0 : 1);
    if (!archive.reading()) {
        outputs_.marks.clear();
        for (const auto& ledger : outputs_.ledgers) outputs_.marks.push_back(ledger->mark());
    }
    serialise_each(archive, "ledgers", outputs_.marks, [&](LedgerMark& mark) { mark.serialise(archive); });
}

void PlayJob::mark_outputs(OutputMarks& marks) {
    if (outputs_.trace) outputs_.trace->mark(marks);
    for (auto& ledger : outputs_.ledgers) ledger->mark(marks);
}

std::vector<std::string> PlayJob::outputs() const {
    std::vector<std::string> files{settings_.trace, settings_.save, settings_.certificate_json,
                                   settings_.report};
    for (Index i = 0; !settings_.ledger.empty() && i < play_.players(); ++i) files.push_back(ledger_path(i));
    return files;
}

}  // namespace proxstream
