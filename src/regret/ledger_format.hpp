/// The lines of a ledger, both ways (docs/ledger.md).
#pragma once

#include "proxstream/core/round_report.hpp"
#include "proxstream/regret/round_order.hpp"
#include "proxstream/regret/run_record.hpp"

#include "line_cursor.hpp"

#include <string>
#include <vector>

namespace proxstream {

inline constexpr std::string_view kLedgerOpening = "{\"ledger\":\"proxstream\",\"version\":";
inline constexpr std::string_view kFooterOpening = "{\"end\":";
inline constexpr std::string_view kSealKey = ",\"h\":\"";  // ends the digested part of a line
inline constexpr std::string_view kSealClose = "\"}\n";

/// A row as it is read: it owns what its extras look at.
struct LedgerRow {
    RoundReport report;
    std::vector<Real> other_residuals;
    std::optional<Real> prediction_loss;
    bool of_bank = false;
    BankRound bank;  // views those below
    std::vector<Real> weights, losses, mixer_losses, slopes;
    std::vector<RoundReport> members;

    RowExtras extras() const { return {other_residuals, prediction_loss, of_bank ? &bank : nullptr}; }
};

// Appends a line up to, and without, its seal. No key is checked here: see check_row and check_footer.
void append_header(std::string& out, const RunHeader& header);
void append_row(std::string& out, const RoundReport& report, const RowExtras& extras);
void append_footer(std::string& out, const RunFooter& footer);

// Reads what the above wrote; the cursor stands at the start of the line and must end where the seal begins.
void read_version(
    LineCursor& cursor);  // the opening alone; refuses versions not known here, notes the others
RunHeader read_header(LineCursor& cursor);
void read_row(LineCursor& cursor, LedgerRow& row);
RunFooter read_footer(LineCursor& cursor);

/// Throws DataError, naming source and line, if a figure is out of its range or the extras do not fit the
/// header. What a refused round reports besides status and cost is not looked at.
void check_row(const RunHeader& header, const RoundReport& report, const RowExtras& extras,
               std::string_view source, std::uint64_t line);
/// Throws DataError if the footer holds a NaN, or does not have one weight for each last loss and one member
/// for each member of the header.
void check_footer(const RunHeader& header, const RunFooter& footer, std::string_view source,
                  std::uint64_t line);

}  // namespace proxstream
