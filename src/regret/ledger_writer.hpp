/// Writes a run's ledger: one JSON object a line, append-only, each line sealed with a running digest
/// (docs/ledger.md).
#pragma once

#include "proxstream/core/round_report.hpp"
#include "proxstream/regret/ledger_mark.hpp"
#include "proxstream/regret/run_record.hpp"

#include <memory>
#include <string>

namespace proxstream {

/// Every failure of the operating system is an IoError at the call that met it: a ledger that could not be
/// written whole never looks written. A writer destroyed before finish() leaves a ledger without footer,
/// which readers report as truncated.
class LedgerWriter {
  public:
    static constexpr Index kDefaultFlushEvery = 256;

    /// Creates or overwrites the file at `path` and writes the header. A crash loses at most `flush_every`
    /// rounds.
    LedgerWriter(const std::string& path, const RunHeader& header, Index flush_every = kDefaultFlushEvery);
    /// Goes on with the ledger at `path` behind the mark; whatever stood there is dropped. Throws DataError,
    /// and drops nothing, if the lines before it are not those the mark was made on.
    LedgerWriter(const std::string& path, const RunHeader& header, const LedgerMark& mark,
                 Index flush_every = kDefaultFlushEvery);
    ~LedgerWriter();
    LedgerWriter(LedgerWriter&&) noexcept;
    LedgerWriter& operator=(LedgerWriter&&) noexcept;

    /// Throws DataError, and writes nothing, if the report holds a NaN or an infinity where none may stand.
    /// Of a refused round only its number, its status and its cost are kept.
    void write(const RoundReport& report, const RowExtras& extras = {});
    /// Hands every line so far to the operating system.
    void flush();
    /// Behind the last line written so far. Not after finish().
    LedgerMark mark() const;
    /// Writes the footer and closes the file, synchronised to the disk. Call once, last.
    void finish(const RunFooter& footer);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace proxstream
