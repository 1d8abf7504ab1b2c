/// Makes the lines of a ledger, wherever they are kept: checked, in order, each sealed with a running digest.
#pragma once

#include "proxstream/core/round_report.hpp"
#include "proxstream/regret/ledger_mark.hpp"
#include "proxstream/regret/run_record.hpp"

#include "regret/digest_chain.hpp"

#include <string>

namespace proxstream {

class LedgerLines {
  public:
    /// `source` names the ledger in messages. Throws ConfigError if the header cannot be used.
    LedgerLines(std::string source, const RunHeader& header);
    /// Continues after the mark.
    LedgerLines(std::string source, const RunHeader& header, const LedgerMark& mark);

    const RunHeader& header() const noexcept { return header_; }
    /// Each appends one line with its newline. A row throws DataError, and appends nothing, if the report
    /// holds a NaN or an infinity where none may stand, or does not follow the one before.
    void append_header(std::string& out);
    void append_row(std::string& out, const RoundReport& report, const RowExtras& extras);
    /// More rows may follow, as if there were no footer.
    void append_footer(std::string& out, const RunFooter& footer);
    /// Lines so far, header and rows.
    std::uint64_t count() const noexcept { return line_; }
    /// The digits that seal the last header or row.
    std::string last_seal() const { return chain_.state().substr(0, kRowDigits); }
    /// The position after the last header or row.
    LedgerMark mark() const { return {line_, bytes_, chain_.state(), order_}; }

  private:
    void seal_row(std::string& out, std::size_t start);

    std::string source_;
    RunHeader header_;
    DigestChain chain_;
    std::uint64_t line_ = 0;
    std::uint64_t bytes_ = 0;
    RoundOrder order_;
};

}  // namespace proxstream
