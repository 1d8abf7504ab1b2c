#include "store/run_store.hpp"

#include "proxstream/core/error.hpp"

#include "store/account.hpp"
#include "store/journal.hpp"
#include "store/noted_files.hpp"
#include "store/part_file.hpp"
#include "store/store_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

namespace proxstream {
namespace {

/// A store whose log is still beside it can be read only with permission to write, so try that first.
Database open_to_read(const std::string& path) {
    if (!std::filesystem::exists(path)) throw IoError(path, "open the run store", ENOENT);
    try {
        Database database(path, Database::Access::write);
        database.blank();
        return database;
    } catch (const IoError&) {
        return {path, Database::Access::read};
    }
}

}  // namespace

bool looks_like_store(const std::string& path) {
    constexpr std::size_t kMarkPlace = 68;  // of the application_id in SQLite's header
    std::ifstream file(path, std::ios::binary);
    char head[kMarkPlace + 4] = {};
    file.read(head, sizeof head);
    const std::string_view read(head, static_cast<std::size_t>(file.gcount()));
    return read.size() == sizeof head && read.starts_with("SQLite format 3") && read.ends_with("PXST");
}

bool has_run(const std::string& path) {
    std::error_code missing;
    const auto bytes = std::filesystem::file_size(path, missing);
    if (missing || bytes == 0) return false;
    try {
        Database database = open_to_read(path);
        return !without_run(database);
    } catch (const Error&) {
        return true;  // or another file: opening it says which
    }
}

RunStore::RunStore(const std::string& path) : database_(open_to_read(path)) {
    check_store(database_);
    identity_ = parse_identity(read_fact(database_, "identity").value_or(""), path);
}

StoreState RunStore::state() const {
    StoreState state;
    {
        const Transaction snapshot(database_, Transaction::Kind::read);
        if (const auto folded = read_fact(database_, "folded")) state.folded = std::stoull(*folded);
        // Times never decrease, so the ends of the table suffice. A query for both extremes would scan it.
        Statement newest(database_, "SELECT turn, time FROM turns ORDER BY turn DESC LIMIT 1");
        state.last = state.folded;
        if (newest.step()) newest.read(state.last, state.last_time);
        state.first_time = database_.number("SELECT time FROM turns ORDER BY turn LIMIT 1");
        state.saved = database_.count("SELECT coalesce(max(turn), 0) FROM states");
        for (const StoredAccount& account : read_accounts(database_)) {
            ++state.accounts;
            state.folded_rows += folded_rows(account, path()).mark.lines - 1;
        }
        state.finished = read_fact(database_, "ended") == std::to_string(state.last);
    }
    std::error_code none;
    for (const char* suffix : {"", "-wal"}) {
        const auto size = std::filesystem::file_size(path() + suffix, none);
        if (!none) state.bytes += size;
    }
    state.running = WriterLock::held(path());
    return state;
}

SettingList RunStore::settings() const {
    SettingList settings = identity_.settings;
    const std::string limits = read_fact(database_, "limits").value_or("");
    if (limits.empty()) return settings;
    for (const auto& [name, value] : parse_settings(limits, path())) {
        for (auto& [known, before] : settings)
            if (known == name) before = value;
    }
    return settings;
}

bool RunStore::complete() const {
    return state().finished && all_there(read_fact(database_, "files").value_or(""));
}

std::vector<StoreSession> RunStore::sessions() const {
    std::vector<StoreSession> sessions;
    if (store_version(database_) < 2) return sessions;
    Statement rows(database_, "SELECT version, begun, turn FROM sessions ORDER BY id");
    while (rows.step()) {
        StoreSession& session = sessions.emplace_back();
        rows.read(session.version, session.begun, session.turn);
    }
    return sessions;
}

std::optional<Turn> RunStore::find_key(const std::string& key) const {
    const Turn turn =
        database_.count("SELECT turn FROM turns WHERE key = ?1 ORDER BY turn DESC LIMIT 1", key);
    return turn == 0 ? std::nullopt : std::optional(turn);
}

std::optional<Turn> RunStore::restore(const SerialiseRun& state) const {
    const RestoredState restored = restore_state(
        database_, kAllTurns, [](Turn, const StateMarks&) { return true; }, state);
    return restored.found ? std::optional(restored.turn) : std::nullopt;
}

void RunStore::copy_to(const std::string& target, const RunIdentity& identity) const {
    const WriterLock lock(target);
    if (has_run(target)) throw ConfigError(target + ": the file exists; name another");
    remove_store(target);
    // It gets its name when it is whole: half of a copy, or one with its parent's identity, is no fork.
    const PartFile part(target + ".part-" + Journal::new_id());
    try {
        Statement(database_, "VACUUM INTO CAST(?1 AS TEXT)").run(part.path());
        Database copy(part.path(), Database::Access::write);
        Transaction transaction(copy);
        write_fact(copy, "identity", identity_json(identity));
        write_fact(copy, "files", "");  // the parent's
        transaction.commit();
    } catch (const IoError& error) {
        throw IoError(target, "the copy of " + path() + " cannot be written", error.error_number());
    }
    part.finish(target);
}

Series RunStore::series() const {
    const Transaction snapshot(database_, Transaction::Kind::read);
    return read_series(database_, identity_.channels.size());
}

StoredAccount RunStore::account(std::uint64_t number) const {
    for (StoredAccount& each : read_accounts(database_))
        if (each.account == number) return std::move(each);
    throw ConfigError(fmt::format("{}: there is no account {}", path(), number));
}

std::uint64_t RunStore::find_line(const StoredAccount& account, Turn first) const {
    // The lines of an account are in the order of their turns: bisect.
    std::uint64_t begin = folded_rows(account, path()).mark.lines + 1;
    const std::uint64_t head = ledger_place(account.account, 0);
    const std::uint64_t newest = database_.count(
        "SELECT coalesce(max(place), 0) FROM ledger WHERE place < ?1", ledger_place(account.account + 1, 0));
    std::uint64_t end = std::max(newest, head + begin - 1) - head + 1;
    Statement turn(database_, "SELECT turn FROM ledger WHERE place = ?1");
    while (begin < end) {
        const std::uint64_t middle = begin + (end - begin) / 2;
        if (!turn.bind(head + middle).step())
            refuse_store(path(), fmt::format("line {} of account {} is missing", middle, account.account));
        if (turn.count(0) < first) {
            begin = middle + 1;
        } else {
            end = middle;
        }
    }
    return begin;
}

void RunStore::read_rows(const StoredAccount& account, Turn first, Turn last,
                         const std::function<bool(Turn turn, std::string_view line)>& take) const {
    if (!take(0, account.header)) return;
    read_lines(database_, account.account, find_line(account, first), std::min(last, kAllTurns),
               [&](Turn turn, std::string_view line) { return is_seal(line) || take(turn, line); });
}

LedgerExtent RunStore::extent(std::uint64_t number) const {
    const Transaction snapshot(database_, Transaction::Kind::read);
    const std::uint64_t lines = folded_rows(account(number), path()).mark.lines;
    return {.stored = database_.count(
                "SELECT count(*) FROM ledger WHERE place >= ?1 AND place < ?2 AND length(line) > ?3",
                ledger_place(number, lines + 1), ledger_place(number + 1, 0), kRowDigits),
            .folded = lines - 1};
}

void RunStore::ledger(std::uint64_t number, const std::function<bool(std::string_view line)>& take) const {
    const Transaction snapshot(database_, Transaction::Kind::read);
    const StoredAccount found = account(number);
    bool more = true;
    read_rows(found, 0, kAllTurns, [&](Turn, std::string_view line) { return more = take(line); });
    // Rows that were written after a footer make it void.
    const Turn last = database_.count(
        "SELECT turn FROM ledger WHERE place >= ?1 AND place < ?2 ORDER BY place DESC LIMIT 1",
        ledger_place(number, 0), ledger_place(number + 1, 0));
    if (more && !found.footer.empty() && found.footer_turn >= last) take(found.footer);
}

void RunStore::ledger_rows(std::uint64_t number, Turn first, Turn last,
                           const std::function<bool(Turn turn, std::string_view line)>& take) const {
    const Transaction snapshot(database_, Transaction::Kind::read);
    read_rows(account(number), first, last, take);
}

std::vector<Certificate> RunStore::certify() const {
    const Transaction snapshot(database_, Transaction::Kind::read);
    std::vector<Certificate> certificates;
    for (const StoredAccount& account : read_accounts(database_)) {
        if (auto certificate = certify_account(database_, account))
            certificates.push_back(std::move(*certificate));
    }
    return certificates;
}

std::vector<std::string> RunStore::verify() const {
    std::vector<std::string> problems;
    const auto check = [&](const auto& read) {
        try {
            read();
        } catch (const DataError& error) {
            problems.emplace_back(error.what());
        }
    };
    check([&] {
        const std::string found = database_.text("PRAGMA integrity_check(1)").value_or("nothing can be read");
        if (found != "ok") refuse_store(path(), "the file is damaged: " + found);
    });
    check([&] { certify(); });
    check([&] { turns(0, kAllTurns, [](const StoredTurn&) { return true; }); });
    check([&] { alarms(); });
    check([&] { series(); });
    check([&] {
        for (const char* name : {"identity", "certificate", "report", "folded", "ended"})
            read_fact(database_, name);
    });
    check([&] {
        Statement states(database_, "SELECT state FROM states");
        while (states.step()) {
            const std::string bytes = unpacked(states.bytes(0));
            const StateArchive archive(bytes, path());
        }
    });
    return problems;
}

}  // namespace proxstream
