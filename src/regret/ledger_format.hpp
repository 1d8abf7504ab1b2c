/// The lines of a ledger: written, read and checked (docs/ledger.md). Saved states hold the same text.
#pragma once

#include "proxstream/core/round_report.hpp"
#include "proxstream/core/state_archive.hpp"
#include "proxstream/regret/round_order.hpp"
#include "proxstream/regret/run_record.hpp"

#include "ledger_line.hpp"

#include <string>
#include <vector>

namespace proxstream {

inline const std::string kLedgerName = "proxstream";
inline constexpr std::string_view kLedgerOpening = "{\"ledger\":\"proxstream\",\"version\":";
inline constexpr std::string_view kFooterOpening = "{\"end\":";
inline constexpr std::string_view kSealKey = ",\"h\":\"";  // ends the digested part of a line
inline constexpr std::string_view kSealClose = "\"}\n";

/// A row as it is read. It owns the lists that its extras view.
struct LedgerRow {
    RoundReport report;
    std::vector<Real> other_gaps;
    std::optional<Real> prediction_loss;
    bool of_ensemble = false;
    EnsembleRound ensemble;  // views those below
    std::vector<Real> weights, losses, mixer_losses, slopes;
    std::vector<RoundReport> members;

    RowExtras extras() const { return {other_gaps, prediction_loss, of_ensemble ? &ensemble : nullptr}; }
};

// Appends a line up to its seal. Figures are not checked here: see check_row and check_footer.
void append_header(std::string& out, const RunHeader& header);
void append_row(std::string& out, const RoundReport& report, const RowExtras& extras);
void append_footer(std::string& out, const RunFooter& footer);

// Reads what the above wrote; the cursor stands at the start of the line and must end where the seal begins.
void read_version(LineCursor& line);  // the opening alone; refuses other versions
RunHeader read_header(LineCursor& line);
void read_row(LineCursor& line, LedgerRow& row);
RunFooter read_footer(LineCursor& line);

/// Throws DataError, naming source and line, if a figure is out of its range or the extras do not fit the
/// header. Of a refused round only status and cost count.
void check_row(const RunHeader& header, const RoundReport& report, const RowExtras& extras,
               std::string_view source, std::uint64_t line);
/// Throws DataError if the footer holds a NaN, or does not have one weight for each last loss and one member
/// for each member of the header.
void check_footer(const RunHeader& header, const RunFooter& footer, std::string_view source,
                  std::uint64_t line);

void serialise(StateArchive& archive, std::string_view name, RunHeader& header);
void serialise(StateArchive& archive, std::string_view name, RunFooter& footer);

}  // namespace proxstream
