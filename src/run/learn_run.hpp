/// One run of `learn`: predict, reveal, learn, account. However it ends, it writes a certificate.
#pragma once

#include "proxstream/core/state_archive.hpp"
#include "proxstream/regret/certificate.hpp"

#include "io/output_file.hpp"
#include "run/best_constant.hpp"
#include "run/input_mark.hpp"
#include "run/label_range.hpp"
#include "run/learn_account.hpp"
#include "run/metrics_file.hpp"
#include "run/prediction_file.hpp"
#include "run/previous_label.hpp"
#include "run/run_driver.hpp"

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace proxstream {

/// The figures of a run so far.
struct LearnProgress {
    Round rounds = 0;  // learned from; refused rounds are not counted
    Round refused = 0;
    std::uint64_t rows = 0;
    std::uint64_t unlabelled = 0;  // rows that were predicted and not learned from
    Real loss_sum = 0;             // of f_t(x_t), predicted before learning
    std::uint64_t errors = 0;      // rows whose predicted label was wrong, where labels are classes
    Real regret = 0;               // Reg_w so far
    std::uint64_t steps = 0;
    Round on_budget = 0;     // rounds that used their whole budget
    LabelRange labels;       // of all rows so far, where they are numbers
    Real largest_score = 0;  // of a prediction of a sign, in absolute value
    const RoundReport* last = nullptr;
    const EnsembleRound* ensemble = nullptr;  // of the last round; null: the learner is not an ensemble
    ConstView point;                          // x_{t+1}

    void serialise(StateArchive& archive);
};

struct LearnOutcome : RunOutcome {
    LearnProgress totals;
    Metrics metrics;  // of predictions as reported
    PreviousLabel previous;
    Certificate certificate;
    std::optional<BestConstant> best_constant;
    bool keeps_model = false;  // the rows ended in an error, so the file to save to was left as it was
};

RunIdentity learn_identity(const LearnSettings& settings, const RunOrigin& origin);

/// The names of the figures of a turn.
const std::vector<std::string>& learn_channels();

class LearnRun final : public TurnRun {
  public:
    /// Opens the inputs. `start`: x_1; empty: that of the settings.
    explicit LearnRun(const LearnSettings& settings, StopFlag stop = nullptr, RunOrigin origin = {},
                      ConstView start = {});
    /// Uses the rows that the caller feeds to the reader.
    LearnRun(const LearnSettings& settings, std::unique_ptr<RowReader> rows, ConstView start = {});

    const Problem& problem() const noexcept { return problem_; }
    const RunHeader& header() const noexcept { return account_.header; }
    const AnyLearner& learner() const noexcept { return *learner_; }
    const RoundReport& last() const noexcept { return last_.report; }
    const LearnProgress& totals() const noexcept { return outcome_.totals; }
    /// The totals when the run was continued from a store.
    const LearnProgress& resumed() const noexcept { return resumed_; }
    Certificate certificate(RunEnding ending) const;

    RunIdentity identity() const override { return learn_identity(settings_, origin_); }
    JournalOptions journal_options() const override;
    LearnOutcome& outcome() override { return outcome_; }
    void begin(bool restored) override;
    void open_accounts() override;
    void close_accounts(RunEnding ending) override;
    bool next() override;
    TurnResult play() override;
    TurnRecord record() const override;
    void serialise(StateArchive& archive) override;
    void mark_outputs(OutputMarks& marks) override;
    std::vector<std::string> outputs() const override;
    void certify(RunEnding ending) override;
    RunResult result() const override;
    void finish() override;

    /// Copies point, window and stream of another run, and starts an account of its own there. Throws
    /// DataError or Error if the learners do not fit together; this run is then unusable.
    void continue_from(LearnRun& parent);
    /// Copies only the stream: scales and past values of the rows fed to the other run, or its position in a
    /// file.
    void follow_stream(LearnRun& parent);
    /// Predictions in the units of the data. Without lags, numbers are clipped to the range of the labels so
    /// far.
    struct PredictedRows {
        std::vector<Real> values = {};
        std::vector<Real> probabilities = {};  // of all classes, row by row; empty if the loss has none

        ConstView probabilities_of(Index row) const {
            const Index classes = probabilities.size() / values.size();
            return ConstView(probabilities).subspan(row * classes, classes);
        }
    };
    /// Predicts the records that `feed` adds to the stream. Nothing changes.
    PredictedRows predict_aside(const std::function<void()>& feed);

  private:
    /// The last round.
    struct LastRound {
        RowBlock record;
        std::vector<Real> played;       // x_t, kept while the learner moves
        PredictedRows predicted = {};   // made before the record was learned from
        PredictedRows unlabelled = {};  // the rows without a label that came before it
        RoundReport report = {};
        double seconds = 0;  // seconds spent on learning
    };
    struct PredictionFile {
        PredictionFormat format;
        std::optional<OutputFile> file = {};
        std::string lines = {};
    };
    struct MetricsOutput {
        std::optional<MetricsFile> file;
        std::uint64_t rows = 0;  // in its last line
    };

    LearnRun(const LearnSettings& settings, StopFlag stop, RunOrigin origin, Problem problem, bool fed,
             ConstView start);
    Real reported(Real prediction) const;
    void predict(const RowBlock& rows, PredictedRows& to, Index first = 0);
    void predict_unlabelled();
    void predict_record();
    void write_predictions(const PredictedRows& rows, ConstView labels, std::span<const std::string> keys);
    void prepare_outputs();
    void score(Real loss);
    void open_predictions();
    void close_predictions();
    void note_partial(const std::string& path, bool keeps);
    void write_report();
    void learn(RowExtras& extras);
    RunFooter footer(RunEnding ending) const;
    void read_again();
    void serialise_learner(StateArchive& archive);
    void begin_account();

    LearnSettings settings_;
    StopFlag stop_;
    Problem problem_;
    std::unique_ptr<AnyLearner> learner_;
    LearnAccount account_;
    PredictionFile predictions_;
    MetricsOutput metrics_;
    Series series_{learn_channels().size()};  // for the report page, if the run has no store
    BestConstantSampler sampler_;
    LastRound last_;
    InputMark input_;  // maintained only if the run has a store
    LearnProgress resumed_;
    std::uint64_t predicted_before_ = 0;  // rows without a label, behind the last record of the saved state
    LearnOutcome outcome_;
    bool fed_;
    Scratch scratch_;
};

/// The header of the ledger of a run of `learner`.
RunHeader run_header(const LearnSettings& settings, const std::string& learner_text,
                     const AnyLearner& learner);

}  // namespace proxstream
