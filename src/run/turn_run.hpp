/// The interface of a run: it is played turn by turn. RunDriver plays the turns, stores them, and ends the
/// run.
#pragma once

#include "proxstream/core/error.hpp"
#include "proxstream/core/state_archive.hpp"
#include "proxstream/regret/run_record.hpp"

#include "online/learner.hpp"
#include "store/journal.hpp"

#include <cerrno>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace proxstream {

/// Program and command of a run.
struct RunOrigin {
    std::string version;
    std::string command;
};

/// How a run ended. Each kind of run adds its figures.
struct RunOutcome {
    RunEnding ending = RunEnding::finished;
    std::vector<std::string> problems = {};  // each in a sentence
    bool data_error = false;                 // a bad record stopped the run
    bool io_error = false;                   // an output could not be written
    bool reader_gone = false;                // the reader of a pipe closed it, which caused io_error
    std::uint64_t refused = 0;               // turns whose loss was not finite
    bool sound = true;                       // no inequality of the certificate is violated
    double seconds = 0;                      // seconds of the whole loop, including reading

    void fail(bool RunOutcome::*error, const std::string& problem) {
        this->*error = true;
        ending = RunEnding::failed;
        // An output that has failed fails again when it is closed.
        if (problems.empty() || problems.back() != problem) problems.push_back(problem);
    }
    /// If the reader of a pipe closes it, the run ends as after a stop request, without a problem.
    void fail(const IoError& error) {
        if (error.error_number() != EPIPE) return fail(&RunOutcome::io_error, error.what());
        io_error = reader_gone = true;
        ending = RunEnding::interrupted;
    }
    /// Returns whether `write` succeeded. A failure is noted and ends the run.
    template <class Write>
    bool guarded(Write write) {
        try {
            write();
            return true;
        } catch (const IoError& error) {
            fail(error);
            return false;
        }
    }
    /// The same for an output that stays open. It is closed after a failure.
    template <class Output, class Write>
    void guarded(std::optional<Output>& output, Write write) {
        if (output && !guarded([&] { write(*output); })) output.reset();
    }
    /// Writes the result of a run, the `what`. If that fails, it is rescued, so that it is not lost.
    void save_or_rescue(const std::string& path, const std::string& text, const std::string& what);
    /// Writes the result to a new file in the temporary folder, which a problem names.
    void rescue(const std::string& text, const std::string& what);
};

/// The result of TurnRun::play.
struct TurnResult {
    bool complete = true;  // false: no turn was completed, so none is stored
    bool last = false;     // no turn may follow
};

/// What a store keeps for each turn.
struct TurnRecord {
    std::string decision = {};       // JSON
    std::vector<Real> figures = {};  // by the channels of the identity
    std::vector<StoredAlarm> alarms = {};
};

/// What a store keeps, as JSON, when a run stops.
struct RunResult {
    std::string certificate = {};
    std::string page = {};  // data of the report page; may be empty
};

class TurnRun {
  public:
    explicit TurnRun(RunOrigin origin = {}) : origin_(std::move(origin)) {}
    TurnRun(const TurnRun&) = delete;
    TurnRun& operator=(const TurnRun&) = delete;
    virtual ~TurnRun() = default;

    /// The facts that a store has before the first turn.
    virtual RunIdentity identity() const = 0;
    virtual JournalOptions journal_options() const = 0;
    virtual RunOutcome& outcome() = 0;

    /// Called once before the first turn, after the state was restored if there is one. Opens outputs, and
    /// reads the input again up to that state.
    virtual void begin(bool restored) = 0;
    /// Opens the ledgers that the journal has from the beginning.
    virtual void open_accounts() {}
    /// Writes the footers of all open ledgers to the journal.
    virtual void close_accounts(RunEnding ending) = 0;

    /// Reads the input of the next turn. Returns false if there is none. If it throws, no turn has begun.
    virtual bool next() = 0;
    /// Plays the turn, and writes its ledger rows to the journal.
    virtual TurnResult play() = 0;
    /// The last turn.
    virtual TurnRecord record() const = 0;
    /// Everything that later turns depend on, except the contents of files. Called between two turns.
    virtual void serialise(StateArchive& archive) = 0;
    /// Marks the files that grow with the run. Called before a state is saved.
    virtual void mark_outputs(OutputMarks& /*marks*/) {}
    /// The paths of all files that the run writes.
    virtual std::vector<std::string> outputs() const { return {}; }

    /// Brings the outcome up to date: certificates and figures as if the run ended here.
    virtual void certify(RunEnding ending) = 0;
    /// As of the last call of certify().
    virtual RunResult result() const = 0;
    /// Completes the output files. No turn may follow.
    virtual void finish() = 0;

    /// The journal must outlive the run. Call it before the state is restored.
    void attach(Journal& journal) {
        journal_ = &journal;
        origin_.command = journal.identity().command;
    }

  protected:
    /// Whether the run stops after so many `turns`; 0: it has no such limit. Stored turns are played again up
    /// to the last one, whatever the limit is now.
    bool at_limit(std::uint64_t turns, std::uint64_t limit) const {
        return limit > 0 && turns >= limit && (journal_ == nullptr || !journal_->replaying());
    }

    RunOrigin origin_;
    Journal* journal_ = nullptr;  // null: the run is not stored
};

RunIdentity make_identity(std::string kind, std::string title, SettingList settings,
                          std::vector<std::string> channels, const RunOrigin& origin);
/// Whether a learner can start from the state of another one, which needs the same records in the store.
bool same_windows(const RunHeader& a, const RunHeader& b);

}  // namespace proxstream
