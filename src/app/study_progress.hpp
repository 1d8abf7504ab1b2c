/// What a person sees while a study runs: a bar with the time left on a terminal, a line for each finished
/// cell elsewhere.
#pragma once

#include "studies/study.hpp"

#include <chrono>

namespace proxstream::app {

class StudyProgressBar {
  public:
    StudyProgressBar();

    void on_progress(const StudyProgress& progress);
    /// Leaves a clean line behind.
    void finish();

  private:
    double seconds() const;

    bool terminal_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    double drawn_ = -1;  // seconds
};

}  // namespace proxstream::app
