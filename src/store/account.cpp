#include "store/account.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/regret/ledger_reader.hpp"

#include <sstream>

namespace proxstream {
namespace {

/// Adds the stored rows of turns up to `last`. The reader checks the digest chain of the lines.
void add_rows(Database& database, const StoredAccount& account, Turn last, FoldedRows& rows) {
    constexpr std::size_t kPiece = std::size_t{1} << 18U;
    std::stringstream text;
    LedgerReader reader(text, database.path(), header_of(account, database.path()), rows.mark);
    std::string piece;
    std::uint64_t lines = 0;
    const auto add_piece = [&] {
        text.str(piece);
        text.clear();
        for (; lines > 0; --lines) {
            if (!reader.next()) refuse_store(database.path(), "a ledger has a footer between its rows");
            rows.tally.add(reader.report(), reader.extras());
        }
        piece.clear();
    };
    read_lines(database, account.account, rows.mark.lines + 1, last, [&](Turn, std::string_view line) {
        piece += line;
        ++lines;
        if (piece.size() >= kPiece) add_piece();
        return true;
    });
    add_piece();
    rows.mark = reader.mark();
}

}  // namespace

void FoldedRows::serialise(StateArchive& archive) {
    archive.fields(Field{"mark", mark}, Field{"tally", tally});
}

std::string FoldedRows::bytes() {
    StateArchive saved;
    serialise(saved);
    return saved.seal();
}

RunHeader header_of(const StoredAccount& account, const std::string& source) {
    std::istringstream text(account.header);
    return LedgerReader(text, source).header();
}

FoldedRows folded_rows(const StoredAccount& account, const std::string& source) {
    std::istringstream text(account.header);
    const LedgerReader reader(text, source);
    FoldedRows rows{reader.mark(), Tally(reader.header())};
    if (account.folded.empty()) return rows;
    StateArchive saved(account.folded, source);
    rows.serialise(saved);
    saved.finish();
    return rows;
}

std::optional<Certificate> certify_account(Database& database, const StoredAccount& account) {
    if (account.footer.empty()) return std::nullopt;
    FoldedRows rows = folded_rows(account, database.path());
    add_rows(database, account, account.footer_turn, rows);
    std::istringstream text(account.footer);
    LedgerReader reader(text, database.path(), header_of(account, database.path()), rows.mark);
    if (reader.next()) refuse_store(database.path(), "a ledger has a row where its footer should be");
    return rows.tally.certificate(reader.footer());
}

void fold_turns(Database& database, Turn turn) {
    Transaction transaction(database);
    for (StoredAccount& account : read_accounts(database)) {
        FoldedRows rows = folded_rows(account, database.path());
        const std::uint64_t before = rows.mark.lines;
        add_rows(database, account, turn, rows);
        if (rows.mark.lines == before) continue;
        account.folded = rows.bytes();
        write_account(database, account);
        Statement(database, "DELETE FROM ledger WHERE place > ?1 AND place <= ?2")
            .run(ledger_place(account.account, 0), ledger_place(account.account, rows.mark.lines));
    }
    Statement(database, "DELETE FROM turns WHERE turn <= ?1").run(turn);
    // Cleared alarms are dropped; raised ones stay.
    Statement(database,
              "DELETE FROM alarms WHERE turn <= ?1 AND alarm IN (SELECT alarm FROM alarms WHERE raised = 0 "
              "AND turn <= ?1)")
        .run(turn);
    write_fact(database, "folded", std::to_string(turn));
    transaction.commit();
}

}  // namespace proxstream
