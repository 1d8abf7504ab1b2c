#include "regret/record_state.hpp"

#include "ledger_format.hpp"

namespace proxstream {
namespace {

const std::string kSource = "saved state";

}  // namespace

void exchange(Checkpoint& checkpoint, std::string_view name, RunHeader& header) {
    std::string text;
    if (!checkpoint.reading()) append_header(text, header);
    checkpoint.exchange(name, text);
    if (!checkpoint.reading()) return;
    LineCursor cursor(text, kSource, 0, 0);
    header = read_header(cursor);
    checkpoint.require(cursor.rest().empty(), "a whole header");
}

void exchange(Checkpoint& checkpoint, std::string_view name, RunFooter& footer) {
    std::string text;
    if (!checkpoint.reading()) append_footer(text, footer);
    checkpoint.exchange(name, text);
    if (!checkpoint.reading()) return;
    LineCursor cursor(text, kSource, 0, kLedgerVersion);
    footer = read_footer(cursor);
    checkpoint.require(cursor.rest().empty(), "a whole footer");
}

}  // namespace proxstream
