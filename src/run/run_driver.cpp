#include "run/run_driver.hpp"

#include "core/stopwatch.hpp"
#include "store/store_file.hpp"

#include <utility>

namespace proxstream {

void RunDriver::begin(const std::string& store) {
    if (store.empty()) return run_.begin(false);
    begin(Journal::create(store, run_.identity(), run_.journal_options()));
}

void RunDriver::begin(Journal journal) {
    attach(std::move(journal));
    bool restored = false;
    journal_->restore([&](StateArchive& archive) {
        run_.serialise(archive);
        restored = true;
    });
    run_.open_accounts();
    run_.begin(restored);
}

void RunDriver::begin_at_state(Journal journal) {
    const std::string store = journal.path();
    try {
        attach(std::move(journal));
        run_.open_accounts();
        save();
    } catch (...) {
        // Without a state it is no fork, and its name would be taken.
        journal_.reset();
        remove_store(store);
        throw;
    }
}

void RunDriver::attach(Journal journal) {
    journal_ = std::move(journal);
    run_.attach(*journal_);
    journal_->when_saving([this](OutputMarks& marks) {
        run_.close_accounts(over_ ? run_.outcome().ending : RunEnding::interrupted);
        run_.mark_outputs(marks);
    });
}

bool RunDriver::turn() {
    complete_ = false;
    if (!run_.next()) return false;
    in_turn_ = true;
    const TurnResult result = run_.play();
    in_turn_ = false;
    complete_ = result.complete;
    // A turn that could not be written to an output is not stored: resume plays it again.
    const bool failed = run_.outcome().io_error;
    if (journal_ && complete_ && !failed) store_turn();
    return !result.last && !failed;
}

void RunDriver::store_turn() {
    TurnRecord record = run_.record();
    journal_->decision(record.decision);
    journal_->figures(record.figures);
    for (StoredAlarm& alarm : record.alarms) journal_->alarm(std::move(alarm));
    journal_->end_turn(state());
}

void RunDriver::drive(const std::function<void()>& on_turn) {
    RunOutcome& outcome = run_.outcome();
    const auto stopped = [&] { return stop_ != nullptr && *stop_; };
    double seconds = 0;
    try {
        const Stopwatch watch(seconds);
        for (bool more = true; more && !stopped();) {
            more = turn();
            if (complete_ && on_turn) on_turn();
        }
        if (stopped() && outcome.ending == RunEnding::finished) outcome.ending = RunEnding::interrupted;
    } catch (const DataError& error) {
        outcome.fail(&RunOutcome::data_error, error.what());
    } catch (const IoError& error) {
        outcome.fail(error);
    }
    outcome.seconds = seconds;
    finish();
}

void RunDriver::finish() {
    RunOutcome& outcome = run_.outcome();
    over_ = true;
    run_.certify(outcome.ending);
    // Before the files are completed, because the state has their ends.
    if (journal_) {
        outcome.guarded([&] {
            // Without a consistent state, resume plays the turns since the last saved one again.
            in_turn_ || outcome.io_error ? journal_->commit()
                                         : store_result(outcome.ending == RunEnding::finished);
        });
    }
    run_.finish();
    if (journal_ && journal_->finished() && !outcome.io_error)
        outcome.guarded([&] { journal_->note_files(run_.outputs()); });
}

void RunDriver::store_result(bool ended) {
    const RunResult result = run_.result();
    journal_->finish(state(), result.certificate, result.page, ended);
}

void RunDriver::save() {
    const Journal::Serialise serialise = state();
    journal_->commit(&serialise);
}

void RunDriver::close() {
    run_.certify(RunEnding::interrupted);
    store_result(false);
}

}  // namespace proxstream
