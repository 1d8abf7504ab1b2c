#include "store/store_file.hpp"

#include "proxstream/core/error.hpp"

#include <array>
#include <cerrno>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
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

struct flock whole_file(short kind) {
    struct flock lock {};
    lock.l_type = kind;
    lock.l_whence = SEEK_SET;
    return lock;
}

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

WriterLock::WriterLock(const std::string& store) : path_(store + "-lock") {
    for (;;) {
        descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (descriptor_ < 0) throw IoError(path_, "make the lock of the run store", errno);
        struct flock lock = whole_file(F_WRLCK);
        if (::fcntl(descriptor_, F_OFD_SETLK, &lock) != 0) {
            const int problem = errno;
            ::close(descriptor_);
            if (problem != EAGAIN && problem != EACCES) throw IoError(path_, "lock the run store", problem);
            throw ConfigError(store +
                              ": another process is writing to this run; stop it first, or fork the run");
        }
        // Whoever had it before may have removed it in between: then this is the lock of nobody.
        struct stat held {};
        struct stat there {};
        const bool same = ::fstat(descriptor_, &held) == 0 && ::stat(path_.c_str(), &there) == 0 &&
                          held.st_ino == there.st_ino && held.st_dev == there.st_dev;
        if (same) return;
        ::close(descriptor_);
    }
}

WriterLock::~WriterLock() {
    ::unlink(path_.c_str());  // while it is ours
    ::close(descriptor_);
}

bool WriterLock::held(const std::string& store) {
    const int descriptor = ::open((store + "-lock").c_str(), O_RDWR | O_CLOEXEC);
    if (descriptor < 0) return false;
    struct flock lock = whole_file(F_WRLCK);
    const bool asked = ::fcntl(descriptor, F_OFD_GETLK, &lock) == 0;
    ::close(descriptor);
    return asked && lock.l_type != F_UNLCK;
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
