/// Reads a ledger one line at a time, in memory that does not grow with the run.
#pragma once

#include "proxstream/core/error.hpp"
#include "proxstream/core/round_report.hpp"
#include "proxstream/regret/ledger_mark.hpp"
#include "proxstream/regret/run_record.hpp"

#include <iosfwd>
#include <memory>
#include <string>

namespace proxstream {

/// Thrown when a ledger ends before its footer, or inside a line: the run was interrupted. last_round() says
/// how far it is usable.
///
/// \code
/// try {
///     std::cout << to_text(certify("run.jsonl"));
/// } catch (const TruncatedLedger& error) {
///     std::cerr << "complete up to round " << error.last_round() << '\n';
/// }
/// \endcode
class TruncatedLedger : public DataError {
  public:
    /// Made by LedgerReader.
    TruncatedLedger(DataLocation where, const std::string& problem, Round last_round);
    /// The last round whose line is complete and verified; 0 if there is none.
    Round last_round() const noexcept { return last_round_; }

  private:
    Round last_round_;
};

/// Reads the rounds of a stored run. Every line is checked before it is returned: version, digest chain,
/// order of rounds, keys, types and ranges. A line that fails throws DataError that names file, line, key and
/// what was expected.
///
/// \code
/// LedgerReader ledger("run.jsonl");
/// while (ledger.next()) std::cout << ledger.report().round << ' ' << ledger.report().loss << '\n';
/// std::cout << ledger.footer().totals.steps << '\n';
/// \endcode
class LedgerReader {
  public:
    /// Opens a file and reads the header.
    explicit LedgerReader(const std::string& path);
    /// Reads from a stream that must outlive the reader; `source` names it in messages.
    LedgerReader(std::istream& in, std::string source);
    /// Reads what follows the mark in a ledger of the current version whose header is known.
    LedgerReader(std::istream& in, std::string source, const RunHeader& header, const LedgerMark& mark);
    ~LedgerReader();
    LedgerReader(LedgerReader&&) noexcept;             ///< readers can be moved, but not copied
    LedgerReader& operator=(LedgerReader&&) noexcept;  ///< readers can be moved, but not copied

    /// What the run stated before its first round.
    const RunHeader& header() const;
    /// Moves to the next round. Returns false after the footer, which must be the last line.
    bool next();
    /// The report of the current round.
    const RoundReport& report() const;
    /// What is stored of the current round beyond its report. Valid until the next call of next().
    RowExtras extras() const;
    /// What the run stated after its last round. Call it after next() returned false.
    const RunFooter& footer() const;
    /// The position after the current round, or after the header.
    LedgerMark mark() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace proxstream
