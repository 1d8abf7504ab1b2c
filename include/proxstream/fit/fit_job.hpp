/// One run of `fit`: a task, a method, a referee, and at the end, whatever ended it, a certificate. Saved
/// states go on exactly: the same points, draws and trace as if nothing had happened, seconds apart.
#pragma once

#include "proxstream/fit/fit_certificate.hpp"
#include "proxstream/fit/fit_task.hpp"

#include <optional>
#include <string>
#include <vector>

namespace proxstream {

struct FitOutcome {
    FitCertificate certificate;
    std::vector<std::string> problems;  // outputs that could not be written, a sentence each
};

class FitJob {
  public:
    /// Reads the data and, with settings.resume, the state to go on from. Throws ConfigError, DataError or
    /// IoError before anything is written.
    explicit FitJob(const FitSettings& settings, StopFlag stop = nullptr);

    const FitTask& task() const noexcept { return task_; }
    const FitOptions& options() const noexcept { return options_; }
    const OfflineMethod& method() const { return run_.method(); }

    /// `on_measure` is told every line of the trace as it comes.
    FitOutcome run(const FitRun::OnMeasure& on_measure = {});

  private:
    /// Of the method, a line each. They may follow from epsilon, which is else free to change.
    std::string parameters() const;
    void resume();
    void save_state();
    void write_outputs(const FitCertificate& certificate, FitOutcome& outcome);

    FitSettings settings_;
    StopFlag stop_;
    FitTask task_;
    FitOptions options_;
    FitRun run_;
};

/// Every option that figures depend on, as "name = value" lines: what two runs have to agree about.
std::string figure_settings(const FitSettings& settings);

/// The trace as CSV with a header line; passes are base samples / `pass`.
std::string trace_csv(const std::vector<TracePoint>& trace, std::uint64_t pass);

}  // namespace proxstream
