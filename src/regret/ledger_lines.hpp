/// The lines of a ledger as they come into being, wherever they are kept: checked, in order, sealed.
#pragma once

#include "proxstream/core/round_report.hpp"
#include "proxstream/regret/ledger_mark.hpp"
#include "proxstream/regret/run_record.hpp"

#include <memory>
#include <string>

namespace proxstream {

class LedgerLines {
  public:
    /// `source` stands for the ledger in messages. Throws ConfigError if the header cannot be.
    LedgerLines(std::string source, const RunHeader& header);
    /// Goes on behind the mark.
    LedgerLines(std::string source, const RunHeader& header, const LedgerMark& mark);
    ~LedgerLines();
    LedgerLines(LedgerLines&&) noexcept;
    LedgerLines& operator=(LedgerLines&&) noexcept;

    const RunHeader& header() const;
    /// Each appends one line with its newline. A row throws DataError, and appends nothing, if the report
    /// holds a NaN or an infinity where none may stand, or does not follow the one before.
    void append_header(std::string& out);
    void append_row(std::string& out, const RoundReport& report, const RowExtras& extras);
    /// The lines may go on after it as if it had not been asked for.
    void append_footer(std::string& out, const RunFooter& footer);
    /// Lines so far, header and rows.
    std::uint64_t count() const;
    /// Behind the last header or row.
    LedgerMark mark() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace proxstream
