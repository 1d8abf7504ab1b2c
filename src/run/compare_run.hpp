/// Several learners on one stream, side by side: the same rows, the same order, each deciding before it sees.
#pragma once

#include "proxstream/regret/certificate.hpp"

#include "run/label_range.hpp"
#include "run/problem.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace proxstream {

/// One line of the comparison. Regrets are measured by the same referee for everyone, at the common window
/// and step.
struct CompareEntry {
    std::string learner;  // its textual form
    Round rounds = 0;
    Round refused = 0;
    Real loss = 0;                 // mean of f_t(x_t), predicted before learning
    Real windowed_loss = 0;        // mean of S_{t,w}(x_t): how the recent window looks from where it plays
    Real regret = 0;               // Reg_w(T)
    Real regret_one = 0;           // Reg_1(T)
    Real error_rate = 0;           // where labels are classes
    Real mean_squared_error = 0;   // where they are numbers: of predictions in the units of the data,
    Real mean_absolute_error = 0;  // clipped to the range of the labels before
    Index nonzeros = 0;            // of the final point
    Real movement = 0;             // sum of |x_{t+1} - x_t| over the points it played
    Round active = 0;              // rounds in which that point moved
    std::uint64_t changed = 0;     // coordinates that moved, over all rounds
    std::uint64_t record_gradients = 0;  // the learner's own
    double seconds = 0;                  // the learner's own
    Certificate certificate;
};

struct CompareOutcome {
    std::vector<CompareEntry> entries;
    std::uint64_t rows = 0;
    bool classes = false;  // whether error rates mean anything
    bool numbers = false;  // whether squared and absolute errors do
    bool interrupted = false;
    std::string data_error;  // what stopped the stream, if a row did
};

class CompareRun {
  public:
    CompareRun(const LearnSettings& settings, const std::vector<std::string>& learners, StopFlag stop);
    ~CompareRun();

    const Problem& problem() const noexcept { return problem_; }
    /// `on_round` is told the rounds so far.
    CompareOutcome run(const std::function<void(Round)>& on_round);

  private:
    struct Lane;
    void play(Lane& lane, const RowBlock& record);

    StopFlag stop_;
    Round last_round_;  // 0: of the stream
    Problem problem_;
    std::vector<std::unique_ptr<Lane>> lanes_;
    LabelRange labels_;  // of the rows before
    Scratch scratch_;
};

}  // namespace proxstream
