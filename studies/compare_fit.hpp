/// Several methods on one problem at equal samples and equal seconds. Stochastic methods run with several
/// steps and several seeds. One referee measures all of them at the same reference step.
#pragma once

#include "fit/fit_task.hpp"

#include <functional>
#include <string>
#include <vector>

namespace proxstream {

struct FitCell {
    std::string method;
    Real scale = 1;  // of its step
    std::uint64_t seed = 1;
    FitStatus status = FitStatus::budget_exhausted;
    double seconds = 0;
    std::vector<TracePoint> trace;

    /// The last measurement within a budget.
    const TracePoint& after_samples(std::uint64_t base_samples) const;
    const TracePoint& after_seconds(double seconds) const;
};

/// A method with its best step in hindsight: the one whose runs ended with the lowest F.
struct FitEntry {
    std::string method;
    Real scale = 1;
    bool swept = false;            // other scales were tried too
    std::vector<Index> runs = {};  // indices of its cells, one per seed
};

/// A geometric mean over the seeds, because gaps differ by orders of magnitude.
struct FitFigure {
    Real geometric_mean = 0;
    Real spread = 1;  // factor that is one standard error of the mean of the logarithms; 1: a single run
};

struct FitComparison {
    std::vector<FitCell> cells;
    std::vector<FitEntry> entries;  // in the order given
    std::vector<Real> at;           // passes
    std::uint64_t pass = 1;         // base samples
    double seconds = 0;             // the largest number of seconds that all methods had
    Real lowest = 0;                // the smallest objective of any run
    bool interrupted = false;

    const FitCell& run(const FitEntry& entry, Index i) const { return cells[entry.runs[i]]; }
    /// Half a pass more than `passes`, because methods whose iterations are whole passes measure at their
    /// end.
    std::uint64_t samples_at(Real passes) const {
        return static_cast<std::uint64_t>((passes + Real{0.5}) * static_cast<Real>(pass));
    }
    FitFigure squared_gap(const FitEntry& entry, Real passes) const;
    FitFigure squared_gap_in_time(const FitEntry& entry) const;
    Real mean_objective(const FitEntry& entry, Real passes) const;
    Real mean_seconds(const FitEntry& entry) const;
};

/// The table: a line a method, its best step, |P|^2 and F at equal samples, |P|^2 at equal seconds.
std::string to_text(const FitComparison& comparison);
std::string to_markdown(const FitComparison& comparison);
/// Every cell's last measurement, and every measurement of every cell, as CSV.
std::string results_csv(const FitComparison& comparison);
std::string traces_csv(const FitComparison& comparison);

class CompareFit {
  public:
    /// Throws as FitTask does, and ConfigError for methods the problem does not allow.
    explicit CompareFit(const FitSettings& settings, StopFlag stop = nullptr);

    const FitTask& task() const noexcept { return task_; }
    Index cells() const noexcept { return plan_.size(); }
    /// Calls `on_cell` with the number of finished cells and the last of them.
    FitComparison run(const std::function<void(Index, const FitCell&)>& on_cell = {});

  private:
    struct Planned {
        std::string method;
        Real scale;
        std::uint64_t seed;
    };

    FitSettings settings_;
    StopFlag stop_;
    FitTask task_;
    std::vector<std::string> methods_;
    std::vector<Real> at_;
    std::vector<Planned> plan_;
};

}  // namespace proxstream
