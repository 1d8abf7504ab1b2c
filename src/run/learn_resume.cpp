/// Continuing a stored run: the store has the state, and the stream is read again up to where the rounds
/// ended.
#include "proxstream/core/error.hpp"
#include "proxstream/core/state_archive.hpp"

#include "run/learn_outputs.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace proxstream {
namespace {

/// What a saved state says besides the state of the learner.
struct RunState {
    LearnProgress totals;
    std::uint64_t records = 0;  // of the stream, that the run has used up
    std::uint64_t checksum = 0;

    void serialise(StateArchive& archive) {
        archive.field("rounds", totals.rounds);
        archive.field("refused", totals.refused);
        archive.field("rows", totals.rows);
        archive.field("loss sum", totals.loss_sum);
        archive.field("errors", totals.errors);
        archive.field("steps", totals.steps);
        archive.field("rounds on their budget", totals.on_budget);
        archive.section("labels", totals.labels);
        archive.field("squared errors", totals.squared_errors);
        archive.field("absolute errors", totals.absolute_errors);
        archive.field("records", records);
        archive.field("checksum", checksum);
    }
};

bool same_windows(const RunHeader& a, const RunHeader& b) {
    return a.window_text == b.window_text && a.model == b.model &&
           std::equal(a.members.begin(), a.members.end(), b.members.begin(), b.members.end(), same_windows);
}

}  // namespace

RunIdentity learn_identity(const LearnSettings& settings, const std::string& command) {
    RunIdentity identity;
    identity.kind = "learn";
    identity.command = command;
    identity.title = fmt::format(
        "{} + {} on {}", settings.loss, settings.reg,
        settings.data.empty() ? "what comes in" : fmt::format("{}", fmt::join(settings.data, ", ")));
    identity.settings = setting_list(settings);
    identity.channels = learn_channels();
    return identity;
}

void LearnRun::attach(Journal& journal) {
    const Turn turn = journal.restore([this](StateArchive& archive) { serialise(archive); });
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

void LearnRun::serialise(StateArchive& archive) {
    RunState state{.totals = completed_, .records = records_, .checksum = seen_.value()};
    archive.section("run", state);
    completed_ = state.totals;
    labels_ = completed_.labels;
    records_ = state.records;
    seen_ = Checksum(state.checksum);
    serialise_learner(archive);
    // A fork's account begins with the window as it was: what is proved starts from there.
    if (archive.reading()) begin_account();
    archive.field("regret bound", regret_bound_);
    archive.field("bytes of predictions", predictions_bytes_);
    archive.section("tally", outputs_->tally);
    archive.section("meter", meter_);
}

/// What makes the points to come: of a run that is fed, its stream too.
void LearnRun::serialise_learner(StateArchive& archive) {
    archive.section("learner", *learner_);
    seconds_before_ = learner_->seconds();
    if (!fed_) return;
    if (archive.reading()) problem_.stream().forget_ahead();
    archive.section("stream", problem_.stream());
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
    StateArchive out;
    parent.problem_.stream().serialise(out);
    const std::string bytes = out.seal();
    StateArchive in(bytes, "the stream of the run that is forked");
    problem_.stream().serialise(in);
}

void LearnRun::go_on_from(LearnRun& parent) {
    // Records kept for one window are not those another would have: fewer, or of other ages.
    if (!same_windows(header_, parent.header_)) throw Error("its windows are others");
    StateArchive out;
    parent.serialise_learner(out);
    const std::string bytes = out.seal();
    StateArchive in(bytes, "the state of the run that is forked");
    serialise_learner(in);
    in.finish();
    if (!fed_) follow_stream(parent);
    labels_ = resumed_.labels = completed_.labels = parent.labels_;
    // From here on it is judged by itself.
    const RoundReport report = learner_->revise([](View) {});
    if (report.status == RoundStatus::refused)
        throw Error("its window cannot be evaluated under the new settings");
    begin_account();
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

}  // namespace proxstream
