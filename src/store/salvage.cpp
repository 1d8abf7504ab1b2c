#include "store/salvage.hpp"

#include "proxstream/core/error.hpp"

#include "store/damaged_copy.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include <fmt/format.h>

namespace proxstream {
namespace {

/// Nothing if the fact is missing or damaged.
std::optional<std::string> readable_fact(Database& database, std::string_view name) {
    try {
        return read_fact(database, name);
    } catch (const std::exception&) {
        return std::nullopt;
    }
}

bool table_is_whole(Database& database, std::string_view table) {
    try {
        return database.text(fmt::format("PRAGMA quick_check({})", table)) == "ok";
    } catch (const std::exception&) {
        return false;
    }
}

void salvage_states(Database& database, Database& store, Salvage& found) {
    Statement copy(store, "INSERT OR REPLACE INTO states (turn, state) VALUES (?1, ?2)");
    std::map<Turn, StateMarks> states;
    std::set<Turn> damaged;
    const RowScan scan{.columns = "state", .table = "states", .key = "turn", .key_column = 1};
    const bool whole = scan_rows(database, scan, [&](const Statement& row) {
        try {
            states.insert_or_assign(row.count(1), read_marks(row.bytes(0), database.path()));
            copy.run(row.integer(1), row.bytes(0));
        } catch (const DataError&) {
            damaged.insert(row.count(1));
        }
    });
    for (auto& [turn, marks] : states) found.states.push_back({.turn = turn, .marks = std::move(marks)});
    found.damaged_states = damaged.size() + (whole || !damaged.empty() ? 0 : 1);
}

void salvage_accounts(Database& database, Salvage& found) {
    std::set<std::uint64_t> damaged;
    const RowScan scan{.columns = "account, turn, header, footer, footer_turn, folded, seal",
                       .table = "accounts",
                       .key = "account",
                       .key_column = 7};
    const bool whole = scan_rows(database, scan, [&](const Statement& row) {
        StoredAccount read;
        if (row.read_sealed(read.account, read.turn, Unpacked{read.header}, Unpacked{read.footer},
                            read.footer_turn, Unpacked{read.folded})) {
            found.accounts.insert_or_assign(read.account, std::move(read));
        } else {
            damaged.insert(row.count(7));
        }
    });
    found.damaged_accounts = damaged.size() + (whole || !damaged.empty() ? 0 : 1);
}

void salvage_turns(Database& database, Database& store, Salvage& found) {
    const RowScan scan{.columns = "turn, time, key, input, decision, figures, seal",
                       .table = "turns",
                       .key = "turn",
                       .key_column = 7};
    Statement copy(store,
                   "INSERT OR REPLACE INTO turns (turn, time, key, input, decision, figures, seal) "
                   "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)");
    scan_rows(database, scan, [&](const Statement& row) {
        StoredTurn turn;
        if (!row.read_sealed(turn.turn, turn.time, turn.key, turn.input, turn.decision, turn.figures)) return;
        copy.run_sealed(turn.turn, turn.time, NullableText{turn.key}, turn.input, turn.decision,
                        turn.figures);
        found.turns.add(turn.turn);
        found.served |= !turn.input.empty();
    });
    found.turns.settle();
}

/// A state and a ledger line have to agree on which of them came first.
void compare(SalvagedState& state, std::uint64_t account, std::uint64_t line, Turn turn) {
    for (const auto& [number, mark] : state.marks.ledgers) {
        if (number != account) continue;
        if ((line <= mark.lines) != (turn <= state.turn)) state.refuted = true;
        if (line == mark.lines && turn == state.turn) state.confirmed = true;
        if (line == mark.lines + 1 && turn == state.turn + 1) state.confirmed = true;
    }
}

void salvage_lines(Database& database, Database& store, Salvage& found) {
    const RowScan scan{
        .columns = "place, turn, line, seal", .table = "ledger", .key = "place", .key_column = 4};
    Statement copy(store, "INSERT OR REPLACE INTO ledger (place, turn, line, seal) VALUES (?1, ?2, ?3, ?4)");
    std::string line;
    found.lines_whole = scan_rows(database, scan,
                                  [&](const Statement& row) {
                                      std::uint64_t place = 0;
                                      Turn turn = 0;
                                      if (!row.read_sealed(place, turn, line)) {
                                          found.lines_whole = false;
                                          return;
                                      }
                                      const std::uint64_t account = place / ledger_place(1, 0);
                                      copy.run_sealed(place, turn, line);
                                      found.lines.add(place);
                                      if (!is_seal(line)) found.texts.add(place);
                                      Turn& last = found.last_lines[account];
                                      last = std::max(last, turn);
                                      for (SalvagedState& state : found.states)
                                          compare(state, account, place % ledger_place(1, 0), turn);
                                  }) &&
                        found.lines_whole;
    found.lines.settle();
    found.texts.settle();
}

void salvage_alarms(Database& database, Database& store, Salvage& found) {
    const RowScan scan{.columns = "turn, alarm, raised, kind, subject, text, seal",
                       .table = "alarms",
                       .key = "id",
                       .key_column = 7};
    Statement copy(store,
                   "INSERT OR REPLACE INTO alarms (id, turn, alarm, raised, kind, subject, text, seal) "
                   "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)");
    const bool whole = scan_rows(database, scan, [&](const Statement& row) {
        Turn turn = 0;
        StoredAlarm alarm;
        if (row.read_sealed(turn, alarm.id, alarm.raised, alarm.kind, alarm.subject, alarm.text)) {
            copy.run(row.integer(7), turn, alarm.id, alarm.raised, alarm.kind, alarm.subject, alarm.text,
                     row.integer(6));
        } else {
            found.alarms_whole = false;
        }
    });
    // The numbers of alarms need not be adjacent, so SQLite has to say that no row is lost.
    found.alarms_whole = found.alarms_whole && whole && table_is_whole(database, "alarms");
}

/// The last turn that the buckets cover; 0 if one is damaged or missing.
Turn salvage_series(Database& database, Database& store, Index channels) {
    Statement copy(store, "INSERT OR REPLACE INTO series (bucket, cells, seal) VALUES (?1, ?2, ?3)");
    std::map<std::uint64_t, std::string> buckets;
    bool whole = true;
    const RowScan scan{.columns = "bucket, cells, seal", .table = "series", .key = "bucket", .key_column = 3};
    const bool readable = scan_rows(database, scan, [&](const Statement& row) {
        std::uint64_t bucket = 0;
        std::string cells;
        whole = row.read_sealed(bucket, Unpacked{cells}) && whole;
        copy.run_sealed(bucket, Packed{cells});
        buckets.insert_or_assign(bucket, std::move(cells));
    });
    Series series(channels);
    for (const auto& [bucket, cells] : buckets) {
        whole = whole && bucket == series.buckets() && series.restore(cells);
        // Buckets of different ages overlap, or leave a gap.
        if (whole && bucket > 0) whole = series.first(bucket) == series.last(bucket - 1) + 1;
    }
    return whole && readable && series.buckets() > 0 ? series.last(series.buckets() - 1) : 0;
}

}  // namespace

void KeyRanges::add(std::uint64_t key) {
    if (!ranges_.empty() && ranges_.back().last + 1 == key) {
        ranges_.back().last = key;
    } else {
        ranges_.push_back({key, key});
    }
}

void KeyRanges::settle() {
    std::sort(ranges_.begin(), ranges_.end(),
              [](const Range& a, const Range& b) { return a.first < b.first; });
    std::vector<Range> joined;
    for (const Range& each : ranges_) {
        if (!joined.empty() && each.first <= joined.back().last + 1) {
            joined.back().last = std::max(joined.back().last, each.last);
        } else {
            joined.push_back(each);
        }
    }
    ranges_ = std::move(joined);
}

std::optional<KeyRanges::Range> KeyRanges::around(std::uint64_t key) const {
    for (const Range& each : ranges_)
        if (each.first <= key && key <= each.last) return each;
    return std::nullopt;
}

bool KeyRanges::holds(std::uint64_t first, std::uint64_t last) const {
    if (first > last) return true;
    const auto found = around(first);
    return found && last <= found->last;
}

Salvage salvage(Database& database, Database& store) {
    Salvage found;
    const auto identity = readable_fact(database, "identity");
    if (!identity) {
        throw DataError({.source = database.path(), .line = 0, .column = 0, .field = ""},
                        "it is not a run store, or the settings of its run are damaged",
                        "a run store whose settings are whole; nothing else can be recovered");
    }
    found.identity = parse_identity(*identity, database.path());
    found.served = found.identity.command.starts_with("proxstream serve");
    salvage_states(database, store, found);
    salvage_accounts(database, found);
    salvage_turns(database, store, found);
    salvage_lines(database, store, found);
    salvage_alarms(database, store, found);
    found.charted = salvage_series(database, store, found.identity.channels.size());
    if (const auto folded = readable_fact(database, "folded")) found.folded = std::stoull(*folded);
    if (!found.turns.ranges().empty()) found.last = found.turns.ranges().back().last;
    found.last = std::max({found.last, found.charted, found.folded, found.identity.parent.turn});
    for (const auto& [account, turn] : found.last_lines) found.last = std::max(found.last, turn);
    for (const auto& [number, account] : found.accounts)
        found.last = std::max(found.last, account.footer_turn);
    for (SalvagedState& state : found.states) {
        if (state.turn == found.charted && &state == &found.states.back()) state.confirmed = true;
        for (const auto& [number, account] : found.accounts)
            state.confirmed |= account.footer_turn == state.turn;
    }
    return found;
}

}  // namespace proxstream
