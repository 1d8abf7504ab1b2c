#include "store/journal.hpp"

#include "proxstream/core/error.hpp"

#include "regret/ledger_lines.hpp"
#include "store/account.hpp"
#include "store/database.hpp"
#include "store/saved_state.hpp"
#include "store/store_file.hpp"
#include "store/turn_batch.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace proxstream {
namespace {

using Clock = std::chrono::steady_clock;

/// A state is saved when what was written since the last one outweighs it, and at least so often.
constexpr double kStateSeconds = 5;
constexpr std::size_t kLeastBetweenStates = std::size_t{1} << 16U;
/// Without the disk's word turns wait at most so long.
constexpr double kLazySeconds = 1;
/// Folding goes over many turns at once: a transaction a turn would cost more than the turn.
constexpr Turn kFoldedTogether = 1024;

std::int64_t wall_milliseconds() {
    return std::chrono::duration_cast<std::chrono::milliseconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
}

std::string utc_now() {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    gmtime_r(&now, &parts);
    char text[32];
    return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

bool blank(Database& database) {
    return database.number("SELECT count(*) FROM sqlite_schema") == 0;
}

}  // namespace

JournalOptions journal_options(const StoreSettings& settings, bool clocked, const std::string& version) {
    return {.durable = Durability::parse(settings.durable),
            .keep = Retention::parse(settings.keep),
            .save_every_commit = clocked,
            .version = version,
            .now = {}};
}

struct Journal::State {
    State(const std::string& path, Database::Access access, const JournalOptions& chosen)
        : lock(path), database(path, access), options(chosen), last_commit(Clock::now()) {}

    void set_up() {
        database.run("PRAGMA journal_mode = WAL");
        database.run(options.durable.synchronised ? "PRAGMA synchronous = FULL"
                                                  : "PRAGMA synchronous = NORMAL");
        database.run("PRAGMA journal_size_limit = 67108864");
    }

    void note_session() {
        Statement(database, "INSERT INTO sessions (version, begun, turn) VALUES (?1, ?2, ?3)")
            .bind(1, options.version)
            .bind(2, now())
            .bind(3, stored)
            .run();
    }

    std::int64_t now() const { return options.now ? options.now() : wall_milliseconds(); }
    bool replaying() const { return turn < stored; }

    LedgerLines& lines_of(std::uint64_t account) {
        const auto found = lines.find(account);
        if (found == lines.end()) throw Error(fmt::format("account {} was not opened", account));
        return found->second;
    }

    [[noreturn]] void refuse_replay(const std::string& what) const {
        throw DataError({.source = database.path(), .line = 0, .column = 0, .field = ""},
                        fmt::format("{} of turn {} came out otherwise than it is stored", what, turn + 1),
                        "the same data, options and release of the program as before");
    }

    bool state_due() const {
        if (turn == saved) return false;
        return options.save_every_commit ||
               written_since_state >= std::max(state_size, kLeastBetweenStates) ||
               std::chrono::duration<double>(Clock::now() - last_state).count() >= kStateSeconds;
    }

    std::string saved_state(const Exchange& exchange) const;
    void commit(const Exchange* exchange);
    void write(const StateRow* state);
    void fold();

    WriterLock lock;  // before the database: what closes later lets go of the file last
    Database database;
    JournalOptions options;
    RunIdentity identity;
    std::function<void()> closings;
    std::optional<BatchWriter> writer;  // once there are tables

    std::map<std::uint64_t, LedgerLines> lines;
    std::map<std::uint64_t, StoredAccount> accounts;

    // the turn that is being played
    StoredTurn current;
    std::vector<PendingLine> current_lines;
    std::vector<StoredAlarm> current_alarms;

    TurnBatch batch;                       // complete turns that are not in the file yet
    std::set<std::uint64_t> new_accounts;  // or those that are not as the file has them

    Turn turn = 0;    // complete
    Turn stored = 0;  // in the file
    Turn saved = 0;   // with a state
    Turn folded = 0;
    bool ended = false;
    bool by_hand = false;  // commits are the feeder's
    std::int64_t last_time = 0;
    std::size_t written_since_state = 0;
    std::size_t state_size = 0;
    Clock::time_point last_state = Clock::now();
    Clock::time_point last_commit;
    Series series;
};

Journal::Journal(std::unique_ptr<State> state) : state_(std::move(state)) {}
Journal::~Journal() = default;
Journal::Journal(Journal&&) noexcept = default;
Journal& Journal::operator=(Journal&&) noexcept = default;

Journal Journal::create(const std::string& path, RunIdentity identity, const JournalOptions& options) {
    auto state = std::make_unique<State>(path, Database::Access::create, options);
    if (!blank(state->database)) {
        throw ConfigError(path + ": there is a store already; 'proxstream resume " + path +
                          "' goes on with it, another name begins anew");
    }
    identity.id = new_id();
    identity.created = utc_now();
    if (identity.version.empty()) identity.version = options.version;
    state->identity = std::move(identity);
    state->series = Series(state->identity.channels.size());
    // A fork counts on from the last turn it has in common with its parent, whose turns are not here.
    state->turn = state->stored = state->folded = state->identity.parent.turn;
    {
        Transaction transaction(state->database);
        migrate(state->database, 0);
        write_fact(state->database, "identity", identity_json(state->identity));
        if (state->folded > 0) write_fact(state->database, "folded", std::to_string(state->folded));
        state->note_session();
        transaction.commit();
    }
    // Only now the log: what tells a store by its first bytes is in the file itself from the beginning.
    state->set_up();
    state->writer.emplace(state->database);
    return Journal(std::move(state));
}

Journal Journal::open(const std::string& path, const JournalOptions& options) {
    if (!std::filesystem::exists(path)) throw IoError(path, "open the run store", ENOENT);
    auto owned = std::make_unique<State>(path, Database::Access::write, options);
    State& state = *owned;
    if (blank(state.database)) {
        refuse_store(path, "no run is in it yet: the program ended before its first commit; begin it again");
    }
    check_store(state.database);
    state.set_up();
    if (const std::int64_t version = store_version(state.database); version < kStoreVersion) {
        Transaction transaction(state.database);
        migrate(state.database, version);
        transaction.commit();
    }
    const auto identity = read_fact(state.database, "identity");
    if (!identity) refuse_store(path, "it does not say of what run it is");
    state.identity = parse_identity(*identity, path);
    for (StoredAccount& account : read_accounts(state.database)) {
        const std::uint64_t number = account.account;
        state.accounts.emplace(number, std::move(account));
    }
    state.series = read_series(state.database, state.identity.channels.size());
    if (const auto folded = read_fact(state.database, "folded")) state.folded = std::stoull(*folded);
    Statement turns(state.database,
                    "SELECT count(*), coalesce(max(turn), 0), coalesce(max(time), 0) FROM turns");
    turns.step();
    state.stored = std::max(turns.count(1), state.folded);
    state.last_time = turns.integer(2);
    if (turns.count(0) != state.stored - state.folded)
        refuse_store(path, fmt::format("turns are missing between {} and {}", state.folded, state.stored));
    if (const auto ended = read_fact(state.database, "ended"))
        state.ended = *ended == std::to_string(state.stored);
    turns.reset();
    state.note_session();
    state.writer.emplace(state.database);
    return Journal(std::move(owned));
}

std::string Journal::new_id() {
    std::random_device device;
    return fmt::format("{:08x}{:08x}", device(), device());
}

const std::string& Journal::path() const noexcept {
    return state_->database.path();
}
const RunIdentity& Journal::identity() const noexcept {
    return state_->identity;
}
Turn Journal::last() const noexcept {
    return state_->stored;
}
Turn Journal::played() const noexcept {
    return state_->turn;
}
Turn Journal::saved() const noexcept {
    return state_->saved;
}
Turn Journal::folded() const noexcept {
    return state_->folded;
}
void Journal::commit_by_hand() noexcept {
    state_->by_hand = true;
}
bool Journal::state_due() const noexcept {
    return state_->state_due();
}
bool Journal::replaying() const noexcept {
    return state_->replaying();
}
bool Journal::finished() const noexcept {
    return state_->ended;
}
std::uint64_t Journal::pending() const noexcept {
    return state_->batch.turns.size();
}
const Series& Journal::series() const noexcept {
    return state_->series;
}

Turn Journal::restore(const Exchange& exchange) {
    State& state = *state_;
    Statement rows(state.database, "SELECT turn, state FROM states WHERE turn <= ?1 ORDER BY turn DESC");
    rows.bind(1, state.stored);
    std::string damage;
    while (rows.step()) {
        std::optional<SavedState> found;
        const std::string bytes(rows.bytes(1));
        try {
            found.emplace(bytes, state.database.path());
        } catch (const DataError& error) {
            // An older one will do: the turns since then are played again and compared.
            damage = error.what();
            continue;
        }
        for (const auto& [account, mark] : found->marks()) {
            const auto known = state.accounts.find(account);
            if (known == state.accounts.end())
                refuse_store(state.database.path(), fmt::format("account {} is missing", account));
            state.lines.emplace(account, LedgerLines(state.database.path(),
                                                     header_of(known->second, state.database.path()), mark));
        }
        found->read(exchange);
        state.turn = state.saved = rows.count(0);
        state.state_size = bytes.size();
        break;
    }
    if (state.turn == 0 && state.folded > 0) {
        refuse_store(state.database.path(),
                     "no saved state is whole, and its first turns are no longer there" +
                         (damage.empty() ? "" : ": " + damage));
    }
    return state.turn;
}

std::string Journal::stored_input(Turn turn) const {
    Statement row(state_->database, fmt::format("SELECT {} FROM turns WHERE turn = ?1", kTurnColumns));
    row.bind(1, turn);
    if (!row.step()) refuse_store(state_->database.path(), fmt::format("turn {} is missing", turn));
    return read_turn(row, state_->database.path()).input;
}

void Journal::open_account(std::uint64_t account, const RunHeader& header) {
    State& state = *state_;
    LedgerLines lines(state.database.path(), header);
    std::string text;
    lines.append_header(text);
    const auto known = state.accounts.find(account);
    if (known != state.accounts.end()) {
        // Restored with its state, or met again on the way from there.
        if (known->second.header != text) state.refuse_replay("the beginning of an account");
    } else {
        state.accounts.emplace(account,
                               StoredAccount{.account = account, .turn = state.turn + 1, .header = text});
        state.new_accounts.insert(account);
    }
    state.lines.try_emplace(account, std::move(lines));
}

void Journal::row(std::uint64_t account, const RoundReport& report, const RowExtras& extras) {
    State& state = *state_;
    LedgerLines& lines = state.lines_of(account);
    PendingLine line{.account = account, .turn = state.turn + 1};
    lines.append_row(line.text, report, extras);
    line.line = lines.count();
    if (state.replaying()) {
        if (!state.writer->same(line)) state.refuse_replay("a ledger row");
        return;
    }
    state.current_lines.push_back(std::move(line));
}

void Journal::close_account(std::uint64_t account, const RunFooter& footer) {
    State& state = *state_;
    StoredAccount& stored = state.accounts.at(account);
    stored.footer.clear();
    state.lines_of(account).append_footer(stored.footer, footer);
    const auto& lines = state.current_lines;
    const bool in_this_turn = std::any_of(lines.begin(), lines.end(),
                                          [&](const PendingLine& line) { return line.account == account; });
    stored.footer_turn = state.turn + (in_this_turn ? 1 : 0);
    if (!state.replaying()) state.new_accounts.insert(account);
}

void Journal::decision(std::string_view json) {
    state_->current.decision = json;
}

void Journal::figures(std::span<const Real> values) {
    state_->current.figures.assign(values.begin(), values.end());
}

void Journal::alarm(StoredAlarm alarm) {
    state_->current_alarms.push_back(std::move(alarm));
}

void Journal::input(std::string_view body, std::string_view key) {
    state_->current.input = body;
    state_->current.key = key;
}

void Journal::when_saving(std::function<void()> closings) {
    state_->closings = std::move(closings);
}

void Journal::end_turn(const Exchange& exchange) {
    State& state = *state_;
    if (state.replaying()) {
        Statement row(state.database, fmt::format("SELECT {} FROM turns WHERE turn = ?1", kTurnColumns));
        row.bind(1, state.turn + 1);
        if (!row.step() || read_turn(row, state.database.path()).decision != state.current.decision)
            state.refuse_replay("the decision");
        state.current = {};
        state.current_alarms.clear();
        ++state.turn;
        return;
    }
    StoredTurn& current = state.current;
    current.turn = ++state.turn;
    // The wall clock may be set back; the order of turns is not to be doubted for that.
    current.time = state.last_time = std::max(state.last_time, state.now());
    state.series.add(current.turn, current.figures);
    state.written_since_state += current.input.size() + current.decision.size();
    for (PendingLine& line : state.current_lines) {
        state.written_since_state += line.text.size();
        state.batch.lines.push_back(std::move(line));
    }
    state.current_lines.clear();
    for (StoredAlarm& alarm : state.current_alarms)
        state.batch.alarms.emplace_back(current.turn, std::move(alarm));
    state.current_alarms.clear();
    state.batch.turns.push_back(std::exchange(current, {}));
    if (state.by_hand) return;
    const bool waited =
        !state.options.durable.synchronised &&
        std::chrono::duration<double>(Clock::now() - state.last_commit).count() >= kLazySeconds;
    if (state.batch.turns.size() >= state.options.durable.turns || waited) {
        state.commit(state.state_due() ? &exchange : nullptr);
    }
}

void Journal::commit(const Exchange* exchange) {
    state_->commit(exchange);
}

/// Where the ledgers stand, then the run's own.
std::string Journal::State::saved_state(const Exchange& exchange) const {
    SavedState::Marks marks;
    for (const auto& [account, each] : lines) marks.emplace_back(account, each.mark());
    return SavedState::bytes(std::move(marks), exchange);
}

void Journal::State::commit(const Exchange* exchange) {
    // Turns that are played again are in the file with what belongs to them.
    if (replaying()) return;
    std::optional<StateRow> state;
    if (exchange != nullptr) {
        if (closings) closings();
        state = {turn, saved_state(*exchange)};
    }
    if (batch.empty() && !state) return;
    write(state ? &*state : nullptr);
    fold();
}

void Journal::State::write(const StateRow* state) {
    std::vector<const StoredAccount*> changed;
    for (const std::uint64_t account : new_accounts) changed.push_back(&accounts.at(account));
    writer->write(batch, changed, series, state);
    // Only now: had it failed, everything would still be here for the next attempt.
    new_accounts.clear();
    batch = {};
    series.settle();
    stored = turn;
    last_commit = Clock::now();
    if (state == nullptr) return;
    saved = turn;
    state_size = state->bytes.size();
    written_since_state = 0;
    last_state = last_commit;
}

/// Drops what is older than it has to be kept, never beyond the oldest state that may be gone on from.
void Journal::State::fold() {
    if (options.keep.all()) return;
    const auto kept = static_cast<Turn>(database.number("SELECT coalesce(min(turn), 0) FROM states"));
    Turn target = 0;
    if (options.keep.turns && stored > *options.keep.turns) target = stored - *options.keep.turns;
    if (options.keep.seconds && kept >= folded + kFoldedTogether) {
        const auto oldest = last_time - static_cast<std::int64_t>(1000 * *options.keep.seconds);
        Statement first(database, "SELECT turn FROM turns WHERE time >= ?1 ORDER BY turn LIMIT 1");
        first.bind(1, oldest);
        if (first.step()) target = std::max(target, first.count(0) - 1);
    }
    target = std::min(target, kept);
    if (target < folded + kFoldedTogether) return;
    try {
        fold_turns(database, target);
    } catch (const IoError&) {
        return;  // a full disk: nothing was dropped, and there will be another time
    }
    folded = target;
    for (StoredAccount& account : read_accounts(database)) {
        const std::uint64_t number = account.account;
        accounts.at(number) = std::move(account);
    }
}

void Journal::finish(const Exchange& exchange, std::string_view certificate, std::string_view report,
                     bool ended) {
    State& state = *state_;
    state.batch.facts = {{"certificate", std::string(certificate)},
                         {"report", std::string(report)},
                         {"ended", ended ? std::to_string(state.turn) : std::string()}};
    state.commit(&exchange);
    state.ended = ended;
}

}  // namespace proxstream
