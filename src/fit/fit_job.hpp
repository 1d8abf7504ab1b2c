/// One run of `fit`: a task, a method, a referee, and at the end, whatever ended it, a certificate. Saved
/// states go on exactly: the same points, draws and trace as if nothing had happened, seconds apart.
#pragma once

#include "fit/fit_task.hpp"
#include "offline/fit_certificate.hpp"
#include "store/journal.hpp"

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
    /// Reads the data. Throws ConfigError, DataError or IoError before anything is written.
    explicit FitJob(const FitSettings& settings, StopFlag stop = nullptr);
    /// From now on it is kept there; it goes on from where that was saved. Before run(). A turn is a line of
    /// the trace. The journal has to outlive it.
    void attach(Journal& journal);

    const FitTask& task() const noexcept { return task_; }
    const OfflineOptions& options() const noexcept { return options_; }
    const OfflineMethod& method() const { return run_.method(); }

    /// `on_measure` is told every line of the trace as it comes.
    FitOutcome run(const FitRun::OnMeasure& on_measure = {});

    /// One iteration; false: the fit has ended. Throws IoError if the store cannot be written.
    bool step(const FitRun::OnMeasure& on_measure = {});
    std::uint64_t turns() const noexcept { return turns_; }
    /// The state between two iterations; reading throws ConfigError or DataError if it is of another fit.
    void serialise(StateArchive& archive);

  private:
    /// Of the method, a line each. They may follow from epsilon, which is else free to change.
    std::string parameters() const;
    void check(const std::string& settings, std::uint64_t checksum, const std::string& parameters) const;
    FitCertificate certificate();
    void write_outputs(const FitCertificate& certificate, FitOutcome& outcome);

    FitSettings settings_;
    StopFlag stop_;
    FitTask task_;
    OfflineOptions options_;
    FitRun run_;
    Journal* journal_ = nullptr;
    std::uint64_t turns_ = 0;
    std::uint64_t told_ = 0;  // 1 more than the iteration of the last line that was a turn; 0: none was
};

/// Names of the figures of a turn, in a run store.
std::vector<std::string> fit_channels();
/// What a run store says of it before the first turn.
RunIdentity fit_identity(const FitSettings& settings, const std::string& version, const std::string& command);
JournalOptions fit_journal_options(const FitSettings& settings, const std::string& version);

/// Every option that figures depend on, as "name = value" lines: what two runs have to agree about.
std::string figure_settings(const FitSettings& settings);

/// The trace as CSV with a header line; passes are base samples / `pass`.
std::string trace_csv(const std::vector<TracePoint>& trace, std::uint64_t pass);

}  // namespace proxstream
