#include "store/run_store.hpp"

#include "proxstream/core/error.hpp"

#include "store/account.hpp"
#include "store/database.hpp"
#include "store/saved_state.hpp"
#include "store/store_file.hpp"
#include "store/turn_rows.hpp"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <limits>

#include <fmt/format.h>

namespace proxstream {
namespace {

constexpr Turn kAllTurns = std::numeric_limits<std::int64_t>::max();

/// One state of the file for several statements, whatever a writer does meanwhile.
class Snapshot {
  public:
    explicit Snapshot(Database& database) : database_(database) { database_.run("BEGIN"); }
    ~Snapshot() {
        try {
            database_.run("COMMIT");
        } catch (const std::exception&) {
            // Nothing was written, so nothing is lost.
        }
    }
    Snapshot(const Snapshot&) = delete;
    Snapshot& operator=(const Snapshot&) = delete;

  private:
    Database& database_;
};

/// A file that was written with a log beside it can be read without one only by somebody who may write there.
Database open_to_read(const std::string& path) {
    if (!std::filesystem::exists(path)) throw IoError(path, "open the run store", ENOENT);
    try {
        Database database(path, Database::Access::write);
        database.number("SELECT count(*) FROM sqlite_schema");
        return database;
    } catch (const IoError&) {
        return {path, Database::Access::read};
    }
}

}  // namespace

bool looks_like_store(const std::string& path) {
    constexpr std::size_t kMarkPlace = 68;  // of the application's id in SQLite's header
    std::ifstream file(path, std::ios::binary);
    char head[kMarkPlace + 4] = {};
    file.read(head, sizeof head);
    const std::string_view read(head, static_cast<std::size_t>(file.gcount()));
    return read.size() == sizeof head && read.starts_with("SQLite format 3") && read.ends_with("PXST");
}

struct RunStore::State {
    explicit State(const std::string& path) : database(open_to_read(path)) {}
    mutable Database database;
    RunIdentity identity;
};

RunStore::RunStore(const std::string& path) : state_(std::make_unique<State>(path)) {
    Database& database = state_->database;
    if (database.number("SELECT count(*) FROM sqlite_schema") == 0)
        refuse_store(path, "no run is in it yet: the program ended before its first commit");
    check_store(database);
    const auto identity = read_fact(database, "identity");
    if (!identity) refuse_store(path, "it does not say of what run it is");
    state_->identity = parse_identity(*identity, path);
}

RunStore::~RunStore() = default;
RunStore::RunStore(RunStore&&) noexcept = default;

const std::string& RunStore::path() const noexcept {
    return state_->database.path();
}

const RunIdentity& RunStore::identity() const noexcept {
    return state_->identity;
}

StoreState RunStore::state() const {
    Database& database = state_->database;
    StoreState state;
    {
        const Snapshot snapshot(database);
        if (const auto folded = read_fact(database, "folded")) state.folded = std::stoull(*folded);
        // Times never go back, so the ends of the table are enough; several extremes at once would read all
        // of it.
        Statement newest(database, "SELECT turn, time FROM turns ORDER BY turn DESC LIMIT 1");
        state.last = state.folded;
        if (newest.step()) {
            state.last = newest.count(0);
            state.last_time = newest.integer(1);
        }
        state.first_time = database.number("SELECT time FROM turns ORDER BY turn LIMIT 1");
        state.saved = static_cast<Turn>(database.number("SELECT coalesce(max(turn), 0) FROM states"));
        state.accounts = static_cast<std::uint64_t>(database.number("SELECT count(*) FROM accounts"));
        if (const auto ended = read_fact(database, "ended"))
            state.finished = *ended == std::to_string(state.last);
    }
    std::error_code none;
    for (const char* suffix : {"", "-wal"}) {
        const auto size = std::filesystem::file_size(path() + suffix, none);
        if (!none) state.bytes += size;
    }
    state.running = WriterLock::held(path());
    return state;
}

std::vector<StoreSession> RunStore::sessions() const {
    std::vector<StoreSession> sessions;
    if (store_version(state_->database) < 2) return sessions;
    Statement rows(state_->database, "SELECT version, begun, turn FROM sessions ORDER BY id");
    while (rows.step()) sessions.push_back({std::string(rows.bytes(0)), rows.integer(1), rows.count(2)});
    return sessions;
}

std::optional<StoredTurn> RunStore::turn(Turn turn) const {
    std::optional<StoredTurn> found;
    turns(turn, turn, [&](const StoredTurn& each) {
        found = each;
        return false;
    });
    return found;
}

std::optional<Turn> RunStore::find_key(const std::string& key) const {
    Statement row(state_->database, "SELECT turn FROM turns WHERE key = ?1 ORDER BY turn DESC LIMIT 1");
    row.bind(1, key);
    if (!row.step()) return std::nullopt;
    return row.count(0);
}

void RunStore::turns(Turn first, Turn last, const std::function<bool(const StoredTurn&)>& take) const {
    Statement rows(
        state_->database,
        fmt::format("SELECT {} FROM turns WHERE turn >= ?1 AND turn <= ?2 ORDER BY turn", kTurnColumns));
    rows.bind(1, std::min(first, kAllTurns)).bind(2, std::min(last, kAllTurns));
    while (rows.step()) {
        if (!take(read_turn(rows, path()))) return;
    }
}

std::vector<std::pair<Turn, StoredAlarm>> RunStore::alarms() const {
    return read_alarms(state_->database);
}

Series RunStore::series() const {
    return read_series(state_->database, state_->identity.channels.size());
}

std::optional<Turn> RunStore::restore(const Journal::Exchange& state) const {
    Statement rows(state_->database, "SELECT turn, state FROM states ORDER BY turn DESC");
    while (rows.step()) {
        const std::string bytes(rows.bytes(1));
        std::optional<SavedState> saved;
        try {
            saved.emplace(bytes, path());
        } catch (const DataError&) {
            continue;
        }
        saved->read(state);
        return rows.count(0);
    }
    return std::nullopt;
}

void RunStore::copy_to(const std::string& target, const RunIdentity& identity) const {
    if (std::filesystem::exists(target))
        throw ConfigError(target + ": there is a file already; name another");
    Statement(state_->database, "VACUUM INTO ?1").bind_text(1, target).run();
    const WriterLock lock(target);
    Database copy(target, Database::Access::write);
    Transaction transaction(copy);
    write_fact(copy, "identity", identity_json(identity));
    transaction.commit();
}

std::string RunStore::certificate() const {
    return read_fact(state_->database, "certificate").value_or("");
}

std::string RunStore::report() const {
    return read_fact(state_->database, "report").value_or("");
}

void RunStore::ledger(std::uint64_t account, const std::function<bool(std::string_view line)>& take) const {
    Database& database = state_->database;
    const Snapshot snapshot(database);
    for (const StoredAccount& each : read_accounts(database)) {
        if (each.account != account) continue;
        if (!take(each.header)) return;
        const std::uint64_t first = folded_rows(each, path()).mark.lines + 1;
        bool go_on = true;
        Turn last = 0;
        read_lines(database, account, first, kAllTurns, [&](Turn turn, std::string_view line) {
            last = turn;
            go_on = take(line);
            return go_on;
        });
        // One that rows have outrun is no end.
        if (go_on && !each.footer.empty() && each.footer_turn >= last) take(each.footer);
        return;
    }
    throw ConfigError(fmt::format("{}: there is no account {}", path(), account));
}

void RunStore::ledger_rows(std::uint64_t account, Turn first, Turn last,
                           const std::function<bool(Turn turn, std::string_view line)>& take) const {
    Database& database = state_->database;
    const Snapshot snapshot(database);
    for (const StoredAccount& each : read_accounts(database)) {
        if (each.account != account) continue;
        if (!take(0, each.header)) return;
        // Lines of an account are in the order of their turns: halving finds the first one.
        std::uint64_t begin = folded_rows(each, path()).mark.lines + 1;
        Statement newest(database, "SELECT coalesce(max(place), 0) FROM ledger WHERE place < ?1");
        newest.bind(1, ledger_place(account + 1, 0)).step();
        const std::uint64_t lines = newest.count(0);
        if (lines < ledger_place(account, begin)) return;
        std::uint64_t end = lines - ledger_place(account, 0) + 1;
        Statement turn(database, "SELECT turn FROM ledger WHERE place = ?1");
        while (begin < end) {
            const std::uint64_t middle = begin + (end - begin) / 2;
            if (!turn.reset().bind(1, ledger_place(account, middle)).step())
                refuse_store(path(), fmt::format("line {} of account {} is missing", middle, account));
            if (turn.count(0) < first) {
                begin = middle + 1;
            } else {
                end = middle;
            }
        }
        read_lines(database, account, begin, std::min(last, kAllTurns), take);
        return;
    }
    throw ConfigError(fmt::format("{}: there is no account {}", path(), account));
}

std::vector<Certificate> RunStore::certify() const {
    Database& database = state_->database;
    const Snapshot snapshot(database);
    std::vector<Certificate> certificates;
    for (const StoredAccount& account : read_accounts(database)) {
        if (auto certificate = certify_account(database, account))
            certificates.push_back(std::move(*certificate));
    }
    return certificates;
}

std::vector<std::string> RunStore::verify() const {
    Database& database = state_->database;
    std::vector<std::string> problems;
    const auto check = [&](const auto& read) {
        try {
            read();
        } catch (const DataError& error) {
            problems.emplace_back(error.what());
        }
    };
    check([&] {
        if (const auto found = database.text("PRAGMA integrity_check(1)"); !found || *found != "ok")
            refuse_store(path(), "the file is damaged: " + found.value_or("nothing can be read"));
    });
    check([&] { certify(); });
    check([&] { turns(0, kAllTurns, [](const StoredTurn&) { return true; }); });
    check([&] { alarms(); });
    check([&] { series(); });
    check([&] {
        for (const char* name : {"identity", "certificate", "report", "folded", "ended"})
            read_fact(database, name);
    });
    check([&] {
        Statement states(database, "SELECT state FROM states");
        while (states.step()) {
            const std::string bytes(states.bytes(0));
            const Checkpoint checkpoint(bytes, path());
        }
    });
    return problems;
}

}  // namespace proxstream
