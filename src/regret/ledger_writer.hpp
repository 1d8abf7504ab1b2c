/// Writes a run's ledger: one JSON object a line, append-only, each line sealed with a running digest
/// (docs/ledger.md).
#pragma once

#include "io/output_file.hpp"
#include "regret/ledger_lines.hpp"

#include <functional>
#include <string>

namespace proxstream {

/// Every failure of the operating system is an IoError at the call that failed, so an incomplete ledger never
/// looks complete. A writer destroyed before finish() leaves a ledger without footer,
/// which readers report as truncated.
class LedgerWriter {
  public:
    static constexpr Index kDefaultFlushEvery = 256;

    /// Creates or overwrites the file at `path` and writes the header. A crash loses at most `flush_every`
    /// rounds.
    LedgerWriter(const std::string& path, const RunHeader& header, Index flush_every = kDefaultFlushEvery);
    /// Into a file that has just been opened: a new one, or one that is continued after `mark`.
    LedgerWriter(OutputFile file, const RunHeader& header, const LedgerMark& mark = {},
                 Index flush_every = kDefaultFlushEvery);
    /// Continues the ledger at `path` after the mark; what stood there is dropped. Throws DataError, and
    /// drops nothing, if the lines before the mark are not those it was made on.
    LedgerWriter(const std::string& path, const RunHeader& header, const LedgerMark& mark,
                 Index flush_every = kDefaultFlushEvery);
    ~LedgerWriter();
    LedgerWriter(LedgerWriter&& other) noexcept;
    LedgerWriter& operator=(LedgerWriter&&) = delete;

    /// Throws DataError, and writes nothing, if the report holds a NaN or an infinity where none may stand.
    /// Of a refused round only its number, its status and its cost are kept.
    void write(const RoundReport& report, const RowExtras& extras = {});
    /// Hands every line so far to the operating system.
    void flush();
    /// The position after the last line written so far. Not after finish().
    LedgerMark mark() const { return lines_.mark(); }
    /// Of the lines so far (OutputFile::mark).
    void mark(OutputMarks& marks);
    /// Writes the footer and closes the file, synchronised to the disk. Call once, last.
    void finish(const RunFooter& footer);

  private:
    void require_open() const;
    void guarded(const std::function<void()>& write);

    LedgerLines lines_;
    OutputFile file_;
    Index flush_every_;
    Index pending_ = 0;  // rounds in the buffer
    bool open_ = true;   // false after finish() and after a failure
    int failure_ = 0;    // errno of the first failure
    std::string buffer_;
};

}  // namespace proxstream
