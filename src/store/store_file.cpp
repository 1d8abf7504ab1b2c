#include "store/store_file.hpp"

#include "proxstream/core/error.hpp"

#include <array>
#include <cerrno>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

namespace proxstream {
namespace {

// Steps from one version of the tables to the next; the first makes them.
constexpr std::array<const char*, kStoreVersion> kSteps{
    R"sql(
CREATE TABLE facts (name TEXT PRIMARY KEY, value BLOB NOT NULL, seal INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE accounts (account INTEGER PRIMARY KEY, turn INTEGER NOT NULL, header BLOB NOT NULL,
                       footer BLOB, footer_turn INTEGER, folded BLOB, seal INTEGER NOT NULL);
CREATE TABLE ledger (place INTEGER PRIMARY KEY, turn INTEGER NOT NULL, line BLOB NOT NULL, seal INTEGER NOT NULL);
CREATE TABLE turns (turn INTEGER PRIMARY KEY, time INTEGER NOT NULL, key BLOB, input BLOB, decision BLOB,
                    figures BLOB, seal INTEGER NOT NULL);
CREATE TABLE alarms (id INTEGER PRIMARY KEY, turn INTEGER NOT NULL, alarm INTEGER NOT NULL, raised INTEGER NOT NULL,
                     kind BLOB NOT NULL, subject BLOB NOT NULL, text BLOB NOT NULL, seal INTEGER NOT NULL);
CREATE TABLE states (turn INTEGER PRIMARY KEY, state BLOB NOT NULL);
CREATE TABLE series (bucket INTEGER PRIMARY KEY, cells BLOB NOT NULL, seal INTEGER NOT NULL);
)sql",
    // 2: who wrote when; posts are found by their keys.
    R"sql(
CREATE TABLE sessions (id INTEGER PRIMARY KEY, version BLOB NOT NULL, begun INTEGER NOT NULL, turn INTEGER NOT NULL);
CREATE INDEX turn_keys ON turns (key) WHERE key IS NOT NULL;
)sql",
};

}  // namespace

RowSeal& RowSeal::add(std::string_view bytes) {
    sum_.add(bytes.size());
    sum_.add(bytes);
    return *this;
}

RowSeal& RowSeal::add(std::uint64_t number) {
    sum_.add(number);
    return *this;
}

std::int64_t RowSeal::value() const {
    return static_cast<std::int64_t>(sum_.value());
}

WriterLock::WriterLock(const std::string& path)
    : descriptor_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
    if (descriptor_ < 0) throw IoError(path, "open the run store for writing", errno);
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) == 0) return;
    const int problem = errno;
    ::close(descriptor_);
    if (problem != EWOULDBLOCK) throw IoError(path, "lock the run store", problem);
    throw ConfigError(path + ": another process is writing to this run; stop it first, or fork the run");
}

WriterLock::~WriterLock() {
    ::close(descriptor_);
}

bool WriterLock::held(const std::string& path) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return false;
    const bool free = ::flock(descriptor, LOCK_SH | LOCK_NB) == 0;
    ::close(descriptor);
    return !free;
}

void refuse_store(const std::string& path, const std::string& problem) {
    throw DataError({.source = path, .line = 0, .column = 0, .field = ""}, problem,
                    "a run store as proxstream wrote it");
}

std::int64_t store_version(Database& database) {
    return database.number("PRAGMA user_version");
}

void migrate(Database& database, std::int64_t from, std::int64_t to) {
    if (from >= to) return;
    for (std::int64_t step = from; step < to; ++step) database.run(kSteps[static_cast<std::size_t>(step)]);
    database.run(fmt::format("PRAGMA user_version = {}", to).c_str());
    database.run(fmt::format("PRAGMA application_id = {}", kStoreMark).c_str());
}

void check_store(Database& database) {
    if (database.number("PRAGMA application_id") != kStoreMark)
        refuse_store(database.path(), "this is a database, but not one of proxstream's run stores");
    const std::int64_t version = store_version(database);
    if (version < 1 || version > kStoreVersion) {
        refuse_store(database.path(), fmt::format("the store has version {}; this release knows 1 to {}",
                                                  version, kStoreVersion));
    }
    const auto found = database.text("PRAGMA quick_check(1)");
    if (!found || *found != "ok")
        refuse_store(database.path(), "the file is damaged: " + found.value_or("nothing can be read"));
}

std::optional<std::string> read_fact(Database& database, std::string_view name) {
    Statement statement(database, "SELECT value, seal FROM facts WHERE name = ?1");
    // Names are compared as they were written: bytes.
    statement.bind(1, name);
    if (!statement.step()) return std::nullopt;
    std::string value(statement.bytes(0));
    if (statement.integer(1) != RowSeal().add(name).add(value).value())
        refuse_store(database.path(), fmt::format("its '{}' is damaged", name));
    return value;
}

void write_fact(Database& database, std::string_view name, std::string_view value) {
    Statement statement(database, "INSERT OR REPLACE INTO facts (name, value, seal) VALUES (?1, ?2, ?3)");
    statement.bind(1, name).bind(2, value).bind(3, RowSeal().add(name).add(value).value()).run();
}

}  // namespace proxstream
