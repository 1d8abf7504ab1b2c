/// Reads a ledger back, one line at a time and in memory that does not grow with the run.
#pragma once

#include "proxstream/core/error.hpp"
#include "proxstream/core/round_report.hpp"
#include "proxstream/regret/ledger_mark.hpp"
#include "proxstream/regret/run_record.hpp"

#include <iosfwd>
#include <memory>
#include <string>

namespace proxstream {

/// The ledger ends before its footer, or inside a line.
class TruncatedLedger : public DataError {
  public:
    TruncatedLedger(DataLocation where, const std::string& problem, Round last_round);
    /// The last round whose line is whole and sealed; 0 when there is none.
    Round last_round() const noexcept { return last_round_; }

  private:
    Round last_round_;
};

/// Every line is checked before it is handed out: version, digest chain, order of rounds, keys, types,
/// ranges. What does not hold is a DataError naming file, line, key and what was expected.
class LedgerReader {
  public:
    /// Reads the header.
    explicit LedgerReader(const std::string& path);
    /// Reads from a stream that outlives the reader; `source` stands for it in messages.
    LedgerReader(std::istream& in, std::string source);
    /// Reads what follows the mark, of a ledger of today's version whose header is known.
    LedgerReader(std::istream& in, std::string source, const RunHeader& header, const LedgerMark& mark);
    ~LedgerReader();
    LedgerReader(LedgerReader&&) noexcept;
    LedgerReader& operator=(LedgerReader&&) noexcept;

    const RunHeader& header() const;
    /// Moves to the next round; false once the footer has been read, with nothing after it.
    bool next();
    const RoundReport& report() const;
    /// Valid until the next call of next().
    RowExtras extras() const;
    /// After next() returned false.
    const RunFooter& footer() const;
    /// Behind the round that was handed out last, or the header.
    LedgerMark mark() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace proxstream
