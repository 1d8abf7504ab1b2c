/// The progress of a fit: a line at passes 1, 2, 4, 8, ... (or every N), and on a terminal a bar in between,
/// redrawn in place.
#pragma once

#include "offline/fit.hpp"

#include <chrono>

namespace proxstream::app {

class FitProgress {
  public:
    /// `every` = 0: lines at powers of two.
    FitProgress(const OfflineOptions& options, std::uint64_t pass, Index every);

    void on_measure(const TracePoint& point);
    /// The last line, if the run did not end on one, and a clean cursor.
    void finish();

  private:
    Real passes(const TracePoint& point) const;
    Real share(const TracePoint& point) const;
    void print_line(const TracePoint& point);
    void draw_bar(const TracePoint& point);
    void clear_bar();

    OfflineOptions options_;
    std::uint64_t pass_;
    Real every_;
    bool terminal_;
    bool drawn_ = false;
    bool printed_ = false;  // the last point
    Real next_ = 0;         // passes
    TracePoint last_;
    Real first_gap_ = 0;
    std::chrono::steady_clock::time_point redrawn_;
};

}  // namespace proxstream::app
