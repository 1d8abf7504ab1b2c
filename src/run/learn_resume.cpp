/// A run of `learn` in its store: its identity, its state, and how it is continued or forked.
#include "proxstream/core/error.hpp"
#include "proxstream/core/state_archive.hpp"

#include "run/learn_run.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace proxstream {

RunIdentity learn_identity(const LearnSettings& settings, const RunOrigin& origin) {
    const std::string data =
        settings.data.empty() ? "its input" : fmt::format("{}", fmt::join(settings.data, ", "));
    return make_identity("learn", fmt::format("{} + {} on {}", settings.loss, settings.reg, data),
                         setting_list(settings), learn_channels(), origin);
}

JournalOptions LearnRun::journal_options() const {
    return proxstream::journal_options(settings_, settings_.max_seconds < kInfinity, origin_.version);
}

/// They are compared with the stored ones, which reveals other data or settings.
void LearnRun::open_accounts() {
    journal_->open_account(0, header());
}

void LearnRun::close_accounts(RunEnding ending) {
    journal_->close_account(0, footer(ending), account_.tally);
}

/// Restores scales, lags and forecasts by reading the input again up to the state.
void LearnRun::read_again() {
    RecordStream& stream = problem_.stream();
    RowBlock record = stream.make_record();
    input_.read_again(
        {.what = "stream", .source = stream.reader().source(), .store = journal_->path()}, stop_, [&] {
            if (!stream.next(record)) return false;
            if (ForecastFeed* forecasts = problem_.forecasts()) forecasts->next();
            for (Index row = 0; row < record.rows(); ++row)
                sampler_.add(record.target(row), record.weight(row));
            predicted_before_ -= std::min<std::uint64_t>(predicted_before_, stream.unlabelled().rows());
            ++input_.records;
            record.add_to(input_.seen);
            return true;
        });
}

void LearnProgress::serialise(StateArchive& archive) {
    archive.fields(Field{"rounds", rounds}, Field{"refused", refused}, Field{"rows", rows},
                   Field{"rows without a label", unlabelled}, Field{"loss sum", loss_sum},
                   Field{"errors", errors}, Field{"steps", steps}, Field{"rounds on their budget", on_budget},
                   Field{"labels", labels}, Field{"largest score", largest_score});
}

void LearnRun::serialise(StateArchive& archive) {
    archive.fields(Field{"run", outcome_.totals}, Field{"metrics", outcome_.metrics},
                   Field{"previous label", outcome_.previous}, Field{"input", input_});
    serialise_learner(archive);
    if (archive.reading()) begin_account();
    archive.fields(Field{"rows in the metrics file", metrics_.rows}, Field{"account", account_});
}

void LearnRun::mark_outputs(OutputMarks& marks) {
    if (predictions_.file) predictions_.file->mark(marks);
    if (metrics_.file) metrics_.file->mark(marks);
}

std::vector<std::string> LearnRun::outputs() const {
    return {settings_.predictions,      settings_.metrics, settings_.ledger,
            settings_.certificate_json, settings_.report,  settings_.save};
}

/// The state that later points depend on. If records are fed, the stream is part of it.
void LearnRun::serialise_learner(StateArchive& archive) {
    archive.section("learner", *learner_);
    if (!fed_) return;
    if (archive.reading()) problem_.stream().forget_ahead();
    archive.section("stream", problem_.stream());
}

void LearnRun::begin_account() {
    account_.begin(run_header(settings_, settings_.learner, *learner_));
}

void LearnRun::follow_stream(LearnRun& parent) {
    outcome_.totals.labels = parent.outcome_.totals.labels;
    if (!fed_) {
        input_ = parent.input_;
        return;
    }
    problem_.stream().forget_ahead();
    StateArchive out;
    parent.problem_.stream().serialise(out);
    const std::string bytes = out.seal();
    StateArchive in(bytes, "the stream of the parent run");
    problem_.stream().serialise(in);
}

void LearnRun::continue_from(LearnRun& parent) {
    // A store of records for one window does not serve another one: it has fewer records, or other ages.
    if (!same_windows(learner_->facts(), parent.learner_->facts())) throw Error("its windows differ");
    StateArchive out;
    parent.serialise_learner(out);
    const std::string bytes = out.seal();
    StateArchive in(bytes, "the state of the parent run");
    serialise_learner(in);
    in.finish();
    if (!fed_) follow_stream(parent);
    outcome_.totals.labels = parent.outcome_.totals.labels;
    // Evaluates the losses of its window under the new settings.
    if (learner_->revise([](View) {}).status == RoundStatus::refused)
        throw Error("its window cannot be evaluated under the new settings");
    begin_account();
}

}  // namespace proxstream
