#include "store/journal.hpp"

#include "proxstream/core/error.hpp"

#include "store/account.hpp"
#include "store/noted_files.hpp"
#include "store/store_file.hpp"

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <random>

#include <fmt/format.h>

namespace proxstream {
namespace {

/// A state is saved when the turns since the last one have more bytes than it, and at least this often.
constexpr double kStateSeconds = 5;
constexpr std::size_t kLeastBetweenStates = std::size_t{1} << 16U;
constexpr std::int64_t kStatesKept = 2;
/// Without synchronisation, a turn waits at most this long for its commit.
constexpr double kLazySeconds = 1;
constexpr int kLogPages = 128;
constexpr int kPageBytes = 4096;
/// Turns are folded in groups: a transaction per turn would cost more than the turn.
constexpr Turn kFoldedTogether = 1024;

double seconds_since(std::chrono::steady_clock::time_point then) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - then).count();
}

std::string utc_now() {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    gmtime_r(&now, &parts);
    char text[32];
    return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

}  // namespace

JournalOptions journal_options(const StoreSettings& settings, bool clocked, const std::string& version) {
    return {.durable = Durability::parse(settings.durable),
            .keep = Retention::parse(settings.keep),
            .save_every_commit = clocked,
            .version = version,
            .now = {}};
}

/// The store as its writer has it open.
struct Journal::File {
    /// Statements that are prepared once: a commit per turn is the hot path of a service.
    struct Statements {
        explicit Statements(Database& database)
            : line(database,
                   "INSERT OR REPLACE INTO ledger (place, turn, line, seal) VALUES (?1, ?2, ?3, ?4)"),
              stored_line(database, "SELECT turn, line FROM ledger WHERE place = ?1"),
              turn(database,
                   "INSERT INTO turns (turn, time, key, input, decision, figures, seal) "
                   "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)"),
              alarm(database,
                    "INSERT INTO alarms (turn, alarm, raised, kind, subject, text, seal) "
                    "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)"),
              bucket(database, "INSERT OR REPLACE INTO series (bucket, cells, seal) VALUES (?1, ?2, ?3)"),
              later_buckets(database, "DELETE FROM series WHERE bucket >= ?1"),
              state(database, "INSERT OR REPLACE INTO states (turn, state) VALUES (?1, ?2)"),
              older_states(database,
                           "DELETE FROM states WHERE turn NOT IN (SELECT turn FROM states ORDER BY turn DESC "
                           "LIMIT ?1)"),
              replayed_lines(database, "DELETE FROM ledger WHERE turn <= (SELECT min(turn) FROM states)") {}

        Statement line, stored_line, turn, alarm, bucket, later_buckets, state, older_states, replayed_lines;
    };

    File(const std::string& path, Database::Access access) : lock(path), database(path, access) {}

    /// To be called once there are tables.
    void prepare(bool synchronised) {
        database.run("PRAGMA journal_mode = WAL");
        database.run(synchronised ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL");
        // The log counts as part of the store: move it into the file before it is larger than a small run.
        database.run(fmt::format("PRAGMA wal_autocheckpoint = {}", kLogPages));
        database.run(fmt::format("PRAGMA journal_size_limit = {}", kLogPages * kPageBytes));
        statements.emplace(database);
    }
    void add_session(const std::string& version, std::int64_t now, Turn turn) {
        Statement(database, "INSERT INTO sessions (version, begun, turn) VALUES (?1, ?2, ?3)")
            .run(version, now, turn);
    }
    /// The stored text of a line: all of it, or its seal. Nothing if it is not stored for that turn.
    std::optional<std::string> text_of(const StoredLine& line) {
        Statement& stored = statements->stored_line;
        std::optional<std::string> text;
        if (stored.bind(ledger_place(line.account, line.line)).step() && stored.count(0) == line.turn)
            text = stored.bytes(1);
        stored.reset();
        return text;
    }
    void write(const TurnBatch& batch) {
        for (const StoredLine& line : batch.lines)
            statements->line.run_sealed(ledger_place(line.account, line.line), line.turn, line.text);
        for (const StoredTurn& each : batch.turns) {
            statements->turn.run_sealed(each.turn, each.time, NullableText{each.key}, each.input,
                                        each.decision, each.figures);
        }
        for (const auto& [turn, each] : batch.alarms)
            statements->alarm.run_sealed(turn, each.id, each.raised, each.kind, each.subject, each.text);
        for (const auto& [name, value] : batch.facts) write_fact(database, name, value);
    }
    void write(const Series& series) {
        if (series.touched() == series.buckets()) return;
        for (Index bucket = series.touched(); bucket < series.buckets(); ++bucket)
            statements->bucket.run_sealed(bucket, Packed{series.bytes(bucket)});
        statements->later_buckets.run(series.buckets());
    }
    void write_state(Turn turn, const std::string& bytes) {
        statements->state.run(turn, Packed{bytes});
        statements->older_states.run(kStatesKept);
    }
    /// Drops the ledger rows that no saved state needs for a comparison.
    void drop_lines() { statements->replayed_lines.run(); }

    WriterLock lock;  // destroyed after the database
    Database database;
    std::optional<Statements> statements;
};

Journal::Journal(std::unique_ptr<File> file, const JournalOptions& options, RunIdentity identity)
    : file_(std::move(file)),
      options_(options),
      identity_(std::move(identity)),
      series_(identity_.channels.size()) {}
Journal::~Journal() = default;
Journal::Journal(Journal&&) noexcept = default;
Journal& Journal::operator=(Journal&&) noexcept = default;

Journal Journal::create(const std::string& path, RunIdentity identity, const JournalOptions& options) {
    auto file = std::make_unique<File>(path, Database::Access::create);
    if (!without_run(file->database)) {
        throw ConfigError(path + ": the store exists; continue it with 'proxstream resume " + path +
                          "', or name another file");
    }
    identity.id = new_id();
    identity.created = utc_now();
    if (identity.version.empty()) identity.version = options.version;
    Journal journal(std::move(file), options, std::move(identity));
    // A fork continues the numbers of its parent, whose turns are not in this file.
    journal.at_.played = journal.at_.stored = journal.at_.folded = journal.identity_.parent.turn;
    Database& database = journal.file_->database;
    journal.batch_.facts.emplace_back("identity", identity_json(journal.identity_));
    if (journal.at_.folded > 0)
        journal.batch_.facts.emplace_back("folded", std::to_string(journal.at_.folded));
    {
        Transaction transaction(database);
        migrate(database, store_version(database));
        // A fork is a run once its first state is stored, which the next commit does.
        if (journal.at_.folded == 0) journal.file_->write(std::exchange(journal.batch_, {}));
        database.run("DELETE FROM sessions");
        journal.file_->add_session(options.version, journal.now(), journal.at_.stored);
        transaction.commit();
    }
    // The log starts after the first transaction, so that the mark of a store is in the file itself from the
    // start.
    journal.file_->prepare(options.durable.synchronised);
    return journal;
}

Journal Journal::open(const std::string& path, const JournalOptions& options) {
    if (!std::filesystem::exists(path)) throw IoError(path, "open the run store", ENOENT);
    auto file = std::make_unique<File>(path, Database::Access::write);
    Database& database = file->database;
    check_store(database);
    if (const std::int64_t version = store_version(database); version < kStoreVersion) {
        Transaction transaction(database);
        migrate(database, version);
        transaction.commit();
    }
    file->prepare(options.durable.synchronised);
    Journal journal(std::move(file), options,
                    parse_identity(read_fact(database, "identity").value_or(""), path));
    journal.read_position();
    journal.file_->add_session(options.version, journal.now(), journal.at_.stored);
    return journal;
}

void Journal::read_position() {
    Database& database = file_->database;
    for (StoredAccount& account : read_accounts(database)) {
        const std::uint64_t number = account.account;
        Ledger& ledger = accounts_[number];
        if (!account.folded.empty()) ledger.folded_lines = folded_rows(account, path()).mark.lines;
        ledger.stored = std::move(account);
    }
    series_ = read_series(database, identity_.channels.size());
    if (const auto folded = read_fact(database, "folded")) at_.folded = std::stoull(*folded);
    Statement turns(database, "SELECT count(*), coalesce(max(turn), 0), coalesce(max(time), 0) FROM turns");
    turns.step();
    Turn count = 0;
    turns.read(count, at_.stored, last_time_);
    at_.stored = std::max(at_.stored, at_.folded);
    if (count != at_.stored - at_.folded)
        refuse_store(path(), fmt::format("turns are missing between {} and {}", at_.folded, at_.stored));
    at_.ended = read_fact(database, "ended") == std::to_string(at_.stored);
    if (auto lost = read_recovered(database)) {
        recovered_ = true;
        lost_sums_ = std::move(*lost);
    }
}

std::string Journal::new_id() {
    std::random_device device;
    return fmt::format("{:08x}{:08x}", device(), device());
}

const std::string& Journal::path() const noexcept {
    return file_->database.path();
}

std::int64_t Journal::now() const {
    using namespace std::chrono;
    if (options_.now) return options_.now();
    return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

bool Journal::state_due() const noexcept {
    if (at_.played == at_.saved) return false;
    return options_.save_every_commit || recovered_ ||
           schedule_.written >= std::max(schedule_.state_size, kLeastBetweenStates) ||
           seconds_since(schedule_.last_state) >= kStateSeconds;
}

/// Whether the run can continue from a state of this turn with the files as they are.
bool Journal::accept_outputs(Turn turn, const OutputMarks& marks) {
    outputs_.marks.clear();
    if (turn <= identity_.parent.turn) return true;  // they are the parent's
    std::vector<std::string> lost;
    for (const auto& [path, mark] : marks) {
        const std::string change = change_since(mark, path);
        if (change.empty()) outputs_.marks.emplace(path, mark);
        if (!change.empty()) lost.push_back(path + " " + change);
    }
    const bool accepted = lost.empty() || !can_replay();
    if (!accepted) outputs_.marks.clear();
    if (outputs_.lost.empty()) outputs_.lost = std::move(lost);
    return accepted;
}

const OutputMark* Journal::output(const std::string& path) const {
    const auto found = outputs_.marks.find(path);
    return found == outputs_.marks.end() ? nullptr : &found->second;
}

Turn Journal::restore(const Serialise& serialise) {
    const auto accept = [&](Turn turn, const StateMarks& marks) {
        if (!accept_outputs(turn, marks.outputs)) return false;
        for (const auto& [account, mark] : marks.ledgers) {
            const auto known = accounts_.find(account);
            if (known == accounts_.end()) refuse_store(path(), fmt::format("account {} is missing", account));
            known->second.lines =
                std::make_unique<LedgerLines>(path(), header_of(known->second.stored, path()), mark);
        }
        return true;
    };
    const RestoredState restored = restore_state(file_->database, at_.stored, accept, serialise);
    if (restored.found) {
        at_.played = at_.saved = restored.turn;
        schedule_.state_size = restored.size;
    }
    if (at_.played == 0 && at_.folded > 0 && outputs_.lost.empty()) {
        refuse_store(path(), "every saved state is damaged, and the first turns are folded" +
                                 (restored.damage.empty() ? "" : ": " + restored.damage));
    }
    // The state has the sums that a recovered store lacks; from the first turn on, the replay makes them.
    if (at_.played == 0) lost_sums_.clear();
    OutputMarks unused;
    if (!lost_sums_.empty() && prepare_) prepare_(unused);
    if (!lost_sums_.empty())
        refuse_store(path(), fmt::format("the sums of account {} are missing", lost_sums_.front()));
    return at_.played;
}

std::string Journal::stored_input(Turn turn) const {
    const auto stored = read_turn(file_->database, turn);
    if (!stored) refuse_store(path(), fmt::format("turn {} is missing", turn));
    return stored->input;
}

void Journal::refuse_replay(const std::string& what) const {
    throw DataError({.source = path(), .line = 0, .column = 0, .field = ""},
                    fmt::format("{} of turn {} differs from the stored one", what, at_.played + 1),
                    "the same data, options and release of the program as before");
}

LedgerLines& Journal::lines_of(std::uint64_t account) {
    const auto found = accounts_.find(account);
    if (found == accounts_.end() || !found->second.lines)
        throw Error(fmt::format("account {} was not opened", account));
    return *found->second.lines;
}

void Journal::open_account(std::uint64_t account, const RunHeader& header) {
    auto lines = std::make_unique<LedgerLines>(path(), header);
    std::string text;
    lines->append_header(text);
    const auto [place, is_new] = accounts_.try_emplace(account);
    Ledger& ledger = place->second;
    if (is_new) {
        ledger.stored = {.account = account, .turn = at_.played + 1, .header = text};
        ledger.changed = true;
    } else if (ledger.stored.header != text) {
        refuse_replay("the header of an account");
    }
    if (!ledger.lines) ledger.lines = std::move(lines);
}

void Journal::row(std::uint64_t account, const RoundReport& report, const RowExtras& extras) {
    LedgerLines& lines = lines_of(account);
    StoredLine line{.account = account, .turn = at_.played + 1};
    lines.append_row(line.text, report, extras);
    line.line = lines.count();
    if (replaying()) return replay_line(std::move(line), lines.last_seal());
    if (!options_.keep.ledger_rows) line.text = lines.last_seal();
    current_.lines.push_back(std::move(line));
}

void Journal::replay_line(StoredLine line, const std::string& seal) {
    const std::optional<std::string> stored = file_->text_of(line);
    const bool folded = line.line <= accounts_.at(line.account).folded_lines;
    const bool lost = recovered_ && !stored;
    if (stored ? *stored != line.text && *stored != seal : !folded && !lost) refuse_replay("a ledger row");
    // From here on rows are kept: those that are not in the sums are needed.
    if ((lost || stored == seal) && options_.keep.ledger_rows && !folded)
        batch_.lines.push_back(std::move(line));
}

void Journal::close_account(std::uint64_t account, const RunFooter& footer, const Tally& sums) {
    LedgerLines& lines = lines_of(account);
    Ledger& ledger = accounts_.at(account);
    const bool lost = std::erase(lost_sums_, account) > 0;
    if (!options_.keep.ledger_rows || lost) ledger.stored.folded = FoldedRows{lines.mark(), sums}.bytes();
    if (lost) ledger.folded_lines = lines.count();
    ledger.stored.footer.clear();
    lines.append_footer(ledger.stored.footer, footer);
    const bool has_row = std::any_of(current_.lines.begin(), current_.lines.end(),
                                     [&](const StoredLine& line) { return line.account == account; });
    ledger.stored.footer_turn = at_.played + (has_row ? 1 : 0);
    if (!replaying() || lost) ledger.changed = true;
}

void Journal::input(std::string_view body, std::string_view key) {
    current_.turn.input = body;
    current_.turn.key = key;
}

void Journal::replay_turn() {
    if (at_.played >= at_.folded) {
        const auto stored = read_turn(file_->database, at_.played + 1);
        if (!stored || stored->decision != current_.turn.decision) refuse_replay("the decision");
    }
    if (recovered_) {
        for (StoredAlarm& alarm : current_.alarms)
            batch_.alarms.emplace_back(at_.played + 1, std::move(alarm));
    }
    current_ = {};
    ++at_.played;
}

void Journal::end_turn(const Serialise& serialise) {
    if (replaying()) return replay_turn();
    current_.turn.turn = ++at_.played;
    // The wall clock may be set back; the times of turns must not.
    current_.turn.time = last_time_ = std::max(last_time_, now());
    series_.add(current_.turn.turn, current_.turn.figures);
    schedule_.written += current_.turn.input.size() + current_.turn.decision.size();
    for (StoredLine& line : current_.lines) {
        schedule_.written += line.text.size();
        batch_.lines.push_back(std::move(line));
    }
    current_.lines.clear();
    for (StoredAlarm& alarm : current_.alarms) batch_.alarms.emplace_back(at_.played, std::move(alarm));
    current_.alarms.clear();
    batch_.turns.push_back(std::exchange(current_.turn, {}));
    if (by_hand_) return;
    const bool waited =
        !options_.durable.synchronised && seconds_since(schedule_.last_commit) >= kLazySeconds;
    if (batch_.turns.size() >= options_.durable.turns || waited) commit(state_due() ? &serialise : nullptr);
}

void Journal::commit(const Serialise* serialise) {
    // What a recovered store lacks is written with its next state, or made anew once more.
    if (replaying() || (recovered_ && serialise == nullptr)) return;
    std::string state;
    if (serialise != nullptr) {
        StateMarks marks;
        if (prepare_) prepare_(marks.outputs);
        for (const auto& [account, ledger] : accounts_)
            if (ledger.lines) marks.ledgers.emplace_back(account, ledger.lines->mark());
        state = state_bytes(std::move(marks), *serialise);
    }
    if (batch_.turns.empty() && batch_.facts.empty() && state.empty()) return;
    {
        Transaction transaction(file_->database);
        for (const auto& [account, ledger] : accounts_)
            if (ledger.changed) write_account(file_->database, ledger.stored);
        file_->write(batch_);
        if (!state.empty()) file_->write(series_);
        if (!state.empty()) file_->write_state(at_.played, state);
        if (recovered_) write_recovered(file_->database, std::nullopt);
        if (!state.empty() && !options_.keep.ledger_rows) file_->drop_lines();
        transaction.commit();
    }
    // If the transaction fails, everything is still here for the next attempt.
    for (auto& [account, ledger] : accounts_) ledger.changed = false;
    batch_ = {};
    recovered_ = false;
    if (!state.empty()) series_.settle();
    at_.stored = at_.played;
    schedule_.last_commit = Clock::now();
    if (!state.empty()) {
        at_.saved = at_.played;
        schedule_.state_size = state.size();
        schedule_.written = 0;
        schedule_.last_state = schedule_.last_commit;
    }
    fold();
}

/// Folds the turns that need not be kept, but none after the oldest saved state.
void Journal::fold() {
    if (options_.keep.all_turns()) return;
    Database& database = file_->database;
    const Turn oldest_state = database.count("SELECT coalesce(min(turn), 0) FROM states");
    Turn target = 0;
    if (options_.keep.turns && at_.stored > *options_.keep.turns) target = at_.stored - *options_.keep.turns;
    if (options_.keep.seconds && oldest_state >= at_.folded + kFoldedTogether) {
        const auto oldest = last_time_ - static_cast<std::int64_t>(1000 * *options_.keep.seconds);
        const Turn first =
            database.count("SELECT turn FROM turns WHERE time >= ?1 ORDER BY turn LIMIT 1", oldest);
        if (first > 0) target = std::max(target, first - 1);
    }
    target = std::min(target, oldest_state);
    if (target < at_.folded + kFoldedTogether) return;
    try {
        fold_turns(database, target);
    } catch (const IoError&) {
        return;  // a full disk: nothing was dropped, and the next commit tries again
    }
    at_.folded = target;
    for (StoredAccount& account : read_accounts(database)) {
        const std::uint64_t number = account.account;
        accounts_.at(number).stored = std::move(account);
    }
}

void Journal::finish(const Serialise& serialise, std::string_view certificate, std::string_view report,
                     bool ended) {
    batch_.facts.insert(batch_.facts.end(), {{"certificate", std::string(certificate)},
                                             {"report", std::string(report)},
                                             {"ended", ended ? std::to_string(at_.played) : std::string()},
                                             {"files", std::string()}});
    commit(&serialise);
    at_.ended = ended;
}

void Journal::write_fact_now(std::string_view name, const std::string& value) {
    Transaction transaction(file_->database);
    write_fact(file_->database, name, value);
    transaction.commit();
}

void Journal::note_limits(const SettingList& limits) {
    const std::string json = settings_json(limits);
    if (read_fact(file_->database, "limits") != json) write_fact_now("limits", json);
}

void Journal::note_files(const std::vector<std::string>& paths) {
    write_fact_now("files", proxstream::note_files(paths));
}

OutputFile open_output(const Journal* journal, const std::string& path) {
    const OutputMark* end = journal != nullptr ? journal->output(path) : nullptr;
    if (end != nullptr) return OutputFile::continue_after(path, end->bytes);
    return OutputFile::fresh(path, journal != nullptr);
}

}  // namespace proxstream
