/// The table a person watches while the stream flows: a line at rounds 1, 2, 4, 8, ... (or every N), and on a
/// terminal one more line, redrawn in place a few times a second. Piped output gets the plain lines only.
#pragma once

#include "app/drive_run.hpp"
#include "app/terminal.hpp"
#include "run/learn_run.hpp"

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
    std::string heaviest() const;
    void print_line(const LearnProgress& progress);

    bool classes_;
    bool measured_;
    bool verbose_;
    std::vector<std::string> members_;
    std::vector<Real> weights_;  // since the last line
    LineSchedule schedule_;
    Round printed_ = 0;
    Real loss_at_last_line_ = 0;
    std::uint64_t steps_at_last_line_ = 0;
    StatusLine status_;
};

}  // namespace proxstream::app
