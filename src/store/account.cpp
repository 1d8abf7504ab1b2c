#include "store/account.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/regret/ledger_reader.hpp"

#include "store/store_file.hpp"

#include <sstream>

#include <fmt/format.h>

namespace proxstream {
namespace {

std::int64_t seal_of(const StoredAccount& account) {
    return RowSeal()
        .add(account.account)
        .add(account.turn)
        .add(account.header)
        .add(account.footer)
        .add(account.footer_turn)
        .add(account.folded)
        .value();
}

}  // namespace

std::vector<StoredAccount> read_accounts(Database& database) {
    Statement rows(
        database,
        "SELECT account, turn, header, footer, footer_turn, folded, seal FROM accounts ORDER BY account");
    std::vector<StoredAccount> accounts;
    while (rows.step()) {
        StoredAccount account{.account = rows.count(0),
                              .turn = rows.count(1),
                              .header = std::string(rows.bytes(2)),
                              .footer = std::string(rows.bytes(3)),
                              .footer_turn = rows.count(4),
                              .folded = std::string(rows.bytes(5))};
        if (rows.integer(6) != seal_of(account))
            refuse_store(database.path(), fmt::format("account {} is damaged", account.account));
        accounts.push_back(std::move(account));
    }
    return accounts;
}

void write_account(Database& database, const StoredAccount& account) {
    Statement(database,
              "INSERT OR REPLACE INTO accounts (account, turn, header, footer, footer_turn, folded, seal) "
              "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")
        .bind(1, account.account)
        .bind(2, account.turn)
        .bind(3, account.header)
        .bind(4, account.footer)
        .bind(5, account.footer_turn)
        .bind(6, account.folded)
        .bind(7, seal_of(account))
        .run();
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
    Checkpoint saved(account.folded, source);
    saved.part("mark", rows.mark);
    saved.part("tally", rows.tally);
    saved.finish();
    return rows;
}

std::string folded_bytes(FoldedRows& rows) {
    Checkpoint saved;
    saved.part("mark", rows.mark);
    saved.part("tally", rows.tally);
    return saved.seal();
}

void read_lines(Database& database, std::uint64_t account, std::uint64_t first, Turn last,
                const std::function<bool(Turn turn, std::string_view line)>& take) {
    Statement rows(
        database,
        "SELECT place, turn, line, seal FROM ledger WHERE place >= ?1 AND place < ?2 ORDER BY place");
    rows.bind(1, ledger_place(account, first)).bind(2, ledger_place(account + 1, 0));
    std::uint64_t expected = ledger_place(account, first);
    while (rows.step()) {
        const Turn turn = rows.count(1);
        if (turn > last) return;
        const std::string_view line = rows.bytes(2);
        const bool whole = rows.count(0) == expected &&
                           rows.integer(3) == RowSeal().add(expected).add(turn).add(line).value();
        if (!whole) {
            refuse_store(database.path(), fmt::format("the ledger of account {} is damaged at its line {}",
                                                      account, expected - ledger_place(account, 0)));
        }
        ++expected;
        if (!take(turn, line)) return;
    }
}

void add_rows(Database& database, const StoredAccount& account, Turn last, FoldedRows& rows) {
    // The reader checks the chain, so what is added up is what was sealed.
    constexpr std::size_t kPiece = std::size_t{1} << 18U;
    std::stringstream text;
    LedgerReader reader(text, database.path(), header_of(account, database.path()), rows.mark);
    std::string piece;
    std::uint64_t lines = 0;
    const auto add = [&] {
        text.str(piece);
        text.clear();
        for (; lines > 0; --lines) {
            if (!reader.next()) refuse_store(database.path(), "a footer stands among the rows of a ledger");
            rows.tally.add(reader.report(), reader.extras());
        }
        piece.clear();
    };
    read_lines(database, account.account, rows.mark.lines + 1, last, [&](Turn, std::string_view line) {
        piece += line;
        ++lines;
        if (piece.size() >= kPiece) add();
        return true;
    });
    add();
    rows.mark = reader.mark();
}

std::optional<Certificate> certify_account(Database& database, const StoredAccount& account) {
    if (account.footer.empty()) return std::nullopt;
    FoldedRows rows = folded_rows(account, database.path());
    add_rows(database, account, account.footer_turn, rows);
    std::istringstream text(account.footer);
    LedgerReader reader(text, database.path(), header_of(account, database.path()), rows.mark);
    if (reader.next()) refuse_store(database.path(), "a row stands where a ledger's footer belongs");
    return rows.tally.certificate(reader.footer());
}

void fold_turns(Database& database, Turn turn) {
    Transaction transaction(database);
    for (StoredAccount& account : read_accounts(database)) {
        FoldedRows rows = folded_rows(account, database.path());
        const std::uint64_t before = rows.mark.lines;
        add_rows(database, account, turn, rows);
        if (rows.mark.lines == before) continue;
        account.folded = folded_bytes(rows);
        write_account(database, account);
        Statement(database, "DELETE FROM ledger WHERE place > ?1 AND place <= ?2")
            .bind(1, ledger_place(account.account, before))
            .bind(2, ledger_place(account.account, rows.mark.lines))
            .run();
    }
    Statement(database, "DELETE FROM turns WHERE turn <= ?1").bind(1, turn).run();
    // Alarms that are over go; one that is still open stays.
    Statement(database,
              "DELETE FROM alarms WHERE turn <= ?1 AND alarm IN (SELECT alarm FROM alarms WHERE raised = 0 "
              "AND turn <= ?1)")
        .bind(1, turn)
        .run();
    write_fact(database, "folded", std::to_string(turn));
    transaction.commit();
}

}  // namespace proxstream
