/// Going on from a checkpoint. The learner's state is in the checkpoint, the account of its rounds in the
/// ledger, and the stream is read again up to where the rounds ended: together they are the run as it was.
#include "proxstream/core/checkpoint.hpp"
#include "proxstream/core/error.hpp"
#include "proxstream/regret/ledger_reader.hpp"

#include "run/learn_outputs.hpp"
#include "run/setting_list.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace proxstream {
namespace {

/// What a checkpoint says beside the state of the learner.
struct RunState {
    LedgerMark mark;  // of the last round
    LearnProgress totals;
    std::uint64_t records = 0;  // of the stream, that the run has used up
    std::uint64_t checksum = 0;

    void exchange(Checkpoint& checkpoint) {
        checkpoint.exchange("ledger bytes", mark.bytes);
        checkpoint.exchange("ledger digest", mark.digest);
        checkpoint.exchange("rounds", totals.rounds);
        checkpoint.exchange("refused", totals.refused);
        checkpoint.exchange("rows", totals.rows);
        checkpoint.exchange("loss sum", totals.loss_sum);
        checkpoint.exchange("errors", totals.errors);
        checkpoint.exchange("steps", totals.steps);
        checkpoint.exchange("rounds on their budget", totals.on_budget);
        checkpoint.part("labels", totals.labels);
        checkpoint.exchange("squared errors", totals.squared_errors);
        checkpoint.exchange("absolute errors", totals.absolute_errors);
        checkpoint.exchange("records", records);
        checkpoint.exchange("checksum", checksum);
    }
};

bool same_windows(const RunHeader& a, const RunHeader& b) {
    return a.window_text == b.window_text && a.model == b.model &&
           std::equal(a.members.begin(), a.members.end(), b.members.begin(), b.members.end(), same_windows);
}

/// All differences at once, as refused settings are told.
void check_header(const LearnSettings& settings, const RunHeader& here, const RunHeader& there) {
    if (here == there) return;
    const auto value = [](const RunHeader& header, const std::string& name) -> std::string {
        for (const auto& [each, text] : header.settings) {
            if (each == name) return "'" + text + "'";
        }
        return "not known";
    };
    std::vector<std::string> violations;
    for (const auto& [name, text] : here.settings) {
        const std::string before = value(there, name);
        if (before != "'" + text + "'") {
            violations.push_back(fmt::format("resume = {}: {} was {} in the run of {}, and is '{}' now",
                                             settings.resume, name, before, settings.ledger, text));
        }
    }
    if (violations.empty()) {
        violations.push_back(
            fmt::format("resume = {}: the settings are those of {}, but step, start or noise come out "
                        "otherwise; have the data changed?",
                        settings.resume, settings.ledger));
    }
    throw ConfigError(violations);
}

[[noreturn]] void refuse_ledger(const LearnSettings& settings, Round round, const std::string& problem) {
    throw DataError(
        {.source = settings.ledger, .line = 0, .column = 0, .field = ""}, problem,
        fmt::format("the ledger that belongs to {}, made after round {}", settings.resume, round));
}

/// Adds up the rounds before the mark; returns it with all a writer needs.
LedgerMark follow_ledger(const LearnSettings& settings, const RunHeader& header, const RunState& state,
                         Tally& tally) {
    LedgerReader ledger(settings.ledger);
    check_header(settings, header, ledger.header());
    while (ledger.mark().bytes < state.mark.bytes) {
        if (!ledger.next()) refuse_ledger(settings, state.totals.rounds, "the ledger ends before that round");
        tally.add(ledger.report(), ledger.extras());
    }
    LedgerMark mark = ledger.mark();
    if (mark.bytes != state.mark.bytes || mark.digest != state.mark.digest)
        refuse_ledger(settings, state.totals.rounds, "the ledger is of another run");
    try {
        if (!ledger.next()) return mark;
        while (ledger.next()) {
        }
    } catch (const TruncatedLedger&) {
        return mark;  // of a run that was killed: its rounds will come again
    }
    refuse_ledger(settings, state.totals.rounds,
                  fmt::format("the ledger is whole and goes on to round {}; nothing of it shall be lost",
                              ledger.mark().order.last()));
}

}  // namespace

void LearnRun::resume() {
    Checkpoint checkpoint(read_whole_file(settings_.resume), settings_.resume);
    RunState state;
    checkpoint.part("run", state);
    const LedgerMark mark = follow_ledger(settings_, header_, state, outputs_->tally);
    exchange_state(checkpoint);
    checkpoint.finish();
    skip_records(state.records, settings_.resume);
    if (seen_.value() != state.checksum) refuse_stream(state.records, settings_.resume);
    completed_ = resumed_ = state.totals;
    labels_ = resumed_.labels;
    outputs_->ledger.emplace(settings_.ledger, header_, mark);
}

RunIdentity learn_identity(const LearnSettings& settings, const std::string& command) {
    RunIdentity identity;
    identity.kind = "learn";
    identity.command = command;
    identity.title = fmt::format(
        "{} + {} on {}", settings.loss, settings.reg,
        settings.data.empty() ? "what comes in" : fmt::format("{}", fmt::join(settings.data, ", ")));
    identity.settings = setting_list(learn_options(), settings);
    identity.channels = learn_channels();
    return identity;
}

void LearnRun::attach(Journal& journal) {
    const Turn turn = journal.restore([this](Checkpoint& checkpoint) { exchange(checkpoint); });
    record_in(journal);
    if (records_ > 0 && !fed_) read_again(journal.path());
    if (settings_.predictions.empty()) return;
    if (turn == 0 || settings_.predictions == "-") {
        outputs_->predictions.emplace(settings_.predictions);
    } else {
        outputs_->predictions.emplace(OutputFile::go_on(settings_.predictions, predictions_bytes_));
    }
}

/// The stream up to where the state was saved.
void LearnRun::read_again(const std::string& run) {
    const std::uint64_t count = std::exchange(records_, 0);
    const std::uint64_t expected = std::exchange(seen_, Checksum()).value();
    skip_records(count, run);
    if (seen_.value() != expected) refuse_stream(count, run);
}

void LearnRun::record_in(Journal& journal) {
    journal_ = &journal;
    resumed_ = completed_;
    // Held against what is stored: other data or settings show here.
    journal.open_account(0, header_);
    journal.when_saving([this] { journal_->close_account(0, footer(ending_)); });
}

void LearnRun::exchange(Checkpoint& checkpoint) {
    RunState state{.mark = {}, .totals = completed_, .records = records_, .checksum = seen_.value()};
    checkpoint.part("run", state);
    completed_ = state.totals;
    labels_ = completed_.labels;
    records_ = state.records;
    seen_ = Checksum(state.checksum);
    exchange_learner(checkpoint);
    // A fork's account begins with the window as it was: what is proved starts from there.
    if (checkpoint.reading()) begin_account();
    checkpoint.exchange("regret bound", regret_bound_);
    checkpoint.exchange("bytes of predictions", predictions_bytes_);
    checkpoint.part("tally", outputs_->tally);
    checkpoint.part("meter", meter_);
}

/// What makes the points to come: of a run that is fed, its stream too.
void LearnRun::exchange_learner(Checkpoint& checkpoint) {
    checkpoint.part("learner", *learner_);
    seconds_before_ = learner_->seconds();
    if (!fed_) return;
    if (checkpoint.reading()) problem_.stream().forget_ahead();
    checkpoint.part("stream", problem_.stream());
}

void LearnRun::begin_account() {
    header_ = run_header(settings_, problem_, settings_.learner, learner_->facts());
    outputs_->tally = Tally(header_);
}

void LearnRun::follow_stream(LearnRun& parent) {
    labels_ = resumed_.labels = completed_.labels = parent.labels_;
    if (!fed_) {
        records_ = parent.records_;
        seen_ = parent.seen_;
        return;
    }
    problem_.stream().forget_ahead();
    Checkpoint out;
    parent.problem_.stream().exchange(out);
    const std::string bytes = out.seal();
    Checkpoint in(bytes, "the stream of the run that is forked");
    problem_.stream().exchange(in);
}

void LearnRun::go_on_from(LearnRun& parent) {
    // Records kept for one window are not those another would have: fewer, or of other ages.
    if (!same_windows(header_, parent.header_)) throw Error("its windows are others");
    Checkpoint out;
    parent.exchange_learner(out);
    const std::string bytes = out.seal();
    Checkpoint in(bytes, "the state of the run that is forked");
    exchange_learner(in);
    in.finish();
    if (!fed_) follow_stream(parent);
    labels_ = resumed_.labels = completed_.labels = parent.labels_;
    // From here on it is judged by itself.
    const RoundReport report = learner_->revise([](View) {});
    if (report.status == RoundStatus::refused)
        throw Error("its window cannot be evaluated under the new settings");
    begin_account();
}

void LearnRun::exchange_state(Checkpoint& checkpoint) {
    checkpoint.part("learner", *learner_);
    checkpoint.part("meter", meter_);
}

void LearnRun::refuse_stream(std::uint64_t records, const std::string& run) const {
    throw DataError(
        {.source = problem_.stream().reader().source(), .line = 0, .column = 0, .field = ""},
        fmt::format("the first {} records are not those the run of {} has learned from", records, run),
        "the same data from their beginning");
}

/// Reads what was read before: scales, lags and forecasts are then what they were.
void LearnRun::skip_records(std::uint64_t count, const std::string& run) {
    RecordStream& stream = problem_.stream();
    RowBlock record = stream.make_record();
    while (records_ < count) {
        const bool there = stream.next(record);
        if (stop_ != nullptr && *stop_)
            throw Error("interrupted before the first new round; nothing was changed");
        if (!there) {
            throw DataError({.source = stream.reader().source(), .line = 0, .column = 0, .field = ""},
                            fmt::format("the stream ends after {} records", records_),
                            fmt::format("the {} records the run of {} has learned from", count, run));
        }
        if (ForecastFeed* forecasts = problem_.forecasts()) forecasts->next();
        for (const Real target : record.targets()) sampler_.add(target);
        count_record(record);
    }
}

void LearnRun::count_record(const RowBlock& record) {
    ++records_;
    record.add_to(seen_);
}

void LearnRun::save_checkpoint(const LedgerMark& mark) {
    RunState state{.mark = mark, .totals = completed_, .records = records_, .checksum = seen_.value()};
    Checkpoint checkpoint;
    checkpoint.part("run", state);
    exchange_state(checkpoint);
    write_whole_file(settings_.checkpoint, checkpoint.seal());
}

}  // namespace proxstream
