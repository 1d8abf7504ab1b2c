/// Several learners on one stream: the same rows in the same order, each predicted before it is learned from.
#pragma once

#include "proxstream/regret/certificate.hpp"

#include "run/label_range.hpp"
#include "run/loss_curve.hpp"
#include "run/problem.hpp"

#include <exception>
#include <functional>
#include <string>
#include <vector>

namespace proxstream {

struct CompareOptions {
    Index tune = 0;              // first rounds on which parameters are chosen; 0: they are not
    Index score_after = 0;       // first rounds that the figures leave out
    Index seeds = 1;             // for learners that draw
    bool skip_unsuited = false;  // leave out learners that do not suit the data, instead of ConfigError
};

/// One line of the comparison. Figures are means over seeds, and cover the scored rounds that the learner
/// accepted. Regrets use a common window and step, so that they can be compared.
struct CompareEntry {
    std::string learner;   // its text, with the parameter that was chosen
    Index candidates = 1;  // values that were tried
    Index chosen = 0;      // which of them
    Index seeds = 1;       // runs
    Round rounds = 0;      // scored
    Round refused = 0;     // of all rounds
    Round failed = 0;      // the first round that it refused and another learner accepted; 0: none
    Real loss = 0;         // mean of f_t(x_t), predicted before learning
    Real least_loss = 0;   // of its seeds
    Real greatest_loss = 0;
    Real windowed_loss = 0;              // mean of S_{t,w}(x_t), the mean loss over the recent window
    Real regret = 0;                     // Reg_w(T)
    Real regret_one = 0;                 // Reg_1(T)
    Real error_rate = 0;                 // of classes
    Real mean_squared_error = 0;         // of numbers, in the units of the data
    Real mean_absolute_error = 0;        // likewise; predictions are clipped to the range of earlier labels
    Index nonzeros = 0;                  // of the final point
    Real movement = 0;                   // sum of |x_{t+1} - x_t| over the points that were played
    Round active = 0;                    // rounds in which that point moved
    std::uint64_t changed = 0;           // coordinates that moved, over all rounds
    std::uint64_t record_gradients = 0;  // the learner's own
    std::uint64_t base_samples = 0;      // likewise
    double seconds = 0;                  // likewise
    LossCurve curve;                     // of all rounds of the first seed
    Certificate certificate;             // likewise
    std::vector<std::string> unsound;    // conclusions of certificates that do not hold
};

struct CompareOutcome {
    std::vector<CompareEntry> entries;
    std::uint64_t rows = 0;
    std::uint64_t scored_rows = 0;
    std::uint64_t tuned_rows = 0;
    Round refused = 0;     // rounds that every learner refused
    bool classes = false;  // labels are classes, so error rates are defined
    bool numbers = false;  // labels are numbers, so squared and absolute errors are defined
    bool interrupted = false;
    std::string data_error;             // the bad row that stopped the stream; empty: none
    std::vector<std::string> left_out;  // learners that do not suit the data, with the reason
};

/// While a comparison runs.
struct CompareProgress {
    bool tuning = false;
    Round rounds = 0;
    std::uint64_t rows = 0;
    Real loss = 0;  // mean so far, of the first learner
};

class CompareRun {
  public:
    CompareRun(const LearnSettings& settings, const std::vector<std::string>& learners, StopFlag stop,
               const CompareOptions& options = {});
    ~CompareRun();

    const Problem& problem() const noexcept { return problem_; }
    const CompareProgress& progress() const noexcept { return progress_; }
    /// Calls `on_round` after each round, also while tuning.
    CompareOutcome run(const std::function<void(Round)>& on_round);

  private:
    struct Runner;
    struct Line;

    void add_line(const std::string& text);
    void start(Line& line);
    void tune(const std::function<void(Round)>& on_round);
    void play_all(const std::function<void(Round)>& on_round);
    /// One round of all runs; false if all of them refuse it.
    bool play_round(const RowBlock& record);
    void play(Runner& runner, const RowBlock& record);
    void measure_errors(Runner& runner, const RowBlock& record);
    static CompareEntry figures_of(Runner& run, RunEnding ending);
    static CompareEntry entry_of(Line& line, RunEnding ending);
    bool stopped() const { return stop_ != nullptr && *stop_; }
    bool scoring() const { return progress_.rounds >= options_.score_after; }

    StopFlag stop_;
    CompareOptions options_;
    LearnSettings settings_;
    Problem problem_;
    std::vector<Line> lines_;
    CompareProgress progress_;
    CompareOutcome outcome_;
    LabelRange labels_;  // of earlier rows
    Scratch scratch_;
};

struct RoundCount {
    Round rounds = 0;
    std::exception_ptr error = nullptr;  // of the row that ended the count, if it could not be read
};

/// Counts the rounds of a run, at most `most` (0: no limit), by reading the rows.
RoundCount count_rounds(const LearnSettings& settings, Round most, StopFlag stop = nullptr);

}  // namespace proxstream
