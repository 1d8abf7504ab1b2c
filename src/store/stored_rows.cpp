#include "store/stored_rows.hpp"

#include "proxstream/core/error.hpp"

#include "core/serialise_each.hpp"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>

namespace proxstream {
namespace {

/// A function as a section of an archive.
struct RunSection {
    const SerialiseRun& visit;
    void serialise(StateArchive& archive) { visit(archive); }
};

}  // namespace

void StateMarks::serialise(StateArchive& archive) {
    serialise_each(archive, "accounts", ledgers, [&](auto& mark) {
        archive.fields(Field{"account", mark.first}, Field{"mark", mark.second});
    });
    std::vector<std::pair<std::string, OutputMark>> files(outputs.begin(), outputs.end());
    serialise_each(archive, "files", files, [&](auto& file) {
        archive.fields(Field{"path", file.first}, Field{"bytes", file.second.bytes},
                       Field{"checksum", file.second.checksum});
    });
    outputs = OutputMarks(files.begin(), files.end());
}

void read_turns(Database& database, Turn first, Turn last,
                const std::function<bool(const StoredTurn&)>& take) {
    Statement rows(database,
                   "SELECT turn, time, key, input, decision, figures, seal FROM turns "
                   "WHERE turn >= ?1 AND turn <= ?2 ORDER BY turn");
    rows.bind(std::min(first, kAllTurns), std::min(last, kAllTurns));
    while (rows.step()) {
        StoredTurn turn;
        if (!rows.read_sealed(turn.turn, turn.time, turn.key, turn.input, turn.decision, turn.figures))
            refuse_store(database.path(), fmt::format("turn {} is damaged", turn.turn));
        if (!take(turn)) return;
    }
}

std::optional<StoredTurn> read_turn(Database& database, Turn turn) {
    std::optional<StoredTurn> found;
    read_turns(database, turn, turn, [&](const StoredTurn& each) {
        found = each;
        return false;
    });
    return found;
}

std::vector<AlarmOfTurn> read_alarms(Database& database) {
    Statement rows(database, "SELECT turn, alarm, raised, kind, subject, text, seal FROM alarms ORDER BY id");
    std::vector<AlarmOfTurn> alarms;
    while (rows.step()) {
        auto& [turn, alarm] = alarms.emplace_back();
        if (!rows.read_sealed(turn, alarm.id, alarm.raised, alarm.kind, alarm.subject, alarm.text))
            refuse_store(database.path(), fmt::format("alarm {} is damaged", alarm.id));
    }
    return alarms;
}

Series read_series(Database& database, Index channels) {
    Series series(channels);
    Statement rows(database, "SELECT bucket, cells, seal FROM series ORDER BY bucket");
    while (rows.step()) {
        Index bucket = 0;
        std::string cells;
        if (!rows.read_sealed(bucket, Unpacked{cells}) || bucket != series.buckets() ||
            !series.restore(cells))
            refuse_store(database.path(), "its series of figures are damaged");
    }
    series.settle();
    const Turn covered = series.buckets() == 0 ? 0 : series.last(series.buckets() - 1);
    read_turns(database, covered + 1, kAllTurns, [&](const StoredTurn& turn) {
        series.add(turn.turn, turn.figures);
        return true;
    });
    return series;
}

std::vector<StoredAccount> read_accounts(Database& database) {
    Statement rows(
        database,
        "SELECT account, turn, header, footer, footer_turn, folded, seal FROM accounts ORDER BY account");
    std::vector<StoredAccount> accounts;
    while (rows.step()) {
        StoredAccount& read = accounts.emplace_back();
        if (!rows.read_sealed(read.account, read.turn, Unpacked{read.header}, Unpacked{read.footer},
                              read.footer_turn, Unpacked{read.folded}))
            refuse_store(database.path(), fmt::format("account {} is damaged", read.account));
    }
    return accounts;
}

void write_account(Database& database, const StoredAccount& account) {
    Statement(database,
              "INSERT OR REPLACE INTO accounts (account, turn, header, footer, footer_turn, folded, seal) "
              "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")
        .run_sealed(account.account, account.turn, Packed{account.header}, Packed{account.footer},
                    account.footer_turn, Packed{account.folded});
}

void read_lines(Database& database, std::uint64_t account, std::uint64_t first, Turn last,
                const std::function<bool(Turn turn, std::string_view line)>& take) {
    Statement rows(
        database,
        "SELECT place, turn, line, seal FROM ledger WHERE place >= ?1 AND place < ?2 ORDER BY place");
    std::uint64_t expected = ledger_place(account, first);
    rows.bind(expected, ledger_place(account + 1, 0));
    std::string line;
    for (; rows.step(); ++expected) {
        std::uint64_t place = 0;
        Turn turn = 0;
        const bool whole = rows.read_sealed(place, turn, line) && place == expected;
        if (whole && turn > last) return;
        if (!whole) {
            refuse_store(database.path(), fmt::format("the ledger of account {} is damaged at its line {}",
                                                      account, expected - ledger_place(account, 0)));
        }
        if (!take(turn, line)) return;
    }
}

std::optional<std::string> read_fact(Database& database, std::string_view name) {
    Statement row(database, "SELECT name, value, seal FROM facts WHERE name = ?1");
    if (!row.bind(name).step()) return std::nullopt;
    std::string found;
    std::string value;
    if (!row.read_sealed(found, Unpacked{value}))
        refuse_store(database.path(), fmt::format("its '{}' is damaged", name));
    return value;
}

void write_fact(Database& database, std::string_view name, std::string_view value) {
    Statement(database, "INSERT OR REPLACE INTO facts (name, value, seal) VALUES (?1, ?2, ?3)")
        .run_sealed(name, Packed{value});
}

std::optional<std::vector<std::uint64_t>> read_recovered(Database& database) {
    std::istringstream text(read_fact(database, "recovered").value_or(""));
    std::string word;
    if (!(text >> word)) return std::nullopt;
    std::vector<std::uint64_t> accounts;
    for (std::uint64_t account = 0; text >> account;) accounts.push_back(account);
    return accounts;
}

void write_recovered(Database& database, const std::optional<std::vector<std::uint64_t>>& accounts) {
    write_fact(database, "recovered", accounts ? fmt::format("accounts {}", fmt::join(*accounts, " ")) : "");
}

StateMarks read_marks(std::string_view stored, const std::string& source) {
    const std::string bytes = unpacked(stored);
    StateArchive archive(bytes, source);
    StateMarks marks;
    marks.serialise(archive);
    return marks;
}

std::string state_bytes(StateMarks marks, const SerialiseRun& run) {
    StateArchive archive;
    marks.serialise(archive);
    RunSection section{run};
    archive.section("run", section);
    return archive.seal();
}

RestoredState restore_state(Database& database, Turn last,
                            const std::function<bool(Turn turn, const StateMarks&)>& accept,
                            const SerialiseRun& run) {
    RestoredState restored;
    Statement rows(database, "SELECT turn, state FROM states WHERE turn <= ?1 ORDER BY turn DESC");
    rows.bind(std::min(last, kAllTurns));
    while (rows.step()) {
        const std::string bytes = unpacked(rows.bytes(1));
        std::optional<StateArchive> archive;
        StateMarks marks;
        try {
            archive.emplace(bytes, database.path());
            marks.serialise(*archive);
        } catch (const DataError& error) {
            // An older state serves as well: the turns since then are played again and compared.
            if (restored.damage.empty()) restored.damage = error.what();
            continue;
        }
        if (!accept(rows.count(0), marks)) continue;
        RunSection section{run};
        archive->section("run", section);
        archive->finish();
        restored.found = true;
        restored.turn = rows.count(0);
        restored.size = bytes.size();
        break;
    }
    return restored;
}

}  // namespace proxstream
