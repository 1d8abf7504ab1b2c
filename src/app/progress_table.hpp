/// The table a person watches while the stream flows: a line at rounds 1, 2, 4, 8, ... (or every N), and on a
/// terminal one more line, redrawn in place a few times a second. Piped output gets the plain lines only.
#pragma once

#include "app/drive_run.hpp"
#include "run/learn_run.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace proxstream::app {

class ProgressTable {
  public:
    /// `every` = 0: at powers of two. `members` names those of an ensemble; empty: there is none. Without
    /// `measured` the exact gaps are unknown, and the column shows the tested ones.
    ProgressTable(Index every, bool classes, std::vector<std::string> members, bool measured,
                  bool verbose = false);

    void on_round(const LearnProgress& progress);
    /// The last line, if the run did not end on one, and a clean cursor.
    void finish(const LearnProgress& progress);

  private:
    bool due(Round rounds) const;
    std::string heaviest() const;
    void print_line(const LearnProgress& progress);
    void draw_status(const LearnProgress& progress);
    void clear_status();

    bool classes_;
    bool measured_;
    bool verbose_;
    std::vector<std::string> members_;
    std::vector<Real> weights_;  // since the last line
    bool terminal_;
    LineSchedule schedule_;
    Round printed_ = 0;
    Real loss_at_last_line_ = 0;
    std::uint64_t steps_at_last_line_ = 0;
    bool status_shown_ = false;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    std::chrono::steady_clock::time_point drawn_ = start_;
};

}  // namespace proxstream::app
