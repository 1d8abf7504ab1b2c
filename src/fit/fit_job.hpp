/// One run of `fit`: a task, a method, a referee, and a certificate however it ends. A resumed fit has the
/// same points, draws and trace as an uninterrupted one; only seconds differ.
#pragma once

#include "fit/fit_task.hpp"
#include "offline/fit_certificate.hpp"
#include "run/run_driver.hpp"

#include <optional>
#include <string>
#include <vector>

namespace proxstream {

struct FitOutcome : RunOutcome {
    FitCertificate certificate;
};

/// A turn is a line of the trace.
class FitJob final : public TurnRun {
  public:
    /// Reads the data. Throws ConfigError, DataError or IoError before anything is written.
    explicit FitJob(const FitSettings& settings, StopFlag stop = nullptr, RunOrigin origin = {});

    const FitTask& task() const noexcept { return task_; }
    const OfflineOptions& options() const noexcept { return options_; }
    const OfflineMethod& method() const { return run_.method(); }
    /// The last measurement.
    const TracePoint& last() const { return *line_; }

    RunIdentity identity() const override;
    JournalOptions journal_options() const override;
    FitOutcome& outcome() override { return outcome_; }
    void begin(bool /*restored*/) override {}
    void close_accounts(RunEnding /*ending*/) override {}
    bool next() override { return !ended_; }
    /// One iteration; it completes a turn if it was measured.
    TurnResult play() override;
    TurnRecord record() const override;
    /// Reading throws ConfigError or DataError if the state is of another fit.
    void serialise(StateArchive& archive) override;
    std::vector<std::string> outputs() const override {
        return {settings_.trace, settings_.certificate_json, settings_.save, settings_.predictions};
    }
    void certify(RunEnding ending) override;
    RunResult result() const override { return {.certificate = to_json(outcome_.certificate)}; }
    void finish() override;

  private:
    /// Of the method, a line each. They may depend on epsilon, which a resumed run may otherwise change.
    std::string parameters() const;
    void check(const std::string& settings, std::uint64_t checksum, const std::string& parameters) const;

    FitSettings settings_;
    FitTask task_;
    OfflineOptions options_;
    FitRun run_;
    FitOutcome outcome_;
    std::optional<TracePoint> line_;
    bool ended_ = false;
    std::uint64_t reported_ = 0;  // 1 + the iteration of the last turn; 0: there was no turn
};

/// Every option that affects results, as "name = value" lines, which must agree on resume.
std::string figure_settings(const FitSettings& settings);

/// The trace as CSV with a header line; passes are base samples / `pass`.
std::string trace_csv(const std::vector<TracePoint>& trace, std::uint64_t pass);

}  // namespace proxstream
