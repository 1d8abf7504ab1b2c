/// One run of `learn`: predict, reveal, learn, account; and at the end, whatever ended it, a certificate.
#pragma once

#include "proxstream/core/state_archive.hpp"
#include "proxstream/regret/certificate.hpp"

#include "core/checksum.hpp"
#include "run/best_constant.hpp"
#include "run/label_range.hpp"
#include "run/problem.hpp"
#include "store/journal.hpp"

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace proxstream {

/// Where a run stands, for whoever shows its progress.
struct LearnProgress {
    Round rounds = 0;  // learned from; refused rounds are not counted
    Round refused = 0;
    std::uint64_t rows = 0;
    Real loss_sum = 0;         // of f_t(x_t), predicted before learning
    std::uint64_t errors = 0;  // rows whose predicted label was wrong, where labels are classes
    Real regret = 0;           // Reg_w so far
    std::uint64_t steps = 0;
    Round on_budget = 0;  // rounds that ended on their budget
    // Of predictions of numbers, as reported, in the units of the data.
    LabelRange labels;        // of all rows so far
    Real squared_errors = 0;  // their sum
    Real absolute_errors = 0;
    const RoundReport* last = nullptr;
    const EnsembleRound* ensemble = nullptr;  // of the last round, when an ensemble plays
    ConstView point;                          // x_{t+1}
};

struct LearnOutcome {
    LearnProgress totals;
    RunEnding ending = RunEnding::finished;
    Certificate certificate;
    std::vector<std::string> problems;  // what went wrong, each in a sentence; empty when nothing did
    bool data_error = false;            // a row stopped the run
    bool io_error = false;              // an output could not be written
    std::optional<BestConstant> best_constant;
    double seconds = 0;  // wall clock of the whole loop, reading included
};

class LearnRun {
  public:
    /// Opens inputs and outputs. `start`: x_1; empty: that of the settings.
    LearnRun(const LearnSettings& settings, StopFlag stop, ConstView start = {});
    /// On rows that come from elsewhere, a record at a time: play_next().
    LearnRun(const LearnSettings& settings, std::unique_ptr<RowReader> rows, ConstView start = {});
    ~LearnRun();

    /// From now on the run writes itself down there; it goes on where that store ends. Call once, before the
    /// first round. The journal has to outlive the run.
    void attach(Journal& journal);
    /// The same for a run whose state somebody else has read, with his own (serialise()).
    void record_in(Journal& journal);

    const Problem& problem() const noexcept { return problem_; }
    const RunHeader& header() const noexcept { return header_; }
    /// Where the run was when it was saved; nothing unless it continues a stored run.
    const LearnProgress& resumed() const noexcept { return resumed_; }

    /// Runs to the end of the stream, to a stop request, or to the first thing that cannot be ignored.
    /// Whatever happens, the certificate covers the rounds that were played, and the model is saved.
    LearnOutcome run(const std::function<void(const LearnProgress&)>& on_round);

    // What run() is made of, for runs that are fed.

    /// Plays the next record, if there is one: its row is in the journal, the turn goes on. False: nothing
    /// was there to be played, or the run has to end.
    bool play_next(LearnOutcome& outcome);
    /// The turn is over: its decision and figures go to the journal. Throws IoError.
    void end_turn();
    /// Of the last record, in the units of the data: made before it was learned from. Numbers are clipped to
    /// the range of the labels before it.
    ConstView predictions() const noexcept { return predictions_; }
    const RoundReport& last() const noexcept { return last_; }
    const AnyLearner& learner() const noexcept { return *learner_; }
    /// By the names of learn_channels(): of the last round.
    std::vector<Real> figures() const;
    Certificate certificate(RunEnding ending) const;
    /// What was decided for the last record, as JSON.
    std::string decision() const;
    /// All that rounds to come depend on.
    void serialise(StateArchive& archive);
    /// Takes over point, window and stream of another run, and begins an account of its own there. Throws
    /// DataError or Error if the learners do not fit together; this run is then of no use.
    void go_on_from(LearnRun& parent);
    /// Takes over the stream alone: scales and past values of what was fed to the other run, or how far it
    /// has read a file.
    void follow_stream(LearnRun& parent);
    /// Predictions for records as the stream would give them now; nothing changes. `feed` puts their rows in.
    std::vector<Real> predict_aside(const std::function<void()>& feed);

  private:
    struct Outputs;

    bool play(RowBlock& record, LearnOutcome& outcome);
    LearnRun(const LearnSettings& settings, StopFlag stop, Problem problem, bool fed, ConstView start = {});

    Real reported(Real prediction) const;
    void predict(const RowBlock& record, LearnProgress& totals);
    void write_predictions(LearnOutcome& outcome);
    RunFooter footer(RunEnding ending) const;
    void finish(LearnOutcome& outcome);

    void read_again(const std::string& run);
    void skip_records(std::uint64_t count, const std::string& run);
    [[noreturn]] void refuse_stream(std::uint64_t records, const std::string& run) const;
    void count_record(const RowBlock& record);
    void serialise_learner(StateArchive& archive);
    void begin_account();

    LearnSettings settings_;
    StopFlag stop_;
    Problem problem_;
    std::unique_ptr<AnyLearner> learner_;
    RegretMeter<AnyRegulariser, AnyBatch> meter_;
    RunHeader header_;
    std::unique_ptr<Outputs> outputs_;
    BestConstantSampler sampler_;
    std::vector<Real> played_;  // x_t, kept for the meter while the learner moves on
    std::vector<Real> predictions_;
    RoundReport last_;
    LabelRange labels_;  // of the rows played so far
    LearnProgress resumed_;
    LearnProgress completed_;    // as of the last record that is used up
    std::uint64_t records_ = 0;  // of those, counted for a store
    Checksum seen_;
    bool fed_ = false;
    Journal* journal_ = nullptr;
    RunEnding ending_ = RunEnding::interrupted;  // how it would end if it ended here
    Real regret_bound_ = 0;                      // what C2 allows for the regret so far
    double seconds_before_ = 0;                  // the learner's, before the last round
    double seconds_of_last_ = 0;                 // in it
    std::uint64_t predictions_bytes_ = 0;
    RowBlock record_;
    Scratch scratch_;
};

/// The figures of a turn that a store keeps, by their names.
const std::vector<std::string>& learn_channels();
/// What a store says of a run of `learn` before its first turn.
RunIdentity learn_identity(const LearnSettings& settings, const std::string& command);

/// What a ledger's header says about a run of `learner`.
RunHeader run_header(const LearnSettings& settings, const Problem& problem, const std::string& learner_text,
                     const LearnerFacts& facts);

}  // namespace proxstream
