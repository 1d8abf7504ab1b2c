#include "store/store_file.hpp"

#include "proxstream/core/error.hpp"

#include "store/stored_rows.hpp"

#include <array>
#include <cerrno>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace proxstream {
namespace {

// The steps from each version of the tables to the next. The first step creates them.
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
    // 2: adds the sessions of writers, and an index of the keys of posts.
    R"sql(
CREATE TABLE sessions (id INTEGER PRIMARY KEY, version BLOB NOT NULL, begun INTEGER NOT NULL, turn INTEGER NOT NULL);
CREATE INDEX turn_keys ON turns (key) WHERE key IS NOT NULL;
)sql",
    // 3: states, accounts, facts and series may be packed; lines of a ledger may be seals. No table changes.
    "",
};

struct flock whole_file(short kind) {
    struct flock lock {};
    lock.l_type = kind;
    lock.l_whence = SEEK_SET;
    return lock;
}

}  // namespace

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
        // The previous writer may have removed the file before this lock was taken: then try again.
        struct stat held {};
        struct stat there {};
        const bool same = ::fstat(descriptor_, &held) == 0 && ::stat(path_.c_str(), &there) == 0 &&
                          held.st_ino == there.st_ino && held.st_dev == there.st_dev;
        if (same) return;
        ::close(descriptor_);
    }
}

WriterLock::~WriterLock() {
    ::unlink(path_.c_str());  // before the lock is released
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

void remove_store(const std::string& path) noexcept {
    for (const char* suffix : {"", "-journal", "-wal", "-shm"}) ::unlink((path + suffix).c_str());
}

std::int64_t store_version(Database& database) {
    return database.number("PRAGMA user_version");
}

bool without_run(Database& database) {
    if (database.blank()) return true;
    return database.number("PRAGMA application_id") == kStoreMark && !read_fact(database, "identity");
}

void migrate(Database& database, std::int64_t from, std::int64_t to) {
    if (from >= to) return;
    for (std::int64_t step = from; step < to; ++step) database.run(kSteps[static_cast<std::size_t>(step)]);
    database.run(fmt::format("PRAGMA user_version = {}", to));
    database.run(fmt::format("PRAGMA application_id = {}", kStoreMark));
}

void check_store(Database& database) {
    constexpr const char* kNoRun =
        "it has no run yet: the program ended before its first commit; start the run again";
    if (database.blank()) refuse_store(database.path(), kNoRun);
    if (database.number("PRAGMA application_id") != kStoreMark)
        refuse_store(database.path(), "a database, but not a run store of proxstream");
    const std::int64_t version = store_version(database);
    if (version < 1 || version > kStoreVersion) {
        refuse_store(database.path(),
                     fmt::format("the store has version {}; this release reads versions 1 to {}", version,
                                 kStoreVersion));
    }
    const std::string found = database.text("PRAGMA quick_check(1)").value_or("nothing can be read");
    if (found != "ok") refuse_store(database.path(), "the file is damaged: " + found);
    if (without_run(database)) refuse_store(database.path(), kNoRun);
}

}  // namespace proxstream
